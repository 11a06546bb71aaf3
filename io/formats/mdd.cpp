#include "io/formats/mdd.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "io/cache/float_vector.h"
#include "io/file/file.h"
#include "io/formats/refuse_file.h"

namespace keydrape {
namespace {

constexpr double kFloatEpsilon = std::numeric_limits<float>::epsilon();
// Times may be off by some roundings of single precision, and by a hundredth of a step.
constexpr double kStepTolerance = 0.01;

// To and from the file's order of bytes.
std::uint32_t swapped(std::uint32_t bits) {
  return std::endian::native == std::endian::big ? bits : __builtin_bswap32(bits);
}

std::vector<std::uint32_t> big_endian(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](float value) { return swapped(std::bit_cast<std::uint32_t>(value)); });
  return bits;
}

// The next numbers of the file, in `bits`; returns the first that is not finite, or -1.
Eigen::Index read_floats(InputFile& file, std::vector<std::uint32_t>& bits, VecX& values) {
  file.read(bits.data(), sizeof(std::uint32_t) * bits.size());
  Eigen::Index bad = -1;
  for (std::size_t i = bits.size(); i-- > 0;) {
    const auto at = static_cast<Eigen::Index>(i);
    values[at] = static_cast<double>(std::bit_cast<float>(swapped(bits[i])));
    if (!std::isfinite(values[at])) bad = at;
  }
  return bad;
}

struct MddCounts {
  std::int32_t samples;
  std::int32_t points;
};

MddCounts read_counts(InputFile& file) {
  std::uint32_t raw[2];
  if (file.size() < sizeof raw)
    refuse_file(file.path(),
                fmt::format("has {} bytes; expected an MDD point cache, whose header has {}; export it again",
                            file.size(), sizeof raw));
  file.read(raw, sizeof raw);
  const MddCounts counts{static_cast<std::int32_t>(swapped(raw[0])),
                         static_cast<std::int32_t>(swapped(raw[1]))};
  if (counts.samples < 1 || counts.points < 1) {
    refuse_file(file.path(),
                fmt::format("has {} samples and {} points; expected at least one of both; check that it is "
                            "an MDD file, and export it again",
                            counts.samples, counts.points));
  }
  const std::uint64_t sample_bytes = 4 + 12 * static_cast<std::uint64_t>(counts.points);
  const std::uint64_t body_bytes = file.size() - sizeof raw;
  if (body_bytes / sample_bytes != static_cast<std::uint64_t>(counts.samples) ||
      body_bytes % sample_bytes != 0) {
    refuse_file(
        file.path(),
        fmt::format("holds {} bytes after its header; expected {} samples of {} points, {} bytes "
                    "each; it was cut off, something was added, or it is no MDD file: export it again",
                    body_bytes, counts.samples, counts.points, sample_bytes));
  }
  return counts;
}

void check_times(const std::filesystem::path& path, const VecX& seconds) {
  if (seconds.size() < 2) return;
  const double step = (seconds[seconds.size() - 1] - seconds[0]) / static_cast<double>(seconds.size() - 1);
  const double tolerance = kStepTolerance * step + 4 * kFloatEpsilon * seconds.cwiseAbs().maxCoeff();
  for (Eigen::Index s = 1; s < seconds.size(); ++s) {
    const double found = seconds[s] - seconds[s - 1];
    if (found > 0.0 && std::abs(found - step) <= tolerance) continue;
    refuse_file(
        path,
        fmt::format("samples {} and {} (counted from 0) are {} s apart; expected {} s as on average; export "
                    "one sample a frame",
                    s - 1, s, found, step));
  }
}

double in_single_precision(double seconds) { return static_cast<double>(static_cast<float>(seconds)); }

// Whether samples at these times are whole frames that follow one another, within `tolerance` of each time.
bool are_times_of_frames(const std::vector<double>& seconds, double fps, double tolerance) {
  double frame = std::round(seconds.front() * fps);
  return std::all_of(seconds.begin(), seconds.end(), [&](double second) {
    return std::abs(in_single_precision(frame++ / fps) - second) <= tolerance * std::abs(second);
  });
}

