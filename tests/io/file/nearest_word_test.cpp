#include "io/file/nearest_word.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace keydrape {
namespace {

TEST(NearestWord, OneInFourCharactersMayDiffer) {
  const std::vector<std::string_view> words = {"frames", "fps", "substeps"};
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("pgc", "pcg"), 1);
  EXPECT_EQ(edit_distance("frames", "frames"), 0);
  EXPECT_EQ(nearest_word("frame", words), "frames");
  EXPECT_EQ(nearest_word("sub_steps", words), "substeps");
  EXPECT_FALSE(nearest_word("gravity", words));
}

}  // namespace
}  // namespace keydrape
