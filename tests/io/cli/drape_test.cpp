// `keydrape drape`, and shots that begin draped.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliDrapeTest : public CliFolder {
 protected:
  static bool says(const ProgramResult& result, const std::string& words) {
    return result.err.find(words) != std::string::npos;
  }
  // The sheet of rest.obj, level: it hangs from its pins once it is draped.
  static std::string scene(const std::string& initial, const std::string& more) {
    return "[shot]\nframes = \"1001-1006\"\nsubsteps = 2\ngravity = [0, 0, -9.81]\n"
           "[cloth]\nrest = \"rest.obj\"\n" +
           initial + more;
  }
};

TEST_F(CliDrapeTest, CommandAndKeyAgreeAndNothingFallsAfterwards) {
  folder_.write("scene.toml", scene("", pin_text()));
  const ProgramResult result = run({"drape", "scene.toml", "-o", "draped", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("draped/drape.json");
  EXPECT_EQ(summary, nlohmann::json::parse(result.out));
  EXPECT_EQ(summary["status"], "done");
  EXPECT_LE(summary["residual"], 1e-6);
  EXPECT_GT(summary["farthest_m"], 0.1);

  folder_.write("scene.toml", scene("initial = \"drape\"\n", pin_text()));
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "by_key"}).exit_code, 0);
  folder_.write("scene.toml", scene("initial = \"draped/drape.obj\"\n", pin_text()));
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "by_file"}).exit_code, 0);
  const VecX by_key = read_npy(folder_ / "by_key/positions.npy").values,
             by_file = read_npy(folder_ / "by_file/positions.npy").values;
  EXPECT_EQ(by_key, by_file);
  const Eigen::Index n = by_key.size() / 6;
  EXPECT_LE((by_key.tail(n) - by_key.head(n)).lpNorm<Eigen::Infinity>(), 1e-5) << "it is at rest already";
}

// Hardly any inertia is left in long rounds, and they go round in circles that the cloth does not go in time.
TEST_F(CliDrapeTest, WhatComesToRestInWindIsDraped) {
  const std::string cotton_in_wind =
      "[cloth.material]\npreset = \"cotton\"\n" + pin_text() + "[wind]\nvelocity = [0, 3, 0]\n";
  folder_.write("scene.toml", scene("initial = \"drape\"\n", cotton_in_wind));
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  const Eigen::Index n = x.size() / 6;
  EXPECT_LE((x.tail(n) - x.head(n)).lpNorm<Eigen::Infinity>(), 1e-5) << "it is at rest already";
}

