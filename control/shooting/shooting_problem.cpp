#include "control/shooting/shooting_problem.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"
#include "control/steering/guidance.h"
#include "control/steering/laid_poses.h"
#include "control/steering/led_poses.h"
#include "control/steering/prolongation.h"
#include "control/steering/retrograde.h"
#include "core/base/stopwatch.h"

namespace keydrape {
namespace {

// Forces held for less than this are taken together when the gains of the feedback are chosen [s].
constexpr double kShortestFeedbackBlock = 1.0 / 48.0;
// For so many blocks before a keyframe, or what stands for a block (ControlLayout::blocks_in_response),
// corrections act (control/decisions/0013-corrections.md).
constexpr double kGuidedResponses = 2.0, kLandingResponses = 4.0;

// Of how far the cloth is from a surface without forces: how far cloth laid onto it may be.
constexpr double kMuchNearer = 0.5;

double response_time(const ControlLayout& layout, double dt) {
  int controlled_steps = 0;
  for (int n = 0; n < layout.step_count(); ++n) controlled_steps += layout.block_of_step(n) >= 0;
  // Held for a step each, forces could answer faster; the time that matters is that of the cloth.
  const double block_duration = dt * controlled_steps / layout.block_count();
  return std::max(block_duration * layout.blocks_in_response(), kShortestFeedbackBlock);
}

StepObserver step_observer(ShootingObserver* observer) {
  if (!observer) return {};
  return [observer](int step, const StepReport& report) {
    observer->on_step(step, report);
    return true;
  };
}

}  // namespace

ShootingProblem::ShootingProblem(const Simulator& simulator, const StepFrom& from,
                                 const ControlLayout& layout, const Objective& objective,
                                 size_t memory_budget_bytes, const ShootingOptions& options)
    : simulator_(simulator),
      from_(from),
      layout_(layout),
      objective_(objective),
      memory_budget_bytes_(memory_budget_bytes),
      options_(options),
      response_s_(response_time(layout, simulator.dt())),
      feedback_(Feedback::for_blocks(response_s_)) {}

std::unique_ptr<Iterate> ShootingProblem::evaluate(const VecX& z) {
  return std::make_unique<ShootingIterate>(*this, z);
}

std::unique_ptr<const ClothVariant> ShootingProblem::variant(const VecX& z) const {
  if (!channels()) return nullptr;
  assert(channels()->size() == layout_.channel_size());
  return std::make_unique<ClothVariant>(channels()->variant(channels()->values(layout_.channels(z))));
}

Trajectory ShootingProblem::run(const ClothVariant* variant, Steering& steering) {
  const TimedScope timed(work_.forward_s);
  if (variant && !variant->has_start()) return {{variant->start}, {}, {}};
  return rollout(variant && variant->simulator ? *variant->simulator : simulator_,
                 variant ? StepFrom(variant->start, from_.before) : from_, steering, layout_.step_count(),
                 step_observer(options_.observer));
}

std::vector<Keyframe> ShootingProblem::led_keyframes(const std::vector<Keyframe>& keyframes) {
  const std::vector<char> part = that_want_a_part(keyframes, layout_);
  int steps = 0;
  std::vector<Keyframe> others;
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    if (part[k])
      steps = std::max(steps, keyframes[k].state);
    else
      others.push_back(keyframes[k]);
  }
  // Explicit steps are as long as the cloth's own stiffness bears.
  if (steps == 0 || !options_.cloth || simulator_.is_explicit()) return keyframes;
  const TimedScope timed(work_.forward_s);
  const LedShot shot{simulator_, from_.start, layout_, objective_.options().length};
  const Model model = build_model(led_cloth(*options_.cloth, shot, keyframes));
  const Simulator simulator(model, simulator_.options());
  Guidance guidance(layout_, others, simulator_.dt(), bounds());
  SteeringOnTop steering(guidance, base());
  const Trajectory run = rollout(simulator, from_, steering, steps, step_observer(options_.observer));
  ++work_.forward_simulations;
  work_.count_steps(run.reports);
  return with_led_poses(keyframes, layout_, run);
}

