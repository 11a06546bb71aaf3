// Every way to say what may push: the gradient is exact (Taylor order 1.95 to 2.05), the sweeps with feedback
// are transposes of each other, and the forces are what the space promises.

#include <gtest/gtest.h>

#include <cmath>

#include "control/shooting/derivative_check.h"
#include "control/shooting/shooting_iterate.h"
#include "core/cloth/cloth.h"
#include "tests/support/expect_exact.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

constexpr int kSide = 7, kSteps = 20;
constexpr double kDt = 1.0 / 60;

struct Space {
  std::string name;
  bool region = false;  // the lower half, painted, in steps 4 to 15 only
  int knots = 0, modes = 0;
  NetForce net = NetForce::kFree;
  bool fades = false;     // the strength in time
  double strength = 1.0;  // where it does not fade
};

void PrintTo(const Space& space, std::ostream* out) { *out << space.name; }

std::vector<Space> spaces() {
  return {{"painted_region_and_frames", true},
          {"time_spline", false, 3},
          {"smooth_modes", false, 0, 6},
          {"spline_of_modes", false, 3, 6},
          {"no_net_force", false, 0, 0, NetForce::kZero},
          {"no_net_impulse", false, 0, 0, NetForce::kZeroImpulse},
          {"strength_in_time", false, 0, 0, NetForce::kFree, true},
          {"strength_of_a_third", true, 0, 0, NetForce::kFree, false, 1.0 / 3},
          {"strength_of_splines", false, 3, 0, NetForce::kFree, true},
          {"everything", true, 2, 5, NetForce::kZeroImpulse, true},
          {"everything_without_net_force", true, 2, 5, NetForce::kZero}};
}

class ControlSpace : public testing::TestWithParam<Space> {
 protected:
  ControlSpace() {
    const auto [name, region, knots, modes, net, fades, constant] = GetParam();
    const int n = model_.vertex_count();
    std::vector<int> blocks(kSteps, -1), active;
    for (int s = region ? 4 : 0; s < (region ? 16 : kSteps); ++s) blocks[s] = (s - (region ? 4 : 0)) / 2;
    std::vector<double> weight;
    for (int i = region ? n / 2 : 1; i < n; ++i) {
      if (i == kSide - 1) continue;
      active.push_back(i);
      weight.push_back(region ? 0.2 + 0.8 * i / n : 1.0);
    }
    ControlBasis basis;
    if (knots > 0) basis.spline.emplace(blocks[region ? 15 : kSteps - 1] + 1, knots);
    if (modes > 0) basis.modes = smooth_modes(static_cast<int>(active.size()), edges_between(active), modes);
    basis.net = net;
    std::vector<double> strength;
    for (int f = 0; f <= blocks[region ? 15 : kSteps - 1]; ++f)
      strength.push_back(fades ? 1.0 / (1 + f % 4) : constant);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass(), weight, basis, strength);
    objective_ = std::make_unique<Objective>(ObjectiveOptions{0.7, 1e-3, 1.0, 1.0}, keyframes(), *layout_,
                                             2 * kDt, all_edges());
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30);
  }

  std::vector<Objective::EdgeLength> all_edges() const {
    std::vector<Objective::EdgeLength> edges;
    for (const Edge& e : build_topology(cloth_.mesh.triangles, model_.vertex_count()).edges)
      edges.push_back({e, (cloth_.mesh.positions[e[0]] - cloth_.mesh.positions[e[1]]).norm()});
    return edges;
  }

  std::vector<PushedEdge> edges_between(const std::vector<int>& active) const {
    std::vector<int> position(model_.vertex_count(), -1);
    for (size_t k = 0; k < active.size(); ++k) position[active[k]] = static_cast<int>(k);
    std::vector<PushedEdge> edges;
    for (const auto& [e, length] : all_edges())
      if (position[e[0]] >= 0 && position[e[1]] >= 0)
        edges.push_back({position[e[0]], position[e[1]], length});
    return edges;
  }

  std::vector<Keyframe> keyframes() const {
    const int n = model_.vertex_count();
    Keyframe half{kSteps / 2, start_.x, VecX::Ones(n), 0.7, 0.1, VecX::Constant(3 * n, 0.2)};
    Keyframe end{kSteps, start_.x, VecX::LinSpaced(n, 0.0, 1.0), 1.0, 0.0, {}};
    for (int i = 0; i < n; ++i) end.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.2 * start_.x(3 * i));
    return {half, end};
  }

  static SimulatorOptions simulator_options() {
    SimulatorOptions options;
    options.dt = kDt;
    options.newton.tolerance = 1e-14;
    return options;
  }

  VecX somewhere() const {
    return VecX::LinSpaced(problem_->size(), -1.0, 0.7) / std::sqrt(problem_->size());
  }

  ClothDescription cloth_ = test::hung_wavy_sheet(kSide);
  Model model_ = build_model(cloth_);
  Simulator simulator_{model_, simulator_options()};
  State start_{stacked(cloth_.mesh.positions), VecX::Zero(3 * model_.vertex_count())};
  std::unique_ptr<ControlLayout> layout_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

