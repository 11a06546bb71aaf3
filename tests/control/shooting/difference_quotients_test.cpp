// Whether difference quotients say what they can say of a slope, and no more: of functions that bend and are
// rounded, as objectives of runs that amplify.

#include "control/shooting/difference_quotients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "control/shooting/derivative_check.h"

namespace keydrape {
namespace {

using Function = std::function<double(double)>;

// J with noise of the size r in every value, as rounding that a run has amplified.
DifferenceQuotients quotients_of(const Function& J, double slope, double r, unsigned seed, int count = 6) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> noise(-r, r);
  DifferenceQuotients quotients(slope, r);
  for (int k = 0; k < count; ++k) {
    const double e = std::ldexp(1.0, -k);
    const double ahead = J(e) + noise(random), behind = J(-e) + noise(random);
    quotients.add(ahead, behind);
  }
  return quotients;
}

// From hardly bent and exact to where no two values agree in more than a few digits.
template <class Visit>
void for_each_function(const Visit& visit) {
  for (const double bend : {0.01, 0.1, 0.5, 1.0, 3.0})
    for (const double r : {1e-16, 1e-12, 1e-9, 1e-7, 1e-5})
      for (unsigned seed = 1; seed <= 20; ++seed) {
        // Slope 1; the second: its third derivative jumps.
        visit([bend](double e) { return std::expm1(bend * e) / bend; }, r, seed);
        visit([bend](double e) { return e + (e > 0.0 ? 0.2 * bend * bend * e * e * e : 0.0); }, r, seed);
      }
}

TEST(DifferenceQuotients, ARightSlopeIsWithinWhatTheyResolve) {
  for_each_function([](const Function& J, double r, unsigned seed) {
    const DifferenceQuotients quotients = quotients_of(J, 1.0, r, seed);
    EXPECT_LT(quotients.error(), 3.0 * quotients.resolution() + 1e-15) << r << ' ' << seed;
    EXPECT_LE(quotients.least_error(), quotients.error());
  });
}

// What is wrong by a little more than that is seen.
TEST(DifferenceQuotients, AWrongSlopeIsNot) {
  for_each_function([](const Function& J, double r, unsigned seed) {
    const double resolution = quotients_of(J, 1.0, r, seed).resolution();
    for (const double wrong : {1.0 + 8.0 * resolution + 1e-12, 1.0 / (1.0 + 8.0 * resolution + 1e-12)}) {
      const DifferenceQuotients quotients = quotients_of(J, wrong, r, seed);
      EXPECT_GT(quotients.error(), 3.0 * quotients.resolution()) << r << ' ' << seed;
    }
  });
}

TEST(DifferenceQuotients, ResolveASmoothFunctionToRounding) {
  const DifferenceQuotients quotients =
      quotients_of([](double e) { return std::expm1(0.01 * e) / 0.01; }, 1.0, 1e-16, 1);
  EXPECT_LT(quotients.resolution(), 1e-12);
  const DifferenceQuotients coarse =
      quotients_of([](double e) { return std::expm1(3.0 * e) / 3.0; }, 1.0, 1e-5, 1);
  EXPECT_GT(coarse.resolution(), 1e-4);
}

// What acts along long steps alone: two differences agree to the bit on a slope that is off by a share.
Function with_a_longer_reach(double share) {
  return [share](double e) {
    const double t = std::clamp(4.0 * std::abs(e) - 1.0, 0.0, 1.0);
    return e + share * e * t * t * (3.0 - 2.0 * t);
  };
}

TEST(DifferenceQuotients, TwoThatAgreeByChanceAreNotResolved) {
  const DifferenceQuotients quotients = quotients_of(with_a_longer_reach(1e-5), 1.0, 1e-16, 1);
  EXPECT_LE(quotients.error(), std::max(1e-6, 3.0 * quotients.resolution()));
  EXPECT_LT(quotients.resolution(), 1e-12);
}

TEST(DifferenceQuotients, SufficeOnceTheBestResolvedIsRight) {
  const Function smooth = [](double e) { return std::expm1(0.01 * e) / 0.01; };
  EXPECT_FALSE(quotients_of(smooth, 1.0, 1e-16, 1, 3).suffice());
  EXPECT_TRUE(quotients_of(smooth, 1.0, 1e-16, 1, 4).suffice());
  // One of them is right, by chance: it is not the one that is judged.
  for (const int count : {3, 4, 6}) {
    const DifferenceQuotients wrong = quotients_of(with_a_longer_reach(1e-3), 1.0 + 1e-3, 1e-16, 1, count);
    EXPECT_LT(wrong.least_error(), 1e-12);
    EXPECT_FALSE(wrong.suffice()) << count;
  }
}

// A run that amplifies: the fixed bound of a millionth called its derivatives wrong.
DerivativeCheck amplifying() {
  DerivativeCheck check;
  check.finished = true;
  check.taylor_orders = {2.0, 1.99, 1.98};
  check.taylor_order_mean = 1.99;
  check.dot_product_error = 1e-14;
  check.resolution = 4e-5;
  check.resolved_error = 5e-5;
  check.central_difference_error = 2e-5;
  check.rounding_error = 1e-8;
  return check;
}

TEST(DerivativeVerdict, ExactIsWhatDifferencesCannotTellFromIt) {
  EXPECT_EQ(verdict(amplifying()), DerivativeVerdict::kExact);
  DerivativeCheck check = amplifying();
  check.resolved_error = 1.3e-4;  // beyond thrice what is resolved
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
  check = amplifying();
  check.resolution = 1e-9;  // nothing hides an error of 5e-5
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
  check.resolved_error = 5e-7;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kExact);
  check.resolution = 5e-3;
  check.resolved_error = 1e-2;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kExact);
  check.resolved_error = 2e-2;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
}

// The goal may bend sharply along the line: right derivatives have low orders there, but are not shown to be.
TEST(DerivativeVerdict, LowOrdersAloneDecideNothing) {
  DerivativeCheck check = amplifying();
  check.taylor_order_mean = 1.2;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kUnknown);
  EXPECT_FALSE(is_exact(check));
  check.resolved_error = 1e-3;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
}

// However coarse differences are, tangent against adjoint is judged by itself.
TEST(DerivativeVerdict, WrongIsWhatAnyTestShowsToBe) {
  DerivativeCheck check = amplifying();
  check.dot_product_error = 1e-8;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
  check = amplifying();
  check.resolution = 0.05;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kUnknown);
  check.resolved_error = 0.5;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong);
  check.finished = false;
  EXPECT_EQ(verdict(check), DerivativeVerdict::kUnknown);
}

}  // namespace
}  // namespace keydrape
