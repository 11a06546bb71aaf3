#pragma once

#include <string>

#include "control/search/observer.h"
#include "io/cli/progress.h"
#include "io/cli/running_report.h"
#include "io/cli/search_progress.h"
#include "io/run/search_files.h"

namespace keydrape {

// What `solve` does while a search goes on: writes its files, says how far it is, keeps the report up to
// date, and heeds signals: SIGINT and SIGTERM end the search with the best so far, SIGUSR1 makes it say from
// where it could be resumed.
class SolveObserver final : public SearchObserver {
 public:
  // `report`: null for none. All outlive it. `one_window`: ends the search after the next window, if that is
  // not the last.
  SolveObserver(const Scene& scene, const Shot& shot, SearchFiles& files, Progress& progress,
                RunningReport* report, bool one_window)
      : scene_(scene),
        shot_(shot),
        files_(files),
        progress_(progress),
        search_progress_(progress, shot.clock),
        report_(report),
        one_window_(one_window) {}

  void on_part(const SearchPart& part) override;
  void on_uncontrolled(const Trajectory& run) override;
  void on_iteration(const SearchIteration& iteration) override;
  void on_goal_change(const SearchPart& part, int iteration, const GoalChange& change,
                      const GoalState& goal) override;
  void on_improvement(const Trajectory& best) override;
  void on_level(const LevelOutcome& level) override;
  void on_warning(SearchWarning warning, const std::string& text) override;
  void on_checkpoint(const SearchState& state, const RunView& at, const RunView* best) override;
  void on_progress(const SearchPosition& at, int step) override;
  bool should_stop() override;

 private:
  void say_where_to_resume();

  const Scene& scene_;
  const Shot& shot_;
  SearchFiles& files_;
  Progress& progress_;
  SearchProgress search_progress_;
  RunningReport* report_;
  bool one_window_;
  bool is_enough_ = false;
  SearchPart::Kind part_ = SearchPart::Kind::kWhole;  // that is under way
};

}  // namespace keydrape
