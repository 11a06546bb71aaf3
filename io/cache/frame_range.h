#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace keydrape {

// Frames as artists number them, both ends included.
struct FrameRange {
  int first = 0;
  int last = 0;

  int count() const { return last - first + 1; }
  bool contains(int frame) const { return first <= frame && frame <= last; }
  bool contains(const FrameRange& range) const { return contains(range.first) && contains(range.last); }
  std::string text() const;  // "1001-1060"
};

// Highest frame number: as many digits as a file name of a sequence has room for.
inline constexpr int kMaxFrame = 9'999'999;

// "first-last" with 0 <= first < last <= kMaxFrame, decimal digits only; none for any other text.
std::optional<FrameRange> parse_frame_range(std::string_view text);

}  // namespace keydrape
