#include "io/formats/usda/usda_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape::usda {
namespace {

// Of a cache; more fit no memory.
constexpr std::size_t kMaxFrames = 100'000;
// A GB that a small file would make up.
constexpr double kMostFilled = 1e8;

// The whole frames of the range that the layer says it has. None: it does not say one.
std::optional<FrameRange> time_codes_of(const Layer& layer) {
  const std::optional<double> start = layer.number("startTimeCode"), end = layer.number("endTimeCode");
  if (!start || !end) return {};
  const auto bounded = [](double time) {
    return static_cast<int>(std::clamp<double>(time, -kMaxFrame, kMaxFrame));
  };
  const FrameRange range{bounded(std::ceil(*start)), bounded(std::floor(*end))};
  return range.first <= range.last ? std::optional(range) : std::nullopt;
}

}  // namespace

FrameReader::FrameReader(const Layer& layer) : layer_(layer), time_codes_(time_codes_of(layer)) {}

int FrameReader::whole_frame(double time, Place place) const {
  if (time != std::floor(time) || std::abs(time) > kMaxFrame)
    layer_.fail(place, fmt::format("the time {}", time), "a whole frame",
                "export every frame, without subframes");
  return static_cast<int>(time);
}

// A list of numbers, as exact as the attribute's type keeps them.
VecX FrameReader::values(const Attribute& attribute, Place place, int components) const {
  VecX numbers = layer_.numbers(place, components);
  const bool is_single = attribute.type.starts_with("float") || attribute.type.ends_with("3f[]");
  if (!is_single) return numbers;
  for (double& number : numbers) {
    number = static_cast<double>(static_cast<float>(number));
    if (!std::isfinite(number))
      layer_.fail(place, fmt::format("a number in {} that no {} holds", attribute.name, attribute.type),
                  "numbers up to 3.4e38", kExportAgain);
  }
  return numbers;
}

bool FrameReader::may_fill(double count) {
  if (filled_ + count > kMostFilled) return false;
  filled_ += count;
  return true;
}

std::vector<VecX> FrameReader::read_points(const Attribute& points) {
  if (points.samples.empty()) {
    const int frame = whole_frame(layer_.number("startTimeCode").value_or(1.0), points.place);
    range_ = {frame, frame};
    time_codes_.reset();
    return {values(points, *points.value, 3)};
  }
  std::vector<VecX> frames = read_samples(points, 3);
  const int first = whole_frame(points.samples.front().time, points.samples.front().value);
  const FrameRange sampled{first, first + static_cast<int>(frames.size()) - 1};
  range_ = sampled;
  if (points.samples.size() == 1) time_codes_.reset();  // a pose, as of points without samples
  if (!time_codes_) return frames;
  const FrameRange whole{std::min(first, time_codes_->first), std::max(sampled.last, time_codes_->last)};
  const int held = whole.count() - sampled.count();
  if (static_cast<std::size_t>(whole.count()) > kMaxFrames ||
      !may_fill(static_cast<double>(held) * static_cast<double>(frames[0].size()))) {
    time_codes_.reset();
    warnings_.push_back(
        fmt::format("the samples of points are those of frames {}, and the layer's time codes {}: too many "
                    "to hold the mesh in (at most {} frames and {:.0e} numbers), so that the samples alone "
                    "are read; correct startTimeCode and endTimeCode, or export one sample a frame",
                    sampled.text(), whole.text(), kMaxFrames, kMostFilled));
    return frames;
  }
  range_ = whole;
  hold(frames, first);
  if (held > 0)
    warnings_.push_back(
        fmt::format("the samples of points are those of frames {}; in the others of {} the mesh is held as "
                    "in the nearest of them, as USD has it",
                    sampled.text(), whole.text()));
  return frames;
}

bool FrameReader::is_sampled_like_points(const Attribute& attribute) const {
  if (attribute.samples.empty()) return false;
  double first = attribute.samples.front().time, last = attribute.samples.back().time;
  if (time_codes_) {
    first = std::min<double>(first, time_codes_->first);
    last = std::max<double>(last, time_codes_->last);
  }
  return first == range_.first && last == range_.last;
}

std::vector<VecX> FrameReader::read(const Attribute& attribute, int components) {
  assert(is_sampled_like_points(attribute));
  std::vector<VecX> frames = read_samples(attribute, components);
  const double held = static_cast<double>(range_.count()) - static_cast<double>(frames.size());
  if (!may_fill(held * static_cast<double>(frames[0].size()))) return {};
  hold(frames, whole_frame(attribute.samples.front().time, attribute.samples.front().value));
  assert(frames.size() == static_cast<std::size_t>(range_.count()));
  return frames;
}

// `first`: the frame of the first of them.
void FrameReader::hold(std::vector<VecX>& frames, int first) const {
  const auto before = static_cast<std::size_t>(first - range_.first);
  const VecX front = frames.front(), back = frames.back();
  frames.insert(frames.begin(), before, front);
  frames.resize(static_cast<std::size_t>(range_.count()), back);
}

// One vector for each frame from the first sample to the last.
std::vector<VecX> FrameReader::read_samples(const Attribute& attribute, int components) {
  std::vector<VecX> frames;
  int last = 0;
  for (const Sample& sample : attribute.samples) {
    const int frame = whole_frame(sample.time, sample.value);
    VecX value = values(attribute, sample.value, components);
    if (frames.empty()) {
      frames.push_back(std::move(value));
      last = frame;
      continue;
    }
    if (value.size() != frames[0].size()) {
      layer_.fail(sample.value, fmt::format("{} numbers", value.size()),
                  fmt::format("{} as in the first sample", frames[0].size()), kExportAgain);
    }
    const int gap = frame - last;
    if (frames.size() + static_cast<std::size_t>(gap) > kMaxFrames)
      layer_.fail(sample.value, fmt::format("a sample at {}, {} frames behind the one before", frame, gap),
                  fmt::format("at most {} frames", kMaxFrames), "export one sample a frame");
    if (!may_fill(static_cast<double>(gap - 1) * static_cast<double>(value.size())))
      layer_.fail(sample.value, fmt::format("a sample {} frames behind the one before", gap),
                  fmt::format("at most {:.0e} numbers in frames without a sample", kMostFilled),
                  "export one sample a frame");
    if (gap > 1 && !has_gaps_) {
      has_gaps_ = true;
      warnings_.emplace_back("frames without a sample are filled linearly, as USD has it");
    }
    const VecX before = frames.back();
    for (int i = 1; i < gap; ++i)
      frames.push_back(before + (value - before) * (static_cast<double>(i) / gap));
    frames.push_back(std::move(value));
    last = frame;
  }
  return frames;
}

}  // namespace keydrape::usda
