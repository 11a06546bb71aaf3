#pragma once

#include <string>

#include "io/cli/commands.h"
#include "io/cli/log.h"
#include "io/cli/progress.h"
#include "io/file/interrupt.h"
#include "io/perform/run_listener.h"

namespace keydrape {

// A run that the program makes: what is said goes to stderr and to the folder's log, and signals are heeded.
// SIGINT and SIGTERM end the run with what there is, SIGUSR1 asks from where it could be resumed.
class ConsoleListener final : public RunListener {
 public:
  explicit ConsoleListener(const CommonOptions& options) : progress_(options.progress, options.quiet) {}

  void on_folder(const RunFolder& folder) override { log_to_file(folder / "keydrape.log"); }
  void on_text(LogLevel level, const std::string& text) override {
    progress_.clear();
    log_text(level, text);
  }
  void on_progress(double fraction, const std::string& text) override { progress_.update(fraction, text); }
  void on_computed() override { progress_.clear(); }
  bool should_stop() override { return interrupt_requested(); }
  bool asks_for_checkpoint() override { return checkpoint_requested(); }

 private:
  Progress progress_;
};

}  // namespace keydrape
