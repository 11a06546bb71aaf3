#include "io/scene/keyed.h"

#include <gtest/gtest.h>

#include "core/base/types.h"

namespace keydrape {
namespace {

TEST(Keyed, BecomesACurveOverSeconds) {
  Keyed<double> drag(0.0);
  drag.keys = {{1001, 1.0}, {1025, 3.0}};
  const Animated<double> curve = drag.over_time(1001, 24);
  EXPECT_EQ(curve.at(-1), 1);
  EXPECT_DOUBLE_EQ(curve.at(0.25), 1.5);
  EXPECT_EQ(curve.at(2), 3);
  EXPECT_TRUE(Keyed<Vec3>(Vec3(1, 2, 3)).over_time(1001, 24).is_constant());
}

}  // namespace
}  // namespace keydrape
