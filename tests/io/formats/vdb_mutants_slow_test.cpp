#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "tests/support/vdb_sphere.h"

// Damaged level sets: refused or right, in bounded time and memory.

namespace keydrape {
namespace {

class VdbMutants : public VdbFile {};

// Each mutant is refused, or it is the sphere to less than a voxel: what no reader can tell
// from another body.
TEST_F(VdbMutants, MutantsAreRefusedOrRight) {
  write(folder_ / "plain.vdb", {sphere()});
  write(folder_ / "blosc.vdb", {sphere()}, openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
  std::mt19937_64 random(11);
  int refused = 0, right = 0;
  double slowest = 0;
  const auto judge = [&](const std::string& bytes, const std::string& what) {
    folder_.write("mutant.vdb", bytes);
    const auto start = std::chrono::steady_clock::now();
    try {
      const auto field = read("mutant.vdb");
      EXPECT_LT(deviation(*field), 1.0) << what;
      ++right;
    } catch (const InputError&) {
      ++refused;
    }
    slowest =
        std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  for (const char* name : {"plain.vdb", "blosc.vdb"}) {
    const std::string whole = folder_.read(name);
    const std::size_t header = 2000;  // magic number, versions, metadata, offsets, transform, first nodes
    for (int i = 0; i < 120; ++i) {
      std::string bytes = whole;
      const std::size_t at = i % 2 == 0 ? random() % header : random() % whole.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      judge(bytes, fmt::format("{}: one bit of byte {}", name, at));
    }
    for (int i = 0; i < 40; ++i) {  // sizes and counts: 32 and 64 bit words of all kinds
      std::string bytes = whole;
      const std::size_t at = random() % header;
      const std::uint64_t words[] = {0, 1, 0x7fffffff, 0xffffffffffffffff, 0x7fffffffffffffff, random()};
      std::memcpy(&bytes[at], &words[random() % 6], i % 2 == 0 ? 4 : 8);
      judge(bytes, fmt::format("{}: a word at {}", name, at));
    }
    for (int i = 0; i < 20; ++i) {  // holes
      std::string bytes = whole;
      const std::size_t at = random() % (whole.size() - 512);
      std::memset(&bytes[at], i % 2 == 0 ? 0 : 0xff, 512);
      judge(bytes, fmt::format("{}: a hole at {}", name, at));
    }
  }
  RecordProperty("refused", refused);
  RecordProperty("right", right);
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  std::printf("%d mutants refused, %d right; at most %.2f s and %.0f MiB\n", refused, right, slowest,
              children.ru_maxrss / 1024.0);
  EXPECT_LE(children.ru_maxrss, 2L << 20);  // [KiB]
  EXPECT_LE(slowest, kSecondsAllowed + 1);
  EXPECT_GT(refused, right);
}

}  // namespace
}  // namespace keydrape
