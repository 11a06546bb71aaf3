// Scene files with other values: the text around them stays, and the result is a scene as any other.

#include "io/scene/scene_edit.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

class SceneEditTest : public testing::Test {
 protected:
  SceneEditTest() {
    for (const char* mesh : {"rest.obj", "a.obj", "b.obj"}) folder_.write(mesh, "");
    write(
        "# étude\n[shot]\nframes = \"1-9\"  # all\n[cloth]\nrest = \"rest.obj\"\n[[keyframe]]\nframe = 5\n"
        "mesh = \"a.obj\"\ntolerance = 0.01 # ½ cm\n[[keyframe]]\nframe = 9\nmesh = \"b.obj\"\n");
  }
  void write(const std::string& text) { folder_.write("scene.toml", text); }
  EditedScene edited(const std::vector<SceneSetting>& settings) const {
    return edited_scene(folder_ / "scene.toml", settings);
  }
  std::string refusal(const std::vector<SceneSetting>& settings) const {
    try {
      edited(settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  std::string file(const std::string& name) const { return "\"" + (folder_ / name).string() + "\""; }

  TemporaryFolder folder_;
};

TEST_F(SceneEditTest, ReplacesValuesAndLeavesAllElse) {
  const EditedScene edit = edited({{"keyframe.0.tolerance", "0.002"}, {"shot.frames", "\"1-10\""}});
  EXPECT_EQ(edit.text, "# étude\n[shot]\nframes = \"1-10\"  # all\n[cloth]\nrest = " + file("rest.obj") +
                           "\n[[keyframe]]\nframe = 5\nmesh = " + file("a.obj") +
                           "\ntolerance = 0.002 # ½ cm\n[[keyframe]]\nframe = 9\nmesh = " + file("b.obj") +
                           "\n");
  EXPECT_EQ(edit.scene.keyframes[0].tolerance, 0.002);
  folder_.write("elsewhere.toml", edit.text);
  EXPECT_EQ(read_scene(folder_ / "elsewhere.toml").cloth.rest.value, folder_ / "rest.obj");
}

TEST_F(SceneEditTest, APoseToBeginWithIsAFileToo) {
  write("[shot]\nframes = \"1-9\"\n[cloth]\nrest = \"rest.obj\"\ninitial = \"a.obj\"\n");
  EXPECT_EQ(edited({}).text, "[shot]\nframes = \"1-9\"\n[cloth]\nrest = " + file("rest.obj") +
                                 "\ninitial = " + file("a.obj") + "\n");
  write("[shot]\nframes = \"1-9\"\n[cloth]\nrest = \"rest.obj\"\ninitial = \"drape\"\n");
  EXPECT_TRUE(says(edited({}).text, {"initial = \"drape\""}));
}

TEST_F(SceneEditTest, AppendsTablesBehindATextThatStays) {
  const std::string text = folder_.read("scene.toml");
  const std::string name = "odd \"name\".obj", newline = toml_quoted("a\nb\x7F");
  EXPECT_EQ(newline, "\"a\\u000Ab\\u007F\"");
  folder_.write(name, "");
  const EditedScene edit = scene_with_tables(
      folder_ / "copy.toml", text.substr(0, text.size() - 1),
      {{"keyframe", {{"frame", "7"}, {"mesh", toml_quoted(name)}}}, {"pin", {{"vertices", "[0, 1]"}}}},
      "Added.");
  EXPECT_EQ(edit.text, text + "\n# Added.\n[[keyframe]]\nframe = 7\nmesh = \"odd \\\"name\\\".obj\"\n" +
                           "\n# Added.\n[[pin]]\nvertices = [0, 1]\n");
  ASSERT_EQ(edit.scene.keyframes.size(), 3u);
  EXPECT_EQ(edit.scene.keyframes[2].mesh->value, folder_ / name);
  EXPECT_EQ(edit.scene.pins.size(), 1u);
}

TEST_F(SceneEditTest, AppendsNothingToAListInOnePiece) {
  const std::string text =
      "pin = [{ vertices = [0] }]\n[shot]\nframes = \"1-9\"\n[cloth]\nrest = \"rest.obj\"\n";
  const auto add = [&](const std::string& list, const std::string& key, const std::string& value) {
    return scene_with_tables(folder_ / "copy.toml", text, {{list, {{key, value}}}}, "Added.");
  };
  EXPECT_TRUE(says(message_of<InputError>([&] { add("pin", "vertices", "[1]"); }), {"pin", "[[pin]]"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { add("keyframe", "frame", "99"); }), {"99"}));
}

TEST_F(SceneEditTest, AddsKeysAndTables) {
  const Scene scene = edited({{"keyframe.1.tolerance", "0.003"},
                              {"cloth.material.bend", "1e-5"},
                              {"control.effort", "1e-6"},
                              {"control.windows.length", "4"},
                              {"control.windows.overlap", "1"}})
                          .scene;
  EXPECT_EQ(scene.keyframes[1].tolerance, 0.003);
  EXPECT_EQ(scene.cloth.material.bend, 1e-5);
  EXPECT_EQ(scene.control.effort.value, 1e-6);
  EXPECT_EQ(scene.control.windows->length, 4);
}

TEST_F(SceneEditTest, ReachesTablesInOneLineListsAndDottedKeys) {
  write(
      "shot.frames = \"1-9\"\ncloth = { rest = \"rest.obj\", material = { preset = \"silk\" } }\n"
      "wind = { velocity = [1, 0, 0] }\n");
  const Scene scene = edited({{"cloth.material.bend", "1e-5"},
                              {"wind.velocity.2", "3"},
                              {"wind.drag", "0.5"},
                              {"shot.frames", "\"1-5\""}})
                          .scene;
  EXPECT_EQ(scene.cloth.material.bend, 1e-5);
  EXPECT_EQ(scene.cloth.material.preset, "silk");
  EXPECT_EQ(scene.wind.velocity.keys[0].second, Vec3(1, 0, 3));
  EXPECT_EQ(scene.wind.drag.keys[0].second, 0.5);
  EXPECT_EQ(scene.shot.frames.last, 5);
}

TEST_F(SceneEditTest, FilesOfSettingsAreThoseBesideTheScene) {
  const EditedScene edit = edited(
      {{"keyframe.0.mesh", "\"b.obj\""}, {"solver.scratch_gb", "1"}, {"solver.scratch_dir", "\"scratch\""}});
  EXPECT_EQ(edit.scene.keyframes[0].mesh->value, folder_ / "b.obj");
  EXPECT_NE(edit.text.find(file("scratch")), std::string::npos);
}

TEST_F(SceneEditTest, RefusesAsTheReaderDoes) {
  EXPECT_NE(refusal({{"control.efort", "1"}}).find("did you mean effort?"), std::string::npos);
  EXPECT_NE(refusal({{"controll.effort", "1"}}).find("did you mean control?"), std::string::npos);
  EXPECT_NE(refusal({{"keyframe.0.tolerance", "-1"}}).find("found -1; expected"), std::string::npos);
  EXPECT_NE(refusal({{"keyframe.2.tolerance", "1"}}).find("a number from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal({{"shot.fps.x", "1"}}).find("[shot] fps: found a table"), std::string::npos);
  EXPECT_NE(refusal({{"shot.frames.x", "1"}}).find("found a value before"), std::string::npos);
  EXPECT_NE(refusal({{"shot..fps", "1"}}).find("found no key"), std::string::npos);
  write("keyframe = []\n[shot]\nframes = \"1-9\"\n[cloth]\nrest = \"rest.obj\"\n");
  EXPECT_NE(refusal({{"keyframe.0.tolerance", "1"}}).find("expected a list that is not empty"),
            std::string::npos);
}

TEST(TomlValuesTest, AreSeparatedByCommasOutsideOfBracketsAndQuotes) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(toml_values("1e-5, [0, 1],silk", "--set"), (Values{"1e-5", "[0, 1]", "\"silk\""}));
  EXPECT_EQ(toml_values(R"("a,b",'c"',true)", "--set"), (Values{R"("a,b")", R"('c"')", "true"}));
  EXPECT_EQ(toml_values("1001-1024", "--set"), (Values{"\"1001-1024\""}));
  EXPECT_EQ(toml_values(R"("a\"b",auto)", "--set"), (Values{R"("a\"b")", "\"auto\""}));
  for (const char* wrong : {"1,,2", "", "[1", "\"a", "{", "1,", "a\nb"})
    EXPECT_THROW(toml_values(wrong, "--set"), InputError) << wrong;
}

}  // namespace
}  // namespace keydrape