// Held along all of its border it sags, and its outline is that of the sample.
TEST_F(CliDrapeTest, TheShadowOfWhatSagsWithinItsBorder) {
  folder_.write("scene.toml",
                scene("",
                      "[[pin]]\nvertices = [0, 1, 2, 3, 4, 5, 6, 11, 12, 17, 18, 23, 24, 29, 30, 31, 32, 33, "
                      "34, 35]\n"));
  const ProgramResult result = run({"drape", "scene.toml", "-o", "draped"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("draped/drape.json");
  EXPECT_EQ(keys(summary),
            (std::vector<std::string>{"elastic_J", "farthest_m", "farthest_vertex", "newton_iterations",
                                      "residual", "rounds", "sample_m2", "shadow_m2", "status"}));
  EXPECT_NEAR(summary["sample_m2"], 0.0625, 1e-12);
  constexpr double kHalfCell = 0.5 * 0.25 / 2048;  // of the grid on which shadows are counted [m]
  EXPECT_NEAR(summary["shadow_m2"], 0.0625, 4 * 0.25 * kHalfCell);
}

// The fabric is told by the drape that it has, and whoever plays the take back begins where the search did.
TEST_F(CliDrapeTest, FabricThatIsSoughtDrapesAnew) {
  const auto of_bend = [&](const std::string& bend, const std::string& more) {
    return scene("initial = \"drape\"\n[cloth.material]\npreset = \"cotton\"\nbend = " + bend + "\n",
                 "[[pin]]\nvertices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n" + more);  // clamped: it bends
  };
  folder_.write("scene.toml", of_bend("2e-4", ""));
  ASSERT_EQ(run({"drape", "scene.toml", "-o", "stiff"}).exit_code, 0);
  folder_.write("scene.toml",
                of_bend("5e-5",
                        "[control]\neffort = 1e-10\nforces = false\n"
                        "[[control.channel]]\nkind = \"material\"\nnumbers = [\"bend\"]\n"
                        "[[keyframe]]\nframe = 1006\nmesh = \"stiff/drape.obj\"\ntolerance = 1e-5\n"));
  const ProgramResult solved = run({"solve", "scene.toml", "-o", "solved"});
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  const nlohmann::json found = read_json("solved/channels.json");
  EXPECT_NEAR(found["channels"][0]["values"][0][0].get<double>(), 2e-4, 1e-6) << found;
  const ProgramResult played = run({"simulate", "scene.toml", "--along", "solved", "-o", "played"});
  ASSERT_EQ(played.exit_code, 0) << played.err;
  EXPECT_EQ(read_npy(folder_ / "solved/positions.npy").values,
            read_npy(folder_ / "played/positions.npy").values);
}

// It hangs well, and is not followed there.
TEST_F(CliDrapeTest, RoundsThatFailAreNoLackOfPins) {
  folder_.write("scene.toml",
                scene("initial = \"drape\"\n", "[solver]\nmax_newton_iterations = 1\n" + pin_text()));
  const ProgramResult refused = run({"simulate", "scene.toml"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused, "longer ones still fail, the limit on Newton iterations")) << refused.err;
  EXPECT_FALSE(says(refused, "pins, bodies or friction that hold it")) << refused.err;
}

TEST_F(CliDrapeTest, WhatIsAtRestHasNoFarthestVertex) {
  std::string level = scene("", pin_text());
  level.replace(level.find("-9.81"), 5, "0.0");
  folder_.write("scene.toml", level);
  const ProgramResult result = run({"drape", "scene.toml", "-o", "draped"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("no vertex has moved"), std::string::npos) << result.out;
  EXPECT_TRUE(read_json("draped/drape.json")["farthest_vertex"].is_null());
}

TEST_F(CliDrapeTest, NothingIsWrittenOver) {
  folder_.write("scene.toml", scene("", pin_text()));
  ASSERT_EQ(run({"drape", "scene.toml"}).exit_code, 0);
  const ProgramResult again = run({"drape", "scene.toml"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_TRUE(says(again, "scene_drape/drape.obj: exists")) << again.err;
  EXPECT_EQ(run({"drape", "scene.toml", "--force"}).exit_code, 0);

  std::filesystem::remove(folder_ / "scene_drape/drape.obj");
  std::filesystem::create_hard_link(folder_ / "rest.obj", folder_ / "scene_drape/drape.obj");
  const ProgramResult over_its_mesh = run({"drape", "scene.toml", "--force"});
  EXPECT_EQ(over_its_mesh.exit_code, 3);
  EXPECT_TRUE(says(over_its_mesh, "drape.obj: is the mesh at rest, and would be written over"));
}

TEST_F(CliDrapeTest, WhatNothingHoldsIsRefused) {
  folder_.write("scene.toml", scene("", ""));
  const ProgramResult command = run({"drape", "scene.toml"});
  EXPECT_EQ(command.exit_code, 5);
  EXPECT_TRUE(says(command, "does not come to rest")) << command.err;
  folder_.write("scene.toml", scene("initial = \"drape\"\n", ""));
  const ProgramResult key = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(key.exit_code, 3);
  EXPECT_TRUE(says(key, "scene.toml:7:11: [cloth] initial: found \"drape\", but")) << key.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/positions.npy"));
}

// The speed that a step lets cloth keep ends at the body; a drape ends as far off as its barriers hold it.
TEST_F(CliDrapeTest, WhatStepsLetBeginIsTooNearForADrape) {
  const std::string lying =
      "[solver]\nintegrator = \"linearized\"\n"
      "[[collider]]\nplane = {point = [0, 0, -0.00002], normal = [0, 0, 1]}\n"
      "[contact]\nmethod = \"filter\"\nself = false\nfriction = 0.3\n";
  const std::vector<std::string> simulate = {"simulate", "scene.toml", "--dry-run"};
  folder_.write("scene.toml", scene("", lying));
  EXPECT_EQ(run(simulate).exit_code, 0);
  const ProgramResult command = run({"drape", "scene.toml"});
  folder_.write("scene.toml", scene("initial = \"drape\"\n", lying));
  const ProgramResult key = run(simulate);
  for (const ProgramResult& refused : {command, key}) {
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(says(refused, "at the first frame, where its drape begins, 36 vertices of the cloth"))
        << refused.err;
    EXPECT_TRUE(says(refused, "or set repair = true under [contact]")) << refused.err;
  }
  folder_.write("scene.toml", scene("initial = \"drape\"\n", lying + "repair = true\n"));
  EXPECT_EQ(run(simulate).exit_code, 0);
  EXPECT_EQ(run({"drape", "scene.toml"}).exit_code, 0);
}

TEST_F(CliDrapeTest, ATableIsSmallerThanItsSample) {
  folder_.write("scene.toml", scene("", pin_text()));
  const ProgramResult result = run({"drape", "scene.toml", "--support-radius", "3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result, "--support-radius: found 3 m")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_drape/drape.obj"));
}

}  // namespace
}  // namespace keydrape
