#include "io/cli/window_search.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "control/search/tolerance_weights.h"
#include "io/cli/stopwatch.h"
#include "io/file/interrupt.h"
#include "io/run/run_outputs.h"
#include "io/run/take_departure.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

// A miss that could not be measured; null in the summary.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Appends the steps of a run that begins where the other ends.
void append(Trajectory& run, const Trajectory& more) {
  run.states.insert(run.states.end(), more.states.begin() + 1, more.states.end());
  run.reports.insert(run.reports.end(), more.reports.begin(), more.reports.end());
  run.seconds.insert(run.seconds.end(), more.seconds.begin(), more.seconds.end());
}

void keep_steps(Trajectory& run, int count) {
  run.states.resize(static_cast<std::size_t>(count) + 1);
  run.reports.resize(static_cast<std::size_t>(count));
  run.seconds.resize(static_cast<std::size_t>(count));
}

void add(ShootingWork& sum, const ShootingWork& work) {
  sum.forward_simulations += work.forward_simulations;
  sum.adjoint_sweeps += work.adjoint_sweeps;
  sum.tangent_sweeps += work.tangent_sweeps;
  sum.newton_iterations += work.newton_iterations;
  sum.factorizations += work.factorizations;
  sum.time_steps += work.time_steps;
  sum.forward_s += work.forward_s;
  sum.linearize_s += work.linearize_s;
  sum.adjoint_s += work.adjoint_s;
  sum.tangent_s += work.tangent_s;
  sum.trajectory_bytes = std::max(sum.trajectory_bytes, work.trajectory_bytes);
  sum.kept_steps = work.kept_steps;
  sum.indefinite_steps += work.indefinite_steps;
}

class WindowSearch {
 public:
  explicit WindowSearch(const SearchArguments& arguments)
      : in_(arguments), z_(VecX::Zero(arguments.shot.layout->size())) {}

