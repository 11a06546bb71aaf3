#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "control/shooting/derivative_check.h"

namespace keydrape::test {

struct ExactWithin {
  double central_differences, dot_product;
  double least_order = 1.95;
};
constexpr ExactWithin kSmooth{1e-7, 1e-11}, kWithContact{1e-6, 1e-10};

// Prints what was measured, with `remark` at its end, and expects the derivatives to be exact: Taylor order
// 2, and differences within the given bounds.
inline void expect_exact(const std::string& name, const DerivativeCheck& check, const ExactWithin& within,
                         const std::string& remark = "") {
  std::cout << name << ": order " << check.taylor_order_mean << ", central differences "
            << check.central_difference_error << ", tangent against adjoint " << check.dot_product_error
            << ", residual " << check.residual << ", direction " << check.direction_rms_g
            << " g, indefinite steps " << check.indefinite_steps << remark << "\n";
  ASSERT_TRUE(check.finished);
  EXPECT_GE(check.taylor_order_mean, within.least_order);
  EXPECT_LT(check.taylor_order_mean, 2.05);
  EXPECT_LE(check.central_difference_error, within.central_differences);
  EXPECT_LE(check.dot_product_error, within.dot_product);
}

}  // namespace keydrape::test
