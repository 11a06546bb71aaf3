// Steps that are not solved: rounds with one matrix, against what the papers write down.

#include "core/step/rounds.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

#include "core/energy/family/element_family.h"
#include "core/energy/spring.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// Masses in a tangle of springs, some of them drawn out.
struct Springs {
  std::vector<Spring> list{{{0, 1}, 40.0, 0.9, 0.0}, {{1, 2}, 25.0, 1.1, 0.0}, {{2, 3}, 60.0, 0.8, 0.0},
                           {{3, 4}, 30.0, 1.0, 0.0}, {{0, 2}, 15.0, 1.3, 0.0}, {{1, 3}, 20.0, 1.2, 0.0},
                           {{2, 4}, 10.0, 1.5, 0.0}};
  VecX mass = (VecX(5) << 0.1, 0.15, 0.2, 0.12, 0.3).finished();
  Vec3 gravity{0.5, -9.81, 0.2};
  State start;

  Springs() : start{VecX(15), VecX(15)} {
    for (int i = 0; i < 5; ++i) start.x.segment<3>(3 * i) = Vec3(0.8 * i, std::sin(2.0 * i), 0.3 * i * i);
    for (int i = 0; i < 15; ++i) start.v(i) = std::cos(3.0 * i);
  }

  Model model(std::vector<HardPin> pins = {}, double damping = 0.0) const {
    std::vector<Spring> elements = list;
    for (Spring& spring : elements) spring.damping = damping;
    std::vector<std::unique_ptr<Energy>> energies;
    energies.push_back(
        std::make_unique<ElementFamily<Spring>>("spring", std::move(elements), Spring::Shared{}));
    return Model(mass, std::move(energies), std::move(pins), gravity);
  }

  // sum k A A^T over vertices, and A of each.
  Eigen::MatrixXd L() const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(5, 5);
    for (const Spring& s : list) {
      VecX A = VecX::Zero(5);
      A(s.vertices[0]) = -1.0, A(s.vertices[1]) = 1.0;
      sum += s.k * A * A.transpose();
    }
    return sum;
  }
};

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
Rows rows(const VecX& x) { return Eigen::Map<const Rows>(x.data(), x.size() / 3, 3); }
VecX stack(const Rows& x) { return Eigen::Map<const VecX>(x.data(), x.size()); }

// Liu et al. 2013, (11) to (14): the directions d of all springs for the positions at hand, then positions
// that minimise the quadratic that these leave, again and again.
TEST(Rounds, AreTheAlternationOfLiu) {
  const Springs springs;
  const Model model = springs.model();
  const double h = kRoundStep;
  const VecX inertia = springs.mass / (h * h);
  const Eigen::MatrixXd system = Eigen::MatrixXd(inertia.asDiagonal()) + springs.L();
  const VecX x_tilde = springs.start.x + h * springs.start.v + h * h * VecX(springs.gravity.replicate(5, 1));
  Rows y = rows(x_tilde);
  for (int round = 1; round <= 6; ++round) {
    Rows right = inertia.asDiagonal() * rows(x_tilde);
    for (const Spring& s : springs.list) {
      const Eigen::RowVector3d d = s.L * (y.row(s.vertices[1]) - y.row(s.vertices[0])).normalized();  // local
      right.row(s.vertices[1]) += s.k * d;
      right.row(s.vertices[0]) -= s.k * d;
    }
    y = Rows(Eigen::MatrixXd(system.ldlt().solve(Eigen::MatrixXd(right))));  // global
    const Simulator simulator(model, rounds_of(StepMethod::kPrefactored, round));
    const StepResult step = simulator.step(0, springs.start, VecX::Zero(15));
    EXPECT_EQ(step.report.iterations, round);
    EXPECT_EQ(step.report.cuts, 0);
    EXPECT_LE((step.next.x - stack(y)).lpNorm<Eigen::Infinity>(), 1e-14) << round;
    EXPECT_LE((step.next.v - (stack(y) - springs.start.x) / h).lpNorm<Eigen::Infinity>(), 2e-12);
  }
}

