#include "io/file/short_number.h"

#include <gtest/gtest.h>

#include "io/file/counted.h"

namespace keydrape {
namespace {

TEST(ShortNumber, ThreeDigitsCountAndThereIsNoExponent) {
  EXPECT_EQ(short_number(434.2), "434");
  EXPECT_EQ(short_number(430.0, 2), "430");
  EXPECT_EQ(short_number(999.7), "1000");
  EXPECT_EQ(short_number(1270.0), "1270");
  EXPECT_EQ(short_number(12'712.0), "12,700");
  EXPECT_EQ(short_number(1'270'000.0), "1,270,000");
  EXPECT_EQ(short_number(0.00123), "0.00123");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(12.0), "12");
  EXPECT_EQ(short_number(-2.345), "-2.35");
  EXPECT_EQ(short_number(-12'345.0), "-12,300");
  EXPECT_EQ(short_number(0.0), "0");
  EXPECT_EQ(short_number(2.37e-10), "2.37e-10");
  EXPECT_EQ(short_number(3.5e12), "3.5e+12");
}

TEST(ShortNumber, LengthsHaveTheUnitThatFits) {
  EXPECT_EQ(length_text(430.0), "430 m");
  EXPECT_EQ(length_text(1.414), "1.41 m");
  EXPECT_EQ(length_text(0.25), "25 cm");
  EXPECT_EQ(length_text(0.0057), "5.7 mm");
  EXPECT_EQ(length_text(0.0), "0 m");
}

TEST(Counted, TellsOneFromMany) {
  EXPECT_EQ(counted(1, "pin"), "1 pin");
  EXPECT_EQ(counted(std::size_t{0}, "pin"), "0 pins");
  EXPECT_EQ(counted(2L, "vertex", "vertices"), "2 vertices");
  EXPECT_EQ(counted(1L, "vertex", "vertices"), "1 vertex");
}

}  // namespace
}  // namespace keydrape
