#include "control/optimize/steihaug.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

// A vector, and M times it.
struct Measured {
  const VecX &v, &Mv;
};

// The t > 0 at which |p + t d| = radius.
double to_boundary(const Measured& p, const Measured& d, double radius) {
  const double a = d.v.dot(d.Mv), b = d.v.dot(p.Mv), c = p.v.dot(p.Mv) - radius * radius;
  return (-b + std::sqrt(std::max(0.0, b * b - a * c))) / a;
}

}  // namespace

TrustRegionStep SteihaugPath::solve(Iterate& at, double radius, const OptimizerOptions& options,
                                    double model_tolerance) {
  legs_.clear();
  const VecX& g = at.local_gradient();
  TrustRegionStep step;
  step.p = VecX::Zero(g.size());
  VecX Mp = step.p, r = -g, e = at.metric_solve(r), d = e;
  double re = r.dot(e);
  const double target = options.cg_tolerance * std::sqrt(re);
  while (step.iterations < options.max_cg_iterations && std::sqrt(re) > target) {
    const VecX Ad = at.gauss_newton_product(d), Md = at.metric_product(d);
    ++step.iterations;
    const double curvature = d.dot(Ad), slope = r.dot(d), fall_before = step.predicted_fall;
    if (!std::isfinite(curvature)) {
      step.predicted_fall = curvature;
      break;
    }
    const double alpha = curvature > 0.0 ? re / curvature : std::numeric_limits<double>::infinity();
    step.on_boundary = !(curvature > 0.0) || std::sqrt((step.p + alpha * d).dot(Mp + alpha * Md)) >= radius;
    if (step.on_boundary && std::isinf(radius)) {  // no curvature and no bound: rounding has taken over
      step.on_boundary = false;
      break;
    }
    const double t = step.on_boundary ? to_boundary({step.p, Mp}, {d, Md}, radius) : alpha;
    const double gain = step.on_boundary ? t * slope - 0.5 * t * t * curvature : 0.5 * alpha * re;
    step.p += t * d;
    Mp += t * Md;
    step.length = std::sqrt(step.p.dot(Mp));
    step.predicted_fall += gain;
    if (static_cast<int>(legs_.size()) < max_points_)
      legs_.push_back({step.p, step.length, fall_before, slope, curvature, t});
    if (step.on_boundary || step.iterations * gain <= model_tolerance * step.predicted_fall) break;
    r -= alpha * Ad;
    e = at.metric_solve(r);
    const double re_next = r.dot(e);
    d = e + (re_next / re) * d;
    re = re_next;
  }
  return step;
}

std::optional<TrustRegionStep> SteihaugPath::shortened(Iterate& at, double radius) const {
  const auto outside =
      std::find_if(legs_.begin(), legs_.end(), [&](const Leg& leg) { return leg.distance >= radius; });
  if (outside == legs_.end()) return std::nullopt;
  const VecX begin = outside == legs_.begin() ? VecX::Zero(outside->end.size()) : std::prev(outside)->end;
  const VecX d = (outside->end - begin) / outside->length;
  const double t = to_boundary({begin, at.metric_product(begin)}, {d, at.metric_product(d)}, radius);
  TrustRegionStep step;
  step.p = begin + t * d;
  step.length = std::sqrt(step.p.dot(at.metric_product(step.p)));
  step.predicted_fall = outside->fall_before + t * outside->slope - 0.5 * t * t * outside->curvature;
  step.on_boundary = true;
  return step;
}

}  // namespace keydrape
