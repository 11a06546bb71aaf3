#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/search/observer.h"
#include "io/perform/run_listener.h"
#include "io/perform/running_report.h"
#include "io/perform/search_progress.h"
#include "io/run/run_records.h"
#include "io/run/search_files.h"

namespace keydrape {

// What is done while a search goes on in its folder: writes its files, tells the listener how far it is,
// keeps the report up to date.
class SolveObserver final : public SearchObserver {
 public:
  // `report`: null for none. All outlive it. `one_window`: ends the search after the next window, if that is
  // not the last.
  SolveObserver(const Scene& scene, const Shot& shot, SearchFiles& files, RunListener& listener,
                RunningReport* report, bool one_window)
      : scene_(scene),
        shot_(shot),
        files_(files),
        listener_(listener),
        search_progress_(listener, shot),
        report_(report),
        one_window_(one_window) {}

  void on_part(const SearchPart& part) override;
  void on_uncontrolled(const Trajectory& run) override;
  void on_iteration(const SearchIteration& iteration) override;
  void on_goal_change(const SearchPart& part, int iteration, const GoalChange& change,
                      const GoalState& goal) override;
  void on_improvement(const SearchPart& part, const Trajectory& best) override;
  void on_level(const LevelOutcome& level) override;
  void on_warning(SearchWarning warning, const std::string& text) override;
  void on_checkpoint(const SearchPart& part, const SearchState& state, const RunView& at,
                     const RunView* best) override;
  std::optional<SearchCheckpoint> level_checkpoint(const SearchPart& part) override;
  void on_progress(const SearchPosition& at, int step) override;
  bool should_stop() override;

 private:
  void say_where_to_resume();
  // Where it happens: why an objective rises, once, and why misses that are small enough do, once for the
  // shot or for each of its windows.
  void explain_rise(const SearchIteration& iteration, const std::vector<KeyframeOutcome>& outcomes);

  const Scene& scene_;
  const Shot& shot_;
  SearchFiles& files_;
  RunListener& listener_;
  SearchProgress search_progress_;
  RunningReport* report_;
  bool one_window_;
  bool is_enough_ = false;
  std::optional<double> objective_;  // of the iteration before, of the part that is under way
  bool has_explained_rise_ = false, has_explained_misses_ = false;
  SearchPart::Kind part_ = SearchPart::Kind::kWhole;  // that is under way
};

}  // namespace keydrape
