#include "tests/support/spectrum.h"

#include <Eigen/Eigenvalues>

namespace keydrape::test {

VecX eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace keydrape::test
