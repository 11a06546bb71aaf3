#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/cache/frame_range.h"
#include "io/wedge/wedge_plan.h"

namespace keydrape {

enum class ElementState {
  kWaiting,      // nothing is there yet
  kRunning,      // somebody holds its lock
  kInterrupted,  // begun; goes on from its checkpoint
  kDone,
  kMissed,
  kFailed,  // bad input, no convergence, or ended by a signal; `reason` says which
};
std::string_view word(ElementState state);

// A keyframe of summary.json, or a track.
struct ElementTarget {
  FrameRange frames;             // of a keyframe a single one
  int ordinal = 1;               // among those of the same frames
  double rms = 0, max = 0;       // [m]
  std::optional<double> excess;  // the largest of its misses over what is allowed; none: anything is

  std::string name() const;  // "1010", "1001-1024"; of a second one there "1010_2"
};

// How an element stands, from the files in its folder.
struct ElementOutcome {
  ElementState state = ElementState::kWaiting;
  // Of the run that ended last, -SIGNAL by a signal; as the summary says where its wedge was killed, too.
  std::optional<int> exit_code;
  std::string reason;  // of a failure: what the run said last
  double seconds = 0;  // of all its runs that ended, by the clock; at least those that its summary counts
  // Of summary.json, where there is one.
  std::vector<ElementTarget> targets;
  std::optional<double> rms_g, peak_g;
  int forward_simulations = 0;
  double peak_rss_bytes = 0;

  bool is_finished() const {
    return state == ElementState::kDone || state == ElementState::kMissed || state == ElementState::kFailed;
  }
};

// Throws InputError where a file of the element is damaged.
ElementOutcome element_outcome(const std::filesystem::path& folder);
// Throws InputError where the folder of an element is not there.
void refuse_missing_folder(const std::filesystem::path& folder);
// Whether there is something to run; `again`: also where it failed.
bool is_due(const ElementOutcome& outcome, bool again);

// Held while an element runs, by the run itself too, so that it outlives whoever started it: a second run of
// the same element on this machine waits for the first one to end.
class ElementLock {
 public:
  // Does not wait. Throws OutputError, as try_again() does: it cannot be written or locked.
  explicit ElementLock(const std::filesystem::path& folder);
  ~ElementLock();
  ElementLock(const ElementLock&) = delete;
  ElementLock& operator=(const ElementLock&) = delete;
  bool is_held() const { return is_held_; }
  bool try_again();
  // For a process that is to hold it as well; closed on exec unless that is changed.
  int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  bool is_held_ = false;
};

}  // namespace keydrape
