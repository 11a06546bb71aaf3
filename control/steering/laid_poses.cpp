#include "control/steering/laid_poses.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "control/goal/nearest_on_cloth.h"
#include "control/goal/target_surface.h"
#include "core/energy/hand/hand.h"
#include "core/step/newton.h"
#include "core/step/step_problem.h"

namespace keydrape {
namespace {

// lambda of (G4): the pull at a vertex over the stiffness of the cloth, at first, at last, and by how much
// more in each round. Slower is nearer: 1.4 ends three times as far from a pose that is known.
constexpr double kFirstPull = 1e-3, kLastPull = 3.0, kGrowth = 1.1;
// Bending stiffness over that of the membrane times the square of an edge, at first, and the power of lambda
// with which it falls; so many rounds with the same. Softer cloth crumples at once, stiffer cloth does not
// bend into folds until it is drawn into the wrong ones.
constexpr double kFirstBend = 0.05, kBendPower = 0.7;
constexpr int kRoundsOfBend = 5;
// What a round holds vertices where they are by, over what draws them.
constexpr double kProximal = 0.1;
// Of an edge, how nearly a round is solved; and in how many iterations.
constexpr double kNearEnough = 1e-3;
constexpr int kMaxRoundIterations = 50;
// Points of the surface that draw, for each vertex, at most: a scan has many more, which say the same.
constexpr std::size_t kPointsOfVertex = 4;

// The cloth with nothing about it but its pins: it stores what its shape does, and nothing else.
ClothDescription alone(const ClothDescription& cloth, double time, std::shared_ptr<const Grip> grip) {
  ClothDescription alone;
  alone.mesh = cloth.mesh;
  alone.rest = cloth.rest;
  alone.material = cloth.material;
  alone.stretch_scale = Animated<Vec2>(cloth.stretch_scale.at(time));
  alone.bending = BendingModel::kHinge;
  alone.gravity = Animated<Vec3>(Vec3::Zero());
  alone.pins = cloth.pins;
  alone.creases = cloth.creases;
  alone.grip = std::move(grip);
  alone.material.compression = {};
  alone.material.strain_limit.reset();
  alone.material.damping = alone.material.shear_hysteresis = alone.material.bend_hysteresis = 0.0;
  return alone;
}

// The mesh at rest, moved and turned to where it is nearest to `like` (Kabsch 1976).
VecX moved_rest(const TriangleMesh& mesh, const VecX& mass, const VecX& like) {
  const Eigen::Index n = mesh.vertex_count();
  Eigen::Matrix3Xd rest(3, n), there = like.reshaped(3, n);
  for (Eigen::Index i = 0; i < n; ++i) rest.col(i) = mesh.positions[i];
  const Vec3 from = rest * mass / mass.sum(), to = there * mass / mass.sum();
  rest.colwise() -= from;
  there.colwise() -= to;
  const Mat3 both = there * mass.asDiagonal() * rest.transpose();
  const Eigen::JacobiSVD<Mat3> svd(both, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double hand = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  const Mat3 turn = svd.matrixU() * Vec3(1.0, 1.0, hand).asDiagonal() * svd.matrixV().transpose();
  return ((turn * rest).colwise() + to).reshaped();
}

// What the points of a surface draw cloth by, each at the place nearest to it: sum of their shares in every
// vertex, and of these times the way to the point [m] (3n). A point beyond the border draws nothing: the
// surface may be larger than the cloth (Turk & Levoy 1994).
struct Draught {
  VecX shares, ways;
};

class DrawingPoints {
 public:
  DrawingPoints(const TargetSurface& surface, const std::vector<Triangle>& cloth, const VecX& weight)
      : surface_(surface),
        cloth_(cloth),
        weight_(weight),
        normals_(area_normals(surface.mesh().triangles, stacked(surface.mesh().positions))),
        least_cosine_(surface.least_cosine()),
        stride_(1 + (normals_.size() - 1) / (kPointsOfVertex * weight.size())),
        border_(cloth) {}

  std::size_t count() const { return (normals_.size() - 1) / stride_ + 1; }
  Draught draw(const VecX& x) const {
    Draught draught{VecX::Zero(weight_.size()), VecX::Zero(x.size())};
    const NearestOnCloth cloth(cloth_, x);
    for (std::size_t s = 0; s < normals_.size(); s += stride_) {
      const Vec3& p = surface_.mesh().positions[s];
      const SurfacePoint nearest = cloth.nearest(p, normals_[s].stableNormalized(), least_cosine_);
      if (nearest.triangle >= 0) add(p, cloth_[nearest.triangle], nearest.weights, x, draught);
    }
    return draught;
  }

 private:
  void add(const Vec3& p, const Triangle& t, const Vec3& shares, const VecX& x, Draught& draught) const {
    if (border_.contains(t, shares)) return;
    Vec3 way = p;
    for (int c = 0; c < 3; ++c) {
      if (!(weight_(t[c]) > 0.0)) return;
      way -= shares(c) * x.segment<3>(3 * t[c]);
    }
    for (int c = 0; c < 3; ++c) {
      draught.shares(t[c]) += shares(c);
      draught.ways.segment<3>(3 * t[c]) += shares(c) * way;
    }
  }

  const TargetSurface& surface_;
  const std::vector<Triangle>& cloth_;
  const VecX& weight_;
  std::vector<Vec3> normals_;  // of the surface's vertices; zero where there are no triangles
  double least_cosine_;
  std::size_t stride_;  // from one point that draws to the next
  ClothBorder border_;
};

// What draws the cloth at x, at lambda k = `pull` [N/m].  (G4)
void take_hold(const Keyframe& keyframe, const DrawingPoints& points, const VecX& x, double pull,
               Grip& grip) {
  const VecX& omega = keyframe.vertex_weight;
  const auto n = static_cast<int>(omega.size());
  const SurfaceMatch match = keyframe.surface->match(x);
  const Draught draught = points.draw(x);
  const double mean = omega.mean();
  const double back = pull * n / static_cast<double>(points.count());
  VecX places(6 * n);
  places << match.points, x;
  grip.attachments.clear();
  for (int i = 0; i < n; ++i) {
    if (!(omega(i) > 0.0)) continue;
    grip.attachments.push_back({.vertices = {i},
                                .point = i,
                                .k = pull * omega(i) / mean,
                                .damping = 0.0,
                                .held = match.directions[i]});
    if (!(draught.shares(i) > 0.0)) continue;
    places.segment<3>(3 * (n + i)) += draught.ways.segment<3>(3 * i) / draught.shares(i);
    grip.attachments.push_back(
        {.vertices = {i}, .point = n + i, .k = back * draught.shares(i), .damping = 0.0});
  }
  grip.shared.motion.samples.assign(1, std::move(places));
}

}  // namespace

std::optional<VecX> laid_pose(const ClothDescription& cloth, const Keyframe& keyframe, const VecX& like,
                              double time, const PathFollowing::TrialObserver& observer) {
  assert(keyframe.surface && like.size() == 3 * keyframe.vertex_weight.size());
  const auto grip = std::make_shared<Grip>();
  ClothDescription sheet = alone(cloth, time, grip);
  const double edge = mean_side(sheet.mesh), own_bend = sheet.material.bend;
  const MembraneNumbers membrane = membrane_numbers(sheet.material);
  const double stiffness = std::sqrt(membrane.warp * membrane.weft);
  const DrawingPoints points(*keyframe.surface, sheet.mesh.triangles, keyframe.vertex_weight);
  const VecX none = VecX::Zero(like.size());
  StepWorkspace work;
  std::optional<VecX> x;
  double lambda = kFirstPull;
  while (lambda <= kLastPull) {
    const double bend = kFirstBend * stiffness * edge * edge * std::pow(kFirstPull / lambda, kBendPower);
    sheet.material.bend = std::max(own_bend, bend);
    const Model model = build_model(sheet);
    const CholeskySolver cholesky(model.pattern());
    const double mass = model.vertex_mass().mean();
    if (!x) x = moved_rest(sheet.mesh, model.vertex_mass(), like);
    for (int round = 0; round < kRoundsOfBend && lambda <= kLastPull; ++round, lambda *= kGrowth) {
      const double pull = lambda * stiffness;
      take_hold(keyframe, points, *x, pull, *grip);
      NewtonOptions newton;
      newton.tolerance = kNearEnough * pull * edge * std::sqrt(model.vertex_count()) / model.force_scale();
      newton.max_iterations = kMaxRoundIterations;
      const State from{*x, none, {}};
      const StepProblem step(model, from, std::sqrt(mass / (kProximal * pull)), time, none, work);
      NewtonResult result = minimize_step(step, cholesky, {}, newton);
      if (observer) observer(keyframe.state, result.report);
      // A round that ends early is as good a place to go on from.
      if (!result.y.allFinite()) return std::nullopt;
      *x = std::move(result.y);
    }
  }
  return x;
}

}  // namespace keydrape
