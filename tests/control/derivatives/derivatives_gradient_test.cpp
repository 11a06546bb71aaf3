// The gradient of whole runs, with everything that the first slice can put into a scene: Taylor order 1.95 to
// 2.05, central differences to 1e-7, tangent against adjoint to 1e-11.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "control/derivatives/feedback.h"
#include "control/derivatives/run_sweeps.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/derivative_check.h"
#include "control/shooting/shooting_iterate.h"
#include "core/cloth/cloth.h"
#include "core/cloth/fabric_tester.h"
#include "tests/support/expect_exact.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

constexpr int kRunSide = 7, kRunSteps = 16;
constexpr double kRunDt = 1.0 / 60;

ClothDescription alternating_sheet() {
  return test::wavy_sheet(kRunSide, test::Diagonals::kAlternating, 0.0);
}

MotionTrack standing(const ClothDescription& cloth, const std::vector<int>& vertices) {
  VecX x(3 * vertices.size());
  for (size_t k = 0; k < vertices.size(); ++k) x.segment<3>(3 * k) = cloth.mesh.positions[vertices[k]];
  return {{x}, 1.0};
}

MotionTrack moving(const ClothDescription& cloth, const std::vector<int>& vertices) {
  MotionTrack track = standing(cloth, vertices);
  track.sample_interval = 4 * kRunDt;
  for (int s = 1; s <= 6; ++s) {
    VecX x = track.samples[0];
    for (size_t k = 0; k < vertices.size(); ++k)
      x.segment<3>(3 * k) += Vec3(0.01 * s, 0.004 * s * s, -0.012 * s);
    track.samples.push_back(x);
  }
  return track;
}

const std::vector<int> kCorners{0, kRunSide - 1};

struct RunCase {
  std::string name;
  ClothDescription cloth;
  StepMethod method = StepMethod::kConverged;
  bool hold_step = false;
  int rounds_memory = 0;
};

void PrintTo(const RunCase& c, std::ostream* out) { *out << c.name; }

void hang(RunCase& c) { c.cloth.pins = {{kCorners, standing(c.cloth, kCorners)}}; }

void lay_flat(RunCase& c, BendingModel bending) {
  for (Vec3& x : c.cloth.mesh.positions) x.z() = 0.0;
  hang(c);
  c.cloth.bending = bending;
  c.cloth.material.damping = 0.01;
}

// Damped, with a crease along the middle that is pressed in.
void press(RunCase& c) {
  hang(c);
  c.cloth.material.damping = 0.01;
  Crease pressed{{}, Animated<double>({{0.0, 0.0}, {0.15, 1.2}}), 10.0};
  for (int j = 0; j + 1 < kRunSide; ++j) pressed.edges.push_back({3 + kRunSide * j, 3 + kRunSide * (j + 1)});
  c.cloth.creases = {pressed};
}

// In a frame that moves and turns, with its air.
void carry(RunCase& c) {
  const auto turned = [](double angle) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  };
  const RigidMotion motion({{0.0, Vec3::Zero(), turned(0.0)},
                            {0.1, Vec3(0.1, 0, 0.05), turned(0.4)},
                            {0.3, Vec3(-0.1, 0.1, 0.1), turned(-0.3)}});
  c.cloth.pins = {{kCorners, moving(c.cloth, kCorners)}};
  c.cloth.wind = Wind::Shared{Vec3(1, 0, 2), 1.2, 1.0, 0.4};
  c.cloth.frame = MovingFrame{motion, Animated<double>({{0.0, 1.0}, {0.3, 0.4}}), 0.7};
}

