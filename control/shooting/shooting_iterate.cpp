#include "control/shooting/shooting_iterate.h"

#include <cassert>
#include <limits>
#include <utility>

#include "control/run/rollout.h"
#include "control/steering/guidance.h"
#include "control/steering/landing.h"
#include "control/steering/retrograde.h"
#include "control/steering/tracking.h"

namespace keydrape {
namespace {

// What stands for a vector that sweeps could not make.  (Point::gradient)
VecX or_not_finite(std::optional<VecX> v, Eigen::Index size) {
  return v ? std::move(*v) : VecX::Constant(size, std::numeric_limits<double>::quiet_NaN());
}

VecX projected(const ControlLayout& layout, VecX z) {
  assert(z.size() == layout.size());
  layout.project(z);
  return z;
}

}  // namespace

ShootingIterate::ShootingIterate(ShootingProblem& problem, VecX z)
    : ShootingIterate(problem, std::move(z), problem.objective().first_goal()) {}

ShootingIterate::ShootingIterate(ShootingProblem& problem, VecX z, GoalPointer goal)
    : problem_(problem),
      z_(projected(problem.layout(), std::move(z))),
      variant_(problem.variant(z_)),
      goal_(std::move(goal)),
      sweeps_(problem, simulator(), trajectory_, drape()) {
  const ControlForces forces(problem.layout(), z_, problem.base());
  OpenLoop open_loop(forces);
  trajectory_ = problem.run(variant_.get(), open_loop);
  count_run();
}

ShootingIterate::ShootingIterate(ShootingProblem& problem, VecX z,
                                 std::unique_ptr<const ClothVariant> variant, Trajectory trajectory,
                                 GoalPointer goal)
    : problem_(problem),
      z_(std::move(z)),
      variant_(std::move(variant)),
      trajectory_(std::move(trajectory)),
      goal_(std::move(goal)),
      sweeps_(problem, simulator(), trajectory_, drape()) {
  recall_forces();
  count_run();
}

// Of a run from a file, which keeps states alone.
void ShootingIterate::recall_forces() {
  const ControlForces forces(problem_.layout(), z_, problem_.base());
  keydrape::recall_forces(simulator(), forces, trajectory_);
}

const Simulator& ShootingIterate::simulator() const {
  return variant_ && variant_->simulator ? *variant_->simulator : problem_.simulator();
}

const DrapeRounds* ShootingIterate::drape() const {
  return variant_ && variant_->drape ? &*variant_->drape : nullptr;
}

Feedback ShootingIterate::feedback() const { return problem_.feedback(*goal_); }

void ShootingIterate::count_run() {
  ShootingWork& work = problem_.work();
  ++work.forward_simulations;
  work.count_steps(trajectory_.reports);
  if (problem_.observer()) problem_.observer()->on_run(trajectory_);
  measure();
}

void ShootingIterate::measure_by(GoalPointer goal) {
  goal_ = std::move(goal);
  measure();
}

void ShootingIterate::measure() {
  gradient_.resize(0);
  local_gradient_.resize(0);
  objective_ = std::numeric_limits<double>::infinity();
  if (is_complete()) {
    terms_ = problem_.objective().value(*goal_, trajectory_, z_);
    objective_ = terms_.total();
  }
}

double ShootingIterate::adapted_objective() const {
  return is_complete() ? problem_.objective().adapted_value(*goal_, trajectory_, z_).total() : objective_;
}

bool ShootingIterate::is_complete() const {
  return trajectory_.step_count() == problem_.layout().step_count() &&
         trajectory_.first_failure() == trajectory_.step_count();
}

VecX ShootingIterate::gradient_by(const Feedback& feedback) {
  VecX z_bar = VecX::Zero(z_.size());
  problem_.objective().add_effort_gradient(*goal_, z_, z_bar);
  return or_not_finite(sweeps_.adjoint(feedback, problem_.objective().seeds(*goal_, trajectory_), z_bar),
                       z_.size());
}

const VecX& ShootingIterate::gradient() {
  if (gradient_.size() == 0) gradient_ = gradient_by(Feedback::none());
  return gradient_;
}

const VecX& ShootingIterate::local_gradient() {
  if (local_gradient_.size() == 0) local_gradient_ = gradient_by(feedback());
  return local_gradient_;
}

// The rest of a product with the Gauss-Newton matrix, from what the tangent sweep of one factor has made.
VecX ShootingIterate::product(const std::optional<FeedbackTangent>& change, const Feedback& feedback,
                              const Face* face) {
  if (!change) return or_not_finite(std::nullopt, z_.size());
  VecX z_bar = VecX::Zero(z_.size());
  problem_.objective().add_effort_product(*goal_, change->z, z_bar);
  if (face) face->add_curvature(change->z, z_bar);
  return or_not_finite(sweeps_.adjoint(feedback, problem_.objective().seeds_of_change(*goal_, change->states),
                                       z_bar, face, SolveAccuracy::kModel),
                       z_.size());
}

VecX ShootingIterate::gauss_newton_product(const VecX& w) { return of_image(weighed(image(w))); }

// What is empty is 0.
VecX ShootingIterate::seen(const std::vector<StateVector>& states, const VecX& z) const {
  const std::vector<int> which = goal_->seen_states();
  const Eigen::Index size = trajectory_.back().x.size();
  VecX image = VecX::Zero(2 * size * static_cast<Eigen::Index>(which.size()) + z.size());
  Eigen::Index at = 0;
  for (const int n : which)
    for (const VecX* part : {&states[n].x, &states[n].v}) {
      if (part->size() > 0) image.segment(at, size) = *part;
      at += size;
    }
  image.tail(z.size()) = z;
  return image;
}

// The states that are not seen are empty.
FeedbackTangent ShootingIterate::of_seen(const VecX& image) const {
  const Eigen::Index size = trajectory_.back().x.size();
  FeedbackTangent change{std::vector<StateVector>(trajectory_.states.size()), image.tail(z_.size())};
  Eigen::Index at = 0;
  for (const int n : goal_->seen_states()) {
    change.states[n] = {image.segment(at, size), image.segment(at + size, size)};
    at += 2 * size;
  }
  return change;
}

VecX ShootingIterate::image(const VecX& w) {
  const std::optional<FeedbackTangent> change =
      sweeps_.tangent(feedback(), w, nullptr, SolveAccuracy::kModel);
  if (change) return seen(change->states, change->z);
  const std::vector<StateVector> none(trajectory_.states.size());
  return or_not_finite(std::nullopt, seen(none, z_).size());
}

VecX ShootingIterate::image_gradient() {
  VecX z_bar = VecX::Zero(z_.size());
  problem_.objective().add_effort_gradient(*goal_, z_, z_bar);
  return seen(problem_.objective().seeds(*goal_, trajectory_), z_bar);
}

VecX ShootingIterate::weighed(const VecX& image) {
  const FeedbackTangent change = of_seen(image);
  VecX z_bar = VecX::Zero(z_.size());
  problem_.objective().add_effort_product(*goal_, change.z, z_bar);
  return seen(problem_.objective().seeds_of_change(*goal_, change.states), z_bar);
}

// State by state: where the bar of one is 0 its place in the image does not count.
double ShootingIterate::paired(const VecX& image, const VecX& image_bar) const {
  const Eigen::Index size = trajectory_.back().x.size(), of_states = image.size() - z_.size();
  double sum = image.tail(z_.size()).dot(image_bar.tail(z_.size()));
  for (Eigen::Index at = 0; at < of_states; at += size)
    sum += image.segment(at, size).dot(image_bar.segment(at, size));
  return sum;
}

VecX ShootingIterate::of_image(const VecX& image_bar) {
  const FeedbackTangent bars = of_seen(image_bar);
  return or_not_finite(sweeps_.adjoint(feedback(), bars.states, bars.z, nullptr, SolveAccuracy::kModel),
                       z_.size());
}

VecX ShootingIterate::metric_product(const VecX& w) { return problem_.objective().times_metric(*goal_, w); }

VecX ShootingIterate::metric_solve(const VecX& w_bar) {
  return problem_.objective().over_metric(*goal_, w_bar);
}

VecX ShootingIterate::model_product(const VecX& dz) {
  return product(sweeps_.tangent(Feedback::none(), dz, nullptr, SolveAccuracy::kModel), Feedback::none(),
                 nullptr);
}

VecX ShootingIterate::face_product(const VecX& w, const Face& face) {
  return product(sweeps_.tangent(feedback(), w, &face, SolveAccuracy::kModel), feedback(), &face);
}

VecX ShootingIterate::change(const VecX& w, const Face& face) {
  std::optional<FeedbackTangent> change = sweeps_.tangent(feedback(), w, &face);
  return change ? std::move(change->z) : or_not_finite(std::nullopt, z_.size());
}

VecX ShootingIterate::local(const VecX& z_bar, const Face& face) {
  const std::vector<StateVector> no_seeds(trajectory_.states.size());
  return or_not_finite(sweeps_.adjoint(feedback(), no_seeds, z_bar, &face), z_.size());
}

std::unique_ptr<Iterate> ShootingIterate::step(const VecX& w) {
  return track(sweeps_.tangent(feedback(), w));
}

std::unique_ptr<BoundedIterate> ShootingIterate::step_to(const VecX& dz) {
  std::optional<FeedbackTangent> change = sweeps_.tangent(Feedback::none(), dz);
  if (change) change->z = dz;
  return track(change);
}

std::unique_ptr<ShootingIterate> ShootingIterate::track(const std::optional<FeedbackTangent>& change) {
  if (!change) {  // a run that did not get beyond its start
    return std::make_unique<ShootingIterate>(problem_, z_, problem_.variant(z_),
                                             Trajectory{{trajectory_.states.front()}, {}, {}}, goal_);
  }
  Tracking tracking(problem_.layout(), feedback(), {trajectory_, change->states, z_ + change->z},
                    problem_.bounds());
  SteeringOnTop steering(tracking, problem_.base());
  std::unique_ptr<const ClothVariant> variant = problem_.variant(tracking.z());
  Trajectory trajectory = problem_.run(variant.get(), steering);
  auto trial = std::make_unique<ShootingIterate>(problem_, tracking.z(), std::move(variant),
                                                 std::move(trajectory), goal_);
  trial->predicted_misses_ = misses_after(change->states);
  return trial;
}

std::unique_ptr<Iterate> ShootingIterate::corrected() {
  if (!is_complete() || problem_.layout().active_count() == 0) return nullptr;
  return Retrograde::can_steer_to(goal_->keyframes) ? landed() : guided();
}

std::unique_ptr<ShootingIterate> ShootingIterate::landed() {
  std::unique_ptr<const ClothVariant> variant = problem_.variant(z_);
  Landing landing({.simulator = simulator(),
                   .layout = problem_.layout(),
                   .keyframes = goal_->keyframes,
                   .near_enough = problem_.near_enough(),
                   .run = trajectory_,
                   .z = z_,
                   .feedback = feedback(),
                   .steps = problem_.landing_steps(),
                   .base = problem_.base(),
                   .bounds = problem_.bounds()},
                  problem_.trial_observer());
  SteeringOnTop steering(landing, problem_.base());
  Trajectory trajectory = problem_.run(variant.get(), steering);
  problem_.work().count_steps(landing.trial_reports());
  return std::make_unique<ShootingIterate>(problem_, landing.z(), std::move(variant), std::move(trajectory),
                                           goal_);
}

std::unique_ptr<ShootingIterate> ShootingIterate::guided() {
  Guidance guidance(problem_.layout(), goal_->keyframes, problem_.simulator().dt(), problem_.bounds(),
                    {trajectory_, z_, feedback(), problem_.guided_steps()});
  SteeringOnTop steering(guidance, problem_.base());
  std::unique_ptr<const ClothVariant> variant = problem_.variant(z_);
  Trajectory trajectory = problem_.run(variant.get(), steering);
  return std::make_unique<ShootingIterate>(problem_, guidance.z(), std::move(variant), std::move(trajectory),
                                           goal_);
}

std::unique_ptr<ShootingIterate> ShootingIterate::nearby(VecX z) const {
  problem_.layout().project(z);
  std::unique_ptr<const ClothVariant> variant = problem_.variant(z);
  const ControlForces forces(problem_.layout(), z, problem_.base());
  ForcesAlong along(forces, trajectory_);
  Trajectory trajectory = problem_.run(variant.get(), along);
  return std::make_unique<ShootingIterate>(problem_, std::move(z), std::move(variant), std::move(trajectory),
                                           goal_);
}

Prediction ShootingIterate::predict(const VecX& image) const {
  const FeedbackTangent change = of_seen(image);
  return {misses_after(change.states), cost_after(change.z)};
}

std::optional<Prediction> ShootingIterate::predict_change(const VecX& dz) {
  const std::optional<FeedbackTangent> change = sweeps_.tangent(Feedback::none(), dz);
  if (!change) return std::nullopt;
  return Prediction{misses_after(change->states), cost_after(dz)};
}

double ShootingIterate::cost_after(const VecX& dz) const {
  return problem_.objective().cost(*goal_, z_ + dz).total();
}

std::vector<KeyframeMiss> ShootingIterate::misses_after(const std::vector<StateVector>& change) const {
  return measure_misses([&](int n) {
    const State& state = trajectory_.states[n];
    return State{state.x + change[n].x, state.v + change[n].v};
  });
}

std::vector<KeyframeMiss> ShootingIterate::misses() const { return measure_misses(states_of(trajectory_)); }

std::vector<KeyframeMiss> ShootingIterate::measure_misses(const StateSource& states) const {
  std::vector<KeyframeMiss> misses;
  const double length = problem_.objective().options().length;
  for (const Keyframe& keyframe : goal_->keyframes) misses.push_back(measure_miss(keyframe, states, length));
  return misses;
}

}  // namespace keydrape
