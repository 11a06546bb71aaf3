#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// 1 m of cloth, released flat, hung from two corners.
ClothDescription hung_sheet(int cells) {
  ClothDescription cloth = cloth_of(square(cells, 1.0), cotton(), Vec3(0, 0, -9.81));
  cloth.pins = {held(stacked(cloth.mesh.positions), {0, cells})};
  return cloth;
}

TEST(Newton, EveryStepOfAHungSheetConverges) {
  const ClothDescription cloth = hung_sheet(32);
  const Model model = build_model(cloth);
  constexpr int kSteps = 60;
  const Motion motion = run(model, options_of(1.0 / 60), at_rest_in(cloth), kSteps);
  double worst = 0.0;
  int iterations = 0, most = 0, factorizations = 0, cg = 0, retries = 0, saddles = 0;
  for (const StepReport& report : motion.reports) {
    worst = std::max(worst, report.residual);
    iterations += report.iterations;
    most = std::max(most, report.iterations);
    factorizations += report.factorizations;
    cg += report.cg_iterations;
    retries += report.retries;
    saddles += report.end == NewtonEnd::kSaddle;
  }
  std::printf(
      "hung sheet, 32 x 32, 60 steps of 1/60 s: residual <= %.1e, iterations %.1f a step (at most %d), "
      "%.1f factorisations, %.1f CG iterations; %d retries, %d saddles, %d unconverged\n",
      worst, iterations / 60.0, most, factorizations / 60.0, cg / 60.0, retries, saddles,
      motion.unconverged());
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_LT(worst, 1e-8);
}

TEST(Newton, ReportsThatItsBoundWasReached) {
  const ClothDescription cloth = hung_sheet(8);
  const Model model = build_model(cloth);
  SimulatorOptions options = options_of(1.0 / 60);
  options.newton.max_iterations = 1;
  const Motion motion = run(model, options, at_rest_in(cloth), 4);
  const StepReport& report = motion.reports.back();
  EXPECT_EQ(report.end, NewtonEnd::kMaxIterations);
  EXPECT_FALSE(report.converged());
  EXPECT_GT(report.residual, 1e-8);
  EXPECT_TRUE(motion.back().x.allFinite());  // the best iterate, all the same
}

// Is finite where the cloth is, and leaves no way from there.
class NoWay final : public Energy {
 public:
  std::string_view name() const override { return "no way"; }
  bool is_elastic() const override { return false; }
  bool depends_on_start_x() const override { return false; }
  bool depends_on_start_v() const override { return false; }
  bool is_limited() const override { return true; }
  void append_couplings(std::vector<Edge>&) const override {}
  void bind(const BlockPattern&) override {}
  std::unique_ptr<EnergyStep> begin_step(const StepStart&) const override { return std::make_unique<Step>(); }

 private:
  class Step final : public EnergyStep, public Limit {
   public:
    double value(const VecX&) const override { return 0.0; }
    void add_gradient(const VecX&, VecX&) const override {}
    void add_hessian(const VecX&, const HessianForm&, BlockMatrix&) const override {}
    const Limit* limit() const override { return this; }
    double step_bound(const VecX&, const VecX&, double) const override { return 0.0; }
    int count_violations(const VecX&) const override { return 0; }
  };
};

// It ends there, and does not go nowhere until its bound is reached.
TEST(Newton, SaysThatNothingIsLeftToGo) {
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<NoWay>());
  const Model model(VecX::Constant(1, 0.1), std::move(energies), {}, Animated<Vec3>(Vec3(0, -9.81, 0)));
  const Simulator simulator(model, options_of(1.0 / 60));
  const StepReport report = simulator.step(0, State{VecX::Zero(3), VecX::Zero(3)}, VecX::Zero(3)).report;
  EXPECT_EQ(report.end, NewtonEnd::kStalled);
  EXPECT_LT(report.iterations, 10);
}

// 1 m of cloth without weight, whose sides are pushed together by 5 cm within a step of 1/24 s.
struct CompressedSheet {
  static constexpr double kDt = 1.0 / 24;

  CompressedSheet() : cloth(cloth_of(sheet(16, 8, Vec2(1.0, 0.5)), cotton(), Vec3::Zero())) {
    x0 = stacked(cloth.mesh.positions);
    const std::vector<int> left = vertices_where(cloth.mesh, [](const Vec3& p) { return p.x() == 0.0; });
    const std::vector<int> right = vertices_where(cloth.mesh, [](const Vec3& p) { return p.x() == 1.0; });
    HardPin pushed = held(x0, right);
    VecX inwards = pushed.motion.samples[0];
    for (size_t k = 0; k < right.size(); ++k) inwards(3 * k) -= 0.05;
    pushed.motion.samples.push_back(inwards);
    pushed.motion.sample_interval = kDt;
    cloth.pins = {held(x0, left), pushed};
  }