// Laws of the fabric beyond stiffnesses; damped, for what they keep of the start of a step.
std::vector<RunCase> fabrics(StepMethod method) {
  std::vector<RunCase> all;
  const auto add = [&](const std::string& name, const auto& change) {
    RunCase c{name, alternating_sheet(), method};
    hang(c);
    c.cloth.material.damping = 0.01;
    change(c.cloth);
    all.push_back(std::move(c));
  };
  add("buckling", [](ClothDescription& cloth) {
    cloth.material.compression.law = Compression::Law::kBuckling;
    cloth.material.bend *= 10;  // at strains of a hundredth
  });
  add("coupled", [](ClothDescription& cloth) { cloth.material.coupling = 0.5; });
  add("coupled_and_buckling", [](ClothDescription& cloth) {
    cloth.material.coupling = 0.5;
    cloth.material.compression.law = Compression::Law::kBuckling;
    cloth.material.bend *= 10;
  });
  add("tester_sheet", [](ClothDescription& cloth) {
    TesterSheet measured;
    measured.emt = Vec2(6.0, 9.0), measured.g = 0.6, measured.hg2 = 0.4, measured.b = 2.0, measured.hb2 = 0.3;
    cloth.material = with_tester_sheet(cloth.material, measured);
  });
  add("isotropic", [](ClothDescription& cloth) {
    cloth.material.isotropic = Isotropic{1.5e6, 0.35};
    cloth.material.bend *= 10;  // or it crumples where it is pushed together
    cloth.stretch_scale = Animated<Vec2>({{0.0, Vec2(1, 1)}, {0.3, Vec2(1.05, 0.98)}});
  });
  return all;
}

std::vector<RunCase> run_cases(StepMethod method) {
  std::vector<RunCase> all = fabrics(method);
  // Linearised steps of isotropic or coupled cloth have none. Where threads rub, changes so small that no
  // tension changes its sign leave a remainder that is rounding; energy_test has these derivatives.
  if (method == StepMethod::kLinearized)
    std::erase_if(all, [](const RunCase& c) {
      const Material& m = c.cloth.material;
      return m.isotropic || m.coupling > 0.0 || m.shear_hysteresis > 0.0;
    });
  const auto add = [&](const std::string& name, const auto& change) {
    RunCase c{name, alternating_sheet(), method};
    change(c);
    all.push_back(std::move(c));
  };
  add("hung", hang);
  add("damping", [&](RunCase& c) {
    hang(c);
    c.cloth.material.damping = 0.01;
  });
  add("quadratic_bending", [&](RunCase& c) { lay_flat(c, BendingModel::kQuadratic); });
  add("vertex_bending", [&](RunCase& c) { lay_flat(c, BendingModel::kVertex); });
  add("wind", [&](RunCase& c) {
    hang(c);
    c.cloth.wind = Wind::Shared{Animated<Vec3>({{0.0, Vec3(3, 0, 2)}, {0.2, Vec3(-1, 1, 4)}}), 1.2, 1.0, 0.4};
  });
  add("moving_frame", carry);
  add("creased", press);
  add("animated_pins", [&](RunCase& c) { c.cloth.pins = {{kCorners, moving(c.cloth, kCorners)}}; });
  add("axis_and_plane", [&](RunCase& c) {
    const Vec3 t = Vec3(1, 0.2, 0).normalized(), n = Vec3(0.1, 0, 1).normalized();
    HardPin axis{{0}, moving(c.cloth, {0})}, plane{{kRunSide - 1}, standing(c.cloth, {kRunSide - 1})};
    axis.free = t * t.transpose();
    plane.free = Mat3::Identity() - n * n.transpose();
    c.cloth.pins = {axis, plane, {{kRunSide / 2}, standing(c.cloth, {kRunSide / 2})}};
  });
  add("pins_that_let_go", [&](RunCase& c) {
    hang(c);
    c.cloth.pins[0].end_time = 8 * kRunDt;
  });
  add("springs_and_soft_pins", [&](RunCase& c) {
    c.cloth.springs = {{{0, kRunSide * kRunSide - 1}, 20.0, 0.3, 0.02},
                       {{kRunSide - 1, kRunSide * (kRunSide - 1)}, 15.0, 0.0, 0.02}};
    SoftPin pin{kCorners, {1.0, 0.6}, moving(c.cloth, kCorners)};
    pin.stiffness = 200.0;
    pin.damping = 0.02;
    c.cloth.soft_pins = {pin};
  });
  add("uv_panels_that_grow", [&](RunCase& c) {
    hang(c);
    for (const Vec3& x : c.cloth.mesh.positions) c.cloth.mesh.uvs.emplace_back(1.02 * x.x(), x.y());
    c.cloth.mesh.uv_triangles = c.cloth.mesh.triangles;
    c.cloth.rest = {RestSource::kUv, 1.0, {}};
    c.cloth.stretch_scale = Animated<Vec2>({{0.0, Vec2(1, 1)}, {0.3, Vec2(1.05, 0.98)}});
  });
  add("everything_each_step", [&](RunCase& c) {
    c.cloth.pins = {{kCorners, moving(c.cloth, kCorners)}};
    c.cloth.material.damping = 0.01;
    c.cloth.wind = Wind::Shared{Vec3(3, 0, 2), 1.2, 1.0, 0.4};
    c.cloth.springs = {{{0, kRunSide * kRunSide - 1}, 20.0, 0.3, 0.02}};
    c.hold_step = true;
  });
  return all;
}

