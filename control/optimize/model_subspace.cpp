#include "control/optimize/model_subspace.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace keydrape {

namespace {

// Of a vector that is left of a residual when those before it are taken out: less is rounding.
constexpr double kNothingNew = 1e-10;
// As many vectors as take as long as a run and its derivatives: 15 of the headline.
constexpr double kVectorsOfRun = 16.0;

VecX combination(const std::vector<VecX>& vectors, const VecX& c) {
  VecX sum = VecX::Zero(vectors.empty() ? 0 : vectors.front().size());
  for (std::size_t i = 0; i < vectors.size(); ++i) sum += c(static_cast<Eigen::Index>(i)) * vectors[i];
  return sum;
}

}  // namespace

ModelSubspace::ModelSubspace(int capacity) : capacity_(std::max(capacity, kLeastCapacity)) {}

// The model in c of the goal as it is.
void ModelSubspace::read_goal(Iterate& at) {
  image_gradient_ = at.image_gradient();
  model_ = SmallModel();
  for (const VecX& image : images_) append_to_model(at, at.weighed(image));
}

// The first image that is not in the model; `weighed`: what the goal makes of it.
void ModelSubspace::append_to_model(const Iterate& at, const VecX& weighed) {
  VecX coupling(model_.g.size() + 1);
  for (Eigen::Index i = 0; i < coupling.size(); ++i) coupling(i) = at.paired(images_[i], weighed);
  model_.append(at.paired(images_[model_.g.size()], image_gradient_), coupling);
}

// Puts the two last minima, as they are and orthonormal, in place of all vectors.
void ModelSubspace::compress() {
  const Eigen::Index size = model_.g.size();
  Eigen::MatrixXd last(size, 2);
  last.col(0) = minimum_.c;
  last.col(1).setZero();
  last.col(1).head(before_.size()) = before_;
  const Eigen::MatrixXd Q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(last).householderQ() * Eigen::MatrixXd::Identity(size, 2);
  for (std::vector<VecX>* all : {&vectors_, &images_}) {
    std::vector<VecX> two = {combination(*all, Q.col(0)), combination(*all, Q.col(1))};
    *all = std::move(two);
  }
  model_ = {Q.transpose() * model_.g, Q.transpose() * model_.A * Q};
  minimum_.c = Q.transpose() * minimum_.c;
  is_whole_ = false;
}

// Adds what is new in e = M^-1 r, and its image. False: there is nothing new.
bool ModelSubspace::add(Iterate& at, const VecX& r, VecX e) {
  if (static_cast<int>(vectors_.size()) == capacity_) compress();
  const double before = std::sqrt(std::max(0.0, r.dot(e)));
  for (const VecX& v : vectors_) e -= v.dot(r) * v;
  VecX Me = at.metric_product(e);
  for (const VecX& v : vectors_) e -= v.dot(Me) * v;  // twice is enough (Parlett 1980)
  Me = at.metric_product(e);
  const double length = std::sqrt(std::max(0.0, e.dot(Me)));
  if (!(length > kNothingNew * before)) return false;
  e /= length;
  images_.push_back(at.image(e));
  vectors_.push_back(std::move(e));
  append_to_model(at, at.weighed(images_.back()));
  ++added_;
  return true;
}

TrustRegionStep ModelSubspace::step_to(const SmallModel::Minimum& minimum) const {
  TrustRegionStep step;
  step.p = combination(vectors_, minimum.c);
  step.image = combination(images_, minimum.c);
  step.length = minimum.c.norm();
  step.predicted_fall = minimum.fall;
  step.on_boundary = minimum.on_boundary;
  return step;
}

// Minus the model's gradient at the minimum so far.
VecX ModelSubspace::residual(Iterate& at) const {
  if (vectors_.empty()) return -at.local_gradient();
  return -at.of_image(image_gradient_ + at.weighed(combination(images_, minimum_.c)));
}

TrustRegionStep ModelSubspace::solve(Iterate& at, double radius, const OptimizerOptions& options,
                                     double model_tolerance, int least_vectors) {
  read_goal(at);
  minimum_ = model_.minimize(radius);
  int iterations = 0;
  bool is_whole = true;
  while (iterations < options.max_cg_iterations && (options.models_boundary || !minimum_.on_boundary)) {
    const VecX r = residual(at);
    VecX e = at.metric_solve(r);
    const double square = r.dot(e);
    if (!std::isfinite(square)) {
      minimum_.fall = square;
      break;
    }
    const double length = std::sqrt(std::max(0.0, square));
    if (vectors_.empty()) first_residual_ = length;
    if (length <= options.cg_tolerance * first_residual_ || !add(at, r, std::move(e))) break;
    ++iterations;
    before_ = minimum_.c;
    const double fall_before = minimum_.fall;
    minimum_ = model_.minimize(radius);
    const double gain = minimum_.fall - fall_before;
    if (!std::isfinite(gain) || added_ * gain <= model_tolerance * minimum_.fall) break;
    is_whole = iterations < least_vectors || (kVectorsOfRun + added_) * gain > minimum_.fall;  // (O4)
    if (!is_whole) break;
  }
  if (vectors_.empty()) {
    TrustRegionStep none;
    none.p = VecX::Zero(at.z().size());
    none.predicted_fall = minimum_.fall;
    return none;
  }
  TrustRegionStep step = step_to(minimum_);
  step.iterations = iterations;
  step.is_whole = is_whole;
  return step;
}

std::optional<TrustRegionStep> ModelSubspace::shortened(double radius) const {
  if (!is_whole_ || vectors_.empty()) return std::nullopt;
  return step_to(model_.minimize(radius));
}

}  // namespace keydrape
