#include "tests/fuzz/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

#include "core/base/error.h"
#include "io/formats/mdd.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/repair.h"
#include "tests/support/temporary_folder.h"

namespace keydrape::fuzz {
namespace {

TEST(FuzzParts, ReadsFilesBetweenTheirLines) {
  const std::vector<Part> parts = parts_of("@@@ a\none\n\n@@@ b/c\n@@@ d");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "a");
  EXPECT_EQ(parts[0].bytes, "one\n");
  EXPECT_EQ(parts[1].name, "b/c");
  EXPECT_EQ(parts[1].bytes, "");
  EXPECT_EQ(parts[2].name, "d");
  EXPECT_TRUE(parts_of("").empty());
  EXPECT_TRUE(parts_of(" @@@ a\n").empty());
  EXPECT_EQ(parts_of("no file\n@@@ a\n1").at(0).bytes, "1");
}

// Bytes at random, then repaired: a file that its reader takes as a whole one.
class FuzzRepair : public testing::Test {
 protected:
  std::string repaired(std::size_t (*repair)(std::uint8_t*, std::size_t, std::size_t), std::string bytes) {
    const std::size_t size = bytes.size();
    bytes.resize(size + 200);
    bytes.resize(repair(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
    return bytes;
  }
  std::string noise(std::size_t size) {
    std::string bytes(size, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random_() % 60); });
    return bytes;
  }

  TemporaryFolder folder_;
  std::mt19937_64 random_{7};
};

TEST_F(FuzzRepair, MakesCountsFitTheBytes) {
  for (std::size_t size = 200; size < 240; ++size) {
    EXPECT_GE(read_pc2(folder_.write("a.pc2", repaired(repair_pc2, noise(size)))).samples.size(), 1U);
    const std::string counts("\5\5\5\5\0\0\0\x9", 8);  // nine points, of which the rest holds one sample
    const auto mdd = folder_.write("a.mdd", repaired(repair_mdd, counts + noise(150)));
    EXPECT_EQ(read_mdd(mdd).seconds.size(), 1U);
    const std::string header = std::string("\x93NUMPY\1\0\x46\0", 10) +
                               "{'descr': '<f8', 'fortran_order': False, 'shape': (99, 2, 3), }      \n";
    const auto npy = folder_.write("a.npy", repaired(repair_npy, header + std::string(size, '\0')));
    EXPECT_EQ(read_npy(npy).shape.at(0), static_cast<std::int64_t>(size) / 48);
  }
}

TEST_F(FuzzRepair, RepairsPartsByTheirNames) {
  const std::string bytes = repaired(repair_parts, "@@@ a.pc2\n" + noise(200) + "\n@@@ b.obj\nv 1\n");
  const std::vector<Part> parts = parts_of(bytes);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_GE(read_pc2(folder_.write("a.pc2", parts[0].bytes)).samples.size(), 1U);
  EXPECT_EQ(parts[1].bytes, "v 1\n");
}

// The judge of the targets can fail.
TEST(FuzzExpectDeathTest, EndsWhereNobodyIsToBlame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // others have begun threads
  EXPECT_DEATH(expect_answer([] { throw InputError("something is wrong"); }), "something is wrong");
  EXPECT_THROW(expect_answer([] { throw std::out_of_range("vector"); }), std::out_of_range);
  EXPECT_DEATH(expect(false, "a hole"), "a hole");
  expect_answer([] { throw InputError(input_folder().path().string() + ": is empty"); });
}

}  // namespace
}  // namespace keydrape::fuzz