// Desbrun, Schroeder & Barr 1999: forces go through a constant filter, and a torque gives back what that
// takes from the rotation (course notes write the filter as (1 - h^2/m H)^-1).
TEST(Rounds, AreTheFilterOfDesbrun) {
  const Springs springs;
  const Model model = springs.model();
  const double h = kRoundStep;
  const Eigen::MatrixXd L = springs.L();
  const Rows x = rows(springs.start.x), v = rows(springs.start.v);
  Rows force = springs.mass * springs.gravity.transpose();
  Rows external = force;
  for (const Spring& s : springs.list) {
    const Eigen::RowVector3d d = x.row(s.vertices[1]) - x.row(s.vertices[0]);
    const Eigen::RowVector3d pull = s.k * (d.norm() - s.L) * d.normalized();
    force.row(s.vertices[0]) += pull;
    force.row(s.vertices[1]) -= pull;
  }
  const Eigen::MatrixXd system = Eigen::MatrixXd(springs.mass.asDiagonal()) + h * h * L;
  Rows dv = Rows(Eigen::MatrixXd(system.ldlt().solve(Eigen::MatrixXd(h * (force - h * L * v)))));
  const Eigen::RowVector3d centre = (springs.mass.transpose() * x) / springs.mass.sum();
  Vec3 missing = Vec3::Zero();
  Mat3 I = Mat3::Zero();
  for (int i = 0; i < 5; ++i) {
    const Vec3 r = (x.row(i) - centre).transpose(), dv_i = dv.row(i).transpose();
    missing += r.cross(springs.mass(i) * dv_i) - h * r.cross(Vec3(external.row(i).transpose()));
    I += springs.mass(i) * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const Vec3 w = I.inverse() * missing;
  for (int i = 0; i < 5; ++i) dv.row(i) -= w.cross(Vec3((x.row(i) - centre).transpose())).transpose();
  const Simulator simulator(model, rounds_of(StepMethod::kPredictor));
  const State end = simulator.step(0, springs.start, VecX::Zero(15)).next;
  EXPECT_LE((end.v - stack(Rows(v + dv))).lpNorm<Eigen::Infinity>(), 2e-12);
  EXPECT_LE((end.x - stack(Rows(x + h * (v + dv)))).lpNorm<Eigen::Infinity>(), 1e-14);
}

// Without line search Phi falls by r^T P^-1 r/2 in every round, where P bounds H: springs, stretch, quadratic
// bending, soft pins, with what they dissipate.
TEST(Rounds, LowerThePotentialWithoutASearch) {
  Material material = cotton(0.01);
  material.k_shear = 0.0;
  ClothDescription cloth = cloth_of(square(8, 0.8), material, Vec3(0, -9.81, 0));
  cloth.material.damping = 0.0;  // that of hinges bounds nothing
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {0})};
  SoftPin pin{{8}, {1.0}, {{VecX(at(x, 8) + Vec3(0.1, 0.05, -0.1))}, 1.0}};
  pin.stiffness = 300.0, pin.damping = 0.02;
  cloth.soft_pins = {pin};
  cloth.springs = {{{3, 70}, 50.0, 0.2, 0.02}};
  const Model model = build_model(cloth);
  const Simulator simulator(model, rounds_of(StepMethod::kPrefactored));
  State start{x, VecX(x.size())};
  for (Eigen::Index i = 0; i < x.size(); ++i) start.v(i) = std::sin(5.0 * i);
  StepWorkspace work;
  const VecX u = VecX::Zero(x.size());
  const StepProblem problem = simulator.problem(0, start, u, work);
  const MatrixOfStep matrix = simulator.round_matrix(problem, 0);
  RoundsRecord record;
  RoundsOptions options = simulator.rounds_options();
  options.rounds = 40, options.searches = false;
  take_rounds(problem, matrix, options, &record);
  ASSERT_EQ(record.y.size(), 40u);
  VecX r, d;
  for (size_t k = 0; k + 1 < record.y.size(); ++k) {
    problem.residual(record.y[k], r);
    problem.constraints().filter(r);
    matrix.P->solve(r, d);
    const double before = problem.value(record.y[k]), after = problem.value(record.y[k + 1]);
    EXPECT_LE(after, before - 0.5 * r.dot(d) + 1e-13 * std::abs(before)) << k;
  }
  EXPECT_LT(problem.value(record.y[39]), problem.value(record.y[0]));
}

// Hinges that fold and shear bound nothing exactly: there a search sees to it.
TEST(Rounds, LowerThePotentialInAnyFabric) {
  ClothDescription cloth = cloth_of(square(8, 0.8), cotton(0.01), Vec3(0, -9.81, 0));
  cloth.bending = BendingModel::kHinge;
  cloth.material.compression.law = Compression::Law::kBuckling;
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {0, 8})};
  const Model model = build_model(cloth);
  State start{x, VecX(x.size())};
  for (Eigen::Index i = 0; i < x.size(); ++i) start.v(i) = 3.0 * std::sin(5.0 * i);
  for (const StepMethod which : {StepMethod::kPrefactored, StepMethod::kDescent}) {
    const Simulator simulator(model, rounds_of(which, 60));
    StepWorkspace work;
    const VecX u = VecX::Zero(x.size());
    const StepProblem problem = simulator.problem(0, start, u, work);
    RoundsRecord record;
    const NewtonResult end =
        take_rounds(problem, simulator.round_matrix(problem, 0), simulator.rounds_options(), &record);
    for (size_t k = 0; k + 1 < record.y.size(); ++k)
      EXPECT_LT(problem.value(record.y[k + 1]), problem.value(record.y[k]));
    EXPECT_LT(problem.value(end.y), problem.value(record.y[0]));
  }
}

