#include "core/step/rotation.h"

#include <Eigen/Eigenvalues>

namespace keydrape {

namespace {

// Moments of inertia below this share of the largest are none: the part is a line, or a point.
constexpr double kLeastMoment = 1e-10;

Mat3 pseudo_inverse(const Mat3& I) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(I);
  Vec3 inverse = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (solver.eigenvalues()(k) > kLeastMoment * solver.eigenvalues()(2))
      inverse(k) = 1.0 / solver.eigenvalues()(k);
  return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

Vec3 at(const VecX& x, int i) { return x.segment<3>(3 * i); }

}  // namespace

PartRotation::PartRotation(const std::vector<int>& part, const VecX& x, const VecX& mass)
    : part_(part), mass_(mass) {
  Vec3 centre = Vec3::Zero();
  for (const int i : part) {
    total_ += mass(i);
    centre += mass(i) * at(x, i);
  }
  centre /= total_;
  Mat3 I = Mat3::Zero();
  for (const int i : part) {
    r_.push_back(at(x, i) - centre);
    const Vec3& r = r_.back();
    I += mass(i) * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  inverse_ = pseudo_inverse(I);
}

Vec3 PartRotation::turn_of(const VecX& w) const {
  Vec3 momentum = Vec3::Zero();
  for (size_t k = 0; k < part_.size(); ++k) momentum += mass_(part_[k]) * r_[k].cross(at(w, part_[k]));
  return inverse_ * momentum;
}

void PartRotation::add(const VecX& w, double factor, VecX& to) const {
  const Vec3 omega = factor * turn_of(w);
  for (size_t k = 0; k < part_.size(); ++k) to.segment<3>(3 * part_[k]) += omega.cross(r_[k]);
}

// Omega^T = M Omega M^-1.
void PartRotation::add_transposed(const VecX& w, double factor, VecX& to) const {
  Vec3 moment = Vec3::Zero();
  for (size_t k = 0; k < part_.size(); ++k) moment += r_[k].cross(at(w, part_[k]));
  const Vec3 omega = factor * (inverse_ * moment);
  for (size_t k = 0; k < part_.size(); ++k)
    to.segment<3>(3 * part_[k]) += mass_(part_[k]) * omega.cross(r_[k]);
}

void PartRotation::add_change(const VecX& w, const VecX& dx, double factor, VecX& to) const {
  const Vec3 omega = turn_of(w);
  Vec3 centre = Vec3::Zero();
  for (const int i : part_) centre += mass_(i) / total_ * at(dx, i);
  Vec3 moment = Vec3::Zero();  // of d(sum m r x w) - dI omega
  for (size_t k = 0; k < part_.size(); ++k) {
    const double m = mass_(part_[k]);
    const Vec3 dr = at(dx, part_[k]) - centre;
    moment += m * dr.cross(at(w, part_[k]));
    moment -= m * (2.0 * r_[k].dot(dr) * omega - dr * r_[k].dot(omega) - r_[k] * dr.dot(omega));
  }
  const Vec3 change = inverse_ * moment;
  for (size_t k = 0; k < part_.size(); ++k) {
    const Vec3 dr = at(dx, part_[k]) - centre;
    to.segment<3>(3 * part_[k]) += factor * (change.cross(r_[k]) + omega.cross(dr));
  }
}

void PartRotation::add_change_transposed(const VecX& w, const VecX& w_bar, double factor, VecX& to) const {
  const Vec3 omega = turn_of(w);
  Vec3 moment = Vec3::Zero();
  for (size_t k = 0; k < part_.size(); ++k) moment += r_[k].cross(at(w_bar, part_[k]));
  const Vec3 s = inverse_ * moment;
  std::vector<Vec3> r_bar;
  Vec3 sum = Vec3::Zero();
  for (size_t k = 0; k < part_.size(); ++k) {
    const double m = mass_(part_[k]);
    const Vec3 &r = r_[k], at_w = at(w, part_[k]);
    Vec3 bar = at(w_bar, part_[k]).cross(omega) + m * at_w.cross(s);
    bar -= m * (2.0 * omega.dot(s) * r - r.dot(omega) * s - r.dot(s) * omega);
    r_bar.push_back(bar);
    sum += bar;
  }
  for (size_t k = 0; k < part_.size(); ++k)
    to.segment<3>(3 * part_[k]) += factor * (r_bar[k] - mass_(part_[k]) / total_ * sum);
}

}  // namespace keydrape