class MddWriter final : public CacheWriter {
 public:
  MddWriter(const std::filesystem::path& path, const CacheHeader& header)
      : file_(path), frame_(header.first_frame), end_(header.frames().last + 1) {
    const std::uint32_t counts[2] = {swapped(static_cast<std::uint32_t>(header.frame_count)),
                                     swapped(static_cast<std::uint32_t>(header.vertex_count()))};
    file_.append(counts, sizeof counts);
    const std::vector<double> seconds = mdd_seconds(header.frames(), header.fps);
    append(std::vector<float>(seconds.begin(), seconds.end()));
  }

  void append(const CacheFrame& frame) override {
    assert(frame_ < end_);
    append(to_floats(frame.positions, {file_.path(), frame_}));
    ++frame_;
  }

  void commit() override {
    assert(frame_ == end_ && "the header has promised another number of frames");
    file_.commit();
  }

 private:
  void append(const std::vector<float>& values) {
    const std::vector<std::uint32_t> bits = big_endian(values);
    file_.append(bits.data(), sizeof(std::uint32_t) * bits.size());
  }

  AtomicFile file_;
  int frame_;
  int end_;
};

}  // namespace

std::optional<double> MddCache::fps(std::optional<double> expected) const {
  if (seconds.size() < 2) return {};
  const double span = seconds.back() - seconds.front();
  const double rate = static_cast<double>(seconds.size() - 1) / span;
  const double doubt =
      rate * 2 * kFloatEpsilon * std::max(std::abs(seconds.front()), std::abs(seconds.back())) / span;
  const auto is_possible = [&](double fps) { return fps > 0.0 && std::abs(fps - rate) <= doubt; };
  const auto to_decimals = [](double fps, double unit) { return std::round(fps * unit) / unit; };
  const double whole = std::round(rate), broadcast = std::round(rate * 1.001) / 1.001;
  const double candidates[] = {expected.value_or(whole),
                               whole,
                               broadcast,
                               to_decimals(broadcast, 1000),
                               to_decimals(broadcast, 100),
                               to_decimals(rate, 100),
                               to_decimals(rate, 1000)};
  // To the bit, as most programs write them; then as one that reckons in single precision does.
  for (const double tolerance : {0.0, 2 * kFloatEpsilon})
    for (const double fps : candidates)
      if (is_possible(fps) && are_times_of_frames(seconds, fps, tolerance)) return fps;
  for (const double fps : {whole, broadcast})
    if (is_possible(fps)) return fps;
  return rate;
}

std::optional<int> MddCache::first_frame(double fps) const {
  const double frame = seconds.front() * fps;
  if (frame < 0.5 || frame > kMaxFrame) return {};
  if (std::abs(frame - std::round(frame)) > kStepTolerance + kFloatEpsilon * frame) return {};
  return static_cast<int>(std::round(frame));
}

FrameTimes MddCache::frame_times(const FrameTimes& expected) const {
  const double rate = fps(expected.fps).value_or(expected.fps);
  return {rate, first_frame(rate).value_or(expected.first_frame)};
}

std::vector<double> mdd_seconds(const FrameRange& frames, double fps) {
  std::vector<double> seconds;
  for (int frame = frames.first; frame <= frames.last; ++frame)
    seconds.push_back(in_single_precision(frame / fps));
  return seconds;
}

MddCache read_mdd(const std::filesystem::path& path) {
  InputFile file(path);
  const MddCounts counts = read_counts(file);
  MddCache cache{counts.points, {}, {}};
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(counts.samples));
  VecX seconds(counts.samples);
  if (const Eigen::Index s = read_floats(file, bits, seconds); s >= 0) {
    refuse_file(
        path,
        fmt::format("the time of sample {} (counted from 0) is {}; expected a finite number; export it again",
                    s, seconds[s]));
  }
  check_times(path, seconds);
  cache.seconds.assign(seconds.begin(), seconds.end());

  bits.resize(3 * static_cast<std::size_t>(counts.points));
  for (int s = 0; s < counts.samples; ++s) {
    VecX sample(3 * Eigen::Index{counts.points});
    if (const Eigen::Index i = read_floats(file, bits, sample); i >= 0) {
      refuse_file(
          path, fmt::format(
                    "point {} of sample {} (both counted from 0) is {}; expected finite coordinates; repair "
                    "the motion and export it again",
                    i / 3, s, sample[i]));
    }
    cache.samples.push_back(std::move(sample));
  }
  return cache;
}

std::unique_ptr<CacheWriter> open_mdd_writer(const std::filesystem::path& path, const CacheHeader& header) {
  return std::make_unique<MddWriter>(path, header);
}

}  // namespace keydrape
