#pragma once

#include <chrono>
#include <string>

#include "io/perform/time_left.h"

namespace keydrape {

enum class ProgressStyle {
  kAuto,   // a bar on a terminal, lines elsewhere
  kBar,    // one line that is written over
  kLines,  // a line now and then: for logs of render farms
  kNone,
};

// How far a run has come, on stderr. `progress 42 % ...` in lines.
class Progress {
 public:
  // `quiet` silences every style.
  Progress(ProgressStyle style, bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction` in [0, 1] of all work; what is shown of it never falls (io/perform/time_left.h). Cheap: shows
  // something every now and then.
  void update(double fraction, const std::string& text);
  // Work whose length nobody knows: how it stands.
  void update(const std::string& text);
  // Takes the bar away before other text is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  // Whether it is time to show something again; then it counts as shown.
  bool is_due();

  ProgressStyle style_;
  Clock::time_point begin_ = Clock::now();
  TimeLeft time_left_;
  Clock::time_point shown_{};
  bool bar_stands_ = false;
};

}  // namespace keydrape
