#include "io/scene/written_keys.h"

#include <gtest/gtest.h>

namespace keydrape {
namespace {

TEST(WrittenKeys, AreNamedAsSettingsNameThem) {
  const std::vector<SceneSetting> keys = written_keys(
      "[shot]\nframes = \"1001-1010\"\ngravity = [0, -9.81, 0]\n[cloth.material]\nbend = 1e-3\n"
      "[[keyframe]]\nframe = 1003\n[[keyframe]]\nframe = 1010\ntolerance = 0.005\n"
      "[[collider]]\nsphere = { center = [0, 0, 1], radius = 2.5 }\n");
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const SceneSetting& key : keys) names.push_back(key.key);
  EXPECT_EQ(names,
            (std::vector<std::string>{"cloth.material.bend", "collider.0.sphere.center",
                                      "collider.0.sphere.radius", "keyframe.0.frame", "keyframe.1.frame",
                                      "keyframe.1.tolerance", "shot.frames", "shot.gravity"}));
  EXPECT_EQ(keys[2].value, "2.5");
  EXPECT_EQ(keys[4].value, "1010");
  EXPECT_EQ(keys[0].value, "0.001");
  EXPECT_EQ(keys[6].value, "\"1001-1010\"");
  EXPECT_EQ(keys[7].value, "[0, -9.81, 0]");
  // Texts in another order, and with other comments, say the same.
  EXPECT_EQ(written_keys("a.c = 2  # so\na.b = [ 1,2 ]\n"), written_keys("[a]\nb = [1, 2]\nc = 2\n"));
}

TEST(WrittenKeys, OfWhatIsNoTomlThereAreNone) { EXPECT_TRUE(written_keys("[shot\n").empty()); }

}  // namespace
}  // namespace keydrape
