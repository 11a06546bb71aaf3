#include "core/contact/friction_law.h"

namespace keydrape {

namespace {

// f1(s)/s
double secant(double s, double eps) { return s < eps ? (2 - s / eps) / eps : 1 / s; }

}  // namespace

FrictionLaw FrictionLaw::linearized(const Vec3& w) const { return {eps, secant(w.norm(), eps)}; }

double FrictionLaw::value(const Vec3& w) const {
  if (stiffness) return 0.5 * *stiffness * w.squaredNorm();
  const double s = w.norm();
  return s < eps ? s * s / eps - s * s * s / (3 * eps * eps) + eps / 3 : s;
}

Vec3 FrictionLaw::gradient(const Vec3& w) const {
  return (stiffness ? *stiffness : secant(w.norm(), eps)) * w;
}

Mat3 FrictionLaw::hessian(const Vec3& w) const {
  if (stiffness) return *stiffness * Mat3::Identity();
  const double s = w.norm();
  if (s == 0.0) return (2 / eps) * Mat3::Identity();
  if (s < eps) return (2 - s / eps) / eps * Mat3::Identity() - w * w.transpose() / (eps * eps * s);
  return (Mat3::Identity() - w * w.transpose() / (s * s)) / s;
}

}  // namespace keydrape
