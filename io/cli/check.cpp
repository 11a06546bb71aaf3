#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "control/run/rollout.h"
#include "control/shooting/derivative_check.h"
#include "control/shooting/shooting_problem.h"
#include "core/inspect/contact_summary.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/shot/control.h"
#include "io/shot/shot.h"
#include "io/shot/start.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// For scenes without keyframes that have weight: the cloth at the last frame as it falls, moved by a tenth
// of its size in smooth waves.
Keyframe made_up_keyframe(const Shot& shot) {
  const Trajectory trajectory = rollout(shot.simulator(), shot.start(), NoForces(), shot.clock.step_count());
  const double size = bounding_box_diagonal(shot.rest().positions);
  Keyframe keyframe;
  keyframe.state = shot.clock.step_count();
  keyframe.target = trajectory.back().x;
  keyframe.vertex_weight = VecX::Ones(shot.rest().vertex_count());
  for (int i = 0; i < shot.rest().vertex_count(); ++i) {
    const Vec3 phase = 2.0 * shot.rest().positions[i] / size + Vec3(0, 1, 2);
    keyframe.target.segment<3>(3 * i) += 0.1 * size * phase.array().sin().matrix();
  }
  return keyframe;
}

// The contact sets of the runs of a test, by the pairs that push at the end of each step.
class ContactWatch {
 public:
  explicit ContactWatch(const Shot& shot) : shot_(shot) {}

  void add(const Trajectory& run) {
    std::vector<std::uint64_t> sets;
    PairSearch search;
    for (int n = 0; n < run.first_failure(); ++n) {
      const ContactSummary contact =
          contact_summary(shot_.model(), run.states[n + 1], (n + 1) * shot_.clock.dt(), search);
      sets.push_back(contact.fingerprint);
      if (!runs_.empty() || contact.pairs == 0) continue;
      ++steps_in_contact_;
      most_pairs_ = std::max(most_pairs_, contact.pairs);
      least_distance_ = std::min(least_distance_, contact.least_distance);
    }
    runs_.push_back(std::move(sets));
  }

  // Of the first run, at which the derivative is taken.
  int steps_in_contact() const { return steps_in_contact_; }
  int most_pairs() const { return most_pairs_; }
  double least_distance() const { return least_distance_; }
  // How many of the last `test_runs` have other sets than the first run.
  int changed_runs(int test_runs) const {
    const auto last = runs_.end() - std::min<std::ptrdiff_t>(test_runs, runs_.end() - runs_.begin());
    return static_cast<int>(
        std::count_if(last, runs_.end(), [&](const auto& sets) { return sets != runs_[0]; }));
  }

 private:
  const Shot& shot_;
  std::vector<std::vector<std::uint64_t>> runs_;
  int steps_in_contact_ = 0, most_pairs_ = 0;
  double least_distance_ = std::numeric_limits<double>::infinity();
};

Json json(const DerivativeCheck& check, const ContactWatch& contact) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json orders = Json::array();
  for (const double order : check.taylor_orders) orders.push_back(number(order));
  return {{"taylor_order_mean", check.taylor_orders.empty() ? Json() : number(check.taylor_order_mean)},
          {"taylor_orders", orders},
          {"central_difference_error", number(check.central_difference_error)},
          {"resolved_error", number(check.resolved_error)},
          {"resolution", number(check.resolution)},
          {"rounding_error", number(check.rounding_error)},
          {"dot_product_error", number(check.dot_product_error)},
          {"residual", number(check.residual)},
          {"contact_pairs", contact.most_pairs()},
          {"contact_steps", contact.steps_in_contact()},
          {"least_distance_m", number(contact.least_distance())},
          {"contact_changes", contact.changed_runs(check.test_runs)}};
}

std::string contact_text(const ContactWatch& contact) {
  if (contact.steps_in_contact() == 0) return "none";
  return fmt::format("at most {} pairs in a step, {} steps, least distance {} m", contact.most_pairs(),
                     contact.steps_in_contact(), short_number(contact.least_distance()));
}

std::string table(const DerivativeCheck& check, const ContactWatch& contact) {
  std::string orders;
  for (const double each : check.taylor_orders) orders += fmt::format(" {:.3f}", each);
  const std::string order =
      check.taylor_orders.empty()
          ? fmt::format("none: {}", check.has_slope ? "rounding hides what the gradient leaves"
                                                    : "nothing that may be chosen changes the goal")
          : fmt::format("{:.3f}  (2 where the gradient is exact;{})", check.taylor_order_mean, orders);
  return fmt::format(
      "Taylor order               {}\n"
      "central difference error   {:.2e}  (the best resolved: {:.2e}, within {:.0e})\n"
      "tangent against adjoint    {:.2e}\n"
      "largest Newton residual    {:.2e}\n"
      "steps with indefinite H    {}\n"
      "contact                    {}\n",
      order, check.central_difference_error, check.resolved_error, check.resolution, check.dot_product_error,
      check.residual, check.indefinite_steps, contact_text(contact));
}

// Shows how far the test is, notes contact, and heeds signals.
class CheckWatch final : public ShootingObserver {
 public:
  CheckWatch(const Shot& shot, Progress& progress)
      : steps_(shot.clock.step_count()), progress_(progress), contact_(shot) {}
  void attach(const ShootingProblem& problem) { problem_ = &problem; }
  const ContactWatch& contact() const { return contact_; }

