// What a search remembers, as checkpoint.json has it.

#include "io/run/search_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace keydrape {
namespace {

// Those from before such runs were counted have none.
TEST(SearchJson, KeepsWhatIsKnownOfTheBestRunThatMeets) {
  const FrameRange frames{1001, 1006};
  SearchState state;
  state.weight_memory.emplace();
  state.weight_memory->best_met = {.merit = 0.25, .cost = 3.0, .no_better = 1, .lost = {2, 1.5}};
  state.weight_memory->since_met = MissedAgain{3, 2.5};
  state.weight_memory->after_met = 4;
  nlohmann::ordered_json json = state_json(state, frames);
  const auto kept = [&] { return state_of(json, frames).weight_memory->best_met; };
  EXPECT_EQ(kept().merit, 0.25);
  EXPECT_EQ(kept().cost, 3.0);
  EXPECT_EQ(kept().no_better, 1);
  EXPECT_EQ(kept().lost.count, 2);
  EXPECT_EQ(kept().lost.nearest, 1.5);
  const auto since_met = [&] { return state_of(json, frames).weight_memory->since_met; };
  ASSERT_TRUE(since_met());
  EXPECT_EQ(since_met()->count, 3);
  EXPECT_EQ(since_met()->nearest, 2.5);
  EXPECT_EQ(state_of(json, frames).weight_memory->after_met, 4);
  json["weight_memory"].erase("after_met");
  EXPECT_EQ(state_of(json, frames).weight_memory->after_met, 0);
  json["weight_memory"].erase("least_cost");
  json["weight_memory"].erase("lost");
  EXPECT_EQ(kept().no_better, 1);
  EXPECT_EQ(kept().cost, 0.0);
  EXPECT_EQ(kept().lost.count, 0);
  json["weight_memory"].erase("nearest_missed");
  EXPECT_FALSE(since_met()->nearest);
  json["weight_memory"]["missed_since"] = -1;
  EXPECT_FALSE(since_met());
}

}  // namespace
}  // namespace keydrape