  State start() const { return {x0, VecX::Zero(x0.size())}; }

  ClothDescription cloth;
  VecX x0;
};

TEST(Newton, FlatSheetInCompressionLeavesItsPlane) {
  const CompressedSheet sheet;
  const double dt = CompressedSheet::kDt;
  const VecX& x0 = sheet.x0;
  const Model model = build_model(sheet.cloth);

  // The flat solution of the same step, the pins where they end and everything between them squeezed evenly:
  // nothing pushes it out of the plane, so that only negative curvature can.
  VecX squeezed = x0;
  for (int i = 0; i < model.vertex_count(); ++i) squeezed(3 * i) *= 0.95;
  const VecX force = elastic_force(model, squeezed);
  for (int i = 0; i < model.vertex_count(); ++i) ASSERT_EQ(force(3 * i + 2), 0.0);

  const Motion motion = run(model, options_of(dt), sheet.start(), 3);
  for (int n = 1; n <= 3; ++n) {
    double out = 0.0;
    for (int i = 0; i < model.vertex_count(); ++i)
      out = std::max(out, std::abs(motion.states[n].x(3 * i + 2)));
    const StepReport& report = motion.reports[n - 1];
    std::printf(
        "compressed sheet, step %d: %.4f m out of its plane, %d iterations, elastic %.4f J (flat: %.4f J)\n",
        n, out, report.iterations, elastic_energy(model, motion.states[n], dt, n * dt),
        elastic_energy(model, {squeezed, x0}, dt, dt));
    EXPECT_EQ(report.end, NewtonEnd::kMinimum);
    EXPECT_GE(out, 1e-3);
  }
}

// Nothing is left to find where pins hold all of it.
TEST(Newton, ClothThatIsHeldAllOverTakesNoSaddleForAMinimum) {
  ClothDescription cloth = cloth_of(square(4, 0.2), cotton(), Vec3(0, -9.81, 0));
  const VecX x0 = stacked(cloth.mesh.positions);
  HardPin pin = held(x0, vertices_where(cloth.mesh, [](const Vec3&) { return true; }));
  VecX lifted = pin.motion.samples[0];
  for (Eigen::Index i = 2; i < lifted.size(); i += 3) lifted(i) += 0.01 * std::sin(40.0 * lifted(i - 1));
  pin.motion.samples.push_back(lifted);
  pin.motion.sample_interval = 0.01;
  cloth.pins = {pin};
  const Motion motion = run(build_model(cloth), options_of(0.01), at_rest_in(cloth), 2);
  for (const StepReport& report : motion.reports) EXPECT_EQ(report.end, NewtonEnd::kMinimum);
  EXPECT_EQ(motion.back().x, lifted);
}

// The sheet may as well buckle to the other side: there the solution is its mirror image.
TEST(Newton, FindsTheSolutionThatIsExpected) {
  const CompressedSheet sheet;
  const Model model = build_model(sheet.cloth);
  const Simulator simulator(model, options_of(CompressedSheet::kDt));
  const VecX u = VecX::Zero(sheet.x0.size());
  const VecX one_side = simulator.step(0, sheet.start(), u, {}).next.x;
  VecX other_side = one_side;
  for (int i = 0; i < model.vertex_count(); ++i) other_side(3 * i + 2) *= -1.0;
  for (const VecX& side : {one_side, other_side}) {
    const VecX nearby = side + VecX::LinSpaced(side.size(), -1e-4, 1e-4);
    const StepResult result = simulator.step(0, sheet.start(), u, {nullptr, &nearby});
    EXPECT_TRUE(result.report.converged());
    EXPECT_LE((result.next.x - side).lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

TEST(Newton, StartsWhereThePotentialIsLower) {
  const ClothDescription cloth = hung_sheet(8);
  const Model model = build_model(cloth);
  const Simulator simulator(model, options_of(1.0 / 60));
  const State start = at_rest_in(cloth);
  const VecX u = VecX::Zero(start.x.size()), crumpled = 0.5 * start.x;
  const StepResult plain = simulator.step(0, start, u, {}),
                   hinted = simulator.step(0, start, u, {nullptr, &crumpled});
  EXPECT_EQ(hinted.next.x, plain.next.x);
}

}  // namespace
}  // namespace keydrape
