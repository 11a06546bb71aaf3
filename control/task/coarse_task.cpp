#include "control/task/coarse_task.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "control/goal/target_surface.h"
#include "core/mesh/rest_shape.h"
#include "core/mesh/topology.h"

namespace keydrape {
namespace {

constexpr int kFinerPerVertex = 4;       // vertices, so that edges get twice as long
constexpr double kLeastReduction = 0.6;  // of the vertices; with more a level costs more than it can save
constexpr double kLeastArea = 0.9;       // of the mesh at rest; with less its folds are finer than the level
constexpr int kSubstepsPerStep = 2;

// The numbers of vertices on the coarse mesh, of those that are on it; and which of a list these are.
class CoarseNumbering {
 public:
  explicit CoarseNumbering(const VertexEmbedding& embedding) : number_(embedding.vertex_count(), -1) {
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
  left.reserve(positions.size());
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

std::vector<int> vertices_of(const Crease& crease) {
  std::set<int> vertices;
  for (const Edge& edge : crease.edges) vertices.insert(edge.begin(), edge.end());
  return {vertices.begin(), vertices.end()};
}

// What has to keep a vertex: whatever pins hold, targets weigh, forces push, springs join or creases fold.
std::vector<std::vector<int>> sets_of(const Task& task) {
  std::vector<std::vector<int>> sets;
  for (const HardPin& pin : task.cloth.pins) sets.push_back(pin.vertices);
  for (const SoftPin& pin : task.cloth.soft_pins) sets.push_back(pin.vertices);
  for (const SpringSpec& spring : task.cloth.springs)
    for (const int v : spring.vertices) sets.push_back({v});
  for (const Crease& crease : task.cloth.creases) sets.push_back(vertices_of(crease));
  sets.push_back(task.pushing.vertices);
  for (const Target& target : task.targets) {
    for (const VecX* weights : {&target.keyframe.vertex_weight, &target.keyframe.velocity_omega()}) {
      std::vector<int> weighted;
      for (int i = 0; i < task.vertex_count(); ++i)
        if ((*weights)[i] > 0.0) weighted.push_back(i);
      if (sets.back() != weighted) sets.push_back(std::move(weighted));  // the frames of a track share theirs
    }
  }
  // Those that hold every vertex ask for nothing.
  std::erase_if(sets, [&](const auto& set) { return static_cast<int>(set.size()) == task.vertex_count(); });
  return sets;
}

// Edges of the coarse mesh along the creases: those between two vertices that are left of one. A crease of
// which none is left is left out.
void choose_creases(const TriangleMesh& mesh, const CoarseNumbering& kept, std::vector<Crease>& creases) {
  if (creases.empty()) return;
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  for (Crease& crease : creases) {
    std::set<int> along;
    for (const Edge& edge : crease.edges)
      for (const int v : edge) along.insert(kept.number(v));
    crease.edges.clear();
    for (const Edge& edge : topology.edges)
      if (along.contains(edge[0]) && along.contains(edge[1])) crease.edges.push_back(edge);
  }
  std::erase_if(creases, [](const Crease& crease) { return crease.edges.empty(); });
}

ClothDescription coarse_cloth(const ClothDescription& fine, const CoarseMesh& coarse) {
  const CoarseNumbering kept(coarse.embedding);
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
  choose_creases(coarse.mesh, kept, cloth.creases);
  return cloth;
}

void coarsen(Keyframe& keyframe, const CoarseMesh& coarse, const VecX& start) {
  const VertexEmbedding& embedding = coarse.embedding;
  for (VecX* weights : {&keyframe.vertex_weight, &keyframe.velocity_vertex_weight})
    if (weights->size() > 0) *weights = VecX((*weights)(embedding.kept));
  if (keyframe.vertex_factor.size() > 0)
    keyframe.vertex_factor = VecX(keyframe.vertex_factor(embedding.kept));
  if (!keyframe.directions.empty()) {
    std::vector<Mat3> directions;
    for (const int v : embedding.kept) directions.push_back(keyframe.directions[v]);
    keyframe.directions = std::move(directions);
  }
  keyframe.target = embedding.restricted(keyframe.target);
  if (keyframe.target_velocity.size() > 0)
    keyframe.target_velocity = embedding.restricted(keyframe.target_velocity);
  if (!keyframe.surface) return;
  keyframe.surface =
      std::make_shared<const TargetSurface>(keyframe.surface->for_cloth(coarse.mesh.triangles));
  SurfaceMatch match = keyframe.surface->match(start);
  keyframe.target = std::move(match.points);
  keyframe.directions = std::move(match.directions);
}

// `coarse`: of the finer task's mesh.
Task on_mesh(const Task& fine, const CoarseMesh& coarse) {
  Task task = fine;
  task.cloth = coarse_cloth(fine.cloth, coarse);
  task.start.x = coarse.embedding.restricted(fine.start.x);
  task.start.v = coarse.embedding.restricted(fine.start.v);
  task.start.exempt = start_exemptions(task.cloth, task.start.x);
  const std::vector<int> left = CoarseNumbering(coarse.embedding).choose(task.pushing.vertices);
  if (!fine.pushing.weights.empty()) task.pushing.weights = chosen(fine.pushing.weights, left);
  for (Target& target : task.targets) coarsen(target.keyframe, coarse, task.start.x);
  return task;
}

void set_substeps(Task& task, int substeps) {
  const auto at = [&](int state) { return state / task.grid.substeps * substeps; };
  for (Target& target : task.targets) {
    Keyframe& keyframe = target.keyframe;
    keyframe.state = at(keyframe.state);
    if (keyframe.relative_to) keyframe.relative_to = at(*keyframe.relative_to);
    for (int& state : keyframe.candidates) state = at(state);
  }
  task.grid.substeps = substeps;
}

double area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return sum;
}

// None: it would be no smaller by far, or no image of the mesh.
std::optional<CoarseMesh> coarser_mesh(const Task& fine) {
  const int count = fine.vertex_count();
  const Panels panels = fine.cloth.rest.source == RestSource::kUv ? Panels::kShape : Panels::kDirections;
  CoarseMesh mesh = coarsen_mesh(fine.cloth.mesh, count / kFinerPerVertex, sets_of(fine), panels);
  const bool is_much_smaller = mesh.mesh.vertex_count() <= kLeastReduction * count;
  if (!is_much_smaller || area(mesh.mesh) < kLeastArea * area(fine.cloth.mesh)) return {};
  return mesh;
}

// Of edges between vertices with weight.
double rms_strain(const Keyframe& keyframe, const TriangleMesh& mesh, const Topology& topology) {
  double sum = 0.0;
  int count = 0;
  for (const auto& [a, b] : topology.edges) {
    if (!(keyframe.vertex_weight[a] > 0.0 && keyframe.vertex_weight[b] > 0.0)) continue;
    const double length = (keyframe.target.segment<3>(3 * a) - keyframe.target.segment<3>(3 * b)).norm();
    const double strain = length / (mesh.positions[a] - mesh.positions[b]).norm() - 1.0;
    sum += strain * strain;
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0.0;
}

// Whether its target is where its vertices are to be, and not what they are to have moved by, or a surface.
bool has_places(const Keyframe& keyframe) {
  return keyframe.weight > 0.0 && !keyframe.relative_to && !keyframe.surface && keyframe.directions.empty();
}

}  // namespace

double lost_length(const Task& fine, const Task& coarser) {
  const TriangleMesh &mesh = fine.cloth.mesh, &coarse = coarser.cloth.mesh;
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  const Topology coarse_topology = build_topology(coarse.triangles, coarse.vertex_count());
  double most = 0.0;
  for (std::size_t k = 0; k < fine.targets.size(); ++k) {
    const Keyframe& keyframe = fine.targets[k].keyframe;
    if (!has_places(keyframe)) continue;
    const double before = rms_strain(keyframe, mesh, topology);
    most = std::max(most, rms_strain(coarser.targets[k].keyframe, coarse, coarse_topology) - before);
  }
  return most;
}

std::optional<CoarserTask> coarsened(const Task& fine, const Coarsening& coarsening) {
  assert(!fine.before && fine.grid.first_step == 0 && fine.channels.empty() && !fine.take);
  const int substeps = fine.grid.substeps;
  std::optional<CoarseMesh> mesh;
  if (coarsening.mesh) mesh = coarser_mesh(fine);
  const bool is_longer = coarsening.step && substeps > 1;
  if (!mesh && !is_longer) return std::nullopt;
  if (!mesh) mesh = CoarseMesh{fine.cloth.mesh, VertexEmbedding::identity(fine.vertex_count())};
  Task task = on_mesh(fine, *mesh);
  if (is_longer) set_substeps(task, (substeps + kSubstepsPerStep - 1) / kSubstepsPerStep);
  return CoarserTask{std::move(task), std::move(mesh->embedding)};
}

}  // namespace keydrape
