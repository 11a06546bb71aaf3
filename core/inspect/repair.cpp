#include "core/inspect/repair.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/contact/pairs/pair_positions.h"
#include "core/contact/pairs/surface_pairs.h"
#include "core/inspect/crossing_pull.h"
#include "core/inspect/overlap.h"
#include "core/inspect/untangle.h"
#include "core/mesh/mesh.h"

namespace keydrape {

namespace {

// Bodies and layers are left this share of the activation beyond the smallest gap.
constexpr double kRoom = 0.3;
// In one pass a body pushes by at most so many activations: layers that it pushes together are kept
// apart in between.
constexpr double kBodyStep = 2.0;
// ... layers are pushed apart by at most this share of their distance: none passes another.
constexpr double kLayerStep = 0.25;
// ... and edges are pulled out of faces by this share of the mean length of an edge.
constexpr double kPullStep = 0.1;
// Passes with edges in faces: a corner or a part of a hem needs 2 to 60.
constexpr int kTangledPasses = 100;

class Repair {
 public:
  Repair(const ClothDescription& cloth, const VecX& x, double time)
      : cloth_(cloth),
        x_(x),
        time_(time),
        held_(held_vertices(cloth, time)),
        pulls_(cloth.mesh.triangles),
        push_(VecX::Zero(x.size())),
        count_(x.size() / 3, 0) {
    for (const VolumeBody& body : cloth.bodies) {
      poses_.push_back(body.collider->at(time));
      points_.push_back(sample_points(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing));
    }
    pull_ = kPullStep * mean_side(cloth.mesh);
    if (!cloth.contact.self && cloth.surfaces.empty()) return;
    SurfaceOptions options{{with_room(surface_contact_law(cloth))}};
    options.between_layers = cloth.contact.self;
    for (const SurfaceBody& surface : cloth.surfaces)
      options.bodies.push_back({surface.mesh, {with_room(body_contact_law(cloth))}});
    triangles_ = std::make_unique<SurfacePairs>(cloth.mesh, std::move(options), x);
  }

  bool is_free_of_bodies() const {
    const double gap = body_contact_law(cloth_).barrier.thickness;
    return overlaps_with_bodies(cloth_, x_, time_, held_, gap).empty() &&
           overlaps_with_surfaces(cloth_, x_, time_, held_).empty();
  }
  bool goes_through_itself() const {
    return cloth_.contact.self && find_intersections(cloth_.mesh.triangles, x_).count > 0;
  }
  bool is_clean() const {
    return is_free_of_bodies() &&
           (!cloth_.contact.self || overlap_with_itself(cloth_, x_, none_left_out()).is_clean());
  }

  // What no pass below would mend.
  bool is_beyond() const {
    // A surface in one place with the cloth may as well cut through.
    const double one_place = kOnePlace * body_contact_law(cloth_).barrier.thickness;
    for (const SurfaceOverlap& overlap : overlaps_with_surfaces(cloth_, x_, time_, held_))
      if (overlap.cut_count > 0 || overlap.close.nearest->distance <= one_place) return true;
    if (!cloth_.contact.self) return false;
    const ClosePairs close = overlap_with_itself(cloth_, x_, none_left_out()).close;
    return close.seam_count + close.small_count > 0;
  }

  void pass() {
    push_.setZero();
    std::fill(count_.begin(), count_.end(), 0);
    for (size_t b = 0; b < poses_.size(); ++b) push_out_of_body(b);
    std::vector<EdgeThroughFace> crossings;
    if (cloth_.contact.self) crossings = list_intersections(cloth_.mesh.triangles, x_);
    for (const EdgeThroughFace& crossing : crossings) pull_out(crossing);
    if (triangles_ && crossings.empty()) push_triangles_apart();
    for (size_t i = 0; i < count_.size(); ++i)
      if (count_[i] > 0)
        x_.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
            push_.segment<3>(3 * static_cast<Eigen::Index>(i)) / count_[i];
  }

  const VecX& x() const { return x_; }

 private:
  static ContactLaw with_room(ContactLaw law) {
    law.barrier.activation *= kRoom;
    return law;
  }

  std::vector<char> none_left_out() const { return std::vector<char>(held_.size(), 0); }

  // Pins hold it, or it is a body's.
  bool is_fixed(int v) const { return static_cast<size_t>(v) >= held_.size() || held_[v]; }

  Vec3 at(int v) const { return x_.segment<3>(3 * v); }

