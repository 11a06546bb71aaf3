#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <variant>

#include "io/scene/scene_reference.h"
#include "io/scene/scene_words.h"
#include "tests/support/full_scene.h"
#include "tests/support/scene_folder.h"

namespace keydrape {
namespace {

using SceneTest = SceneFolder;

TEST_F(SceneTest, FullSceneShotAndCloth) {
  const Scene scene = read(kFullScene);
  EXPECT_EQ(scene.shot.name, "twirl");
  EXPECT_EQ(scene.shot.fps, 25);
  EXPECT_EQ(scene.shot.frames.text(), "1001-1060");
  EXPECT_EQ(scene.shot.frames.count(), 60);
  EXPECT_EQ(scene.shot.substeps, 8);
  ASSERT_EQ(scene.shot.gravity.keys.size(), 2u);
  EXPECT_EQ(scene.shot.gravity.keys[1].first, 1030.5);
  EXPECT_EQ(scene.shot.gravity.keys[1].second, Vec3(0, 0, -1.62));
  EXPECT_EQ(scene.shot.meters_per_unit, 0.01);
  EXPECT_EQ(scene.shot.up_axis, scene::UpAxis::kZ);

  EXPECT_EQ(scene.cloth.rest.value, folder_ / "rest.obj");
  EXPECT_EQ(scene.cloth.initial.mesh->value, folder_ / "start.obj");
  EXPECT_EQ(scene.cloth.rest_shape, RestSource::kUv);
  EXPECT_EQ(scene.cloth.meters_per_uv, 2.5);
  EXPECT_EQ(scene.cloth.warp, Vec3(0, 0, 3));
  EXPECT_EQ(scene.cloth.bending, BendingModel::kQuadratic);
  EXPECT_EQ(scene.cloth.pressure->keys[1], std::pair(1020.0, 300.0));

  const scene::Material& material = scene.cloth.material;
  EXPECT_EQ(material.preset, "denim");
  EXPECT_EQ(material.density, 0.4);
  EXPECT_EQ(material.stretch, Vec2(2000, 1500.5));
  EXPECT_EQ(material.shear, 300);
  EXPECT_EQ(material.bend, 1e-4);
  EXPECT_EQ(material.damping, 0.01);
  EXPECT_EQ(material.thickness, 0.001);
  EXPECT_EQ(material.strain_limit, 0.08);
  EXPECT_EQ(material.coupling, 0.2);
  ASSERT_EQ(material.stretch_scale.keys.size(), 3u);
  EXPECT_EQ(material.stretch_scale.keys[1].second, Vec2(0.9, 1.1));
  EXPECT_EQ(material.stretch_scale.keys[2].second, Vec2(0.5, 0.5));
  EXPECT_EQ(material.shear_hysteresis, 0.2);
  EXPECT_EQ(material.bend_hysteresis, 3e-4);
  EXPECT_EQ(material.model, scene::MembraneModel::kWoven);
  EXPECT_TRUE(material.compression->is_buckling);
  EXPECT_EQ(material.fold_length, 0.03);
}

// What stands instead of numbers and laws of a woven fabric.
const std::string kCurves =
    "[cloth.material]\nwarp_curve = \"warp.csv\"\nweft_curve = \"warp.csv\"\nshear_curve = \"warp.csv\"\n"
    "compression = 0.05\n";
const std::string kSheet =
    "[cloth.material.kes]\nemt = [5, 9]\nlt = 0.7\ninitial = 0.2\ng = 0.7\nhg2 = 1.1\nb = 0.11\nhb2 = 0.05\n"
    "weight = 19\nthickness = 0.55\n";
const std::string kCarried = "[moving_frame]\ncollider = 2\n";
const std::string kRubber = "[cloth.material]\nmodel = \"isotropic\"\nyoung = 2e6\npoisson = 0.45\n";

TEST_F(SceneTest, MeasuredAndIsotropicFabrics) {
  folder_.write("warp.csv", "strain,tension\n0,0\n0.01,3\n");
  const scene::Material curves = read(kSmallestScene + kCurves).cloth.material;
  EXPECT_EQ(curves.warp_curve->value.filename(), "warp.csv");
  EXPECT_EQ(curves.weft_curve->value, curves.warp_curve->value);
  EXPECT_EQ(curves.shear_curve->value, curves.warp_curve->value);
  EXPECT_EQ(curves.compression->factor, 0.05);

  const scene::Material tested = read(kSmallestScene + kSheet).cloth.material;
  ASSERT_TRUE(tested.kes);
  EXPECT_EQ(tested.kes->emt, Vec2(5, 9));
  EXPECT_EQ(tested.kes->lt, Vec2(0.7, 0.7));
  EXPECT_EQ(tested.kes->initial, 0.2);
  EXPECT_EQ(tested.kes->g, 0.7);
  EXPECT_EQ(tested.kes->hg2, 1.1);
  EXPECT_EQ(tested.kes->b, 0.11);
  EXPECT_EQ(tested.kes->hb2, 0.05);
  EXPECT_EQ(tested.kes->weight, 19);
  EXPECT_EQ(tested.kes->thickness, 0.55);

  const scene::Material rubber = read(kSmallestScene + kRubber).cloth.material;
  EXPECT_EQ(rubber.model, scene::MembraneModel::kIsotropic);
  EXPECT_EQ(rubber.young, 2e6);
  EXPECT_EQ(rubber.poisson, 0.45);
}

TEST_F(SceneTest, FullSceneCreases) {
  const std::vector<scene::Crease> creases = read(kFullScene).creases;
  ASSERT_EQ(creases.size(), 2u);
  EXPECT_EQ(creases[0].edges->value, (std::vector<Edge>{{0, 1}, {7, 1}}));
  EXPECT_EQ(creases[0].angle.keys[1], std::pair(1010.0, 90.0));
  EXPECT_EQ(creases[0].stiffness, 20.0);
  EXPECT_EQ(creases[1].group->value, "pleat");
  EXPECT_EQ(creases[1].angle.keys[0].second, -30.0);
  EXPECT_EQ(creases[1].stiffness, 1.0);
}

TEST_F(SceneTest, FullSceneWindPinsAndSprings) {
  const Scene scene = read(kFullScene);
  ASSERT_TRUE(scene.wind.velocity.is_constant());
  EXPECT_EQ(scene.wind.velocity.keys[0].second, Vec3(1, 2, 3));
  EXPECT_EQ(scene.wind.air_density.keys[0].second, 1.3);
  EXPECT_EQ(scene.wind.drag.keys[1], std::pair(1060.0, 2.0));
  EXPECT_EQ(scene.wind.lift.keys[0].second, 0.5);

  const scene::MovingFrame& frame = scene.moving_frame;
  EXPECT_EQ(frame.translate.keys[1], std::pair(1010.0, Vec3(2, 0, 0)));
  EXPECT_EQ(frame.rotate.keys[0].second, Vec3(0, 10, 0));
  EXPECT_EQ(frame.pivot, Vec3(0, 1, 0));
  EXPECT_EQ(frame.inertia.keys[1], std::pair(1010.0, 0.5));
  EXPECT_EQ(frame.air.keys[0].second, 0.0);
  EXPECT_FALSE(frame.collider);
  EXPECT_EQ(read(kSmallestScene + kCarried).moving_frame.collider, 2);

  ASSERT_EQ(scene.pins.size(), 3u);
  const scene::Pin& soft = scene.pins[0];
  EXPECT_EQ(soft.vertices->value, (std::vector<int>{9, 0, 4}));
  EXPECT_EQ(soft.motion->value, folder_ / "pins.pc2");
  EXPECT_EQ(soft.frames->text(), "1001-1010");
  EXPECT_EQ(soft.stiffness->keys, (std::vector<std::pair<double, double>>{{1001, 500}, {1010, 0}}));
  EXPECT_EQ(soft.damping, 0.1);
  EXPECT_EQ(soft.axis, Vec3(0, 1, 0));
  EXPECT_FALSE(soft.normal);
  EXPECT_EQ(scene.pins[1].group->value, "waist");
  EXPECT_EQ(scene.pins[1].normal, Vec3(0, 0, 2));
  EXPECT_FALSE(scene.pins[1].stiffness);
  EXPECT_EQ(scene.pins[2].weights->value, folder_ / "map.txt");

  ASSERT_EQ(scene.springs.size(), 2u);
  EXPECT_EQ(scene.springs[0].pairs->value, (std::vector<Edge>{{0, 1}, {7, 3}}));
  EXPECT_FALSE(scene.springs[0].lines);
  EXPECT_EQ(scene.springs[0].stiffness, 10);
  EXPECT_EQ(scene.springs[0].rest, scene::SpringRest::kZero);
  EXPECT_EQ(scene.springs[0].damping, 0.2);
  EXPECT_TRUE(scene.springs[1].lines);
  EXPECT_EQ(scene.springs[1].rest, scene::SpringRest::kZero);
}

TEST_F(SceneTest, FullSceneCollidersAndContact) {
  const Scene scene = read(kFullScene);
  using Shape = scene::ColliderKind;
  std::vector<Shape> kinds;
  for (const scene::Collider& collider : scene.colliders) kinds.push_back(collider.kind);
  EXPECT_EQ(kinds, (std::vector{Shape::kSphere, Shape::kPlane, Shape::kCapsule, Shape::kBox, Shape::kMesh,
                                Shape::kVdb}));

  EXPECT_EQ(scene.colliders[0].sphere->center, Vec3(0, 1, 0));
  EXPECT_EQ(scene.colliders[0].sphere->radius, 0.5);
  EXPECT_EQ(scene.colliders[0].translate.keys.size(), 2U);
  EXPECT_EQ(scene.colliders[0].rotate.keys[0].second, Vec3(0, 90, 0));
  EXPECT_EQ(scene.colliders[0].pivot, Vec3(0, 2, 0));
  EXPECT_EQ(scene.colliders[0].point_spacing, 0.02);
  EXPECT_EQ(scene.colliders[0].friction->keys[0].second, 0.3);
  EXPECT_EQ(scene.colliders[1].plane->point, Vec3(0, 0, 1));
  EXPECT_EQ(scene.colliders[1].plane->normal, Vec3(0, 1, 0));
  EXPECT_EQ(scene.colliders[2].capsule->start, Vec3(0, 0, 0));
  EXPECT_EQ(scene.colliders[2].capsule->end, Vec3(0, 1, 0));
  EXPECT_EQ(scene.colliders[2].capsule->radius, 0.1);
  EXPECT_EQ(scene.colliders[3].box->min, Vec3(0, 0, 0));
  EXPECT_EQ(scene.colliders[3].box->max, Vec3(1, 2, 3));
  EXPECT_EQ(scene.colliders[4].mesh->value, folder_ / "key.obj");
  EXPECT_EQ(scene.colliders[4].motion->value, folder_ / "pins.pc2");
  EXPECT_EQ(scene.colliders[4].voxel, 0.05);
  EXPECT_EQ(scene.colliders[4].as, scene::ColliderAs::kVolume);
  EXPECT_EQ(scene.contact->activation, 0.003);
  EXPECT_EQ(scene.contact->stiffness, 0.2);
  EXPECT_EQ(scene.contact->sliding_speed, 0.001);
  EXPECT_EQ(scene.colliders[5].vdb->value, folder_ / "body.vdb");

  ASSERT_TRUE(scene.contact);
  EXPECT_EQ(scene.contact->thickness, 0.004);
  EXPECT_TRUE(scene.contact->self);
  EXPECT_TRUE(scene.contact->repair);
  EXPECT_EQ(scene.contact->start_crossings, scene::StartCrossings::kExempt);
  EXPECT_EQ(scene.contact->friction.keys[1], std::pair(1010.0, 0.2));
}

TEST_F(SceneTest, FullSceneKeyframesControlSolverOutput) {
  const Scene scene = read(kFullScene);
  ASSERT_EQ(scene.keyframes.size(), 2u);  // both on one frame
  const scene::Keyframe& hem = scene.keyframes[0];
  EXPECT_EQ(hem.frame, 1060);
  EXPECT_EQ(hem.mesh->value, folder_ / "key.obj");
  EXPECT_EQ(hem.weight, 2);
  EXPECT_EQ(hem.velocity_weight, 0.5);
  EXPECT_EQ(std::get<Vec3>(hem.velocity), Vec3(0, 0, 1));
  EXPECT_EQ(hem.group->value, "hem");
  EXPECT_EQ(hem.tolerance, 0.005);
  EXPECT_EQ(std::get<scene::FilePath>(scene.keyframes[1].velocity).value, folder_ / "velocity.npy");
  EXPECT_EQ(scene.keyframes[1].weights->value, folder_ / "map.txt");
  EXPECT_EQ(scene.keyframes[1].velocity_weights->value, folder_ / "map.txt");

  const scene::Control& control = scene.control;
  EXPECT_EQ(control.method, scene::ControlMethod::kLbfgs);
  EXPECT_EQ(control.gradient, scene::Gradient::kFrozenContact);
  EXPECT_EQ(control.start, scene::Start::kZero);
  EXPECT_EQ(control.hold, scene::Hold::kStep);
  EXPECT_TRUE(control.effort.automatic);
  EXPECT_EQ(control.group->value, "hem");
  EXPECT_EQ(control.frames->text(), "1002-1050");
  EXPECT_EQ(control.strength.keys, (std::vector<std::pair<double, double>>{{1002, 1}, {1050, 0.5}}));
  EXPECT_EQ(control.max_acceleration, 3);
  EXPECT_EQ(control.max_forward_simulations, 40);
  EXPECT_FALSE(control.even);
  EXPECT_EQ(control.smooth_time, 0.1);
  EXPECT_EQ(control.smooth_space, 0.2);

  EXPECT_EQ(scene.solver.integrator, StepMethod::kBdf2);
  EXPECT_EQ(scene.solver.newton_tolerance, 1e-6);
  EXPECT_EQ(scene.solver.max_newton_iterations, 50);
  EXPECT_EQ(scene.solver.linear, LinearMethod::kConjugateGradient);
  EXPECT_EQ(scene.solver.memory_gb, 0.5);
  EXPECT_EQ(scene.solver.scratch_gb, 20);
  EXPECT_EQ(scene.solver.scratch_dir, folder_.path().parent_path() / "fast");
  EXPECT_EQ(scene.output.dir, folder_.path().parent_path() / "results" / "twirl");
  EXPECT_FALSE(scene.output.holds_takes);
  EXPECT_EQ(scene.output.caches, std::vector{scene::CacheFormat::kObj});
  EXPECT_TRUE(scene.output.every_step);
}

// What a keyframe may be instead of a pose, and a track.
constexpr const char* kTargets = R"([[keyframe]]
frame = 1040
window = "1030-1050"
surface = "key.obj"
max_angle = 45
velocity_weight = 0.5
velocity_tolerance = 0.1
tolerance_max = 0.04
[[keyframe]]
frame = 1040
landmarks = [[3, 0.1, 0, -2], [0, 1, 2, 3]]
[[keyframe]]
frame = 1041
landmarks = "map.txt"
[[keyframe]]
frame = 1060
loop = true
[[track]]
cache = "pins.pc2"
frames = "1010-1020"
every = 3
weight = 2
group = "hem"
tolerance = 0.01
[[track]]
cache = "pins.pc2"
weights = "map.txt"
)";

TEST_F(SceneTest, KindsOfTargets) {
  const Scene scene = read(kSmallestScene + kTargets);
  ASSERT_EQ(scene.keyframes.size(), 4u);
  const scene::Keyframe &surface = scene.keyframes[0], &landmarks = scene.keyframes[1],
                        &loop = scene.keyframes[3];
  EXPECT_EQ(surface.window->text(), "1030-1050");
  EXPECT_EQ(surface.surface->value, folder_ / "key.obj");
  EXPECT_EQ(surface.max_angle, 45);
  EXPECT_EQ(surface.velocity_tolerance, 0.1);
  EXPECT_EQ(surface.tolerance_max, 0.04);
  EXPECT_FALSE(surface.mesh);
  const auto& points = std::get<std::vector<scene::Landmark>>(landmarks.landmarks->value);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].vertex, 3);
  EXPECT_EQ(points[0].position, Vec3(0.1, 0, -2));
  EXPECT_EQ(std::get<scene::FilePath>(scene.keyframes[2].landmarks->value).value, folder_ / "map.txt");
  EXPECT_EQ(landmarks.velocity_weight, 0);
  EXPECT_TRUE(loop.loop);
  EXPECT_EQ(loop.velocity_weight, 1);
  ASSERT_EQ(scene.tracks.size(), 2u);
  EXPECT_EQ(scene.tracks[0].cache.value, folder_ / "pins.pc2");
  EXPECT_EQ(scene.tracks[0].frames->text(), "1010-1020");
  EXPECT_EQ(scene.tracks[0].every, 3);
  EXPECT_EQ(scene.tracks[0].weight, 2);
  EXPECT_EQ(scene.tracks[0].group->value, "hem");
  EXPECT_EQ(scene.tracks[0].tolerance, 0.01);
  EXPECT_EQ(scene.tracks[1].weights->value, folder_ / "map.txt");
}

