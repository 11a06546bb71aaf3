#include "io/file/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

TEST(WholeNumber, TakesWhatAnIntHolds) {
  for (const int number : {0, -1, 7, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    EXPECT_EQ(whole_number(parse_json(std::to_string(number))), number);
  EXPECT_EQ(large_number(parse_json("9223372036854775807")), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole_numbers(parse_json("[3, -4]")), (std::vector<int>{3, -4}));
  EXPECT_TRUE(whole_numbers(parse_json("[]")).empty());
}

TEST(WholeNumber, RefusesAllElse) {
  for (const char* text :
       {"2147483648", "-2147483649", "1.5", "1e3", "1e300", "true", "null", "\"1\"", "[1]", "{}"})
    EXPECT_THROW(whole_number(parse_json(text)), Json::exception) << text;
  EXPECT_THROW(large_number(parse_json("9223372036854775808")), Json::exception);
  for (const char* text : {"3", "{}", "[1, 2.5]", "null"})
    EXPECT_THROW(whole_numbers(parse_json(text)), Json::exception) << text;
}

}  // namespace
}  // namespace keydrape
