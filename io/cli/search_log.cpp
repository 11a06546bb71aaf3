#include "io/cli/search_log.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "io/cli/console_text.h"

namespace keydrape {

void SearchLog::write(const ConvergenceRecord& record, const std::vector<KeyframeMiss>& misses) {
  const std::string line = convergence_line(record, shot_, misses);
  if (file_) file_->append(line);
  lines_ += line + '\n';
}

void SearchLog::report(const ConvergenceRecord& record, const std::vector<KeyframeMiss>& misses) {
  write(record, misses);
  progress_.clear();
  spdlog::info("{}iteration {}: objective {:.4e}, {} forward runs, {}", level_, record.iteration,
               record.objective, record.forward_simulations, miss_text(shot_, misses));
}

void SearchLog::report(int iteration, const GoalChange& change) {
  bool has_surface = false;
  std::string frames;
  for (const Keyframe& k : shot_.objective->keyframes()) {
    has_surface = has_surface || k.surface != nullptr;
    if (!k.candidates.empty())
      frames += fmt::format("{}{}", frames.empty() ? "" : ", ", shot_.clock.frame_of_step(k.state));
  }
  if (!has_surface && change.moved_keyframes == 0) return;
  progress_.clear();
  spdlog::info("{}iteration {}: {}{}{}; the objective is {:.4e} now, {:.4e} before", level_, iteration,
               has_surface ? "nearest points renewed" : "", has_surface && !frames.empty() ? ", " : "",
               frames.empty() ? "" : "sliding keyframes at frame " + frames, change.objective_after,
               change.objective_before);
}

void SearchLog::warn(const std::string& text) {
  if (text.empty()) return;
  progress_.clear();
  spdlog::warn("{}", text);
}

}  // namespace keydrape
