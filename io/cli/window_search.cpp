#include "io/cli/window_search.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "control/tolerance_weights.h"
#include "io/interrupt.h"
#include "io/run_outputs.h"
#include "io/shot_control.h"

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
      run_without_control();
      for (const FrameRange& range : ranges)
        if (!solve(range)) break;
      if (result_.best) run_on_to_the_end();
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    if (result_.interrupted) result_.end = "this is what was found before; a search in windows begins anew";
    return std::move(result_);
  }

 private:
  const Shot& shot() const { return in_.shot; }

  std::vector<KeyframeMiss> misses() const {
    std::vector<KeyframeMiss> misses;
    for (const Keyframe& keyframe : shot().objective->keyframes())
      misses.push_back(measure_miss(keyframe, [this](int n) { return run_.states[n]; }));
    return misses;
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
    const auto& caches = in_.scene.output.caches;
    if (std::find(caches.begin(), caches.end(), scene::CacheFormat::kPc2) != caches.end())
      write_pc2(shot(), run_, in_.folder / "uncontrolled.pc2");
  }

  // Whether the next window has a state to begin at.
  bool solve(const FrameRange& range) {
    const int first = shot().clock.state_of_frame(range.first);
    if (run_.first_failure() < first) {
      result_.best.reset();
      return false;
    }
    keep_steps(run_, first);
    ShotWindow window = open_window(in_.scene, shot(), range, run_.back());
    in_.progress.clear();
    spdlog::info("window {}: {} keyframes", range.text(), window.shot.keyframes.size());
    const VecX begin_with = window_unknowns(shot(), window, z_);
    const WindowProgress progress{range, begin_with, lines_, counts_};
    SearchArguments arguments{in_.scene,       window.shot, in_.folder,   in_.fingerprint,    in_.checkpoint,
                              in_.first_guess, in_.memory,  in_.progress, in_.on_improvement, &progress};
    const SearchResult found = search(arguments);
    lines_ = found.convergence;
    counts_ = found.counts;
    add(result_.work, found.work);
    result_.io_s += found.io_s;
    result_.interrupted = found.interrupted;
    result_.out_of_budget = result_.out_of_budget || found.out_of_budget;
    result_.end = found.end;
    if (!found.best) {
      result_.best.reset();
      return false;
    }
    put_window_unknowns(shot(), window, found.best->z, z_);
    append(run_, found.best->trajectory);
    return !found.interrupted;
  }

  SearchArguments in_;
  VecX z_;          // of the whole shot
  Trajectory run_;  // its states so far
  std::string lines_;
  WindowCounts counts_;
  SearchResult result_;
};

}  // namespace

SearchResult search_in_windows(const SearchArguments& arguments, const std::vector<FrameRange>& ranges) {
  return WindowSearch(arguments).run(ranges);
}

}  // namespace keydrape
