// Every energy's derivatives by numbers of the cloth (tests/support/energy_case.h).

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/energy_case.h"

namespace keydrape {
namespace {

using namespace test;

class EnergyParameterTest : public testing::TestWithParam<EnergyCase> {};

INSTANTIATE_TEST_SUITE_P(Every, EnergyParameterTest, testing::ValuesIn(energy_cases()),
                         [](const auto& c) { return c.param.name; });

TEST_P(EnergyParameterTest, DerivativesAreThoseOfTheGradient) {
  const std::vector<EnergySample> samples = GetParam().samples();
  if (!samples.front().element->has_parameters()) GTEST_SKIP() << "no numbers that are sought";
  Rng rng(9);
  for (const EnergySample& s : samples)
    for (const Parameter& p : GetParam().parameters) {
      const VecX d = noise(rng, 1, 1.0).head(p.size());
      const auto gradient = [&](double e) { return s.element->moved(p, e * d)->gradient(s.y, s.start()); };
      const VecX g = gradient(0.0);
      const Eigen::MatrixXd by = s.element->gradient_by(p, s.y, s.start());
      ASSERT_EQ(by.cols(), p.size());
      const VecX change = by * d;
      const auto error = [&](double e) { return (gradient(e) - g - e * change).norm(); };
      const double order =
          mean_order(GetParam().traits.parameter_reach, 1e-13 * (g.norm() + by.norm()), error);
      EXPECT_GT(order, kOrder) << p.kind;
      EXPECT_GT(change.norm(), 0.0) << p.kind;
    }
}

TEST_P(EnergyParameterTest, FamilyAddsWhatItsElementKnows) {
  const EnergySample s = GetParam().samples()[1];
  const std::unique_ptr<Energy> family = s.element->family();
  const auto step = family->begin_step({kDt, kTime, s.x, s.v});
  for (int kind = Parameter::kAir; kind <= Parameter::kLogDensity; ++kind) {
    const Parameter p{static_cast<Parameter::Kind>(kind), 0};
    const Eigen::MatrixXd before = Eigen::MatrixXd::Constant(s.y.size(), p.size(), 1.0);
    Eigen::MatrixXd by = before, expected = before;
    step->add_parameter_derivative(p, s.y, by);
    if (s.element->has_parameters()) {
      const Eigen::MatrixXd own = s.element->gradient_by(p, s.y, s.start());
      if (own.cols() > 0) expected += own;
    }
    EXPECT_EQ(by, expected) << kind;
    const std::vector<Parameter>& known = GetParam().parameters;
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const Parameter& q) { return q.kind == p.kind; });
    EXPECT_EQ(by != before, is_known) << kind;
  }
}

}  // namespace
}  // namespace keydrape
