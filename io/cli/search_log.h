#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/search/goal_revision.h"
#include "io/cli/progress.h"
#include "io/file/json_lines.h"
#include "io/run/run_folder.h"
#include "io/run/run_records.h"
#include "io/shot/shot.h"

namespace keydrape {

// What a search says of its iterations: convergence.jsonl, and messages for people.
class SearchLog {
 public:
  // `level`: what messages begin with; empty: of the shot as it is, which alone has a file. `earlier_lines`:
  // what that begins with. The rest outlives this.
  SearchLog(const RunFolder& folder, const Shot& shot, Progress& progress, std::string level,
            std::string earlier_lines)
      : shot_(shot), progress_(progress), level_(std::move(level)), lines_(std::move(earlier_lines)) {
    if (level_.empty()) file_.emplace(folder / "convergence.jsonl", lines_);
  }

  // Here and below: throw OutputError.
  void write(const ConvergenceRecord& record, const std::vector<KeyframeMiss>& misses);
  // That, and a message.
  void report(const ConvergenceRecord& record, const std::vector<KeyframeMiss>& misses);
  // Keyframes were adapted to the run after an iteration.
  void report(int iteration, const GoalChange& change);

  // For people alone; an empty text is none.
  void warn(const std::string& text);

  // What convergence.jsonl holds.
  const std::string& lines() const { return lines_; }

 private:
  const Shot& shot_;
  Progress& progress_;
  std::string level_;
  std::string lines_;
  std::optional<JsonLines> file_;
};

}  // namespace keydrape