// Of steps that take rounds, also of cloth that nothing holds, which a predictor must not turn.
std::vector<RunCase> run_cases_of_rounds(StepMethod method) {
  std::vector<RunCase> all = run_cases(method);
  // One round a step does not follow pins so fast: the cloth beside them tears, and rounding with it.
  if (method == StepMethod::kPredictor)
    std::erase_if(all, [](const RunCase& c) { return c.name == "animated_pins"; });
  RunCase loose{"loose", alternating_sheet(), method};
  loose.cloth.wind = Wind::Shared{Vec3(3, 0, 2), 1.2, 1.0, 0.4};
  loose.cloth.material.damping = 0.01;
  all.push_back(std::move(loose));
  return all;
}

std::vector<RunCase> run_cases_that_remember() {
  std::vector<RunCase> all = run_cases_of_rounds(StepMethod::kPrefactored);
  for (RunCase& c : all) c.rounds_memory = 4;
  return all;
}

class WholeRun : public testing::TestWithParam<RunCase> {
 protected:
  WholeRun()
      : model_(build_model(GetParam().cloth)), simulator_(model_, simulator_options()), start_(start()) {
    std::vector<int> blocks(kRunSteps), active;
    for (int n = 0; n < kRunSteps; ++n) blocks[n] = GetParam().hold_step ? n : n / 2;
    for (int i = 1; i < model_.vertex_count(); ++i) active.push_back(i);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass());
    objective_ = std::make_unique<Objective>(ObjectiveOptions{0.7, 1e-4, 1.0, 1.0}, keyframes(), *layout_,
                                             GetParam().hold_step ? kRunDt : 2 * kRunDt, edges());
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30);
  }

  static SimulatorOptions simulator_options() {
    SimulatorOptions options;
    options.dt = kRunDt;
    options.method = GetParam().method;
    options.rounds_memory = GetParam().rounds_memory;
    options.newton.tolerance = 1e-14;  // taken to be the rounding error of the residual
    return options;
  }

  State start() const {
    const VecX x = stacked(GetParam().cloth.mesh.positions);
    VecX v(x.size());
    for (Eigen::Index i = 0; i < v.size(); ++i) v(i) = 0.3 * std::sin(2.0 * i);
    return {x, v};
  }

  std::vector<Keyframe> keyframes() const {
    const int n = model_.vertex_count();
    Keyframe half{kRunSteps / 2, start_.x, VecX::Ones(n), 0.7, 0.1, VecX::Constant(3 * n, 0.2)};
    Keyframe end{kRunSteps, start_.x, VecX::LinSpaced(n, 0.0, 1.0), 1.0, 0.0, {}};
    for (int i = 0; i < n; ++i) end.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.2 * start_.x(3 * i));
    return {half, end};
  }

  std::vector<Objective::EdgeLength> edges() const {
    std::vector<Objective::EdgeLength> edges;
    const auto& mesh = GetParam().cloth.mesh;
    for (const Edge& e : build_topology(mesh.triangles, mesh.vertex_count()).edges)
      edges.push_back({e, (mesh.positions[e[0]] - mesh.positions[e[1]]).norm()});
    return edges;
  }

  Model model_;
  Simulator simulator_;
  State start_;
  std::unique_ptr<ControlLayout> layout_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

