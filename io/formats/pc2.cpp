#include "io/formats/pc2.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "io/cache/float_vector.h"
#include "io/formats/refuse_file.h"

namespace keydrape {
namespace {

static_assert(std::endian::native == std::endian::little, "PC2 is little endian: swap bytes here");

constexpr char kPc2Magic[12] = "POINTCACHE2";

// The first bytes of a file, as they lie there.
struct RawHeader {
  char magic[12];
  std::int32_t version;
  std::int32_t point_count;
  float start;
  float rate;
  std::int32_t sample_count;
};
static_assert(sizeof(RawHeader) == 32);

// Checks that the file is as long as its header says, without overflow.
void check_header(const InputFile& file, const RawHeader& header) {
  if (std::memcmp(header.magic, kPc2Magic, sizeof kPc2Magic) != 0) {
    refuse_file(file.path(),
                "does not begin with 'POINTCACHE2'; expected a PC2 point cache; export the motion as PC2");
  }
  if (header.version != 1) {
    refuse_file(file.path(),
                fmt::format("has version {}; expected PC2 version 1; export it again", header.version));
  }
  if (header.point_count < 1 || header.sample_count < 1) {
    refuse_file(file.path(),
                fmt::format("has {} points and {} samples; expected at least one of both; export it again",
                            header.point_count, header.sample_count));
  }
  if (!std::isfinite(header.start) || !std::isfinite(header.rate)) {
    refuse_file(file.path(), fmt::format("has start {} and rate {}; expected finite numbers; export it again",
                                         header.start, header.rate));
  }
  const auto samples = static_cast<std::uint64_t>(header.sample_count);
  const std::uint64_t sample_bytes = 3 * sizeof(float) * static_cast<std::uint64_t>(header.point_count);
  const std::uint64_t body_bytes = file.size() - sizeof(RawHeader);
  if (body_bytes / sample_bytes != samples || body_bytes % sample_bytes != 0) {
    refuse_file(file.path(),
                fmt::format("holds {} bytes after its header; expected {} samples of {} points, {} "
                            "bytes each; it was cut off or something was added: export it again",
                            body_bytes, samples, header.point_count, sample_bytes));
  }
}

}  // namespace

PointCache read_pc2(const std::filesystem::path& path) {
  InputFile file(path);
  if (file.size() < sizeof(RawHeader)) {
    refuse_file(path,
                fmt::format("has {} bytes; expected a PC2 point cache, whose header has {}; export it again",
                            file.size(), sizeof(RawHeader)));
  }
  RawHeader header;
  file.read(&header, sizeof header);
  check_header(file, header);

  PointCache cache{header.point_count, header.start, header.rate, {}};
  cache.samples.reserve(static_cast<std::size_t>(header.sample_count));
  Eigen::VectorXf sample(3 * Eigen::Index{header.point_count});
  for (int s = 0; s < header.sample_count; ++s) {
    file.read(sample.data(), sizeof(float) * static_cast<std::size_t>(sample.size()));
    for (Eigen::Index i = 0; i < sample.size(); ++i) {
      if (std::isfinite(sample[i])) continue;
      refuse_file(
          path, fmt::format(
                    "point {} of sample {} (both counted from 0) is {}; expected finite coordinates; repair "
                    "the motion and export it again",
                    i / 3, s, sample[i]));
    }
    cache.samples.push_back(sample.cast<double>());
  }
  return cache;
}

Pc2Writer::Pc2Writer(const std::filesystem::path& path, const Header& header)
    : file_(path), buffer_(3 * static_cast<std::size_t>(header.point_count)) {
  assert(header.point_count > 0);
  RawHeader raw{{}, 1, header.point_count, static_cast<float>(header.start), static_cast<float>(header.rate),
                0};  // samples: known at commit
  std::memcpy(raw.magic, kPc2Magic, sizeof kPc2Magic);
  file_.append(&raw, sizeof raw);
}

void Pc2Writer::append(const VecX& sample) {
  assert(static_cast<std::size_t>(sample.size()) == buffer_.size());
  for (std::size_t i = 0; i < buffer_.size(); ++i) {
    buffer_[i] = static_cast<float>(sample[static_cast<Eigen::Index>(i)]);
    if (std::isfinite(buffer_[i])) continue;
    throw OutputError(fmt::format(
        "{}: not written: point {} of sample {} (both counted from 0) is {}, which no float32 holds; {}",
        file_.path().string(), i / 3, sample_count_, sample[static_cast<Eigen::Index>(i)], kMendNumber));
  }
  file_.append(buffer_.data(), sizeof(float) * buffer_.size());
  ++sample_count_;
}

void Pc2Writer::commit() {
  assert(sample_count_ > 0 && "a cache without samples cannot be read");
  const std::int32_t samples = sample_count_;
  file_.overwrite(offsetof(RawHeader, sample_count), &samples, sizeof samples);
  file_.commit();
}

}  // namespace keydrape