  SearchResult run(const std::vector<FrameRange>& ranges) {
    try {
      if (in_.checkpoint)
        go_on(*in_.checkpoint);
      else
        run_without_control();
      const int count = static_cast<int>(ranges.size());
      while (done_.count < count && solve(ranges[static_cast<std::size_t>(done_.count)])) {
        ++done_.count;
        checkpoint();
      }
      result_.best.reset();  // the windows so far are no run of the whole shot
      if (done_.count == count) run_on_to_the_end();
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    if (result_.interrupted) {
      result_.best.reset();
      result_.end = fmt::format("after {} of {} windows; --resume goes on", done_.count, ranges.size());
    }
    result_.out_of_budget = done_.out_of_budget;
    return std::move(result_);
  }

 private:
  const Shot& shot() const { return in_.shot; }

  // Of a keyframe that may slide where it was met, as the windows have it; if nowhere, at the best it has.
  std::vector<KeyframeMiss> misses() const {
    const StateSource states = [this](int n) { return run_.states[n]; };
    std::vector<KeyframeMiss> misses;
    for (std::size_t k = 0; k < shot().keyframes.size(); ++k) {
      const auto met = met_until(shot(), k, states, run_.step_count());
      misses.push_back(met ? *met : measure_miss(shot().objective->keyframes()[k], states));
    }
    return misses;
  }

  // Everything that the windows to come depend on.
  void checkpoint() {
    const Stopwatch writing;
    Checkpoint now;
    now.scene = in_.fingerprint;
    now.layout = layout_fingerprint(*shot().layout);
    now.iteration = counts_.iterations - 1;
    now.time_s = counts_.time_s;
    now.work = result_.work;
    now.uncontrolled = result_.uncontrolled;
    now.weight_factors = shot().objective->weight_factors();
    now.keyframe_states = shot().objective->states();
    now.progress.cg_iterations = counts_.cg_iterations;
    done_.forward_simulations = counts_.forward_simulations;
    now.windows = done_;
    write_checkpoint(in_.folder, now, {z_, run_}, nullptr);
    result_.io_s += writing.seconds();
  }

  // The search as it stood when the checkpoint was written.
  void go_on(const Checkpoint& before) {
    done_ = before.windows.value();
    z_ = before.at.z;
    run_ = before.at.trajectory;
    lines_ = earlier_convergence_lines(in_.folder, in_.checkpoint);
    counts_ = {before.iteration + 1, done_.forward_simulations, before.progress.cg_iterations, before.time_s};
    result_.uncontrolled = before.uncontrolled;
    result_.work = before.work;
  }

  // From the last state of run_ to the end of the shot under the forces of z_, as far as it comes.
  void run_on_to_the_end() {
    const int first = run_.step_count(), count = shot().clock.step_count() - first;
    SimulatorOptions options = shot().simulator->options();
    options.first_step = first;
    const Simulator simulator(*shot().model, options);
    const ControlForces forces(*shot().layout, z_, shot().base.get());
    const Trajectory rest =
        rollout(simulator, run_.back(), LaterForces(forces, first), count, [](int, const StepReport&) {
          throw_if_interrupted();
          return true;
        });
    result_.work.time_steps += rest.step_count();
    ++result_.work.forward_simulations;
    for (const StepReport& report : rest.reports) {
      result_.work.newton_iterations += report.iterations;
      result_.work.factorizations += report.factorizations;
    }
    for (const double seconds : rest.seconds) result_.work.forward_s += seconds;
    append(run_, rest);
    if (is_complete())
      keep();
    else
      result_.best.reset();
  }

  bool is_complete() const {
    return run_.step_count() == shot().clock.step_count() && run_.first_failure() == run_.step_count();
  }

  void keep() { result_.best = SearchPoint{z_, run_, misses(), {}}; }

  // The take, or the cloth by itself: what comes before the first window, and what the result is compared
  // with.
  void run_without_control() {
    run_.states = {shot().start};
    run_on_to_the_end();
    if (!result_.best) {
      spdlog::warn("the cloth without new forces could not be simulated to the end");
      result_.uncontrolled.assign(shot().keyframes.size(), {kUnknown, kUnknown});
      return;
    }
    result_.uncontrolled = result_.best->misses;
    if (shot().base)
      if (const std::string departure = departure_from_take(in_.scene, shot(), run_); !departure.empty())
        spdlog::warn("{}", departure);
    write_uncontrolled(in_.scene, shot(), run_, in_.folder);
    checkpoint();
  }

  // Whether the next window has a state to begin at.
  bool solve(const FrameRange& range) {
    const int first = shot().clock.state_of_frame(range.first);
    if (run_.first_failure() < first) return false;
    keep_steps(run_, first);
    ShotWindow window = open_window(in_.scene, shot(), range, run_);
    in_.progress.clear();
    spdlog::info("window {}: {} keyframes", range.text(), window.shot.keyframes.size());
    VecX begin_with = window_unknowns(shot(), window, z_);
    if (begin_with.isZero(0.0) && in_.first_guess)
      begin_with = window_unknowns(shot(), window, in_.first_guess->z);
    const WindowProgress progress{range, begin_with, lines_, counts_};
    const std::optional<Checkpoint> none;  // of this window alone
    const std::optional<SavedRun> no_guess;
    SearchArguments arguments{in_.scene, window.shot, in_.folder,   in_.fingerprint,    none,
                              no_guess,  in_.memory,  in_.progress, in_.on_improvement, &progress};
    const SearchResult found = search(arguments);
    lines_ = found.convergence;
    counts_ = found.counts;
    add(result_.work, found.work);
    result_.io_s += found.io_s;
    result_.interrupted = found.interrupted;
    done_.out_of_budget = done_.out_of_budget || found.out_of_budget;
    // A window without keyframes has nothing to say of the search.
    if (!window.shot.keyframes.empty() || result_.end.empty()) result_.end = found.end;
    if (found.interrupted || !found.best) return false;
    put_window_unknowns(shot(), window, found.best->z, z_);
    append(run_, found.best->trajectory);
    return true;
  }

  SearchArguments in_;
  VecX z_;          // of the whole shot
  Trajectory run_;  // its states so far
  std::string lines_;
  WindowCounts counts_;
  WindowsDone done_;
  SearchResult result_;
};

}  // namespace

SearchResult search_in_windows(const SearchArguments& arguments, const std::vector<FrameRange>& ranges) {
  return WindowSearch(arguments).run(ranges);
}

}  // namespace keydrape
