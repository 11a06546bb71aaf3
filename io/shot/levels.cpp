#include "io/shot/levels.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/mesh/rest_shape.h"
#include "core/mesh/topology.h"
#include "io/shot/parts.h"

namespace keydrape {
namespace {

constexpr int kFinerPerVertex = 4;       // vertices, so that edges get twice as long
constexpr double kLeastReduction = 0.6;  // of the vertices; with more a level costs more than it can save
constexpr double kLeastArea = 0.9;       // of the mesh at rest; with less its folds are finer than the level
constexpr int kSubstepsPerStep = 2;

bool asks_for(const scene::Control& control, scene::Coarsen what) {
  const auto& words = control.coarse_to_fine;
  return std::find(words.begin(), words.end(), what) != words.end();
}

// The numbers of vertices on the coarse mesh, of those that are on it; and which of a list these are.
class Kept {
 public:
  explicit Kept(const VertexEmbedding& embedding) : number_(embedding.vertex_count(), -1) {
    for (int c = 0; c < embedding.coarse_count(); ++c) number_[embedding.kept[c]] = c;
  }
  int number(int v) const { return number_[v]; }
  // Positions in the list; renumbers the list.
  std::vector<int> choose(std::vector<int>& vertices) const {
    std::vector<int> positions, left;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      if (number_[vertices[k]] < 0) continue;
      positions.push_back(static_cast<int>(k));
      left.push_back(number_[vertices[k]]);
    }
    vertices = std::move(left);
    return positions;
  }

 private:
  std::vector<int> number_;
};

std::vector<double> chosen(const std::vector<double>& values, const std::vector<int>& positions) {
  std::vector<double> left;
  for (const int k : positions) left.push_back(values[k]);
  return left;
}

void choose(MotionTrack& motion, const std::vector<int>& positions) {
  for (VecX& sample : motion.samples) {
    VecX left(3 * positions.size());
    for (std::size_t k = 0; k < positions.size(); ++k)
      left.segment<3>(3 * k) = sample.segment<3>(3 * positions[k]);
    sample = std::move(left);
  }
}

// What has to keep a vertex: whatever pins hold, keyframes weigh, forces push or springs join.
std::vector<std::vector<int>> sets_of(const ShotParts& parts) {
  std::vector<std::vector<int>> sets;
  for (const HardPin& pin : parts.cloth.pins) sets.push_back(pin.vertices);
  for (const SoftPin& pin : parts.cloth.soft_pins) sets.push_back(pin.vertices);
  for (const SpringSpec& spring : parts.cloth.springs)
    for (const int v : spring.vertices) sets.push_back({v});
  sets.push_back(parts.pushed.vertices);
  for (const ShotKeyframe& keyframe : parts.targets.keyframes) {
    std::vector<int> weighted;
    for (int i = 0; i < parts.rest.vertex_count(); ++i)
      if (keyframe.goal.vertex_weight[i] > 0.0) weighted.push_back(i);
    if (sets.back() != weighted) sets.push_back(std::move(weighted));  // the frames of a track share theirs
  }
  // Those that hold every vertex ask for nothing.
  std::erase_if(sets,
                [&](const auto& set) { return static_cast<int>(set.size()) == parts.rest.vertex_count(); });
  return sets;
}

ClothDescription coarse_cloth(const ClothDescription& fine, const CoarseMesh& coarse) {
  const Kept kept(coarse.embedding);
  ClothDescription cloth = fine;
  cloth.mesh = coarse.mesh;
  if (fine.rest.source == RestSource::kUv) {
    const Topology topology = build_topology(fine.mesh.triangles, fine.mesh.vertex_count());
    cloth.rest.meters_per_uv = build_rest_shape(fine.mesh, topology, fine.rest).meters_per_uv;
  }
  for (HardPin& pin : cloth.pins) choose(pin.motion, kept.choose(pin.vertices));
  for (SoftPin& pin : cloth.soft_pins) {
    const double before = std::accumulate(pin.weights.begin(), pin.weights.end(), 0.0);
    const std::vector<int> positions = kept.choose(pin.vertices);
    pin.weights = chosen(pin.weights, positions);
    choose(pin.motion, positions);
    pin.stiffness *= before / std::accumulate(pin.weights.begin(), pin.weights.end(), 0.0);
  }
  for (SpringSpec& spring : cloth.springs)
    for (int& v : spring.vertices) v = kept.number(v);
  return cloth;
}

void coarsen_keyframe(ShotKeyframe& keyframe, const CoarseMesh& coarse, const VecX& start) {
  Keyframe& goal = keyframe.goal;
  const VertexEmbedding& embedding = coarse.embedding;
  VecX weight(embedding.coarse_count());
  for (int c = 0; c < embedding.coarse_count(); ++c) weight[c] = goal.vertex_weight[embedding.kept[c]];
  goal.vertex_weight = std::move(weight);
  goal.target = embedding.restricted(goal.target);
  if (goal.target_velocity.size() > 0) goal.target_velocity = embedding.restricted(goal.target_velocity);
  if (goal.surface == nullptr) return;
  SurfaceMatch match = goal.surface->match(start);
  goal.target = std::move(match.points);
  goal.directions = std::move(match.directions);
}

// `coarse`: of the finer parts' rest mesh.
ShotParts on_mesh(const ShotParts& fine, const CoarseMesh& coarse) {
  ShotParts parts;
  parts.clock = fine.clock;
  parts.rest = coarse.mesh;
  parts.start = coarse.embedding.restricted(fine.start);
  parts.cloth = coarse_cloth(fine.cloth, coarse);
  parts.pushed = fine.pushed;
  parts.pushed.weights = chosen(parts.pushed.weights, Kept(coarse.embedding).choose(parts.pushed.vertices));
  for (const auto& surface : fine.targets.surfaces)
    parts.targets.surfaces.push_back(
        std::make_unique<TargetSurface>(surface->for_cloth(coarse.mesh.triangles)));
  parts.targets.keyframes = fine.targets.keyframes;
  for (ShotKeyframe& keyframe : parts.targets.keyframes) {
    for (std::size_t s = 0; s < fine.targets.surfaces.size(); ++s)
      if (keyframe.goal.surface == fine.targets.surfaces[s].get())
        keyframe.goal.surface = parts.targets.surfaces[s].get();
    coarsen_keyframe(keyframe, coarse, parts.start);
  }
  return parts;
}

void set_substeps(ShotParts& parts, int substeps) {
  const auto at = [&](int state) { return state / parts.clock.substeps * substeps; };
  for (ShotKeyframe& keyframe : parts.targets.keyframes) {
    keyframe.goal.state = at(keyframe.goal.state);
    if (keyframe.goal.relative_to) keyframe.goal.relative_to = at(*keyframe.goal.relative_to);
    for (int& state : keyframe.goal.candidates) state = at(state);
  }
  parts.clock.substeps = substeps;
}

// A level's parts, and where the vertices of the one above lie on its mesh.
struct CoarseParts {
  ShotParts parts;
  VertexEmbedding embedding;
};

double area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return sum;
}

