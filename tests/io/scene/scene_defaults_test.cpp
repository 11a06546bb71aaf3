#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <variant>

#include "io/scene/scene_words.h"
#include "tests/support/scene_folder.h"

namespace keydrape {
namespace {

using SceneDefaultsTest = SceneFolder;

TEST_F(SceneDefaultsTest, ValuesKnowWhereTheyStand) {
  const Scene scene = read(kSmallestScene +
                           "[[pin]]\nvertices = [1]\n[[pin]]\ngroup = \"waist\"\n"
                           "[[collider]]\nmesh = \"key.obj\"\n");
  const std::string file = scene_path().string();
  EXPECT_EQ(scene.cloth.source.where(), file + ":3:1");
  EXPECT_EQ(scene.cloth.rest.source.where(), file + ":4:8");
  EXPECT_EQ(scene.pins[0].vertices->source.where(), file + ":6:12");
  EXPECT_EQ(scene.pins[1].source.where(), file + ":7:1");
  EXPECT_EQ(scene.pins[1].group->source.where(), file + ":8:9");
  EXPECT_EQ(scene.colliders[0].source.where(), file + ":9:1");
}

TEST_F(SceneDefaultsTest, Defaults) {
  const Scene scene = read(kSmallestScene);
  EXPECT_EQ(scene.shot.name, "skirt");
  EXPECT_EQ(scene.shot.fps, 24);
  EXPECT_EQ(scene.shot.substeps, 4);
  EXPECT_EQ(scene.shot.gravity.keys[0].second, Vec3(0, -9.81, 0));
  EXPECT_EQ(scene.shot.meters_per_unit, 1);
  EXPECT_EQ(scene.shot.up_axis, scene::UpAxis::kY);
  EXPECT_FALSE(scene.cloth.initial.mesh);
  EXPECT_FALSE(scene.cloth.initial.is_drape);
  EXPECT_EQ(scene.cloth.rest_shape, RestSource::kMesh);
  EXPECT_FALSE(scene.cloth.bending);
  EXPECT_FALSE(scene.cloth.pressure);
  EXPECT_EQ(scene.cloth.material.preset, "cotton");
  EXPECT_FALSE(scene.cloth.material.density);
  EXPECT_EQ(scene.cloth.material.stretch_scale.keys[0].second, Vec2(1, 1));
  EXPECT_EQ(scene.wind.velocity.keys[0].second, Vec3(0, 0, 0));
  EXPECT_EQ(scene.wind.air_density.keys[0].second, 1.2);
  EXPECT_EQ(scene.wind.drag.keys[0].second, 1);
  EXPECT_EQ(scene.wind.lift.keys[0].second, 0);
  EXPECT_EQ(scene.moving_frame.source.line, 0);
  EXPECT_EQ(scene.moving_frame.inertia.keys[0].second, 1.0);
  EXPECT_EQ(scene.moving_frame.air.keys[0].second, 1.0);
  EXPECT_TRUE(scene.pins.empty() && scene.springs.empty() && scene.colliders.empty() &&
              scene.keyframes.empty());
  EXPECT_FALSE(scene.contact);
  EXPECT_EQ(scene.control.method, scene::ControlMethod::kGaussNewton);
  EXPECT_EQ(scene.control.gradient, scene::Gradient::kExact);
  EXPECT_EQ(scene.control.start, scene::Start::kGuided);
  EXPECT_EQ(scene.control.hold, scene::Hold::kFrame);
  EXPECT_EQ(scene.control.effort.value, 1e-4);
  EXPECT_TRUE(scene.control.effort.automatic);
  EXPECT_EQ(scene.control.strength.keys.front().second, 1.0);
  EXPECT_FALSE(scene.control.max_acceleration || scene.control.max_forward_simulations ||
               scene.control.frames);
  EXPECT_EQ(scene.solver.integrator, StepMethod::kConverged);
  EXPECT_EQ(scene.cloth.model, ClothModel::kSheet);
  EXPECT_FALSE(scene.solver.rounds);
  EXPECT_EQ(scene.solver.rounds_memory, 0);
  EXPECT_EQ(scene.solver.scheme, ExplicitScheme::kSymplectic);
  EXPECT_EQ(scene.solver.newton_tolerance, 1e-8);
  EXPECT_EQ(scene.solver.max_newton_iterations, 300);
  EXPECT_EQ(scene.solver.linear, LinearMethod::kAuto);
  EXPECT_EQ(scene.solver.memory_gb, 4);
  EXPECT_EQ(scene.solver.scratch_gb, 0);
  EXPECT_TRUE(scene.solver.scratch_dir.empty());
  EXPECT_EQ(scene.output.dir, folder_ / "skirt_out");
  EXPECT_TRUE(scene.output.holds_takes);
  EXPECT_EQ(scene.output.caches, (std::vector{scene::CacheFormat::kPc2, scene::CacheFormat::kNpy}));
  EXPECT_FALSE(scene.output.every_step);
  EXPECT_EQ(scene.control.source.where(), scene_path().string());
}

TEST_F(SceneDefaultsTest, DefaultsThatDependOnOtherKeys) {
  const Scene scene = read(kSmallestScene +
                           "material = \"wool\"\n"
                           "[[keyframe]]\nframe = 1001\nmesh = \"key.obj\"\n"
                           "[[spring]]\npairs = [[1, 2]]\nstiffness = 1\n"
                           "[[pin]]\nvertices = [1]\n[contact]\n");
  EXPECT_EQ(scene.cloth.material.preset, "wool");
  EXPECT_EQ(scene.cloth.material.source.line, 5);
  EXPECT_EQ(scene.keyframes[0].weight, 1);
  EXPECT_EQ(scene.keyframes[0].velocity_weight, 0);
  EXPECT_EQ(std::get<Vec3>(scene.keyframes[0].velocity), Vec3(0, 0, 0));
  EXPECT_FALSE(scene.keyframes[0].tolerance);
  EXPECT_EQ(scene.springs[0].rest, scene::SpringRest::kMesh);
  EXPECT_EQ(scene.pins[0].damping, 0);
  EXPECT_TRUE(scene.contact->self);
  EXPECT_EQ(scene.contact->method, ContactMethod::kBarrier);
  EXPECT_EQ(scene.contact->restitution, 0);
  EXPECT_FALSE(scene.solver.max_edge_stretch);
  EXPECT_FALSE(scene.contact->repair);
  EXPECT_EQ(scene.contact->start_crossings, scene::StartCrossings::kRefuse);
  const Scene upright = read("[shot]\nframes = \"1-2\"\nup_axis = \"Z\"\n[cloth]\nrest = \"rest.obj\"\n");
  EXPECT_EQ(upright.shot.gravity.keys[0].second, Vec3(0, 0, -9.81));
}

TEST_F(SceneDefaultsTest, PathsAreRelativeToTheSceneFile) {
  std::filesystem::create_directory(folder_ / "shots");
  std::ofstream(folder_ / "shots" / "a.toml")
      << "[shot]\nframes = \"1-2\"\n[cloth]\nrest = \"../rest.obj\"\n";
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Scene scene = read_scene("shots/a.toml");
  std::filesystem::current_path(before);
  EXPECT_EQ(scene.cloth.rest.value.filename(), "rest.obj");
  EXPECT_TRUE(scene.cloth.rest.value.is_absolute() && std::filesystem::exists(scene.cloth.rest.value));
  EXPECT_EQ(scene.cloth.rest.source.where(), "shots/a.toml:4:8");
}

// A backslash is a letter of a file's name on Linux, and none of what the shot's files are named by.
TEST_F(SceneDefaultsTest, TheSceneFilesNameIsNotAlwaysAShots) {
  const std::filesystem::path odd = folder_.write("my\\shot.toml", kSmallestScene);
  const std::string message = message_of<InputError>([&] { read_scene(odd); });
  EXPECT_NE(message.find("rename the scene file or give [shot] name"), std::string::npos) << message;
  const std::string named = "[shot]\nname = \"a\"\nframes = \"1-2\"\n[cloth]\nrest = \"rest.obj\"\n";
  EXPECT_EQ(read_scene(folder_.write("my\\shot.toml", named)).shot.name, "a");
}

}  // namespace
}  // namespace keydrape
