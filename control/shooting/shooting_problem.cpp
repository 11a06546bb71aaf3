#include "control/shooting/shooting_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "control/steering/guidance.h"
#include "control/steering/prolongation.h"
#include "control/steering/retrograde.h"

namespace keydrape {

namespace {

// Forces held for less than this are taken together when the gains of the feedback are chosen [s].
constexpr double kShortestFeedbackBlock = 1.0 / 48.0;
// A correction acts for so many blocks before a keyframe (or what stands for a block: ControlLayout::
// blocks_in_response). README, "What the model cannot see beyond is taken by guidance".
constexpr double kLandingResponses = 2.0;

// Adds the time of its life to a sum [s].
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), begin_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_;
};

size_t state_bytes(const Trajectory& trajectory) {
  return trajectory.states.size() * 2 * sizeof(double) * trajectory.states.front().x.size();
}

}  // namespace

std::unique_ptr<Iterate> ShootingProblem::evaluate(const VecX& z) {
  return std::make_unique<ShootingIterate>(*this, z);
}

std::unique_ptr<const Setting> ShootingProblem::setting(const VecX& z) const {
  if (!channels_) return nullptr;
  assert(channels_->size() == layout_.channel_size());
  return std::make_unique<Setting>(channels_->setting(channels_->values(layout_.channels(z))));
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_guided() {
  Guidance guidance(layout_, objective_.keyframes(), simulator_.dt(), bounds());
  SteeringOnTop steering(guidance, base_);
  std::unique_ptr<const Setting> setting = this->setting(guidance.z());
  Trajectory trajectory;
  {
    const Stopwatch watch(work_.forward_s);
    trajectory = run(setting.get(), steering);
  }
  return std::make_unique<ShootingIterate>(*this, guidance.z(), std::move(setting), std::move(trajectory));
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_retrograde(const ShootingIterate& near,
                                                                      std::vector<double> near_enough) {
  if (!near.is_complete() || !Retrograde::can_steer_to(objective_.keyframes())) return nullptr;
  std::unique_ptr<const Setting> setting = this->setting(VecX::Zero(size()));
  Retrograde retrograde(setting && setting->simulator ? *setting->simulator : simulator_, layout_,
                        objective_.keyframes(), std::move(near_enough), near.trajectory(), base_, bounds(),
                        step_observer_);
  SteeringOnTop steering(retrograde, base_);
  Trajectory trajectory;
  {
    const Stopwatch watch(work_.forward_s);
    trajectory = run(setting.get(), steering);
  }
  const std::vector<StepReport>& tried = retrograde.trial_reports();
  work_.time_steps += static_cast<long>(tried.size());
  for (const StepReport& report : tried) {
    work_.newton_iterations += report.iterations;
    work_.factorizations += report.factorizations;
  }
  if (retrograde.is_lost()) return nullptr;
  return std::make_unique<ShootingIterate>(*this, retrograde.z(), std::move(setting), std::move(trajectory));
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_along(const CoarseRun& coarse) {
  Prolongation prolongation(layout_, simulator_.dt(), feedback_, coarse, bounds());
  SteeringOnTop steering(prolongation, base_);
  Trajectory trajectory;
  {
    const Stopwatch watch(work_.forward_s);
    trajectory = run(nullptr, steering);
  }
  return std::make_unique<ShootingIterate>(*this, prolongation.z(), nullptr, std::move(trajectory));
}

Trajectory ShootingProblem::run(const Setting* setting, Steering& steering) const {
  return rollout(setting && setting->simulator ? *setting->simulator : simulator_,
                 setting ? setting->start : start_, steering, layout_.step_count(), step_observer_);
}

double ShootingProblem::response_time(const ControlLayout& layout, double dt) {
  int controlled_steps = 0;
  for (int n = 0; n < layout.step_count(); ++n) controlled_steps += layout.block_of_step(n) >= 0;
  // Held for a step each, forces could answer faster; the time that matters is that of the cloth.
  const double block_duration = dt * controlled_steps / layout.block_count();
  return std::max(block_duration * layout.blocks_in_response(), kShortestFeedbackBlock);
}

int ShootingProblem::landing_steps() const {
  return static_cast<int>(std::lround(kLandingResponses * response_s_ / simulator_.dt()));
}

ShootingIterate::ShootingIterate(ShootingProblem& problem, VecX z) : problem_(problem), z_(std::move(z)) {
  assert(z_.size() == problem.size());
  problem.layout().project(z_);
  setting_ = problem.setting(z_);
  {
    const Stopwatch watch(problem.work().forward_s);
    trajectory_ = rollout(simulator(), start(), ControlForces(problem.layout(), z_, problem.base()),
                          problem.layout().step_count(), problem.step_observer());
  }
  evaluate();
}

ShootingIterate::ShootingIterate(ShootingProblem& problem, VecX z, std::unique_ptr<const Setting> setting,
                                 Trajectory trajectory)
    : problem_(problem), z_(std::move(z)), setting_(std::move(setting)), trajectory_(std::move(trajectory)) {
  evaluate();
}

const Simulator& ShootingIterate::simulator() const {
  return setting_ && setting_->simulator ? *setting_->simulator : problem_.simulator();
}

const State& ShootingIterate::start() const { return setting_ ? setting_->start : problem_.start(); }

ShootingIterate::~ShootingIterate() { release_derivatives(); }

void ShootingIterate::release_derivatives() {
  if (!linearized_) return;
  problem_.work().factorizations += linearized_->factorizations();
  problem_.work().indefinite_steps = linearized_->indefinite_count();
  linearized_.reset();
  channel_derivatives_.reset();
}

void ShootingIterate::evaluate() {
  ShootingWork& work = problem_.work();
  ++work.forward_simulations;
  for (const StepReport& report : trajectory_.reports) {
    work.newton_iterations += report.iterations;
    work.factorizations += report.factorizations;
  }
  work.time_steps += trajectory_.step_count();
  if (problem_.run_observer()) problem_.run_observer()(trajectory_);
  objective_changed();
}

void ShootingIterate::objective_changed() {
  gradient_.resize(0);
  local_gradient_.resize(0);
  objective_ = std::numeric_limits<double>::infinity();
  if (is_complete()) {
    terms_ = problem_.objective().value(trajectory_, z_);
    objective_ = terms_.total();
  }
}

double ShootingIterate::adapted_objective() const {
  return is_complete() ? problem_.objective().adapted_value(trajectory_, z_).total() : objective_;
}

bool ShootingIterate::is_complete() const {
  return trajectory_.step_count() == problem_.layout().step_count() &&
         trajectory_.first_failure() == trajectory_.step_count();
}

const LinearizedTrajectory& ShootingIterate::linearized() {
  assert(is_complete());
  if (!linearized_) {
    ShootingWork& work = problem_.work();
    const Stopwatch watch(work.linearize_s);
    size_t states = state_bytes(trajectory_);
    const size_t budget = problem_.memory_budget_bytes();
    if (problem_.channels()) {
      channel_derivatives_ =
          std::make_unique<ChannelDerivatives>(*problem_.channels(), simulator(), trajectory_);
      states += channel_derivatives_->memory_bytes();
    }
    linearized_ = std::make_unique<LinearizedTrajectory>(simulator(), trajectory_,
                                                         budget > states ? budget - states : 0,
                                                         problem_.scratch(), problem_.sweep_observer());
    work.trajectory_bytes = std::max(work.trajectory_bytes, states + linearized_->memory_bytes());
    work.kept_steps = linearized_->kept_count();
    work.kept = linearized_->counts();
  }
  return *linearized_;
}

const VecX& ShootingIterate::gradient() {
  if (gradient_.size() == 0) {
    linearized();
    const Stopwatch watch(problem_.work().adjoint_s);
    ++problem_.work().adjoint_sweeps;
    VecX z_bar = VecX::Zero(z_.size());
    problem_.objective().add_effort_gradient(z_, z_bar);
    gradient_ = pull_back(problem_.objective().seeds(trajectory_), z_bar);
  }
  return gradient_;
}

const VecX& ShootingIterate::local_gradient() {
  if (local_gradient_.size() == 0) {
    const LinearizedTrajectory& trajectory = linearized();
    const Stopwatch watch(problem_.work().adjoint_s);
    ++problem_.work().adjoint_sweeps;
    VecX z_bar = VecX::Zero(z_.size());
    problem_.objective().add_effort_gradient(z_, z_bar);
    local_gradient_ =
        feedback_adjoint(trajectory, problem_.layout(), problem_.feedback(),
                         problem_.objective().seeds(trajectory_), z_bar, nullptr, channel_derivatives());
  }
  return local_gradient_;
}

VecX ShootingIterate::gauss_newton_product(const VecX& w) {
  const LinearizedTrajectory& trajectory = linearized();
  ShootingWork& work = problem_.work();
  FeedbackTangent change;
  {
    const Stopwatch watch(work.tangent_s);
    ++work.tangent_sweeps;
    change = feedback_tangent(trajectory, problem_.layout(), problem_.feedback(), w, nullptr,
                              channel_derivatives());
  }
  const Stopwatch watch(work.adjoint_s);
  ++work.adjoint_sweeps;
  VecX z_bar = VecX::Zero(w.size());
  problem_.objective().add_effort_gradient(change.z, z_bar);
  return feedback_adjoint(trajectory, problem_.layout(), problem_.feedback(),
                          problem_.objective().seeds_of_change(change.states), z_bar, nullptr,
                          channel_derivatives());
}

std::unique_ptr<Iterate> ShootingIterate::step(const VecX& w) {
  const LinearizedTrajectory& trajectory = linearized();
  ShootingWork& work = problem_.work();
  FeedbackTangent change;
  {
    const Stopwatch watch(work.tangent_s);
    ++work.tangent_sweeps;
    change = feedback_tangent(trajectory, problem_.layout(), problem_.feedback(), w, nullptr,
                              channel_derivatives());
  }
  return track(change);
}

std::unique_ptr<ShootingIterate> ShootingIterate::track(const FeedbackTangent& change) {
  ShootingWork& work = problem_.work();
  Tracking tracking(problem_.layout(), problem_.feedback(), trajectory_, change.states, z_ + change.z,
                    problem_.bounds());
  SteeringOnTop steering(tracking, problem_.base());
  std::unique_ptr<const Setting> setting = problem_.setting(tracking.z());
  Trajectory trajectory;
  {
    const Stopwatch watch(work.forward_s);
    trajectory = problem_.run(setting.get(), steering);
  }
  auto trial =
      std::make_unique<ShootingIterate>(problem_, tracking.z(), std::move(setting), std::move(trajectory));
  trial->predicted_misses_ = misses_after(change.states);
  return trial;
}

std::vector<KeyframeMiss> ShootingIterate::misses_after(const std::vector<StateVector>& change) const {
  return measure_misses([&](int n) {
    const State& state = trajectory_.states[n];
    return State{state.x + change[n].x, state.v + change[n].v};
  });
}

// Effort and smoothness are a quadratic form.
double ShootingIterate::cost_after(const VecX& dz) const {
  const VecX z = z_ + dz;
  VecX Gz = VecX::Zero(z.size());
  problem_.objective().add_effort_gradient(z, Gz);
  return 0.5 * z.dot(Gz);
}

Prediction ShootingIterate::predict(const VecX& w) {
  const LinearizedTrajectory& trajectory = linearized();
  const Stopwatch watch(problem_.work().tangent_s);
  ++problem_.work().tangent_sweeps;
  const FeedbackTangent change =
      feedback_tangent(trajectory, problem_.layout(), problem_.feedback(), w, nullptr, channel_derivatives());
  return {misses_after(change.states), cost_after(change.z)};
}

Prediction ShootingIterate::predict_change(const VecX& dz) {
  linearized();
  const Stopwatch watch(problem_.work().tangent_s);
  ++problem_.work().tangent_sweeps;
  return {misses_after(push_forward(dz)), cost_after(dz)};
}

VecX ShootingIterate::model_product(const VecX& dz) {
  linearized();
  ShootingWork& work = problem_.work();
  std::vector<StateVector> change;
  {
    const Stopwatch watch(work.tangent_s);
    ++work.tangent_sweeps;
    change = push_forward(dz);
  }
  const Stopwatch watch(work.adjoint_s);
  ++work.adjoint_sweeps;
  VecX z_bar = VecX::Zero(dz.size());
  problem_.objective().add_effort_gradient(dz, z_bar);
  return pull_back(problem_.objective().seeds_of_change(change), z_bar);
}

VecX ShootingIterate::change(const VecX& w, const Face& face) {
  const LinearizedTrajectory& trajectory = linearized();
  const Stopwatch watch(problem_.work().tangent_s);
  ++problem_.work().tangent_sweeps;
  return feedback_tangent(trajectory, problem_.layout(), problem_.feedback(), w, &face, channel_derivatives())
      .z;
}

VecX ShootingIterate::local(const VecX& z_bar, const Face& face) {
  const LinearizedTrajectory& trajectory = linearized();
  const Stopwatch watch(problem_.work().adjoint_s);
  ++problem_.work().adjoint_sweeps;
  const std::vector<StateVector> no_seeds(trajectory_.states.size());
  return feedback_adjoint(trajectory, problem_.layout(), problem_.feedback(), no_seeds, z_bar, &face,
                          channel_derivatives());
}

VecX ShootingIterate::face_product(const VecX& w, const Face& face) {
  const LinearizedTrajectory& trajectory = linearized();
  ShootingWork& work = problem_.work();
  FeedbackTangent change;
  {
    const Stopwatch watch(work.tangent_s);
    ++work.tangent_sweeps;
    change =
        feedback_tangent(trajectory, problem_.layout(), problem_.feedback(), w, &face, channel_derivatives());
  }
  const Stopwatch watch(work.adjoint_s);
  ++work.adjoint_sweeps;
  VecX z_bar = VecX::Zero(w.size());
  problem_.objective().add_effort_gradient(change.z, z_bar);
  face.add_curvature(change.z, z_bar);
  return feedback_adjoint(trajectory, problem_.layout(), problem_.feedback(),
                          problem_.objective().seeds_of_change(change.states), z_bar, &face,
                          channel_derivatives());
}

std::unique_ptr<BoundedIterate> ShootingIterate::step_to(const VecX& dz) {
  FeedbackTangent change{{}, dz};
  {
    const Stopwatch watch(problem_.work().tangent_s);
    ++problem_.work().tangent_sweeps;
    change.states = push_forward(dz);
  }
  return track(change);
}

std::unique_ptr<Iterate> ShootingIterate::corrected() {
  if (!is_complete() || problem_.layout().active_count() == 0) return nullptr;
  Guidance guidance(problem_.layout(), problem_.objective().keyframes(), problem_.simulator().dt(),
                    problem_.bounds(), {trajectory_, z_, problem_.feedback(), problem_.landing_steps()});
  SteeringOnTop steering(guidance, problem_.base());
  std::unique_ptr<const Setting> setting = problem_.setting(z_);
  Trajectory trajectory;
  {
    const Stopwatch watch(problem_.work().forward_s);
    trajectory = problem_.run(setting.get(), steering);
  }
  return std::make_unique<ShootingIterate>(problem_, guidance.z(), std::move(setting), std::move(trajectory));
}

std::unique_ptr<ShootingIterate> ShootingIterate::nearby(VecX z) const {
  problem_.layout().project(z);
  std::unique_ptr<const Setting> setting = problem_.setting(z);
  Trajectory trajectory;
  {
    const Stopwatch watch(problem_.work().forward_s);
    const ControlForces forces(problem_.layout(), z, problem_.base());
    ForcesAlong along(forces, trajectory_);
    trajectory = problem_.run(setting.get(), along);
  }
  return std::make_unique<ShootingIterate>(problem_, std::move(z), std::move(setting), std::move(trajectory));
}

std::vector<StateVector> ShootingIterate::push_forward(const VecX& p) {
  const LinearizedTrajectory& trajectory = linearized();
  return feedback_tangent(trajectory, problem_.layout(), Feedback::none(), p, nullptr, channel_derivatives())
      .states;
}

VecX ShootingIterate::pull_back(const std::vector<StateVector>& seeds, const VecX& z_bar) {
  const LinearizedTrajectory& trajectory = linearized();
  return feedback_adjoint(trajectory, problem_.layout(), Feedback::none(), seeds, z_bar, nullptr,
                          channel_derivatives());
}

std::vector<KeyframeMiss> ShootingIterate::misses() const {
  return measure_misses([&](int n) { return trajectory_.states[n]; });
}

std::vector<KeyframeMiss> ShootingIterate::measure_misses(const StateSource& states) const {
  std::vector<KeyframeMiss> misses;
  for (const Keyframe& keyframe : problem_.objective().keyframes())
    misses.push_back(measure_miss(keyframe, states));
  return misses;
}

}  // namespace keydrape
