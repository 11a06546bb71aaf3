#include "io/perform/solve_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/file/counted.h"
#include "io/perform/result_text.h"
#include "io/run/run_records.h"
#include "io/run/take_departure.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

constexpr double kNoticed = 1e-3;  // of an objective: what shows in the digits that are printed

// Of a window: its frames, and a colon. Of other parts nothing.
std::string window_label(const SearchPart& part, const FrameRange& frames) {
  if (part.kind != SearchPart::Kind::kWindow) return "";
  return fmt::format("window {}: ", frames_of(part.range, frames).text());
}

// Whether single vertices are pursued, farther off than anybody asked for.
bool any_is_far(const std::vector<KeyframeOutcome>& outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const KeyframeOutcome& k) {
    return k.tolerance && !k.tolerance_max && k.miss.max > kFarthest * *k.tolerance;
  });
}

}  // namespace

void SolveObserver::on_part(const SearchPart& part) {
  part_ = part.kind;
  objective_.reset();
  has_explained_misses_ = false;
  if (part.kind != SearchPart::Kind::kWindow) return;
  listener_.info("{}{}", window_label(part, shot_.clock.frames),
                 counted(part.task.task.targets.size(), "target"));
}

void SolveObserver::on_uncontrolled(const Trajectory& run) {
  if (shot_.base())
    if (const std::string departure = departure_from_take(scene_, shot_, run); !departure.empty()) {
      listener_.warning("{}", departure);
    }
  files_.write_uncontrolled(run);
}

void SolveObserver::on_iteration(const SearchIteration& iteration) {
  part_ = iteration.part.kind;
  files_.write_iteration(iteration);
  listener_.on_iteration(iteration);
  const std::vector<KeyframeOutcome> outcomes = keyframe_outcomes(shot_, iteration.part, iteration.misses);
  if (iteration.is_result) {
    listener_.info("the result: objective {:.4e}, {}", iteration.objective, miss_text(outcomes));
    return;
  }
  listener_.info("{}iteration {}: objective {:.4e}, {}, {}", label_of(iteration.part), iteration.iteration,
                 iteration.objective, counted(iteration.forward_simulations, "forward run"),
                 miss_text(outcomes));
  explain_rise(iteration, outcomes);
}

void SolveObserver::explain_rise(const SearchIteration& iteration,
                                 const std::vector<KeyframeOutcome>& outcomes) {
  const bool has_risen = objective_ && iteration.objective > (1.0 + kNoticed) * *objective_;
  objective_ = iteration.objective;
  if (!shot_.task().effort.automatic) return;
  if (has_risen && !std::exchange(has_explained_rise_, true))
    listener_.info(
        "the objective may rise from one iteration to the next: with effort = \"auto\" what a miss weighs "
        "changes between them, and is raised until tolerances are met; the misses are what to look at");
  const bool is_within =
      iteration.part.kind != SearchPart::Kind::kLevel && !outcomes.empty() &&
      std::all_of(outcomes.begin(), outcomes.end(), [](const KeyframeOutcome& k) { return k.reached(); });
  if (is_within && iteration.iteration > 0 && !std::exchange(has_explained_misses_, true))
    listener_.info(
        "{}within every tolerance: if it goes on from here, then for less forces{}, and misses may grow "
        "beyond the tolerances for a while",
        window_label(iteration.part, shot_.clock.frames),
        any_is_far(outcomes) ? " and vertices that are farther off than four tolerances" : "");
}

void SolveObserver::on_goal_change(const SearchPart& part, int iteration, const GoalChange& change,
                                   const GoalState& goal) {
  bool has_surface = false;
  std::string frames;
  for (const Keyframe& k : goal.keyframes) {
    has_surface = has_surface || k.surface != nullptr;
    if (!k.candidates.empty())
      frames += fmt::format("{}{}", frames.empty() ? "" : ", ", frame_of(part, k.state, shot_.clock.frames));
  }
  if (!has_surface && change.moved_keyframes == 0) return;
  listener_.info("{}iteration {}: {}{}{}; the objective is {:.4e} now, {:.4e} before", label_of(part),
                 iteration, has_surface ? "nearest points renewed" : "",
                 has_surface && !frames.empty() ? ", " : "",
                 frames.empty() ? "" : "sliding keyframes at frame " + frames, change.objective_after,
                 change.objective_before);
}

void SolveObserver::on_improvement(const SearchPart& part, const Trajectory& best) {
  if (report_) report_->refresh(part, best);
}

void SolveObserver::on_level(const LevelOutcome& level) {
  objective_.reset();
  listener_.info("coarser level of {} vertices and {}: {}, {:.1f} s{}{}; {}", level.vertices,
                 counted(level.substeps, "substep"), counted(level.work.forward_simulations, "forward run"),
                 level.time_s, level.misses.empty() ? "" : ", ", miss_text(keyframe_outcomes(shot_, level)),
                 level.end);
}

void SolveObserver::on_warning(SearchWarning warning, const std::string& text) {
  if (warning == SearchWarning::kFewerLevels && scene_.control.coarse_to_fine.empty())
    listener_.info("the search begins with the shot itself: {}", text);
  else if (warning == SearchWarning::kFewerLevels)
    listener_.warning("coarse_to_fine: {}", text);
  else if (warning == SearchWarning::kStartFailed)
    listener_.warning("{} could not be simulated to the end; the search begins without it", text);
  else
    listener_.warning(
        "the cloth without new forces could not be simulated to the end; going on with what can be");
}

void SolveObserver::on_checkpoint(const SearchPart& part, const SearchState& state, const RunView& at,
                                  const RunView* best) {
  files_.write_checkpoint(part, {state, at, best});
  const int windows = static_cast<int>(shot_.options.windows.size());
  is_enough_ = one_window_ && state.windows && state.windows->count > 0 && state.windows->count < windows;
}

std::optional<SearchCheckpoint> SolveObserver::level_checkpoint(const SearchPart& part) {
  std::optional<SearchCheckpoint> stand = files_.read_level(part);
  if (stand) listener_.info("{}resumed after iteration {}", label_of(part), stand->state.iteration);
  return stand;
}

void SolveObserver::on_progress(const SearchPosition& at, int step) {
  part_ = at.part.kind;
  search_progress_.show(at, step);
}

bool SolveObserver::should_stop() {
  if (listener_.should_stop() || is_enough_) return true;
  if (listener_.asks_for_checkpoint()) say_where_to_resume();
  return false;
}

void SolveObserver::say_where_to_resume() {
  const bool is_level = part_ == SearchPart::Kind::kLevel;
  const std::optional<int>& iteration = is_level ? files_.level_iteration() : files_.checkpointed_iteration();
  if (part_ == SearchPart::Kind::kWindow || (is_level && !iteration))
    listener_.info("--resume goes on at the beginning of this {}", is_level ? "coarser level" : "window");
  else if (!iteration)
    listener_.info("no iteration is complete yet: there is nothing to resume from");
  else
    listener_.info("the checkpoint of iteration {}{} is in {}; going on", *iteration,
                   is_level ? " of this coarser level" : "", files_.folder().path().string());
}

}  // namespace keydrape
