// [cloth] pressure: cloth that is blown up.

#include <gtest/gtest.h>

#include "tests/support/simulated_scene.h"

namespace keydrape {
namespace {

class CliPressureTest : public SimulatedScene {};

TEST_F(CliPressureTest, PushesClothToItsFront) {
  const VecX still = end_of(shot_text("gravity = [0, 0, 0]\n")),
             pushed = end_of(shot_text("gravity = [0, 0, 0]\n") + "pressure = [[1001, 0], [1006, 2]]\n");
  const VecX way = pushed - still;
  EXPECT_LT((way - way.head<3>().replicate(way.size() / 3, 1)).norm(), 1e-9);
  EXPECT_GT(std::abs(way(2)), 0.01);
  EXPECT_LT(way.head<2>().norm(), 1e-9);
}

TEST_F(CliPressureTest, HasAnExactGradient) {
  folder_.write("scene.toml", shot_text() + "pressure = [[1001, 1], [1006, 20]]\n" + pin_text() +
                                  keyframe_text("tolerance = 0.01\n"));
  const ProgramResult result = run({"check", "scene.toml"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(CliPressureTest, WarnsOfAClosedMeshThatFacesInwards) {
  const std::string corners = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\n";
  const auto told = [&](const std::string& faces) {
    folder_.write("rest.obj", corners + faces);
    folder_.write("scene.toml", shot_text() + "pressure = 5\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_TRUE(says(told("f 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n"),
                   {"warning: scene.toml:", "[cloth] pressure", "face inwards", "flip the normals"}));
  EXPECT_FALSE(says(told("f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n"), {"face inwards"}));
}

}  // namespace
}  // namespace keydrape
