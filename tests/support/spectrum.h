#pragma once

#include "core/base/types.h"

namespace keydrape::test {

// Of a symmetric matrix, ascending. In a source of its own: it takes seconds to compile.
VecX eigenvalues(const Eigen::MatrixXd& A);

}  // namespace keydrape::test