std::vector<Keyframe> ShootingProblem::laid_keyframes(std::vector<Keyframe> keyframes,
                                                      const Trajectory& free) {
  if (!options_.cloth) return keyframes;
  const TimedScope timed(work_.forward_s);
  const double length = objective_.options().length;
  for (Keyframe& keyframe : keyframes) {
    const int last = keyframe.candidates.empty() ? keyframe.state : keyframe.candidates.back();
    if (!keyframe.surface || !(keyframe.weight > 0.0) || last > free.first_failure()) continue;
    const double time = simulator_.dt() * (simulator_.options().first_step + keyframe.state);
    std::optional<VecX> pose = laid_pose(*options_.cloth, keyframe, free.states[keyframe.state].x, time,
                                         [this](int step, const StepReport& report) {
                                           work_.count_steps(std::array{report});
                                           if (options_.observer) options_.observer->on_step(step, report);
                                         });
    if (!pose) continue;
    const double before = measure_miss(keyframe, states_of(free), length).rms;
    Keyframe laid = keyframe;
    match(laid, *pose);
    if (!(measure_miss(laid, *pose).rms < kMuchNearer * before)) continue;
    keyframe.surface.reset();
    keyframe.matched.resize(0);
    keyframe.directions.clear();
    keyframe.target = std::move(*pose);
  }
  return keyframes;
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_guided(const GoalPointer& goal,
                                                                  const std::vector<Keyframe>* towards) {
  Guidance guidance(layout_, towards ? *towards : goal->keyframes, simulator_.dt(), bounds());
  SteeringOnTop steering(guidance, base());
  std::unique_ptr<const ClothVariant> variant = this->variant(guidance.z());
  Trajectory trajectory = run(variant.get(), steering);
  return std::make_unique<ShootingIterate>(*this, guidance.z(), std::move(variant), std::move(trajectory),
                                           goal);
}

std::vector<double> ShootingProblem::near_enough() const {
  if (!options_.near_enough.empty()) return options_.near_enough;
  return std::vector<double>(objective_.first_goal()->keyframes.size(), 0.0);
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_retrograde(const ShootingIterate& near,
                                                                      const std::vector<Keyframe>* towards,
                                                                      PathFollowing::Return back) {
  const std::vector<Keyframe>& keyframes = towards ? *towards : near.goal().keyframes;
  if (!near.is_complete() || !Retrograde::can_steer_to(keyframes)) return nullptr;
  std::unique_ptr<const ClothVariant> variant = this->variant(VecX::Zero(size()));
  Retrograde retrograde({.simulator = variant && variant->simulator ? *variant->simulator : simulator_,
                         .layout = layout_,
                         .keyframes = keyframes,
                         .near_enough = near_enough(),
                         .near = near.trajectory(),
                         .base = base(),
                         .bounds = bounds(),
                         .back = back},
                        trial_observer());
  SteeringOnTop steering(retrograde, base());
  Trajectory trajectory = run(variant.get(), steering);
  work_.count_steps(retrograde.trial_reports());
  if (retrograde.is_lost()) return nullptr;
  return std::make_unique<ShootingIterate>(*this, retrograde.z(), std::move(variant), std::move(trajectory),
                                           near.shared_goal());
}

std::unique_ptr<ShootingIterate> ShootingProblem::evaluate_along(const CoarseRun& coarse,
                                                                 const GoalPointer& goal) {
  Prolongation prolongation(layout_, simulator_.dt(), feedback(*goal), coarse, bounds());
  SteeringOnTop steering(prolongation, base());
  Trajectory trajectory = run(nullptr, steering);
  return std::make_unique<ShootingIterate>(*this, prolongation.z(), nullptr, std::move(trajectory), goal);
}

PathFollowing::TrialObserver ShootingProblem::trial_observer() const {
  ShootingObserver* observer = options_.observer;
  if (!observer) return {};
  return [observer](int step, const StepReport& report) { observer->on_step(step, report); };
}

Feedback ShootingProblem::feedback(const GoalState& goal) const {
  Feedback feedback = feedback_;
  const ObjectiveOptions& options = objective_.options();
  // A force that comes and goes as e^(-omega t), folds of that size:  (F5)
  const double price =
      options.smooth_time * feedback.kp * fold_size(options.length) / kStandardGravity + options.smooth_space;
  feedback.change_price = goal.change_share * price;
  return feedback;
}

int ShootingProblem::guided_steps() const {
  return static_cast<int>(std::lround(kGuidedResponses * response_s_ / simulator_.dt()));
}

int ShootingProblem::landing_steps() const {
  return static_cast<int>(std::lround(kLandingResponses * response_s_ / simulator_.dt()));
}

}  // namespace keydrape