// Derivatives of a linearised step jump where a tension changes its sign: perturbations so small, and a
// point, that none does in the runs that are compared.
DerivativeCheckOptions check_options_of(const RunCase& c) {
  if (c.method != StepMethod::kLinearized) return {};
  return {.seed = 4, .direction_rms_g = 1e-4};
}

TEST_P(WholeRun, GradientIsExact) {
  const DerivativeCheck check = check_derivatives(*problem_, check_options_of(GetParam()));
  // Friction of threads has kinks, as that of contact has.
  const bool rubs = GetParam().cloth.material.shear_hysteresis > 0.0;
  test::expect_exact(GetParam().name, check, rubs ? test::kWithContact : test::kSmooth);
}

TEST_P(WholeRun, FeedbackSweepsAreTransposesOfEachOther) {
  ShootingIterate at(*problem_, VecX::Constant(problem_->size(), 1e-3));
  ASSERT_TRUE(at.is_complete());
  const VecX w = VecX::LinSpaced(problem_->size(), -1.0, 0.7);
  const FeedbackMap map{*layout_, problem_->feedback(*objective_->first_goal())};
  const FeedbackTangent change = feedback_tangent(at.sweeps().linearized(), map, w).value();
  std::vector<StateVector> seeds(kRunSteps + 1);
  const VecX z_bar = VecX::LinSpaced(problem_->size(), 0.3, -0.8);
  double forward = z_bar.dot(change.z), scale = z_bar.norm() * change.z.norm();
  for (int n = 1; n <= kRunSteps; ++n) {
    seeds[n] = {VecX::LinSpaced(w.size() ? change.states[n].x.size() : 0, -1.0, 2.0 + n),
                VecX::LinSpaced(change.states[n].v.size(), 0.5, -0.1 * n)};
    forward += seeds[n].x.dot(change.states[n].x) + seeds[n].v.dot(change.states[n].v);
    scale += seeds[n].x.norm() * change.states[n].x.norm() + seeds[n].v.norm() * change.states[n].v.norm();
  }
  EXPECT_NEAR(forward, feedback_adjoint(at.sweeps().linearized(), map, seeds, z_bar)->dot(w), 1e-11 * scale);
}