// Steps are measured by what forces cost, and the preconditioner is the inverse of that: with Pi it is so
// between Pi and Pi only, which is symmetric and positive all the same.
TEST_P(ControlSpace, TheMetricIsSolvedFor) {
  ShootingIterate at(*problem_, VecX::Zero(problem_->size()));
  VecX u = somewhere(), v = u.reverse().cwiseProduct(VecX::LinSpaced(u.size(), -2.0, 3.0));
  layout_->project(u);
  layout_->project(v);
  const VecX Mu = at.metric_product(u), solved = at.metric_solve(Mu);
  EXPECT_EQ(objective_->metric().has_value(), layout_->is_plain() && layout_->is_even_in_time());
  if (GetParam().net == NetForce::kFree && layout_->is_even_in_time()) {
    EXPECT_LE((solved - u).norm(), 1e-12 * u.norm());
  }
  const VecX Pu = at.metric_solve(u), Pv = at.metric_solve(v);
  EXPECT_NEAR(u.dot(Pv), v.dot(Pu), 1e-12 * u.norm() * Pv.norm());
  EXPECT_GT(u.dot(Pu), 0.0);
  VecX projected = Pu;
  layout_->project(projected);
  EXPECT_LE((projected - Pu).norm(), 1e-14 * Pu.norm());
}

// Where forces are a third as strong, changes that cost nine times as much are as dear beside them.  (F5)
TEST(ControlLayout, ChangesAreWeighedAgainstForcesAsStrongAsTheyAre) {
  const auto layout = [](double strength) {
    return ControlLayout({0, 1}, {0, 1}, VecX::Ones(2), {1.0, 0.4}, {}, {strength, strength});
  };
  for (const int k : {0, 1})
    EXPECT_DOUBLE_EQ(layout(1.0 / 3).compliance(k, 9 * 0.7), layout(1.0).compliance(k, 0.7));
}

TEST_P(ControlSpace, GradientIsExact) {
  const DerivativeCheck check = check_derivatives(*problem_, {});
  test::expect_exact(GetParam().name, check, test::kSmooth);
}

// The model is symmetric, that of its images, and its gradient is that of trial runs.
TEST_P(ControlSpace, ModelIsSymmetricAndTrialsFollowIt) {
  ShootingIterate at(*problem_, VecX::Zero(problem_->size()));
  ASSERT_TRUE(at.is_complete());
  const VecX a = somewhere(), b = a.array().cos().matrix();
  const double ab = b.dot(at.gauss_newton_product(a)), ba = a.dot(at.gauss_newton_product(b));
  EXPECT_NEAR(ab, ba, 1e-10 * std::max(std::abs(ab), 1e-6));
  const double of_images = at.paired(at.image(b), at.weighed(at.image(a)));
  EXPECT_NEAR(of_images, ab, 1e-9 * std::abs(ab));
  const VecX& g = at.local_gradient();
  EXPECT_LE((at.of_image(at.image_gradient()) - g).norm(), 1e-9 * g.norm());
  double previous = 0.0, orders = 0.0;
  for (int k = 0; k <= 4; ++k) {
    const double e = std::ldexp(1e-4, -k);
    const double remainder =
        std::abs(at.step(e * a)->objective() - at.objective() - e * at.local_gradient().dot(a));
    if (k > 0) orders += std::log2(previous / remainder) / 4;
    previous = remainder;
  }
  EXPECT_NEAR(orders, 2.0, 0.1);
}

// Along a face of bounds: T_D and T_D^T, and A_D is symmetric; what is on a bound turns, but does not grow.
TEST_P(ControlSpace, FacesHaveSweepsThatAreTransposes) {
  if (GetParam().modes > 0 || GetParam().net != NetForce::kFree) return;
  const BallBounds bounds = layout_->bounds(0.02);
  ShootingProblem problem(simulator_, start_, *layout_, *objective_, size_t{1} << 30, {.bounds = &bounds});
  VecX z = 3.0 * somewhere();
  bounds.project(z);
  ShootingIterate at(problem, z);
  const Face face(bounds, z, at.gradient());
  ASSERT_GT(face.count(), bounds.count() / 10);
  ASSERT_LT(face.count(), bounds.count());
  const VecX a = somewhere(), b = a.array().sin().matrix();
  const VecX change = at.change(a, face);
  EXPECT_NEAR(b.dot(change), at.local(b, face).dot(a), 1e-11 * b.norm() * change.norm());
  EXPECT_LT((face.projected(change) - change).norm(), 1e-12 * change.norm());
  const double ab = b.dot(at.face_product(a, face)), ba = a.dot(at.face_product(b, face));
  EXPECT_NEAR(ab, ba, 1e-10 * std::abs(ab));
  // A_D = T_D^T (H + Lambda) T_D
  VecX inner = at.model_product(change);
  face.add_curvature(change, inner);
  const VecX expected = at.local(inner, face), product = at.face_product(a, face);
  EXPECT_LT((product - expected).norm(), 1e-10 * expected.norm());
  const auto trial = at.step_to(a);
  for (int k = 0; k < bounds.count(); ++k)
    EXPECT_LE(trial->z().segment<3>(3 * k).norm(), bounds.radius(k) * (1 + 1e-12));
}

