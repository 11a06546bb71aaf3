#include "io/cache/frame_range.h"

#include <gtest/gtest.h>

namespace keydrape {
namespace {

TEST(FrameRange, Grammar) {
  EXPECT_EQ(parse_frame_range("1001-1060")->text(), "1001-1060");
  EXPECT_EQ(parse_frame_range("0-1")->count(), 2);
  EXPECT_TRUE(parse_frame_range("0001-9999999"));
  for (const char* text : {"", "-", "5", "5-", "-5", "5-5", "6-5", " 1-2", "1 -2", "1-2 ", "1-2-3", "-1-2",
                           "+1-2", "1.0-2", "0x1-2", "1-10000000", "1-99999999999999999999"}) {
    EXPECT_FALSE(parse_frame_range(text)) << text;
  }
  EXPECT_TRUE((FrameRange{5, 9}.contains(9)));
  EXPECT_FALSE((FrameRange{5, 9}.contains(10)));
}

}  // namespace
}  // namespace keydrape