// The trial run of a small step w is, to first order, what the linear model says.
TEST_P(WholeRun, StepFollowsItsPrediction) {
  ShootingIterate at(*problem_, VecX::Zero(problem_->size()));
  ASSERT_TRUE(at.is_complete());
  const VecX w = VecX::LinSpaced(problem_->size(), -1.0, 0.7).normalized();
  double previous = 0.0, orders = 0.0;
  for (int k = 0; k <= 4; ++k) {
    const double e = std::ldexp(1e-4, -k);
    const double remainder =
        std::abs(at.step(e * w)->objective() - at.objective() - e * at.local_gradient().dot(w));
    if (k > 0) orders += std::log2(previous / remainder) / 4;
    previous = remainder;
  }
  EXPECT_NEAR(orders, 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Scenes, WholeRun, testing::ValuesIn(run_cases(StepMethod::kConverged)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ScenesOfBdf2, WholeRun, testing::ValuesIn(run_cases(StepMethod::kBdf2)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ScenesOfLinearizedSteps, WholeRun,
                         testing::ValuesIn(run_cases(StepMethod::kLinearized)),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(ScenesOfOneFactor, WholeRun,
                         testing::ValuesIn(run_cases_of_rounds(StepMethod::kPrefactored)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ScenesOfRememberedRounds, WholeRun, testing::ValuesIn(run_cases_that_remember()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ScenesOfPredictors, WholeRun,
                         testing::ValuesIn(run_cases_of_rounds(StepMethod::kPredictor)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ScenesOfDescent, WholeRun,
                         testing::ValuesIn(run_cases_of_rounds(StepMethod::kDescent)),
                         [](const auto& test) { return test.param.name; });

// Why a run of linearised steps has no derivatives; empty where it has.
std::string failure_of_run(ClothDescription cloth, LinearizedDerivatives kind) {
  cloth.pins = {{kCorners, standing(cloth, kCorners)}};
  const Model model = build_model(cloth);
  SimulatorOptions options;
  options.dt = kRunDt;
  options.method = StepMethod::kLinearized;
  options.linearized_derivatives = kind;
  const Simulator simulator(model, options);
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
  const Trajectory trajectory = rollout(simulator, start, NoForces(), kRunSteps);
  LinearizedTrajectory derivatives(simulator, trajectory, size_t{1} << 30);
  std::vector<StateVector> seeds(kRunSteps + 1);
  seeds[kRunSteps].x = VecX::LinSpaced(start.x.size(), -1.0, 1.0);
  const bool has_derivatives = adjoint(derivatives, seeds).has_value();
  EXPECT_EQ(derivatives.failure().has_value(), !has_derivatives);
  return has_derivatives ? "" : sentence(derivatives.failure().value());
}

// Where a linearised step has no derivatives, none are made up; the swapped ones can be had all the same.
TEST(LinearizedSteps, HaveNoDerivativesWithinAStrainLimit) {
  ClothDescription cloth = alternating_sheet();
  cloth.material.strain_limit = 0.05;
  EXPECT_EQ(
      failure_of_run(cloth, LinearizedDerivatives::kExact),
      "linearised steps have no exact derivatives in contact, with a strain limit, of isotropic or coupled "
      "cloth");
  EXPECT_EQ(failure_of_run(cloth, LinearizedDerivatives::kSwapped), "");
}

// Of what a pass may move there are none of either kind.
TEST(LinearizedSteps, HaveNoDerivativesBehindAPass) {
  ClothDescription cloth = alternating_sheet();
  cloth.edge_limit = 1.0;
  for (const LinearizedDerivatives kind : {LinearizedDerivatives::kExact, LinearizedDerivatives::kSwapped})
    EXPECT_EQ(failure_of_run(cloth, kind),
              "steps that contact or a limit of edges corrects have no derivatives");
}

// A budget that holds no factor costs time and changes nothing.
TEST(Memory, FactorsThatDoNotFitAreMadeAgain) {
  ClothDescription cloth = alternating_sheet();
  cloth.pins = {{kCorners, standing(cloth, kCorners)}};
  const Model model = build_model(cloth);
  SimulatorOptions options;
  options.dt = kRunDt;
  const Simulator simulator(model, options);
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
  const Trajectory trajectory = rollout(simulator, start, NoForces(), kRunSteps);
  LinearizedTrajectory kept(simulator, trajectory, size_t{1} << 30), none(simulator, trajectory, 0);
  EXPECT_EQ(kept.kept_count(), kRunSteps);
  EXPECT_EQ(none.kept_count(), 0);
  EXPECT_EQ(none.memory_bytes(), 0u);
  std::vector<StateVector> seeds(kRunSteps + 1);
  seeds[kRunSteps].x = VecX::LinSpaced(start.x.size(), -1.0, 1.0);
  const VecX expected = adjoint(kept, seeds)->start.x;
  EXPECT_LE((adjoint(none, seeds)->start.x - expected).norm(), 1e-12 * expected.norm());
  EXPECT_EQ(none.factorizations(), kRunSteps);
}

}  // namespace
}  // namespace keydrape
