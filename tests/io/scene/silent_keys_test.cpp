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
  EXPECT_EQ(
      refused(material + "model = \"isotropic\"\nyoung = 100\npoisson = 0.3\nfold_length = 0.02"),
      "9:15: [cloth.material] fold_length: found 0.02, which has no effect; expected it only with model = "
      "\"woven\"");
  expect_read(springs + material + "model = \"isotropic\"\nyoung = 100");
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

TEST_F(SilentKeysTest, ChannelsAloneAreNotSteered) {
  const std::string channel = "[[control.channel]]\nkind = \"initial-velocity\"\n";
  for (const std::string start : {"guided", "zero"})
    EXPECT_EQ(refused("[control]\nforces = false\nstart = \"" + start + "\"\n" + channel),
              "7:9: [control] start: found '" + start +
                  "', which has no effect; expected it only without forces = false");
  expect_read("[control]\nstart = \"zero\"\n" + channel);
  expect_read("[control]\nstart = \"zero\"\nrelative_to = \"velocity.npy\"");
  expect_read("[control]\nstart = \"zero\"\nwindows = {length = 20, overlap = 5}");
  expect_read("[control]\nstart = \"zero\"\ncoarse_levels = 1\ncoarse_to_fine = [\"mesh\"]");
}

TEST_F(SilentKeysTest, AFolderForAScratchFileWantsOne) {
  const std::string without =
      ": [solver] scratch_dir: found 'fast', which has no effect; expected it only together with a "
      "scratch_gb above 0";
  EXPECT_EQ(refused("[solver]\nscratch_dir = \"fast\""), "6:15" + without);
  EXPECT_EQ(refused("[solver]\nscratch_gb = 0\nscratch_dir = \"fast\""), "7:15" + without);
  expect_read("[solver]\nscratch_gb = 1\nscratch_dir = \"fast\"");
}

// Linearized steps solve one system, whatever it leaves; one whose way is blocked is solved as newton's.
TEST_F(SilentKeysTest, OnlyStepsThatGoOnHaveATolerance) {
  const std::string tolerance = "newton_tolerance = 0.001\n",
                    limited = "[cloth.material]\nstrain_limit = 0.1\n",
                    swapped = "[control]\ngradient = \"swapped\"\n[solver]\n" + tolerance;
  const auto steps = [&](const std::string& integrator) {
    return "[solver]\nintegrator = \"" + integrator + "\"\n" + tolerance;
  };
  for (const std::string integrator : {"linearized", "explicit"})
    EXPECT_EQ(
        refused(steps(integrator)),
        "7:20: [solver] newton_tolerance: found 0.001, which has no effect; expected it only with "
        "integrator = \"newton\", \"bdf2\" or one with rounds; of linearized steps where a barrier or a "
        "strain_limit may block one");
  EXPECT_EQ(refused(swapped),
            "8:20: [solver] newton_tolerance: found 0.001, which has no effect; expected it only without "
            "gradient = \"swapped\" in [control], whose steps are linearized");
  const std::string penalty =
      "[contact]\nself = false\nmethod = \"penalty\"\n[[collider]]\nsphere = {center = "
      "[0, -2, 0], radius = 1}\n";
  EXPECT_EQ(refused(steps("linearized") + penalty).substr(0, 5), "7:20:");
  for (const std::string integrator : {"newton", "bdf2", "prefactored", "predictor", "descent"})
    expect_read(steps(integrator));
  expect_read(steps("linearized") + "[contact]\n");
  expect_read(limited + steps("linearized"));
  expect_read(limited + swapped);
}

TEST_F(SilentKeysTest, FrictionIsFeltBySomethingAndSticksWhereThereIsSome) {
  const std::string ball = "[[collider]]\nsphere = {center = [0, -2, 0], radius = 1}\n",
                    contact = "[contact]\nself = false\n", rough = ball + "friction = 0.3\n",
                    speed = "sliding_speed = 0.001\n";
  EXPECT_EQ(
      refused(contact + "friction = 0.5\n" + rough),
      "7:12: [contact] friction: found 0.5, which has no effect; expected it only without self = false, "
      "or with a [[collider]] that has no friction of its own");
  expect_read(contact + "friction = 0.5\n" + rough + ball);
  expect_read("[contact]\nfriction = 0.5\n" + rough);
  const std::string still =
      "7:17: [contact] sliding_speed: found 0.001, which has no effect; expected it only with a friction "
      "above 0";
  EXPECT_EQ(refused(contact + speed + ball), still);
  EXPECT_EQ(refused(contact + speed + ball + "friction = 0\n"), still);
  expect_read(contact + speed + rough);
  expect_read("[contact]\n" + speed + "friction = [[1001, 0], [1010, 0.5]]\n");
}

}  // namespace
}  // namespace keydrape