// Neither filter nor correction changes a momentum, but as gravity does; without the correction the angular
// one is lost.
TEST(Rounds, PredictorKeepsMomenta) {
  const ClothDescription cloth = cloth_of(square(6, 0.6), cotton(), Vec3(0.3, -9.81, 0.1));
  const Model model = build_model(cloth);
  State state{stacked(cloth.mesh.positions), VecX(3 * model.vertex_count())};
  for (int i = 0; i < model.vertex_count(); ++i) {
    const Vec3 x = at(state.x, i);
    state.v.segment<3>(3 * i) =
        Vec3(0.1, 1, 0.2) + Vec3(0.5, 1.0, 2.0).cross(x) + 0.3 * Vec3(x.y(), 0, x.x());
  }
  const auto momenta = [&](const State& s) {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (int i = 0; i < model.vertex_count(); ++i) {
      const Vec3 p = model.vertex_mass()(i) * at(s.v, i);
      sum.head<3>() += p;
      sum.tail<3>() += at(s.x, i).cross(p);
    }
    return sum;
  };
  const Simulator simulator(model, rounds_of(StepMethod::kPredictor));
  double lost_by_filter = 0.0;
  for (int n = 0; n < 20; ++n) {
    Eigen::Matrix<double, 6, 1> expected = momenta(state);
    Vec3 centre = Vec3::Zero();
    for (int i = 0; i < model.vertex_count(); ++i) centre += model.vertex_mass()(i) * at(state.x, i);
    const Vec3 weight = model.vertex_mass().sum() * cloth.gravity.at(0.0);
    expected.head<3>() += kRoundStep * weight;
    expected.tail<3>() += kRoundStep * (centre / model.vertex_mass().sum()).cross(weight);
    const VecX u = VecX::Zero(state.x.size());
    StepWorkspace work;
    const StepProblem problem = simulator.problem(n, state, u, work);
    RoundsOptions bare = simulator.rounds_options();
    bare.keeps_rotation = false;
    const VecX y = take_rounds(problem, simulator.round_matrix(problem, n), bare).y;
    lost_by_filter =
        std::max(lost_by_filter,
                 (momenta({y, (y - state.x) / kRoundStep}) - expected).tail<3>().norm() / expected.norm());
    state = simulator.step(n, state, u, {}, work).next;
    EXPECT_LE((momenta(state) - expected).norm(), 1e-12 * expected.norm()) << n;
  }
  EXPECT_GT(lost_by_filter, 1e-6);
}

// What pins hold does not turn by itself.
TEST(Rounds, PredictorLeavesPinnedClothAlone) {
  ClothDescription cloth = cloth_of(square(4, 0.4), cotton(), Vec3(0, -9.81, 0));
  const VecX x = stacked(cloth.mesh.positions);
  for (const bool is_soft : {false, true}) {
    ClothDescription pinned = cloth;
    if (is_soft) {
      SoftPin pin{{0}, {1.0}, {{VecX(at(x, 0))}, 1.0}};
      pin.stiffness = 100.0;
      pinned.soft_pins = {pin};
    } else {
      pinned.pins = {held(x, {0})};
    }
    const Model model = build_model(pinned);
    const RoundMatrices matrices(model, kRoundStep, RoundMatrixKind::kStiffness);
    MadeMatrices made;
    EXPECT_TRUE(
        matrices.at(StepConstraints(model.pins(), 0.0, model.vertex_count()), 0.0, made).loose->empty());
  }
  const Model model = build_model(cloth);
  const RoundMatrices matrices(model, kRoundStep, RoundMatrixKind::kStiffness);
  MadeMatrices made;
  const auto loose = matrices.at({}, 0.0, made).loose;
  ASSERT_EQ(loose->size(), 1u);
  EXPECT_EQ(loose->front().size(), 25u);
}

// Many rounds come to where Newton does: a sheet that is drawn out, so that there is one minimum.
TEST(Rounds, ManyReachNewtonsMinimum) {
  Material soft = cotton();
  soft.k_warp = soft.k_weft = 20.0, soft.k_shear = 5.0;
  ClothDescription cloth = cloth_of(square(5, 0.5), soft, Vec3(0, -9.81, 0));
  VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(1.1 * x, vertices_where(cloth.mesh, [](const Vec3& p) { return p.x() < 1e-9; })),
                held(1.1 * x, vertices_where(cloth.mesh, [](const Vec3& p) { return p.x() > 0.5 - 1e-9; }))};
  const Model model = build_model(cloth);
  const State start{1.1 * x, VecX::Zero(x.size())};
  const VecX u = VecX::Zero(x.size());
  const VecX solved = Simulator(model, options_of(kRoundStep, 1e-13)).step(0, start, u).next.x;
  for (const StepMethod which : {StepMethod::kPrefactored, StepMethod::kDescent}) {
    SimulatorOptions options = rounds_of(which, which == StepMethod::kDescent ? 20000 : 2000);
    options.newton.tolerance = 1e-12;
    const StepResult end = Simulator(model, options).step(0, start, u);
    EXPECT_LE(end.report.residual, 1e-12);
    EXPECT_LE((end.next.x - solved).lpNorm<Eigen::Infinity>(), 1e-10);
    std::printf("rounds to a residual of 1e-12: %d\n", end.report.iterations);
  }
}

