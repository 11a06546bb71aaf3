// The gradient of a whole run of cloth that begins through itself, comes apart and then collides: what is
// exempt changes between steps only, and each step's derivatives are exact with what it takes.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/contact/pairs/exemptions.h"
#include "tests/support/crossed_sheets.h"
#include "tests/support/expect_exact.h"
#include "tests/support/gradient_run.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kCrossingDt = 1.0 / 60;
constexpr int kLiftSteps = 10;
const Material kFabric{0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};

class StartCrossingsRun : public testing::TestWithParam<double> {};

TEST_P(StartCrossingsRun, GradientIsExact) {
  CrossedSheets scene = crossed_sheets(kCrossingDt, kLiftSteps, 0.075, kFabric);
  scene.cloth.contact.friction = GetParam();
  scene.cloth.bending = BendingModel::kQuadratic;  // what these few cells would not get by themselves
  GradientRun run(scene.cloth, scene.start, kCrossingDt, 2 * kLiftSteps);
  const Trajectory free = run.uncontrolled();
  ASSERT_EQ(free.first_failure(), 2 * kLiftSteps);
  ASSERT_TRUE(free.states.front().exempt);
  int crossing = 0, touching = 0, changes = 0;
  PairSearch search;
  for (int n = 0; n < 2 * kLiftSteps; ++n) {
    const State& end = free.states[n + 1];
    crossing += end.exempt && !end.exempt->crossing().empty();
    changes += end.exempt != free.states[n].exempt;
    const TouchingFeatures pairs =
        run.model().touchable().surfaces->touching(end.x, {{}, end.exempt}, search);
    touching += !pairs.vertex_faces.empty() || !pairs.edge_edges.empty();
  }
  const DerivativeCheck check = run.check();
  test::expect_exact("crossed sheets, mu " + std::to_string(GetParam()), check, test::kWithContact,
                     ", steps with crossings " + std::to_string(crossing) + ", in contact " +
                         std::to_string(touching) + ", changes of what is exempt " + std::to_string(changes));
  EXPECT_GE(crossing, 3);
  EXPECT_GE(changes, 1);
  EXPECT_GE(touching, 4);
  EXPECT_TRUE(!free.back().exempt || free.back().exempt->crossing().empty());
}

INSTANTIATE_TEST_SUITE_P(Frictions, StartCrossingsRun, testing::Values(0.0, 0.4),
                         [](const auto& test) { return test.param > 0.0 ? "rubbing" : "smooth"; });

}  // namespace
}  // namespace keydrape
