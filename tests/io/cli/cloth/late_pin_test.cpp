// [[pin]] that takes hold within the shot: where the cloth is then, only the run tells.

#include <gtest/gtest.h>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliLatePinTest : public CliFolder {
 protected:
  // What a run says of cloth that falls for four frames and is caught at the next, or of another scene.
  std::string told(const std::string& more, const std::string& command = "simulate") {
    folder_.write("scene.toml", shot_text() + kLate + more);
    const ProgramResult result = run({command, "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }

  const std::string kLate = "[[pin]]\nvertices = [0, 5]\nframes = \"1005-1006\"\n";
};

// The pin holds where they fell from. Seven steps take them 9.81 * 28/48^2 m below.
TEST_F(CliLatePinTest, TellsOfTheJumpAndBlamesNoFabric) {
  const std::string text = told("[cloth.material]\ndensity = 10\n");
  EXPECT_TRUE(
      says(text, {"warning: scene.toml:6:1: [[pin]] frames: when it takes hold, at frame 1005, vertex ",
                  " is 0.119 m from where it is to be held, and jumps there in one step",
                  "a motion that begins where the cloth is", "a stiffness"}))
      << text;
  EXPECT_TRUE(says(text, {"longer than at rest near vertex",
                          "the [[pin]] of line 6 has brought cloth 0.119 m", "leave the fabric as it is"}))
      << text;
  EXPECT_FALSE(says(text, {"raise stretch"}));
  EXPECT_TRUE(says(folder_.read("out/shot/shot.json"), {"jumps there in one step"}));
}

// Neither where it holds softly, nor in directions that it leaves free, nor where the cloth is or is going.
TEST_F(CliLatePinTest, SaysNothingWhereNothingJumps) {
  EXPECT_FALSE(says(told("stiffness = [[1005, 0], [1006, 1]]\n"), {"jumps there"}));
  EXPECT_FALSE(says(told("axis = [0, 1, 0]\n"), {"jumps there"}));
  folder_.write("scene.toml", shot_text());
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "free"}).exit_code, 0);
  EXPECT_FALSE(says(told("motion = \"free/positions.npy\"\n"), {"jumps there"}));
  // It stops where another pin, which moves, had it until the frame before.
  std::string shot = shot_text(), halted = folder_.read("free/positions.npy");
  const std::string substeps = "substeps = 2", motion = "motion = \"halted.npy\"\n";
  shot.replace(shot.find(substeps), substeps.size(), "substeps = 1");
  const std::size_t frame = 3 * kVertices * sizeof(double), end = halted.size();
  for (const int k : {2, 1}) halted.replace(end - k * frame, frame, halted, end - 3 * frame, frame);
  folder_.write("halted.npy", halted);
  folder_.write("scene.toml",
                shot + "[[pin]]\nvertices = [0, 5]\nframes = \"1001-1004\"\n" + motion + kLate + motion);
  const ProgramResult handed = run({"simulate", "scene.toml", "-o", "out", "--force"});
  EXPECT_EQ(handed.exit_code, 0) << handed.err;
  EXPECT_FALSE(says(handed.err, {"jumps there"})) << handed.err;
}

TEST_F(CliLatePinTest, IsToldOfASolvedTakeAsWell) {
  const std::string text = told(keyframe_text() + "[control]\nmax_forward_simulations = 3\n", "solve");
  EXPECT_TRUE(says(text, {"[[pin]] frames: when it takes hold, at frame 1005", "jumps there in one step"}))
      << text;
}

}  // namespace
}  // namespace keydrape
