// Scratch files: what is read is what was written, and nothing stays behind.

#include "io/run/scratch_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/page_vector.h"
#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

PageVector<std::byte> bytes(std::size_t count, int seed) {
  PageVector<std::byte> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::byte>(i * 31 + seed);
  return made;
}

// Through the system's cache, and past it where the memory that is free is promised to others.
class ScratchFiles : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(MemoryTaken, ScratchFiles, testing::Values(0.0, 1e18));

TEST_P(ScratchFiles, GiveBackWhatWasAppended) {
  const TemporaryFolder folder;
  ScratchFolder scratch(folder / "new" / "place", 1e6, GetParam());
  EXPECT_EQ(scratch.capacity_bytes(), 1e6);
  const std::unique_ptr<ScratchFile> file = scratch.open(3e5), other = scratch.open(10);
  // Whole pages and parts of them, from the beginning of a page and from within.
  const PageVector<std::byte> a = bytes(200'001, 1), b = bytes(70'000, 2), c = bytes(5, 3),
                              d = bytes(1 << 16, 4);
  const std::uint64_t at_a = file->append(a), at_c = other->append(c), at_b = file->append(b),
                      at_d = file->append(d), at_end = file->append(std::span(a).subspan(1));
  EXPECT_LE(at_a + a.size(), at_b);
  EXPECT_LE(at_b + b.size(), at_d);
  EXPECT_LE(at_d + d.size(), at_end);
  const auto expect = [](const ScratchFile& from, std::uint64_t begin, std::span<const std::byte> expected) {
    for (const std::size_t shift : {0, 1, 4096}) {
      PageVector<std::byte> read(expected.size() + shift);
      from.read(begin, std::span(read).subspan(shift));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), read.begin() + shift))
          << begin << ' ' << shift;
    }
  };
  expect(*file, at_b, b);
  expect(*file, at_a, a);
  expect(*file, at_d, d);
  expect(*file, at_end, std::span(a).subspan(1));
  expect(*file, at_a + 150'000, std::span(a).subspan(150'000, 100));
  expect(*file, at_a + 4096, std::span(a).subspan(4096, 1 << 17));
  expect(*other, at_c, c);
  // Even while they are open they have no names that a killed program could leave behind.
  EXPECT_TRUE(std::filesystem::is_empty(folder / "new" / "place"));
}

// A program may be killed at any moment.
TEST_P(ScratchFiles, HaveNoNameForAMoment) {
  const TemporaryFolder folder;
  const int unnamed = ::open(folder.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const int watched = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const bool can_tell = unnamed >= 0 && ::inotify_add_watch(watched, folder.path().c_str(), IN_CREATE) >= 0;
  ::close(unnamed);
  std::array<char, 4096> events{};
  if (can_tell) {
    ScratchFolder(folder.path(), 1e6, GetParam()).open(1e5)->append(bytes(100, 1));
    EXPECT_EQ(::read(watched, events.data(), events.size()), -1);
    folder.write("named", "");
    EXPECT_GT(::read(watched, events.data(), events.size()), 0);
  }
  ::close(watched);
  if (!can_tell) GTEST_SKIP() << "the file system names every file, or nobody can watch it";
}

TEST(ScratchFolder, RefusesWhatHasNoRoom) {
  const TemporaryFolder folder;
  ScratchFolder scratch(folder.path(), 1e18);
  try {
    scratch.open(1e18);
    FAIL() << "an exabyte was there";
  } catch (const OutputError& error) {
    const std::string what = error.what();
    for (const char* part : {folder.path().c_str(), "1e+09 GB", "scratch_dir", "scratch_gb"})
      EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST(ScratchFolder, RefusesAPlaceThatIsAFile) {
  const TemporaryFolder folder;
  folder.write("taken", "text");
  EXPECT_THROW(ScratchFolder(folder / "taken", 1e6), OutputError);
}

}  // namespace
}  // namespace keydrape