// The lines of all tables of that title; a table inside of a line counts, too.
std::string lines_of(const std::string& title, const std::string& text) {
  std::istringstream lines(text);
  std::string found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) inside = line == title;
    const std::size_t brace = line.find('{');
    if (inside) found += '\n' + line;
    if (brace != std::string::npos && title == fmt::format("[collider.{}]", line.substr(0, line.find(' ')))) {
      found += '\n' + line.substr(brace + 1) + '\n';
      for (std::size_t i = 0; (i = found.find("], ", i)) != std::string::npos;) found.replace(i, 3, "]\n");
    }
  }
  return found;
}

// What stands beside steps that minimise nothing.
const std::string kPasses =
    "[contact]\nmethod = \"impulses\"\nrestitution = 0.4\n[solver]\nintegrator = \"linearized\"\n"
    "max_edge_stretch = 0.1\n";

TEST_F(SceneTest, EveryKeyOfTheReferenceIsTested) {
  const std::string rounds = "[solver]\nintegrator = \"prefactored\"\nrounds = 5\nrounds_memory = 3\n",
                    stages = "[solver]\nintegrator = \"explicit\"\nscheme = \"rk4\"\n";
  EXPECT_EQ(read(kSmallestScene + rounds).solver.rounds, 5);
  EXPECT_EQ(read(kSmallestScene + rounds).solver.rounds_memory, 3);
  const std::string springs = "[cloth]\nrest = \"rest.obj\"\nmodel = \"springs\"\n";
  EXPECT_EQ(read("[shot]\nframes = \"1-3\"\n" + springs).cloth.model, ClothModel::kSprings);
  EXPECT_EQ(read(kSmallestScene + stages).solver.scheme, ExplicitScheme::kRungeKutta4);

  // What stands instead of the group and the bound.
  const std::string spaces =
      "[control]\nweights = \"map.txt\"\nknots_every = 3\nmodes = 12\nnet = \"zero-impulse\"\n"
      "relative_to = \"velocity.npy\"\n";
  const scene::Control control = read(kSmallestScene + spaces).control;
  EXPECT_EQ(control.weights->value, folder_ / "map.txt");
  EXPECT_EQ(control.knots_every, 3);
  EXPECT_EQ(control.modes, 12);
  EXPECT_EQ(control.net, NetForce::kZeroImpulse);
  EXPECT_EQ(control.relative_to->value.filename(), "velocity.npy");

  const std::string channels =
      "[control]\nforces = false\n"
      "[[control.channel]]\nkind = \"initial-velocity\"\nas = \"vertices\"\ngroup = \"hem\"\nscale = 3\n"
      "[[control.channel]]\nkind = \"pin\"\npin = 1\nknots_every = 4\n"
      "[[control.channel]]\nkind = \"material\"\nnumbers = [\"bend\", \"weft\"]\n";
  const scene::Control throws = read(kSmallestScene + channels).control;
  EXPECT_FALSE(throws.forces);
  ASSERT_EQ(throws.channels.size(), 3u);
  EXPECT_EQ(throws.channels[0].as, scene::ThrowAs::kVertices);
  EXPECT_EQ(throws.channels[0].group->value, "hem");
  EXPECT_EQ(throws.channels[0].scale, 3);
  EXPECT_EQ(throws.channels[1].kind, scene::ChannelKind::kPin);
  EXPECT_EQ(throws.channels[1].pin->value, 1);
  EXPECT_EQ(throws.channels[1].knots_every, 4);
  EXPECT_EQ(throws.channels[2].numbers, (std::vector{MaterialNumber::kBend, MaterialNumber::kWeft}));

  const std::string windows =
      "[control]\nwindow = \"1010-1020\"\nwindows = {length = 40, overlap = 10}\n"
      "[control.windows]\nlength = 40\noverlap = 10\n";
  EXPECT_EQ(read(kSmallestScene + "[control]\nwindow = \"1010-1020\"\n").control.window->text(), "1010-1020");
  const scene::Control in_parts =
      read(kSmallestScene + "[control.windows]\nlength = 40\noverlap = 10\n").control;
  EXPECT_EQ(in_parts.windows->length, 40);
  EXPECT_EQ(in_parts.windows->overlap, 10);

  const std::string levels = "[control]\ncoarse_to_fine = [\"step\", \"mesh\"]\ncoarse_levels = 2\n";
  const scene::Control from_coarse = read(kSmallestScene + levels).control;
  EXPECT_EQ(from_coarse.coarse_to_fine.size(), 2u);
  EXPECT_EQ(from_coarse.coarse_levels, 2);

  const std::string text = std::string(kFullScene) + kTargets + rounds + stages + springs + spaces + windows +
                           levels + channels + kCurves + kSheet + kRubber + kCarried + kPasses;
  int key_count = 0;
  for (const TableReference& table : scene_reference()) {
    const std::string lines = lines_of(table.title, text);
    for (const KeyReference& key : table.keys) {
      EXPECT_FALSE(key.expected.empty() || key.meaning.empty()) << table.title << " " << key.name;
      const bool is_material = table.title == "[cloth]" && key.name == "material";
      const bool is_sheet = table.title == "[cloth.material]" && key.name == "kes";
      const bool is_table = is_material || is_sheet || (table.title == "[control]" && key.name == "channel");
      const std::string wanted = is_material ? "\n[cloth.material]"
                                 : is_sheet  ? "\n[cloth.material.kes]"
                                 : is_table  ? "\n[[control.channel]]"
                                             : fmt::format("\n{} = ", key.name);
      EXPECT_NE((is_table ? text : lines).find(wanted), std::string::npos) << table.title << " " << key.name;
      ++key_count;
    }
  }
  EXPECT_GT(key_count, 80);
}

