#include "io/file/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

// Files can grow to `bytes` only, as on a full disk, until the end of the scope.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);  // write() is to answer instead
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

// Root may read and write everything, so that it has to become somebody else until the end of the scope.
class NoRoot {
 public:
  NoRoot() { is_root_now_ = ::geteuid() == 0 && ::seteuid(65534) != 0; }
  ~NoRoot() {
    if (::getuid() == 0 && ::seteuid(0) != 0) ADD_FAILURE() << "cannot become root again";
  }
  bool is_root_now() const { return is_root_now_; }

 private:
  bool is_root_now_;
};

TEST(ReadFile, ReturnsEveryByte) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xFF\x1A", 6);
  EXPECT_EQ(read_file(folder.write("bytes", bytes)), bytes);
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
}

TEST(ReadFile, NamesPathAndReasonOfAMissingFile) {
  const TemporaryFolder folder;
  const std::string message = message_of<InputError>([&] { read_file(folder / "no.obj"); });
  EXPECT_TRUE(says(message, {(folder / "no.obj").string(), "No such file", "check the name"}));
}

TEST(ReadFile, RefusesFoldersAndDevices) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(message_of<InputError>([&] { read_file(folder.path()); }), {"Is a directory", "inside"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { read_file("/dev/zero"); }), {"/dev/zero", "regular file"}));
}

TEST(ReadFile, DoesNotWaitForAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(says(message_of<InputError>([&] { read_file(folder / "pipe"); }), {"pipe", "regular file"}));
}

TEST(ReadFile, NamesMissingPermission) {
  const TemporaryFolder folder;
  const auto path = folder.write("secret.obj", "v 0 0 0");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms(0));
  const NoRoot no_root;
  if (no_root.is_root_now()) GTEST_SKIP() << "root reads everything";
  EXPECT_TRUE(
      says(message_of<InputError>([&] { read_file(path); }), {path.string(), "Permission denied", "ask"}));
}

TEST(ReadFile, RefusesAFileBeyondTheLimit) {
  const TemporaryFolder folder;
  const auto path = folder.write("huge.obj", "");
  std::filesystem::resize_file(path, kMaxTextBytes + 1);  // a hole: takes no space
  EXPECT_TRUE(says(message_of<InputError>([&] { read_file(path); }), {path.string(), "2147483648 bytes"}));
}

TEST(InputFile, SaysThatAFileEndsTooEarly) {
  const TemporaryFolder folder;
  InputFile file(folder.write("short", "abc"));
  char bytes[5];
  EXPECT_TRUE(says(message_of<InputError>([&] { file.read(bytes, 5); }), {"short", "2 bytes too early"}));
}

TEST(AtomicFile, AppearsAtCommitOnly) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a.pc2");
  file.append("header", 6);
  file.append("body", 4);
  file.overwrite(0, "HEAD", 4);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2"));
  file.commit();
  EXPECT_EQ(folder.read("a.pc2"), "HEADerbody");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(AtomicFile, ReplacesAnOlderFile) {
  const TemporaryFolder folder;
  folder.write("a", "a much longer old text");
  write_file_atomically(folder / "a", "new");
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(AtomicFile, WithoutCommitLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    AtomicFile file(folder / "a");
    file.append("new", 3);
    EXPECT_EQ(folder.file_count(), 2);
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(AtomicFile, TwoWritersOfOneNameDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a");
  AtomicFile second(folder / "a");
  first.append("1111", 4);
  second.append("22", 2);
  first.commit();
  EXPECT_EQ(folder.read("a"), "1111");
  second.commit();
  EXPECT_EQ(folder.read("a"), "22");
}

TEST(AtomicFile, ReportsAFullDiskAndCleansUp) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  std::string message;
  {
    const FullDisk full(1000);
    message = message_of<OutputError>([&] { write_file_atomically(folder / "a", std::string(5000, 'x')); });
  }
  EXPECT_TRUE(says(message, {(folder / "a").string(), "File too large", "free some space"}));
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(ShortPath, LeadsWhereTheSystemDoes) {
  const TemporaryFolder folder;
  const std::filesystem::path top = std::filesystem::canonical(folder.path());
  std::filesystem::create_directories(top / "far/away");
  std::filesystem::create_directory_symlink("far/away", top / "link");
  EXPECT_EQ(short_path(top / "./none/../far/./away/../a"), top / "far/a");
  EXPECT_EQ(short_path(top / "link/a"), top / "link/a");
  EXPECT_EQ(short_path(top / "link/../a"), top / "far/a");
  EXPECT_EQ(short_path(top / "link/none/../../a"), top / "far/a");
  EXPECT_EQ(short_path(top / "link/../../link/../a"), top / "far/a");
  EXPECT_EQ(short_path("../../a"), "../../a");
  EXPECT_EQ(short_path("a/.."), ".");
  EXPECT_EQ(short_path("/../a"), "/a");
}

TEST(AtomicFile, NeverReplacesADeviceOrAFolder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(message_of<OutputError>([&] { write_file_atomically("/dev/full", "x"); }),
                   {"/dev/full", "device"}));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(
      says(message_of<OutputError>([&] { AtomicFile file(folder.path()); }), {folder.path().string()}));
}

TEST(AtomicFile, ANameThatIsTooLongIsToBeShorter) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / std::string(250, 's');
  EXPECT_TRUE(
      says(message_of<OutputError>([&] { write_file_atomically(file, ""); }), {"choose a shorter name"}));
}

TEST(AtomicFile, NamesAMissingFolder) {
  const TemporaryFolder folder;
  const std::string message = message_of<OutputError>([&] { AtomicFile file(folder / "no/a"); });
  EXPECT_TRUE(says(message, {"no/a", "No such file or directory", "create the output folder"}));
}

TEST(AtomicFile, NamesMissingPermission) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  {
    const NoRoot no_root;
    if (no_root.is_root_now()) GTEST_SKIP() << "root writes everything";
    const std::string message = message_of<OutputError>([&] { AtomicFile file(folder / "a"); });
    EXPECT_TRUE(says(message, {"Permission denied", "may write to"}));
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace keydrape
