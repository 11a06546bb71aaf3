#include "io/formats/mdd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/error.h"
#include "io/file/file.h"
#include "tests/support/small_cache.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

// Big endian, whatever this machine is.
std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}
std::string big_endian(float value) { return big_endian(std::bit_cast<std::uint32_t>(value)); }

// Two samples of two points at 24 fps: 0, 0.5, 1, ...
std::string small_mdd(float begin = 0.0f, float step = 1.0f / 24.0f) {
  std::string bytes = big_endian(2u) + big_endian(2u) + big_endian(begin) + big_endian(begin + step);
  for (int i = 0; i < 12; ++i) bytes += big_endian(0.5f * static_cast<float>(i));
  return bytes;
}

MddCache mdd_of(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_mdd(folder.write("a.mdd", bytes));
}

std::string mdd_refusal(const std::string& bytes) {
  return message_of<InputError>([&] { mdd_of(bytes); });
}

TEST(ReadMdd, ReadsTheDocumentedBytes) {
  const MddCache cache = mdd_of(small_mdd());
  EXPECT_EQ(cache.point_count, 2);
  ASSERT_EQ(cache.samples.size(), 2u);
  EXPECT_EQ(cache.samples[0], VecX(VecX::LinSpaced(6, 0, 2.5)));
  EXPECT_EQ(cache.samples[1], VecX(VecX::LinSpaced(6, 3, 5.5)));
  EXPECT_EQ(cache.fps(), 24.0);
  EXPECT_FALSE(cache.first_frame(24.0));  // times from 0 say nothing
}

TEST(ReadMdd, KnowsTheFrameFromTheTimes) {
  EXPECT_EQ(mdd_of(small_mdd(1001.0f / 24.0f)).first_frame(24.0), 1001);
  EXPECT_FALSE(mdd_of(small_mdd(0.51f / 24.0f)).first_frame(24.0));
}

TEST(MddCache, FindsBroadcastRates) {
  for (const double fps : {23.976023976023978, 24.0, 25.0, 29.97002997002997, 60.0}) {
    MddCache cache;
    for (int f = 0; f < 48; ++f)
      cache.seconds.push_back(static_cast<double>(static_cast<float>((1001 + f) / fps)));
    ASSERT_TRUE(cache.fps());
    EXPECT_NEAR(*cache.fps(), fps, 1e-9);
    EXPECT_EQ(cache.first_frame(*cache.fps()), 1001);
  }
}

// As people write them, and where a frame is hardly longer than what a float leaves.
TEST(MddCache, FindsTheFramesOfEveryUsualRate) {
  for (const double fps : {23.976, 24000 / 1001.0, 24.0, 25.0, 29.97, 30000 / 1001.0, 29.97002997, 30.0, 48.0,
                           50.0, 59.94, 60.0, 12.5})
    for (const int first : {1, 101, 1001, 20000, 86400, 90000}) {
      MddCache cache;
      cache.seconds = mdd_seconds({first, first + 23}, fps);
      const FrameTimes times = cache.frame_times({24.0, 7});
      EXPECT_NEAR(times.fps, fps, 1e-7 * fps) << first;
      EXPECT_EQ(times.first_frame, first) << fps;
    }
}

// A rate that nobody would guess is found by whoever knows it; of one sample the times say none.
TEST(MddCache, TakesTheExpectedRateWhereTheTimesBearItOut) {
  MddCache cache;
  cache.seconds = mdd_seconds({90000, 90023}, 12.3456);
  EXPECT_EQ(cache.frame_times({12.3456, 7}).fps, 12.3456);
  EXPECT_EQ(cache.frame_times({12.3456, 7}).first_frame, 90000);
  EXPECT_NEAR(cache.frame_times({24.0, 7}).fps, 12.3456, 0.01);
  cache.seconds = mdd_seconds({1005, 1005}, 30.0);
  EXPECT_EQ(cache.frame_times({30.0, 7}).first_frame, 1005);
  EXPECT_EQ(cache.frame_times({24.0, 7}).first_frame, 804);
  cache.seconds = mdd_seconds({0, 23}, 23.976);
  EXPECT_EQ(cache.frame_times({24.0, 7}).fps, 23.976);
  EXPECT_EQ(cache.frame_times({24.0, 7}).first_frame, 7) << "from 0 on they say nothing";
}

// Times of a writer that multiplies in single precision.
TEST(MddCache, FindsTheFramesOfRoughTimes) {
  for (const double fps : {23.976, 24.0, 25.0, 29.97, 30.0})
    for (const int first : {1, 1001, 86400}) {
      MddCache cache;
      for (int frame = first; frame < first + 100; ++frame)
        cache.seconds.push_back(
            static_cast<double>(static_cast<float>(frame) * static_cast<float>(1.0 / fps)));
      EXPECT_EQ(cache.frame_times({24.0, 7}).fps, fps) << first;
      EXPECT_EQ(cache.frame_times({24.0, 7}).first_frame, first) << fps;
    }
}

TEST(Mdd, RoundTripRoundsToSinglePrecisionOnly) {
  const TemporaryFolder folder;
  const MeshCache written = small_cache();
  const auto writer = open_mdd_writer(folder / "a.mdd", written.header);
  for (const CacheFrame& frame : written.frames) writer->append(frame);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.mdd"));
  writer->commit();
  const MddCache cache = read_mdd(folder / "a.mdd");
  EXPECT_EQ(cache.fps(), 24.0);
  EXPECT_EQ(cache.first_frame(24.0), 1001);
  ASSERT_EQ(cache.samples.size(), 4u);
  for (std::size_t f = 0; f < 4; ++f) EXPECT_EQ(cache.samples[f], rounded(written.frames[f].positions));
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(MddWriter, RefusesWhatNoFloatHoldsAndLeavesNothing) {
  const TemporaryFolder folder;
  MeshCache cache = small_cache();
  cache.frames[1].positions[4] = 1e39;
  {
    const auto writer = open_mdd_writer(folder / "a.mdd", cache.header);
    writer->append(cache.frames[0]);
    EXPECT_TRUE(
        says(message_of<OutputError>([&] { writer->append(cache.frames[1]); }), {"a.mdd", "frame 1002"}));
  }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(ReadMdd, RefusesEveryTruncationAndEveryAddition) {
  const std::string whole = small_mdd();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(says(mdd_refusal(whole.substr(0, size)), {"expected", "export it again"})) << size;
  EXPECT_TRUE(says(mdd_refusal(whole + '\0'), {"57 bytes after its header", "2 samples of 2 points"}));
}

TEST(ReadMdd, RefusesBadCountsAndTimes) {
  EXPECT_TRUE(says(mdd_refusal(big_endian(0u) + big_endian(1u)), {"0 samples"}));
  EXPECT_TRUE(says(mdd_refusal(big_endian(0xFFFFFFFFu) + big_endian(1u)), {"-1 samples"}));
  EXPECT_TRUE(
      says(mdd_refusal(big_endian(0x7FFFFFFFu) + big_endian(0x7FFFFFFFu)), {"0 bytes after its header"}));
  EXPECT_TRUE(says(mdd_refusal(small_mdd(0.0f, -1.0f)), {"samples 0 and 1", "apart"}));
  EXPECT_TRUE(says(mdd_refusal(small_mdd(std::nanf(""))), {"time of sample 0", "nan"}));
}

TEST(ReadMdd, NamesThePointThatIsNotFinite) {
  std::string bytes = small_mdd();
  bytes.replace(16 + 4 * 10, 4, big_endian(std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(says(mdd_refusal(bytes), {"point 1 of sample 1", "inf"}));
}

}  // namespace
}  // namespace keydrape
