#include "io/cache/frame_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace keydrape {
namespace {

std::optional<int> parse_frame(std::string_view digits) {
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  int frame = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), frame);
  if (error != std::errc() || frame > kMaxFrame) return std::nullopt;
  return frame;
}

}  // namespace

std::string FrameRange::text() const { return fmt::format("{}-{}", first, last); }

std::optional<FrameRange> parse_frame_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<int> first = parse_frame(text.substr(0, dash));
  const std::optional<int> last = parse_frame(text.substr(dash + 1));
  if (!first || !last || *first >= *last) return std::nullopt;
  return FrameRange{*first, *last};
}

}  // namespace keydrape