  void on_step(int n, const StepReport&) override {
    throw_if_interrupted();
    // Of check_derivatives, which shortens its perturbation as often as it has to: so many as a rule, and so
    // many more where that was often.
    constexpr double kRuns = 20.0, kRunsLeft = 8.0;
    const int runs = problem_->work().forward_simulations;
    const double done = runs + (n + 1.0) / steps_;
    progress_.update(done / std::max(kRuns, done + kRunsLeft), fmt::format("forward run {}", runs + 1));
  }
  void on_run(const Trajectory& run) override { contact_.add(run); }

 private:
  int steps_;
  Progress& progress_;
  ContactWatch contact_;
  const ShootingProblem* problem_ = nullptr;
};

// Says what the figures mean. `exact`: the scene asks for derivatives that are.
ExitCode judge(const std::filesystem::path& path, const DerivativeCheck& result, bool exact) {
  if (!result.has_slope) {
    log_error(
        "{}: nobody can tell: to first order nothing that may be chosen changes the goal, so that there is "
        "no slope to compare with; let more of the cloth be pushed, or longer, or ask for another keyframe",
        path.string());
    return ExitCode::kFailed;
  }
  if (result.is_in_rounding)
    log_info(
        "{}: the goal bends so sharply here that what the gradient leaves is lost in rounding before it is "
        "quadratic: the differences alone are the test",
        path.string());
  else if (!result.is_quadratic && exact)
    log_warning(
        "{}: along no perturbation, however small, is what the gradient leaves quadratic: it is wrong, or "
        "the goal is not smooth there",
        path.string());
  switch (exact ? verdict(result) : DerivativeVerdict::kExact) {
    case DerivativeVerdict::kWrong:
      log_error("{}: the derivatives are wrong on this scene; please report it with the scene",
                path.string());
      return ExitCode::kFailed;
    case DerivativeVerdict::kUnknown:
      log_error(
          "{}: nobody can tell: the run amplifies changes, or the goal bends, so sharply that orders and "
          "differences show no more; these resolve derivatives to {} of their size at best, and tangent and "
          "adjoint agree; try fewer frames, or more damping",
          path.string(), short_number(result.resolution, 2));
      return ExitCode::kFailed;
    case DerivativeVerdict::kExact:
      break;
  }
  constexpr double kFine = 1e-6;  // else it is told how well differences resolve derivatives
  const std::string within = result.resolution < kFine
                                 ? ""
                                 : fmt::format(", as far as differences can tell: to {} of their size",
                                               short_number(result.resolution, 1));
  log_info("{}: the scene is valid, {}", path.string(),
           is_exact(result) ? "and its derivatives are exact" + within
                            : "its gradient is approximate, as the scene asks");
  return ExitCode::kDone;
}

}  // namespace

ExitCode check(const std::filesystem::path& path, const CommonOptions& options) {
  Scene scene = read_scene(path);
  scene.solver.newton_tolerance = std::min(scene.solver.newton_tolerance, kCheckNewtonTolerance);
  Shot shot = open_shot(scene);
  check_differentiable(scene, shot.task(), shot.simulator());
  check_draped_anew(scene, shot.prepared);
  log_warnings(shot.warnings);
  const std::vector<Target>& targets = shot.task().targets;
  if (std::none_of(targets.begin(), targets.end(), [](const Target& t) { return t.keyframe.has_weight(); })) {
    log_info("{}: no keyframes{}; the derivatives are tested with one made up at the last frame",
             path.string(), targets.empty() ? "" : " with weight");
    Task task = shot.task();
    task.targets.push_back({made_up_keyframe(shot), {}, {}, {}, static_cast<int>(targets.size())});
    shot.prepared = prepare(std::move(task), shot.prepared.model);
  }

  Progress progress(options.progress, options.quiet);
  CheckWatch watch(shot, progress);
  ShootingOptions shooting = shot.prepared.shooting_options();
  shooting.bounds = nullptr;  // the goal's own derivatives, wherever they lead
  shooting.observer = &watch;
  ShootingProblem problem(shot.simulator(), shot.start(), shot.layout(), shot.objective(),
                          shot.options.whole_memory_bytes(), shooting);
  watch.attach(problem);
  const ContactWatch& contact = watch.contact();
  const DerivativeCheck result = check_derivatives(problem, scene_check_options(shot.simulator()));
  progress.clear();

  print_text(options.json ? json_text(json(result, contact), 2) + "\n" : table(result, contact));
  if (!result.finished) {
    log_error(
        "{}: a simulation or its derivatives failed under the test's forces: the figures mean nothing; try "
        "more substeps",
        path.string());
    return ExitCode::kFailed;
  }
  if (const int changed = contact.changed_runs(result.test_runs); changed > 0)
    log_info(
        "{}: {} of the {} test runs cross a change of the contact set, where second derivatives jump: orders "
        "down to 1.9 are in order there",
        path.string(), changed, result.test_runs);
  return judge(path, result, scene.control.gradient == scene::Gradient::kExact);
}

}  // namespace keydrape
