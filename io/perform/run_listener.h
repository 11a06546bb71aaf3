#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "control/search/observer.h"
#include "io/perform/log_level.h"
#include "io/run/run_folder.h"

namespace keydrape {

// Whoever has a run made: hears how it goes on, and may end it. What the functions throw ends the run.
class RunListener {
 public:
  virtual ~RunListener() = default;

  // The folder is this run's from now on; what is said belongs into its keydrape.log, too.
  virtual void on_folder(const RunFolder& folder) = 0;
  // A sentence for people.
  virtual void on_text(LogLevel level, const std::string& text) = 0;
  // How far the run has come: `fraction` in [0, 1] of all work. Called after every time step and sweep.
  virtual void on_progress(double, const std::string&) {}
  // An iteration of a search is done, its files are written.
  virtual void on_iteration(const SearchIteration&) {}
  // Nothing more is computed: files are written next.
  virtual void on_computed() {}
  // Asked after every time step; once true, always true. What there is until then is written.
  virtual bool should_stop() = 0;
  // Whether somebody wants to know, since the last call, from where the run could be resumed.
  virtual bool asks_for_checkpoint() { return false; }

  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    on_text(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) {
    on_text(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) {
    on_text(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
  }
  void warnings(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) on_text(LogLevel::kWarning, text);
  }
};

}  // namespace keydrape
