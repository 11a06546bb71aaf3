#include "control/optimize/steihaug.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

// The t > 0 at which |p + t d| = radius.
double to_boundary(const VecX& p, const VecX& d, double radius) {
  const double a = d.squaredNorm(), b = p.dot(d), c = p.squaredNorm() - radius * radius;
  return (-b + std::sqrt(std::max(0.0, b * b - a * c))) / a;
}

}  // namespace

TrustRegionStep SteihaugPath::solve(Iterate& at, double radius, const OptimizerOptions& options,
                                    double model_tolerance) {
  legs_.clear();
  const VecX& g = at.local_gradient();
  TrustRegionStep step;
  step.p = VecX::Zero(g.size());
  VecX r = -g, d = r;
  double rr = r.squaredNorm();
  const double target = options.cg_tolerance * std::sqrt(rr);
  while (step.iterations < options.max_cg_iterations && std::sqrt(rr) > target) {
    const VecX Ad = at.gauss_newton_product(d);
    ++step.iterations;
    const double curvature = d.dot(Ad), slope = r.dot(d), fall_before = step.predicted_fall;
    if (!std::isfinite(curvature)) {
      step.predicted_fall = curvature;
      break;
    }
    const double alpha = curvature > 0.0 ? rr / curvature : std::numeric_limits<double>::infinity();
    step.on_boundary = !(curvature > 0.0) || (step.p + alpha * d).norm() >= radius;
    if (step.on_boundary && std::isinf(radius)) {  // no curvature and no bound: rounding has taken over
      step.on_boundary = false;
      break;
    }
    const double t = step.on_boundary ? to_boundary(step.p, d, radius) : alpha;
    const double gain = step.on_boundary ? t * slope - 0.5 * t * t * curvature : 0.5 * alpha * rr;
    step.p += t * d;
    step.predicted_fall += gain;
    if (static_cast<int>(legs_.size()) < max_points_)
      legs_.push_back({step.p, fall_before, slope, curvature, t});
    if (step.on_boundary || step.iterations * gain <= model_tolerance * step.predicted_fall) break;
    r -= alpha * Ad;
    const double rr_next = r.squaredNorm();
    d = r + (rr_next / rr) * d;
    rr = rr_next;
  }
  return step;
}

std::optional<TrustRegionStep> SteihaugPath::shortened(double radius) const {
  const auto outside =
      std::find_if(legs_.begin(), legs_.end(), [&](const Leg& leg) { return leg.end.norm() >= radius; });
  if (outside == legs_.end()) return std::nullopt;
  const VecX begin = outside == legs_.begin() ? VecX::Zero(outside->end.size()) : std::prev(outside)->end;
  const VecX d = (outside->end - begin) / outside->length;
  const double t = to_boundary(begin, d, radius);
  TrustRegionStep step;
  step.p = begin + t * d;
  step.predicted_fall = outside->fall_before + t * outside->slope - 0.5 * t * t * outside->curvature;
  step.on_boundary = true;
  return step;
}

}  // namespace keydrape