  // Asks the vertices for a move after which sum_i weights_i x_i has moved by `way`.
  template <size_t N>
  void move(const std::array<int, N>& vertices, const Eigen::Matrix<double, N, 1>& weights, const Vec3& way) {
    double sum = 0.0;
    for (size_t i = 0; i < N; ++i)
      if (!is_fixed(vertices[i])) sum += weights(i) * weights(i);
    if (sum == 0.0) return;
    for (size_t i = 0; i < N; ++i) {
      if (is_fixed(vertices[i]) || weights(i) == 0.0) continue;
      push_.segment<3>(3 * vertices[i]) += weights(i) / sum * way;
      ++count_[vertices[i]];
    }
  }

  // (R1)
  void push_out_of_body(size_t body) {
    const Barrier barrier = body_contact_law(cloth_).barrier;
    const double level = barrier.thickness + kRoom * barrier.activation;
    for (const SamplePoint& p : points_[body]) {
      if (!CollidingCloth::is_free(p, held_)) continue;
      const Vec3 place = p.position(x_);
      const double missing = level - poses_[body].distance(place);
      if (!(missing > 0.0)) continue;
      const Vec3 g = poses_[body].sample(place).gradient;
      if (g.squaredNorm() < 1e-12) continue;  // the middle of a body: every way out is as long
      move<3>(p.vertices, p.weights,
              std::min(missing / g.norm(), kBodyStep * barrier.activation) * g.normalized());
    }
  }

  // (R2)
  void pull_out(const EdgeThroughFace& crossing) {
    if (const std::optional<CrossingPull> pull = pulls_.of(crossing, x_))
      move<5>(pull->vertices, pull->weights, pull_ * pull->way);
  }

  // (R3)
  void push_triangles_apart() {
    const VecX all = triangles_->with_bodies(x_, time_);
    const TouchingFeatures pairs = triangles_->touching(all, {held_}, search_);
    const auto push = [&](const auto& contact) {
      const StencilDistance& distance = contact.distance;
      const double d = std::sqrt(distance.squared());
      if (d == 0.0) return;
      const double level = triangles_->law(contact.vertices).contact.barrier.range();
      move<4>(contact.vertices, distance.weights(),
              std::min(level - d, kLayerStep * d) / d * distance.difference());
    };
    for (const auto& c : pairs.vertex_faces) push(c);
    for (const auto& c : pairs.edge_edges) push(c);
  }

  const ClothDescription& cloth_;
  VecX x_;
  double time_;
  std::vector<char> held_;
  std::vector<ColliderPose> poses_;
  std::vector<std::vector<SamplePoint>> points_;
  CrossingPulls pulls_;
  std::unique_ptr<SurfacePairs> triangles_;  // of the cloth and of surfaces; null where none collide
  PairSearch search_;
  double pull_ = 0.0;  // [m]
  VecX push_;          // sum of the moves that a vertex was asked for, and how many they are
  std::vector<int> count_;
};

}  // namespace

namespace {

// Passes until the cloth is clean, or cannot become so; but a bounded number with edges in faces.
void mend(Repair& repair, int max_passes, RepairResult& result) {
  result.is_clean = repair.is_clean();
  result.is_beyond = !result.is_clean && repair.is_beyond();
  for (int tangled = 0; !result.is_clean && !result.is_beyond && result.passes < max_passes;
       ++result.passes) {
    if (repair.goes_through_itself() && ++tangled > kTangledPasses) return;
    repair.pass();
    result.is_clean = repair.is_clean();
  }
}

}  // namespace

RepairResult repair_start(const ClothDescription& cloth, const VecX& x, const RepairOptions& options) {
  RepairResult result;
  Repair gentle(cloth, x, options.time);
  const bool begins_free = gentle.is_free_of_bodies();
  mend(gentle, options.max_passes, result);
  result.x = gentle.x();
  if (gentle.goes_through_itself() && gentle.is_free_of_bodies() && options.max_steps > 0) {
    // Passes know no fabric, and what they have crumpled is a worse start than what they found.
    const UntangleResult apart =
        untangle(cloth, begins_free ? x : result.x, {.time = options.time, .max_steps = options.max_steps});
    result.steps = apart.steps;
    if (apart.is_apart) {
      Repair after(cloth, apart.x, options.time);
      mend(after, result.passes + options.max_passes, result);
      result.x = result.is_clean ? after.x() : apart.x;
    }
  }
  const Repair end(cloth, result.x, options.time);
  result.is_apart = !result.is_clean && !end.goes_through_itself() && end.is_free_of_bodies();
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
    const double moved = (result.x - x).segment<3>(3 * i).norm();
    if (moved <= result.displacement) continue;
    result.displacement = moved;
    result.farthest_vertex = i;
  }
  return result;
}

}  // namespace keydrape
