// What files of weights cover is said, and doubted where it is likely of another mesh.

#include <fmt/format.h>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliWeightsTest : public CliFolder {
 protected:
  struct Said {
    std::string cover, doubts;
  };

  // Of the keyframe's weights, a list of the vertices from `first` on in steps, and whether they are weighty.
  Said said(int first, int end, int step = 1, double of_odd = 0.5) const {
    std::string list;
    for (int v = first; v < end; v += step) list += fmt::format("{} {}\n", v, v % 2 == 1 ? of_odd : 0.5);
    return said_of(list);
  }
  Said said_of(const std::string& list) const {
    folder_.write("w.txt", list);
    folder_.write("scene.toml", scene_text() + "weights = \"w.txt\"\n");
    const ProgramResult result = run({"solve", "scene.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return {result.out, result.err};
  }
};

TEST_F(CliWeightsTest, SaysWhatIsCovered) {
  const Said some = said(20, 30);
  EXPECT_TRUE(
      says(some.cover, {"\nweights        w.txt for the [[keyframe]] of line 8: 10 of 36 vertices have "
                        "weight, the others none\n"}))
      << some.cover;
  EXPECT_EQ(some.doubts, "");
  EXPECT_TRUE(says(said(30, 31).cover, {"1 of 36 vertices has weight"}));
  const Said all = said(0, 36, 1, 0.25);
  EXPECT_TRUE(says(all.cover, {"all 36 vertices have weight, 0.25 to 0.5"}));
  EXPECT_EQ(all.doubts, "");
}

TEST_F(CliWeightsTest, SaysItInTheFirstLinesOfARun) {
  said(20, 30);
  const std::string solved = run({"solve", "scene.toml", "-o", "out", "--no-report"}).err;
  EXPECT_LT(solved.find("weights: w.txt for the [[keyframe]] of line 8: 10 of 36"), solved.find("memory: "));
  EXPECT_TRUE(
      says(run({"simulate", "scene.toml", "-o", "free"}).err, {"weights: w.txt for the [[keyframe]]"}));
}

TEST_F(CliWeightsTest, AListForAMeshOfFewerVertices) {
  EXPECT_TRUE(
      says(said(0, 25).doubts, {"scene.toml:12:11: [[keyframe]] weights: w.txt: names vertices 0 to 24 "
                                "without a gap and none of the 11 others, as a list for another mesh "
                                "would",
                                "name the others with 0"}));
  // A painting that names zeros names all of its mesh; a list of few vertices may be the first ones.
  EXPECT_TRUE(says(said(0, 12, 1, 0.0).doubts, {"names vertices 0 to 11 without a gap"}));
  EXPECT_EQ(said(0, 12).doubts, "");
  std::string list;
  for (int v = 0; v < 36; ++v) list += fmt::format("{} {}\n", v, v < 25 ? 0.5 : 0.0);
  EXPECT_EQ(said_of(list).doubts, "");
}

TEST_F(CliWeightsTest, WhatIsAGroupIsMeant) {
  std::string points;
  for (int v = 1; v <= 25; ++v) points += fmt::format(" {}", v);
  folder_.write("rest.obj", sheet() + "g front\np" + points + "\n");
  EXPECT_EQ(said(0, 25).doubts, "");
}

// 8 and more inner vertices that are alone are no buttons.
TEST_F(CliWeightsTest, ScatteredWeights) {
  folder_.write("rest.obj", sheet({}, 11));
  folder_.write("key.obj", sheet([](double&, double& y, double& z) { z = -0.3 * y; }, 11));
  std::string list, few;
  for (int i = 1; i < 10; i += 3)
    for (int j = 1; j < 10; j += 3) list += fmt::format("{} 1\n", 11 * i + j);
  EXPECT_TRUE(says(said_of(list).doubts,
                   {"9 of its 9 vertices with weight have no neighbour with weight", "they lie scattered"}));
  EXPECT_EQ(said_of(list.substr(0, list.find("81"))).doubts, "");
  for (int j = 0; j < 121; j += 11) few += fmt::format("{} 1\n", j);  // hooks along an edge
  EXPECT_EQ(said_of(few).doubts, "");
}

// Of a hard pin weights choose, and do no more.
TEST_F(CliWeightsTest, OfAPinThatDoesNotGive) {
  folder_.write("crown.txt", "30 0.25\n31 1\n32 0.5\n");
  const auto doubts = [&](const std::string& more) {
    folder_.write("pinned.toml", scene_text() + "[[pin]]\nweights = \"crown.txt\"\n" + more);
    const ProgramResult result = run({"solve", "pinned.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_TRUE(
      says(doubts(""), {"[[pin]] weights: 2 of 3 vertices with weight have less than 1, and are held as "
                        "fast as the others: give the pin a stiffness"}));
  EXPECT_FALSE(says(doubts("stiffness = 100\n"), {"held as fast as"}));
  folder_.write("crown.txt", "30 1\n31 1\n");
  EXPECT_FALSE(says(doubts(""), {"held as fast as"}));
}

}  // namespace
}  // namespace keydrape
