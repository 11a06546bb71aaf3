// [[crease]]: edges along which cloth is folded at rest.

#include <gtest/gtest.h>

#include "tests/support/simulated_scene.h"

namespace keydrape {
namespace {

class CliCreaseTest : public SimulatedScene {
 protected:
  // Of the sheet of six by six vertices, hung by its upper row.
  VecX end(const std::string& tables) { return end_of(shot_text() + pin_text() + tables); }
  std::string refusal(const std::string& tables) { return refusal_of(shot_text() + tables); }
};

TEST_F(CliCreaseTest, FoldsTheClothAndAGroupSaysTheSame) {
  const VecX flat = end(""),
             folded = end("[[crease]]\nedges = [[14, 20], [26, 20]]\nangle = 100\nstiffness = 50\n");
  EXPECT_GT((folded - flat).lpNorm<Eigen::Infinity>(), 1e-3);
  std::string mesh = folder_.read("rest.obj");
  folder_.write("rest.obj", mesh + "g pleat\np 15 21 27\n");
  EXPECT_EQ(end("[[crease]]\ngroup = \"pleat\"\nangle = 100\nstiffness = 50\n"), folded);
}

TEST_F(CliCreaseTest, RefusesWhatIsNoCrease) {
  EXPECT_TRUE(says(refusal("[[crease]]\nedges = [[0, 35]]\nangle = 9\n"),
                   {"scene.toml:7:9", "found vertices 0 and 35", "an edge of the rest mesh"}));
  EXPECT_TRUE(says(refusal("[[crease]]\nedges = [[0, 1]]\nangle = 9\n"), {"two triangles beside it"}));
  folder_.write("rest.obj", folder_.read("rest.obj") + "g dots\np 1 36\n");
  EXPECT_TRUE(says(refusal("[[crease]]\ngroup = \"dots\"\nangle = 9\n"), {"found no edge", "dots"}));
  EXPECT_TRUE(says(refusal("bending = \"quadratic\"\n[[crease]]\nedges = [[14, 20]]\nangle = 9\n"),
                   {"[[crease]]", "knows no creases"}));
  const std::string first = "[[crease]]\nedges = [[14, 20], [26, 20]]\nangle = 90\n";
  EXPECT_TRUE(says(refusal(first + "[[crease]]\nedges = [[20, 14]]\nangle = -45\n"),
                   {"scene.toml:9:1: [[crease]]: found the edge of vertices 14 and 20", "scene.toml:6:1"}));
  EXPECT_EQ(end(first + "[[crease]]\nedges = [[20, 14]]\nangle = 90\n"), end(first));
}

TEST_F(CliCreaseTest, ClothThatDoesNotBendIsWarnedOf) {
  const std::string crease = "[[crease]]\nedges = [[14, 20], [26, 20]]\nangle = 100\n",
                    warning = "[[crease]]: cloth with a bend of 0 in [cloth.material] resists no fold";
  const auto said = [&](const std::string& material) {
    folder_.write("scene.toml", shot_text() + material + pin_text() + crease);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return static_cast<bool>(says(result.err, {warning}));
  };
  EXPECT_TRUE(said("material = {bend = 0}\n"));
  EXPECT_FALSE(said("material = {bend = 1e-9}\n"));
  EXPECT_FALSE(said("material = {bend = 0, bend_hysteresis = 0.001}\n"));
  EXPECT_FALSE(said(""));
  const std::string limp = shot_text() + "material = {bend = 0}\n" + pin_text();
  EXPECT_EQ(end_of(limp + crease), end_of(limp));
}

}  // namespace
}  // namespace keydrape
