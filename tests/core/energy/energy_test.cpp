// One suite of property tests over every energy (tests/support/energy_case.h).

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/support/energy_case.h"
#include "tests/support/spectrum.h"

namespace keydrape {
namespace {

using namespace test;

class EnergyTest : public testing::TestWithParam<EnergyCase> {
 protected:
  int vertex_count() const { return GetParam().vertex_count(); }
  // Whichever: all have the same functions.
  const AnyElement& any() const { return *samples.front().element; }
  // A random direction.
  VecX direction(Rng& rng) const { return noise(rng, vertex_count(), 1.0); }

  // Of d2W/dy dx (or dv) along d, where restart(e) is what the step knows with x (or v) moved by e d.
  template <class Restart>
  double cross_order(const EnergySample& s, double reach, const Eigen::MatrixXd& cross, const VecX& d,
                     const Restart& restart) const {
    const VecX g = s.element->gradient(s.y, restart(0.0)), change = cross * d;
    const double rounding = GetParam().traits.cross_rounding * (g.norm() + cross.norm());
    return mean_order(reach, rounding, [&](double e) {
      return (s.element->gradient(s.y, restart(e)) - g - e * change).norm();
    });
  }

  const std::vector<EnergySample> samples = GetParam().samples();
};

INSTANTIATE_TEST_SUITE_P(Every, EnergyTest, testing::ValuesIn(energy_cases()),
                         [](const auto& c) { return c.param.name; });

TEST_P(EnergyTest, GivesAFamilyItsOwnValueAndGradient) {
  const EnergySample s = samples[1];
  const std::unique_ptr<Energy> family = s.element->family();
  std::vector<Edge> pairs;
  family->append_couplings(pairs);
  const BlockPattern pattern(vertex_count(), pairs);
  family->bind(pattern);

  const auto step = family->begin_step({kDt, kTime, s.x, s.v});
  VecX gradient = VecX::Zero(s.y.size());
  step->add_gradient(s.y, gradient);
  // To rounding: several elements are evaluated side by side, with other instructions.
  const double W = s.element->value(s.y, s.start());
  const VecX alone = s.element->gradient(s.y, s.start());
  EXPECT_NEAR(step->value(s.y), W, 1e-14 * (1 + std::abs(W)));
  EXPECT_LE((gradient - alone).norm(), 1e-14 * (1 + alone.norm()));
}

TEST_P(EnergyTest, GradientIsTheDerivativeOfTheValue) {
  Rng rng(3);
  for (const EnergySample& s : samples) {
    const VecX d = direction(rng);
    const double W = s.element->value(s.y, s.start());
    const double slope = s.element->gradient(s.y, s.start()).dot(d);
    const auto error = [&](double e) {
      return std::abs(s.element->value(s.y + e * d, s.start()) - W - e * slope);
    };
    EXPECT_GT(mean_order(s.reach, 1e-15 * (1 + std::abs(W)), error), kOrder);
    EXPECT_NE(slope, 0.0);
  }
}

TEST_P(EnergyTest, HessianIsTheDerivativeOfTheGradient) {
  Rng rng(4);
  for (const EnergySample& s : samples) {
    const VecX d = direction(rng), g = s.element->gradient(s.y, s.start());
    const Eigen::MatrixXd H = s.element->hessian(s.y, s.start());
    const VecX change = H * d;
    const auto error = [&](double e) {
      return (s.element->gradient(s.y + e * d, s.start()) - g - e * change).norm();
    };
    EXPECT_GT(mean_order(s.reach, 1e-15 * (g.norm() + H.norm()), error), kOrder);
    EXPECT_NE(change.norm() > 0.0, GetParam().traits.is_force_alone) << "a force alone has none";
  }
}

TEST_P(EnergyTest, HessianIsSymmetric) {
  for (const EnergySample& s : samples) {
    const Eigen::MatrixXd H = s.element->hessian(s.y, s.start());
    EXPECT_LE((H - H.transpose()).norm(), 1e-14 * H.norm());
  }
}

TEST_P(EnergyTest, HessianWithItsOwnTensionIsTheHessian) {
  if (!any().has_tension()) GTEST_SKIP() << "no conditions";
  for (const EnergySample& s : samples) {
    const Eigen::MatrixXd H = s.element->hessian(s.y, s.start());
    const std::vector<double> sigma = s.element->tension(s.y, s.start());
    std::vector<double> other = sigma;
    for (double& value : other) value += 1.0;
    EXPECT_LE((s.element->hessian_with_tension(s.y, s.start(), sigma) - H).norm(), 1e-14 * H.norm());
    EXPECT_GT((s.element->hessian_with_tension(s.y, s.start(), other) - H).norm(), 1e-6);
  }
}

// Tensions at y in a step, as they are and as Newton projects them.
struct StepTensions {
  std::vector<double> own, projected;