// None: it would be no smaller by far, or no image of the mesh.
std::optional<CoarseMesh> coarser_mesh(const ShotParts& fine) {
  const int count = fine.rest.vertex_count();
  const Panels panels = fine.cloth.rest.source == RestSource::kUv ? Panels::kShape : Panels::kDirections;
  CoarseMesh mesh = coarsen_mesh(fine.rest, count / kFinerPerVertex, sets_of(fine), panels);
  if (mesh.mesh.vertex_count() > kLeastReduction * count || area(mesh.mesh) < kLeastArea * area(fine.rest))
    return {};
  return mesh;
}

// Throws InputError where there is nothing left to be made coarser.
CoarseParts coarsened(const scene::Control& control, const ShotParts& fine) {
  const int count = fine.rest.vertex_count(), substeps = fine.clock.substeps;
  std::optional<CoarseMesh> mesh;
  if (asks_for(control, scene::Coarsen::kMesh)) mesh = coarser_mesh(fine);
  const bool is_longer = asks_for(control, scene::Coarsen::kStep) && substeps > 1;
  if (!mesh && !is_longer)
    throw InputError(fmt::format("{} vertices and {} substeps cannot be made coarser", count, substeps));
  if (!mesh) mesh = CoarseMesh{fine.rest, VertexEmbedding::identity(count)};
  ShotParts parts = on_mesh(fine, *mesh);
  if (is_longer) set_substeps(parts, (substeps + kSubstepsPerStep - 1) / kSubstepsPerStep);
  return {std::move(parts), std::move(mesh->embedding)};
}

}  // namespace

CoarseLevels open_coarse_levels(const Scene& scene) {
  CoarseLevels opened;
  const ShotParts finest = open_shot(scene);
  std::vector<CoarseParts> parts;
  try {
    for (int k = 0; k < scene.control.coarse_levels; ++k)
      parts.push_back(coarsened(scene.control, k == 0 ? finest : parts.back().parts));
  } catch (const InputError& error) {
    opened.obstacle = error.what();
  }
  try {
    for (CoarseParts& level : parts)
      opened.levels.push_back({build_shot(scene, std::move(level.parts)), std::move(level.embedding)});
  } catch (const InputError& error) {
    opened.obstacle = error.what();
  }
  return opened;
}

}  // namespace keydrape
