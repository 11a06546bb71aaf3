#include "io/formats/obj_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "io/formats/obj.h"

namespace keydrape {
namespace {

constexpr int kWrittenDigits = 4;

std::string padded(int frame, int digits) {
  const std::int64_t number = frame;  // whose absolute value always exists
  return fmt::format("{}{:0{}}", number < 0 ? "-" : "", number < 0 ? -number : number, digits);
}

bool is_padding(char c) { return c >= '1' && c <= '9'; }

// A place for the frame number in a file name.
struct Place {
  std::size_t begin;
  std::size_t length;
  int digits;
};

// The place that begins at `begin`: ####, @@@@, %04d, %d, $F4 or $F.
std::optional<Place> place_at(std::string_view name, std::size_t begin) {
  const std::string_view rest = name.substr(begin);
  if (rest[0] == '#' || rest[0] == '@') {
    const std::size_t length = std::min(rest.find_first_not_of(rest[0]), rest.size());
    return Place{begin, length, static_cast<int>(length)};
  }
  if (rest.starts_with("%d")) return Place{begin, 2, 1};
  if (rest.size() > 3 && rest.starts_with("%0") && is_padding(rest[2]) && rest[3] == 'd') {
    return Place{begin, 4, rest[2] - '0'};
  }
  if (!rest.starts_with("$F")) return {};
  if (rest.size() > 2 && is_padding(rest[2])) return Place{begin, 3, rest[2] - '0'};
  return Place{begin, 2, 1};
}

std::optional<Place> next_place(std::string_view name, std::size_t begin) {
  for (; begin < name.size(); ++begin) {
    if (const std::optional<Place> place = place_at(name, begin)) return place;
  }
  return {};
}

}  // namespace

FramePattern::FramePattern(std::filesystem::path folder, std::string prefix, std::string suffix, int digits)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), suffix_(std::move(suffix)), digits_(digits) {}

std::optional<FramePattern> FramePattern::parse(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::optional<Place> place = next_place(name, 0);
  if (!place) return {};
  const std::size_t end = place->begin + place->length;
  if (next_place(name, end)) {
    throw InputError(
        fmt::format("{}: has two places for the frame number; expected one, such as name.####.obj; rename "
                    "the files",
                    path.string()));
  }
  return FramePattern(path.parent_path(), name.substr(0, place->begin), name.substr(end), place->digits);
}

std::filesystem::path FramePattern::path(int frame) const {
  return folder_ / (prefix_ + padded(frame, digits_) + suffix_);
}

std::vector<int> FramePattern::existing_frames() const {
  std::vector<int> frames;
  std::error_code error;
  const std::filesystem::path folder = folder_.empty() ? "." : folder_;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= prefix_.size() + suffix_.size() || !name.starts_with(prefix_) ||
        !name.ends_with(suffix_))
      continue;
    const char* begin = name.data() + prefix_.size();
    const char* end = name.data() + name.size() - suffix_.size();
    int frame = 0;
    const auto [stop, failure] = std::from_chars(begin, end, frame);
    if (failure != std::errc() || stop != end || frame < 0 || frame > kMaxFrame) continue;
    // With as many zeros as the pattern has.
    if (name == path(frame).filename().string()) frames.push_back(frame);
  }
  std::sort(frames.begin(), frames.end());
  return frames;
}

std::filesystem::path obj_frame_path(const std::filesystem::path& folder, const std::string& name,
                                     int frame) {
  return folder / fmt::format("{}.{}.obj", name, padded(frame, kWrittenDigits));
}

void write_obj_frame(const std::filesystem::path& folder, const std::string& name, int frame,
                     const TriangleMesh& mesh) {
  write_obj(obj_frame_path(folder, name, frame), mesh);
}

}  // namespace keydrape
