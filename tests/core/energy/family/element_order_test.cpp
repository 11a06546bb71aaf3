#include "core/energy/family/element_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace keydrape {
namespace {

constexpr int kBlock = 16;

// The triangles of a sheet of side^2 squares, in any order, with vertices numbered anyhow.
std::vector<int> shuffled_sheet(int side, unsigned seed) {
  std::vector<int> number((side + 1) * (side + 1));
  std::iota(number.begin(), number.end(), 0);
  std::mt19937_64 rng(seed);
  std::shuffle(number.begin(), number.end(), rng);
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int a = i * (side + 1) + j, b = a + side + 1;
      triangles.push_back({number[a], number[a + 1], number[b]});
      triangles.push_back({number[a + 1], number[b + 1], number[b]});
    }
  std::shuffle(triangles.begin(), triangles.end(), rng);
  std::vector<int> vertices;
  for (const auto& t : triangles) vertices.insert(vertices.end(), t.begin(), t.end());
  return vertices;
}

void expect_sound(const ElementOrder& order, const std::vector<int>& vertices, int per_element) {
  const int count = static_cast<int>(vertices.size()) / per_element;
  std::vector<int> sorted = order.elements;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(static_cast<int>(sorted.size()), count);
  for (int e = 0; e < count; ++e) EXPECT_EQ(sorted[e], e);
  EXPECT_EQ(order.block_begin.front(), 0);
  EXPECT_EQ(order.block_begin.back(), count);
  EXPECT_EQ(order.colour_begin.back(), static_cast<int>(order.block_begin.size()) - 1);
  int short_blocks = 0;
  for (size_t c = 0; c + 1 < order.colour_begin.size(); ++c) {
    std::set<int> written;
    for (int k = order.colour_begin[c]; k < order.colour_begin[c + 1]; ++k) {
      const int size = order.block_begin[k + 1] - order.block_begin[k];
      EXPECT_TRUE(0 < size && size <= kBlock);
      short_blocks += size < kBlock;
      std::set<int> own;
      for (int i = order.block_begin[k]; i < order.block_begin[k + 1]; ++i)
        for (int a = 0; a < per_element; ++a) own.insert(vertices[per_element * order.elements[i] + a]);
      for (const int v : own) EXPECT_TRUE(written.insert(v).second) << "two blocks of a colour share " << v;
    }
  }
  EXPECT_LE(short_blocks, 1);
}

TEST(ElementOrder, GivesBlocksOfOneColourNoVertexInCommon) {
  for (const int side : {1, 3, 8, 20}) {
    const std::vector<int> sheet = shuffled_sheet(side, 1);
    expect_sound(order_elements(sheet, 3, kBlock), sheet, 3);
  }
}

TEST(ElementOrder, NeedsFewColoursHoweverAMeshIsNumbered) {
  // Of elements one by one a sheet needs six at least, where six triangles meet.
  for (const unsigned seed : {1u, 2u, 3u}) {
    const ElementOrder order = order_elements(shuffled_sheet(60, seed), 3, 128);
    EXPECT_LE(order.colour_begin.size() - 1, 4u);
  }
}

TEST(ElementOrder, TakesPartsThatHangOnNothing) {
  std::vector<int> apart;
  apart.reserve(50);
  for (int i = 0; i < 50; ++i) apart.push_back(7 * i % 50);
  expect_sound(order_elements(apart, 1, kBlock), apart, 1);
  EXPECT_EQ(order_elements(apart, 1, kBlock).colour_begin.size(), 2u);
}

TEST(ElementOrder, OfNothingIsEmpty) {
  const ElementOrder order = order_elements({}, 3, kBlock);
  EXPECT_TRUE(order.elements.empty());
  EXPECT_EQ(order.block_begin, std::vector<int>{0});
  EXPECT_EQ(order.colour_begin, std::vector<int>{0});
}

}  // namespace
}  // namespace keydrape
