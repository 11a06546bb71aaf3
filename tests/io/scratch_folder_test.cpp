// Scratch files: what is read is what was written, and nothing stays behind.

#include "io/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "io/file.h"
#include "tests/io/temporary_folder.h"

namespace keydrape {
namespace {

std::vector<std::byte> bytes(std::size_t count, int seed) {
  std::vector<std::byte> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::byte>(i * 31 + seed);
  return made;
}

TEST(ScratchFolder, GivesBackWhatWasAppended) {
  const TemporaryFolder folder;
  ScratchFolder scratch(folder / "new" / "place", 1e6);
  EXPECT_EQ(scratch.capacity_bytes(), 1e6);
  const std::unique_ptr<ScratchFile> file = scratch.open(3e5), other = scratch.open(10);
  const std::vector<std::byte> a = bytes(200'001, 1), b = bytes(70'000, 2), c = bytes(5, 3);
  EXPECT_EQ(file->append(a), 0u);
  EXPECT_EQ(other->append(c), 0u);
  EXPECT_EQ(file->append(b), a.size());
  std::vector<std::byte> read(b.size());
  file->read(a.size(), read);
  EXPECT_EQ(read, b);
  read.resize(100);
  file->read(150'000, read);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), a.begin() + 150'000));
  read.resize(c.size());
  other->read(0, read);
  EXPECT_EQ(read, c);
  // Even while they are open they have no names that a killed program could leave behind.
  EXPECT_TRUE(std::filesystem::is_empty(folder / "new" / "place"));
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
