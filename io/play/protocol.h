#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "io/cache/frame_range.h"

// What a page and its stage say to each other over the socket (io/play/README.md).

namespace keydrape {

struct StageCommand {
  enum class Kind {
    kPlay,
    kPause,
    kStep,
    kReset,
    kSpeed,
    kGrab,
    kDrag,
    kLetGo,
    kWind,
    kBodies,
    kKeyframe,
    kRecordPins,
    kRecordTrack,
    kSolve,
    kStopSolve,
  };
  Kind kind = Kind::kPause;
  int vertex = 0;           // of kGrab
  Vec3 way = Vec3::Zero();  // of kDrag: how far the hand has gone since [m], within a kilometre
  double stamp = 0.0;       // likewise: the page's time, which the frame that follows brings back [ms]
  bool is_on = false;       // of kWind and kBodies
  double speed = 1.0;       // of kSpeed: the shot's seconds in one of ours, in [kSlowest, 1]
};

inline constexpr double kSlowest = 1.0 / 64;

// None: the text is no command for cloth of so many vertices.
std::optional<StageCommand> parse_command(std::string_view text, int vertex_count);

// A frame, little endian: "KDF1", then 32 bits each of its number among those sent, its number in the shot
// and the count of vertices, seconds that it took as a float and the largest residual likewise, the stamp as
// a double, then x y z of every vertex as floats.
struct SentFrame {
  int sequence = 0;
  int frame = 0;
  double seconds = 0.0;
  double residual = 0.0;
  double stamp = 0.0;
};
std::string frame_bytes(const SentFrame& frame, const VecX& x);
inline constexpr std::size_t kFrameHeadBytes = 32;

struct StageStatus {
  bool is_playing = false, is_at_end = false, is_solving = false;
  int frame = 0;
  FrameRange frames{};
  double fps = 24.0;
  int substeps = 1;
  double speed = 1.0;                // as StageCommand::speed
  std::optional<bool> wind, bodies;  // none: the scene has none
  int held = 0;                      // vertices
  int drags = 0;                     // of this performance that are not recorded
  std::vector<int> keyframes;        // that have been recorded, ascending
  std::string scene;                 // the file that what is recorded goes to; empty: none yet
};
std::string status_text(const StageStatus& status);

// A sentence for whoever looks at the page.
enum class NoteKind { kDone, kRefused, kFailed };
std::string note_text(NoteKind kind, const std::string& text);

struct SolveStatus {
  bool is_running = false;
  double fraction = 0.0;
  std::string text;  // how it goes, or what it came to
  int report = 0;    // its number; 0: there is none yet
  // Every keyframe that has a tolerance. None: there is no such keyframe, it is not known yet, or the search
  // was ended before.
  std::optional<bool> is_reached;
};
std::string solve_text(const SolveStatus& status);

}  // namespace keydrape
