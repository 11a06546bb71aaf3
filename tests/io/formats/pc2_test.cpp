#include "io/formats/pc2.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

// Little endian, whatever this machine is.
std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}
std::string little_endian(float value) { return little_endian(std::bit_cast<std::uint32_t>(value)); }

std::string header(std::uint32_t points, std::uint32_t samples, std::uint32_t version = 1) {
  return std::string("POINTCACHE2\0", 12) + little_endian(version) + little_endian(points) +
         little_endian(1001.0f) + little_endian(1.0f) + little_endian(samples);
}

// Two points, two samples: 0, 0.5, 1, ...
std::string small_pc2() {
  std::string bytes = header(2, 2);
  for (int i = 0; i < 12; ++i) bytes += little_endian(0.5f * static_cast<float>(i));
  return bytes;
}

std::string pc2_refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const auto path = folder.write("bad.pc2", bytes);
  std::string message = message_of<InputError>([&] { read_pc2(path); });
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  return message;
}

TEST(Pc2Writer, WritesTheDocumentedBytes) {
  const TemporaryFolder folder;
  Pc2Writer writer(folder / "a.pc2", {.point_count = 2, .start = 1001});
  writer.append(VecX::LinSpaced(6, 0, 2.5));
  writer.append(VecX::LinSpaced(6, 3, 5.5));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2"));
  EXPECT_EQ(writer.sample_count(), 2);
  writer.commit();
  EXPECT_EQ(folder.read("a.pc2"), small_pc2());
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(ReadPc2, ReadsTheDocumentedBytes) {
  const TemporaryFolder folder;
  const PointCache cache = read_pc2(folder.write("a.pc2", small_pc2()));
  EXPECT_EQ(cache.point_count, 2);
  EXPECT_EQ(cache.start, 1001);
  EXPECT_EQ(cache.rate, 1);
  ASSERT_EQ(cache.samples.size(), 2u);
  EXPECT_EQ(cache.samples[0], VecX(VecX::LinSpaced(6, 0, 2.5)));
  EXPECT_EQ(cache.samples[1], VecX(VecX::LinSpaced(6, 3, 5.5)));
}

TEST(Pc2, RoundTripRoundsToSinglePrecisionOnly) {
  const TemporaryFolder folder;
  const VecX sample = VecX::LinSpaced(3 * 100, -3.0, 7.0).array().sin();
  Pc2Writer writer(folder / "a.pc2", {.point_count = 100, .start = -2.5, .rate = 0.5});
  writer.append(sample);
  writer.commit();
  const PointCache cache = read_pc2(folder / "a.pc2");
  EXPECT_EQ(cache.start, -2.5);
  EXPECT_EQ(cache.rate, 0.5);
  EXPECT_EQ(cache.samples[0], VecX(sample.cast<float>().cast<double>()));
}

TEST(Pc2Writer, RefusesWhatNoFloatHoldsAndLeavesNothing) {
  const TemporaryFolder folder;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e39}) {
    Pc2Writer writer(folder / "a.pc2", {.point_count = 2});
    VecX sample = VecX::Zero(6);
    writer.append(sample);
    sample[4] = bad;
    EXPECT_TRUE(
        says(message_of<OutputError>([&] { writer.append(sample); }), {"a.pc2", "point 1 of sample 1"}));
  }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(ReadPc2, RefusesEveryTruncationAndEveryAddition) {
  const std::string whole = small_pc2();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(says(pc2_refusal(whole.substr(0, size)), {"expected", "export it again"})) << size;
  }
  EXPECT_TRUE(says(pc2_refusal(whole + '\0'), {"49 bytes", "2 samples of 2 points, 24 bytes each"}));
  EXPECT_TRUE(says(pc2_refusal(whole + std::string(24, '\0')), {"72 bytes"}));
}

TEST(ReadPc2, RefusesBadHeaders) {
  std::string bytes = small_pc2();
  bytes[11] = '3';
  EXPECT_TRUE(says(pc2_refusal(bytes), {"POINTCACHE2"}));
  EXPECT_TRUE(says(pc2_refusal(header(2, 2, 2) + std::string(48, '\0')), {"version 2"}));
  EXPECT_TRUE(says(pc2_refusal(header(0, 1)), {"0 points"}));
  EXPECT_TRUE(says(pc2_refusal(header(1, 0)), {"0 samples"}));
  EXPECT_TRUE(says(pc2_refusal(header(0xFFFFFFFF, 1)), {"-1 points"}));
  bytes = small_pc2();
  bytes.replace(20, 4, little_endian(std::nanf("")));
  EXPECT_TRUE(says(pc2_refusal(bytes), {"start nan"}));
}

// 12 * 2^30 * 2^31 bytes are 0 in 64 bits.
TEST(ReadPc2, CountsThatOverflowAreNoLoophole) {
  EXPECT_TRUE(
      says(pc2_refusal(header(0x40000000, 0x40000000)), {"0 bytes after its header", "1073741824 samples"}));
  EXPECT_TRUE(says(pc2_refusal(header(0x7FFFFFFF, 0x7FFFFFFF)), {"0 bytes after its header"}));
}

TEST(ReadPc2, NamesThePointThatIsNotFinite) {
  std::string bytes = small_pc2();
  bytes.replace(32 + 4 * 10, 4, little_endian(std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(says(pc2_refusal(bytes), {"point 1 of sample 1", "inf", "finite"}));
}

}  // namespace
}  // namespace keydrape
