#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/scene_folder.h"

namespace keydrape {
namespace {

// Keys that other keys leave without effect: each is refused, and says which.
class SilentKeysTest : public SceneFolder {
 protected:
  // Of the smallest scene with this behind it.
  std::string refused(const std::string& text) const { return refusal(kSmallestScene + text); }
  void expect_read(const std::string& text) const { EXPECT_NO_THROW(read(kSmallestScene + text)) << text; }
};

TEST_F(SilentKeysTest, SpringsKnowNoShearNorCompression) {
  const std::string springs = "model = \"springs\"\n", material = "[cloth.material]\n",
                    without = ", which has no effect; expected it only with [cloth] model = \"sheet\"";
  EXPECT_EQ(refused(springs + material + "shear = 5"), "7:9: [cloth.material] shear: found 5" + without);
  EXPECT_EQ(refused(springs + material + "compression = \"buckling\""),
            "7:15: [cloth.material] compression: found 'buckling'" + without);
  EXPECT_EQ(refused(springs + material + "fold_length = 0.02"),
            "7:15: [cloth.material] fold_length: found 0.02" + without);
  EXPECT_EQ(refused(springs + "material = {kes = {g = 0.7}}"),
            "6:24: [cloth.material.kes] g: found 0.7" + without);
  expect_read(springs + material + "stretch = [50, 90]\nbend = 1e-5\ndamping = 0.01\nkes = {weight = 12}");
  expect_read(material + "shear = 5\ncompression = \"buckling\"\nfold_length = 0.02");
  expect_read(springs + "material = \"denim\"");
}

TEST_F(SilentKeysTest, AVelocityWeighsSomething) {
  const std::string keyframe = "[[keyframe]]\nframe = 1060\n", pose = keyframe + "mesh = \"key.obj\"\n";
  EXPECT_EQ(refused(pose + "velocity_weight = 0\nvelocity = [1, 2, 3]"),
            "9:12: [[keyframe]] velocity: found a list of 3, which has no effect; expected it only together "
            "with a velocity_weight above 0");
  EXPECT_EQ(refused(keyframe + "loop = true\nvelocity = [1, 2, 3]"),
            "8:12: [[keyframe]] velocity: found a list of 3, which has no effect; expected it only without "
            "loop");
  expect_read(pose + "velocity_weight = 0.1\nvelocity = [1, 2, 3]");
}

TEST_F(SilentKeysTest, AFixedEffortMakesNoForcesEven) {
  for (const std::string even : {"true", "false"})
    EXPECT_EQ(refused("[control]\neffort = 1e-5\neven = " + even),
              "7:8: [control] even: found " + even +
                  ", which has no effect; expected it only with effort = \"auto\"");
  expect_read("[control]\neven = false");
  expect_read("[control]\neffort = \"auto\"\neven = false");
}

TEST_F(SilentKeysTest, AFolderForAScratchFileWantsOne) {
  const std::string without =
      ": [solver] scratch_dir: found 'fast', which has no effect; expected it only together with a "
      "scratch_gb "
      "above 0";
  EXPECT_EQ(refused("[solver]\nscratch_dir = \"fast\""), "6:15" + without);
  EXPECT_EQ(refused("[solver]\nscratch_gb = 0\nscratch_dir = \"fast\""), "7:15" + without);
  expect_read("[solver]\nscratch_gb = 1\nscratch_dir = \"fast\"");
}

}  // namespace
}  // namespace keydrape