TEST(SceneReference, SaysTypeRangeUnitAndDefault) {
  std::map<std::string, KeyReference> keys;
  for (const TableReference& table : scene_reference()) {
    for (const KeyReference& key : table.keys) keys[table.title + " " + key.name] = key;
  }
  EXPECT_EQ(keys.at("[shot] fps").expected, "number, > 0, in frames/s");
  EXPECT_EQ(keys.at("[shot] fps").default_text, "24");
  EXPECT_EQ(keys.at("[shot] frames").default_text, "required");
  EXPECT_EQ(keys.at("[wind] velocity").default_text, "[0, 0, 0]");
  EXPECT_EQ(keys.at("[wind] lift").expected, "number, or [[frame, number], ...] with ascending frames, >= 0");
  EXPECT_EQ(keys.at("[cloth.material] preset").default_text, "\"cotton\"");
  EXPECT_EQ(keys.at("[[pin]] stiffness").default_text, "hard");
  EXPECT_EQ(keys.at("[control] hold").expected, "\"frame\" | \"step\"");
  EXPECT_EQ(keys.at("[control] effort").default_text, "\"auto\"");
  EXPECT_EQ(keys.at("[output] caches").default_text, "[\"pc2\", \"npy\"]");
}

}  // namespace
}  // namespace keydrape