// Also after a trial run with feedback.
TEST_P(ControlSpace, ForcesAreInIt) {
  const Space& space = GetParam();
  ShootingIterate at(*problem_, VecX::Zero(problem_->size()));
  const std::unique_ptr<Iterate> trial = at.step(somewhere());
  const int n = model_.vertex_count();
  VecX u = VecX::Zero(3 * n);
  Vec3 impulse = Vec3::Zero();
  double largest = 0.0;
  for (int s = 0; s < kSteps; ++s) {
    ControlForces(*layout_, trial->z()).force(s, u);
    Vec3 net = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      const Vec3 f = u.segment<3>(3 * i);
      if (space.region && (s < 4 || s >= 16 || i < n / 2)) {
        EXPECT_EQ(f, Vec3::Zero());
      }
      net += f;
      largest = std::max(largest, f.norm());
    }
    if (space.net == NetForce::kZero) {
      EXPECT_LE(net.norm(), 1e-12 * n * largest);
    }
    impulse += net * kDt;
  }
  EXPECT_GT(largest, 0.0);
  if (space.net == NetForce::kZeroImpulse) {
    EXPECT_LE(impulse.norm(), 1e-12 * n * largest * kDt * kSteps);
  }
}

INSTANTIATE_TEST_SUITE_P(Spaces, ControlSpace, testing::ValuesIn(spaces()),
                         [](const auto& test) { return test.param.name; });

// Splines of blocks that are not alike: in strength, nor in how many steps they act.
TEST(ControlLayout, SplinesOfAnyStrengthTakeNoImpulse) {
  ControlBasis basis;
  basis.spline.emplace(6, 2);
  basis.net = NetForce::kZeroImpulse;
  const ControlLayout layout({0, 1, 1, 2, 2, 3, 4, 5, 5, 5}, {0, 2}, Vec3(0.1, 0.2, 0.3), {1.0, 0.4}, basis,
                             {0.2, 1.0, 0.5, 0.1, 0.8, 0.3});
  VecX z = VecX::LinSpaced(layout.size(), -1.0, 2.0), u(9);
  layout.project(z);
  Vec3 sum = Vec3::Zero();
  double largest = 0.0;
  for (int n = 0; n < layout.step_count(); ++n) {
    ControlForces(layout, z).force(n, u);
    for (const int i : {0, 1, 2}) sum += u.segment<3>(3 * i);
    largest = std::max(largest, u.norm());
  }
  EXPECT_GT(largest, 1.0) << "else this tests nothing";
  EXPECT_LT(sum.norm(), 1e-13 * largest * layout.step_count());
}

TEST(TimeSpline, IsPositiveSumsToOneAndHasCurvatureWithoutJumps) {
  for (const int knots : {1, 2, 3, 5}) {
    const TimeSpline spline(24, knots);
    for (int f = 0; f < 24; ++f) {
      EXPECT_GE(spline.weights(f).minCoeff(), 0.0);
      EXPECT_NEAR(spline.weights(f).sum(), 1.0, 1e-14);
      EXPECT_LE(spline.first_function(f) + TimeSpline::kSupport, spline.function_count());
      // Reproduces straight lines: coefficients at the Greville points j - 1.
      double line = 0.0;
      for (int j = 0; j < TimeSpline::kSupport; ++j)
        line += spline.weights(f)(j) * (spline.first_function(f) + j - 1);
      EXPECT_NEAR(line, (f + 0.5) / spline.blocks_per_span(), 1e-12);
    }
  }
}

// On a chain of n vertices the modes are cosines (DCT-II), with eigenvalues 4 sin^2(pi j / 2n) / length^2.
TEST(SmoothModes, AreCosinesOnAChain) {
  constexpr int n = 40, q = 6;
  std::vector<PushedEdge> edges;
  for (int i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1, 0.1});
  const Eigen::MatrixXd modes = smooth_modes(n, edges, q);
  EXPECT_LT((modes.transpose() * modes - Eigen::MatrixXd::Identity(q, q)).norm(), 1e-12);
  for (int j = 0; j < q; ++j) {
    VecX cosine(n);
    for (int i = 0; i < n; ++i) cosine(i) = std::cos(EIGEN_PI * j * (i + 0.5) / n);
    EXPECT_NEAR(std::abs(modes.col(j).dot(cosine.normalized())), 1.0, 1e-7) << "mode " << j;
  }
}

}  // namespace
}  // namespace keydrape