// A spring along its own line is quadratic there: one round solves it.
TEST(Rounds, OneIsExactAlongASpring) {
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>(
      "spring", std::vector<Spring>{{{0, 1}, 70.0, 1.0, 0.0}}, Spring::Shared{}));
  const Model model(Eigen::Vector2d(0.2, 0.3), std::move(energies), {}, Vec3(0, 0, 0));
  State start{VecX::Zero(6), VecX::Zero(6)};
  start.x(3) = 1.4, start.v(0) = -2.0;
  const StepResult end = Simulator(model, rounds_of(StepMethod::kPrefactored)).step(0, start, VecX::Zero(6));
  EXPECT_LE(end.report.residual, 1e-13);
}

// GAMES103's step: four times the stiffness on the diagonal, 32 rounds. What is soft, here to fall as a
// whole, keeps 0.9726 of its error in a round: 41 % is left, and looks like damping.
TEST(Rounds, DescentLeavesWhatItsRateSays) {
  constexpr int kCount = 6;  // a ring: two springs a mass
  const double m = 1.0, k = 8000.0, h = 0.0333;
  std::vector<Spring> ring;
  State start{VecX::Zero(3 * kCount), VecX::Zero(3 * kCount)};
  for (int i = 0; i < kCount; ++i) {
    const int next = (i + 1) % kCount;
    ring.push_back({{std::min(i, next), std::max(i, next)}, k, 1.0, 0.0});
    start.x.segment<3>(3 * i) = Vec3(std::cos(M_PI * i / 3), std::sin(M_PI * i / 3), 0);
    start.v.segment<3>(3 * i) = Vec3(1, 2, 3);
  }
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>("spring", ring, Spring::Shared{}));
  const Vec3 g(0, 0, -9.81);
  const Model model(VecX::Constant(kCount, m), std::move(energies), {}, g);
  const double keeps = 4 * k / (m / (h * h) + 4 * k);
  EXPECT_NEAR(keeps, 0.9726, 1e-4);
  EXPECT_NEAR(std::pow(keeps, 32), 0.41, 0.005);
  for (const int rounds : {1, 5, 32}) {
    const StepResult end =
        Simulator(model, rounds_of(StepMethod::kDescent, rounds, h)).step(0, start, VecX::Zero(3 * kCount));
    const VecX fallen = end.next.x - start.x - h * start.v;
    for (int i = 0; i < kCount; ++i)
      EXPECT_LE((at(fallen, i) - (1 - std::pow(keeps, rounds)) * h * h * g).norm(), 1e-13);
  }
}

// A mode under the tension t keeps (k - t)/(m/h^2/q + k) of its error in a round: a mass between two held
// ones, drawn sideways.
TEST(Rounds, ContractAtTheRateOfTheirMatrix) {
  const double m = 0.01, k = 50.0, stretch = 1.2, h = kRoundStep;
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>(
      "spring", std::vector<Spring>{{{0, 1}, k, 1.0, 0.0}, {{1, 2}, k, 1.0, 0.0}}, Spring::Shared{}));
  VecX x(9);
  x << -stretch, 0, 0, 0, 0, 0, stretch, 0, 0;
  const Model model(VecX::Constant(3, m), std::move(energies), {held(x, {0, 2})}, Vec3(0, 0, 0));
  State start{x, VecX::Zero(9)};
  start.v(4) = 1e-4;                                       // sideways, so little that it is linear
  const double stiff = 2 * k * (stretch - 1.0) / stretch;  // H of it, without inertia
  const double rate = 1.0 - (m / (h * h) + stiff) / (m / (h * h) + 2 * k);
  const double first = h * 1e-4, solved = m / (h * h) * first / (m / (h * h) + stiff);
  for (const int rounds : {1, 3, 8}) {
    const StepResult end =
        Simulator(model, rounds_of(StepMethod::kPrefactored, rounds)).step(0, start, VecX::Zero(9));
    EXPECT_NEAR((end.next.x(4) - solved) / (first - solved), std::pow(rate, rounds), 1e-6);
  }
}

}  // namespace
}  // namespace keydrape