  StepTensions(const Energy& family, const Known& start, const VecX& y)
      : own(static_cast<size_t>(family.condition_count())) {
    const auto step = family.begin_step({kDt, kTime, start.x, start.v});
    step->tensions()->at(y, own);
    projected = own;
    step->tensions()->project(y, projected);
  }
};

// Newton has no other H_psd than H with projected tensions, and than H itself where there are none.
TEST_P(EnergyTest, HessianWithProjectedTensionsIsPositiveSemidefinite) {
  for (const EnergySample& s : samples) {
    Eigen::MatrixXd H = s.element->hessian(s.y, s.start());
    if (s.element->has_tension()) {
      const StepTensions sigma(*s.element->family(), s.start(), s.y);
      H = s.element->hessian_with_tension(s.y, s.start(), sigma.projected);
    }
    EXPECT_GE(eigenvalues(H)[0], -1e-13 * H.norm());
  }
}

TEST_P(EnergyTest, TensionChangeIsTheDerivativeOfTheTension) {
  if (!any().has_tension()) GTEST_SKIP() << "no conditions";
  Rng rng(5);
  for (const EnergySample& s : samples) {
    const VecX d = direction(rng);
    const std::vector<double> sigma = s.element->tension(s.y, s.start());
    for (size_t c = 0; c < sigma.size(); ++c) {
      const auto error = [&](double e) {
        const std::vector<double> change = s.element->tension_change(s.y, e * d, s.start());
        return std::abs(s.element->tension(s.y + e * d, s.start())[c] - sigma[c] - change[c]);
      };
      EXPECT_GT(mean_order(s.reach, 1e-14 * std::abs(sigma[c]), error), kOrder);
    }
  }
}

TEST_P(EnergyTest, CrossDerivativesAreThoseOfTheGradient) {
  if (!any().has_memory()) GTEST_SKIP() << "no memory of the start";
  Rng rng(6);
  for (const EnergySample& s : samples) {
    ASSERT_TRUE(s.element->depends_on_start());
    const VecX d = direction(rng);
    const auto by_x = [&](double e) { return Known{s.x + e * d, s.v}; };
    const Eigen::MatrixXd C = s.element->cross_x(s.y, s.start(), KnownState::kStart);
    EXPECT_GT(C.norm(), 0.0);
    EXPECT_GT(cross_order(s, s.reach, C, d, by_x), kOrder);
    if (s.element->has_velocity_memory()) {
      const auto by_v = [&](double e) { return Known{s.x, s.v + e * d}; };
      const Eigen::MatrixXd D = s.element->cross_v(s.y, s.start(), KnownState::kStart);
      EXPECT_GT(D.norm(), 0.0);
      EXPECT_GT(cross_order(s, 1e-1, D, d, by_v), kOrder);
    }
  }
}

// The force of a linearised step, g(x) + P(x) d with P of projected tensions, by its start: P and what stands
// in place of C. Tension that pulls is in P of some elements, that which pushes is in none.
TEST_P(EnergyTest, LinearizedTermsAreTheDerivativeOfTheLinearizedForce) {
  if (!any().is_linearized()) GTEST_SKIP() << "its matrix does not depend on the start";
  Rng rng(26);
  int pushing = 0, pulling = 0;
  for (const EnergySample& s : samples) {
    const std::unique_ptr<Energy> family = s.element->family();
    ASSERT_NE(family->has_linearized_derivatives(), s.element->is_coupled());
    if (s.element->is_coupled()) return;
    const VecX way = noise(rng, vertex_count(), 0.1), d = direction(rng);
    const auto matrix = [&](const VecX& x) -> Eigen::MatrixXd {
      const StepTensions sigma(*family, {x, s.v}, x);
      for (const double tension : sigma.own) ++(tension > 0.0 ? pulling : pushing);
      return s.element->hessian_with_tension(x, {x, s.v}, sigma.projected);
    };
    const auto force = [&](const VecX& x) -> VecX {
      return s.element->gradient(x, {x, s.v}) + matrix(x) * way;
    };
    const Eigen::MatrixXd by_x = matrix(s.x) + s.element->linearized_cross_x(s.start(), way);
    const VecX at = force(s.x), change = by_x * d;
    const double order = mean_order(0.1 * s.reach, 1e-15 * (at.norm() + by_x.norm()),
                                    [&](double e) { return (force(s.x + e * d) - at - e * change).norm(); });
    EXPECT_GT(order, kOrder);
  }
  EXPECT_EQ(pushing > 0, !GetParam().traits.only_pulls);
  EXPECT_GT(pulling, 0);
}

// BDF2 knows two states: each has derivatives of its own.
TEST_P(EnergyTest, CrossDerivativesByBothStatesAreThoseOfTheGradient) {
  if (!any().has_memory()) GTEST_SKIP() << "no memory of the start";
  Rng rng(16);
  for (const EnergySample& s : samples) {
    const Known at{s.x, s.v, s.x + noise(rng, vertex_count(), 0.02), s.v + noise(rng, vertex_count(), 0.1)};
    const VecX d = direction(rng);
    const auto order_by = [&](VecX Known::*member, double reach, const Eigen::MatrixXd& cross) {
      EXPECT_GT(cross.norm(), 0.0);
      return cross_order(s, reach, cross, d, [&](double e) {
        Known to = at;
        to.*member += e * d;
        return to;
      });
    };
    const auto cross_x = [&](KnownState by) { return s.element->cross_x(s.y, at, by); };
    EXPECT_GT(order_by(&Known::x, s.reach, cross_x(KnownState::kStart)), kOrder);
    EXPECT_GT(order_by(&Known::x_before, s.reach, cross_x(KnownState::kBefore)), kOrder);
    if (s.element->has_velocity_memory()) {
      const auto cross_v = [&](KnownState by) { return s.element->cross_v(s.y, at, by); };
      EXPECT_GT(order_by(&Known::v, 1e-1, cross_v(KnownState::kStart)), kOrder);
      EXPECT_GT(order_by(&Known::v_before, 1e-1, cross_v(KnownState::kBefore)), kOrder);
    }
  }
}

TEST_P(EnergyTest, RigidMotionCostsNothing) {
  if (!GetParam().traits.is_objective) GTEST_SKIP() << "bound to a place or to the air";
  Rng rng(7);
  for (const EnergySample& s : samples) {
    const Mat3 R = Eigen::AngleAxisd(2.0, noise<1>(rng, 1.0).normalized()).toRotationMatrix();
    const Vec3 t = noise<1>(rng, 1.0);
    const Eigen::Matrix3Xd y = s.y.reshaped(3, vertex_count());
    const Eigen::Matrix3Xd moved = (R * y).colwise() + t;
    const double W = s.element->value(s.y, s.start());
    EXPECT_NEAR(s.element->value(moved.reshaped(), s.start()), W, 1e-11 * (1 + W));

    const Eigen::Matrix3Xd g = s.element->gradient(s.y, s.start()).reshaped(3, vertex_count());
    Vec3 torque = Vec3::Zero();
    for (int a = 0; a < vertex_count(); ++a) torque += Vec3(y.col(a)).cross(Vec3(g.col(a)));
    EXPECT_LE(g.rowwise().sum().norm(), 1e-13 * g.norm());
    EXPECT_LE(torque.norm(), 1e-12 * g.norm());
  }
}

TEST_P(EnergyTest, RestIsWithoutForce) {
  const EnergyCase& c = GetParam();
  if (!c.traits.rests) GTEST_SKIP() << "a load";
  Rng rng(8);
  const auto element = c.element(rng);
  const Known start{c.start_at_rest, c.rest};
  EXPECT_NEAR(element->value(c.rest, start), 0.0, 1e-14);
  EXPECT_LE(element->gradient(c.rest, start).norm(), 1e-13);
}

}  // namespace
}  // namespace keydrape
