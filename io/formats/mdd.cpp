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

class MddWriter final : public CacheWriter {
 public:
  MddWriter(const std::filesystem::path& path, const CacheHeader& header)
      : file_(path), frame_(header.first_frame), end_(header.frames().last + 1) {
    const std::uint32_t counts[2] = {swapped(static_cast<std::uint32_t>(header.frame_count)),
                                     swapped(static_cast<std::uint32_t>(header.vertex_count()))};
    file_.append(counts, sizeof counts);
    std::vector<float> seconds;
    for (int frame = header.first_frame; frame < end_; ++frame)
      seconds.push_back(static_cast<float>(frame / header.fps));
    append(seconds);
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

std::optional<double> MddCache::fps() const {
  if (seconds.size() < 2) return {};
  const double span = seconds.back() - seconds.front();
  const double rate = static_cast<double>(seconds.size() - 1) / span;
  const double doubt =
      rate * 2 * kFloatEpsilon * std::max(std::abs(seconds.front()), std::abs(seconds.back())) / span;
  for (const double exact : {std::round(rate), std::round(rate * 1.001) / 1.001})
    if (exact > 0.0 && std::abs(exact - rate) <= doubt) return exact;
  return rate;
}

std::optional<int> MddCache::first_frame(double fps) const {
  const double frame = seconds.front() * fps;
  if (frame < 0.5 || frame > kMaxFrame || std::abs(frame - std::round(frame)) > kStepTolerance) return {};
  return static_cast<int>(std::round(frame));
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
