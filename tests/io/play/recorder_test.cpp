// What is recorded stays, whatever an artist does meanwhile to the copy and beside it.

#include "io/play/recorder.h"

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "tests/io/play/play_folder.h"

namespace keydrape {
namespace {

class CliRecorderTest : public PlayFolder {
 protected:
  static constexpr int kPosed = kFirst + 3;

  static void step_to(Stage& stage, int frame) {
    while (stage.frame() < frame) ASSERT_EQ(stage.advance().problem, "");
  }
  // Another pose at kPosed, of the scene as it is now.
  void pose_again(Recorder& recorder, Stage& stage) const {
    stage.reset();
    recorder.begin(read_scene(recorder.scene_file()));
    stage.grab(kGrabbed);
    stage.drag(Vec3(0, 0, 0.05));
    step_to(stage, kPosed);
  }
  std::string pose(const std::string& name) const { return folder_.read("scene_played_001/" + name); }
};

TEST_F(CliRecorderTest, AKeyframeThatWasMovedKeepsItsPose) {
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  step_to(stage, kPosed);
  recorder.keyframe(stage);
  const std::string before = pose("pose_1004.obj");
  edit("scene_played_001.toml", "frame = 1004", "frame = 1010");
  pose_again(recorder, stage);
  EXPECT_EQ(recorder.keyframes(), std::vector<int>{1010});
  EXPECT_TRUE(says(recorder.keyframe(stage), {"Keyframe at 1004: pose_1004_2.obj"}));
  EXPECT_EQ(pose("pose_1004.obj"), before);
  EXPECT_NE(pose("pose_1004_2.obj"), before);
  EXPECT_EQ(recorder.keyframes(), (std::vector<int>{kPosed, 1010}));
  const Scene read = read_scene(recorder.scene_file());
  ASSERT_EQ(read.keyframes.size(), 2u);
  EXPECT_EQ(read.keyframes[0].mesh->value.filename(), "pose_1004.obj");
  EXPECT_EQ(read.keyframes[1].mesh->value.filename(), "pose_1004_2.obj");
  // The new one is the one that is replaced from then on.
  pose_again(recorder, stage);
  EXPECT_TRUE(says(recorder.keyframe(stage), {"the one shown now"}));
  EXPECT_EQ(read_scene(recorder.scene_file()).keyframes.size(), 2u);
}

TEST_F(CliRecorderTest, APoseOfTwoKeyframesIsNotReplacedAtOne) {
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  step_to(stage, kPosed);
  recorder.keyframe(stage);
  const std::string before = pose("pose_1004.obj"), copy = folder_.read("scene_played_001.toml");
  folder_.write("scene_played_001.toml",
                copy + "[[keyframe]]\nframe = 1010\nmesh = \"scene_played_001/pose_1004.obj\"\n");
  pose_again(recorder, stage);
  EXPECT_TRUE(says(recorder.keyframe(stage), {"pose_1004_2.obj", "another one at this frame"}));
  EXPECT_EQ(pose("pose_1004.obj"), before);
}

TEST_F(CliRecorderTest, AKeyframeThatWasTakenOutOfTheCopyIsAddedAgain) {
  const std::string own = "\n[[keyframe]]\nframe = 1004\nmesh = \"key.obj\"\n";
  folder_.write("scene.toml", scene_text() + own);
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  step_to(stage, kPosed);
  EXPECT_TRUE(says(recorder.keyframe(stage), {"another one at this frame"}));
  folder_.write("scene_played_001.toml", folder_.read("scene.toml"));
  recorder.begin(read_scene(recorder.scene_file()));
  EXPECT_EQ(recorder.keyframes(), std::vector<int>{});
  EXPECT_TRUE(says(recorder.keyframe(stage), {"pose_1004_2.obj", "another one at this frame"}));
  EXPECT_EQ(recorder.keyframes(), std::vector<int>{kPosed});
  const Scene read = read_scene(recorder.scene_file());
  ASSERT_EQ(read.keyframes.size(), 2u);
  EXPECT_EQ(read.keyframes[1].mesh->value.filename(), "pose_1004_2.obj");
}

TEST_F(CliRecorderTest, WhereATableCannotBeAddedNothingIsWritten) {
  folder_.write("scene.toml", "keyframe = [{ frame = 1015, mesh = \"key.obj\" }]\n" + scene_text());
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  step_to(stage, kPosed);
  const std::string message = message_of<InputError>([&] { recorder.keyframe(stage); });
  EXPECT_TRUE(message.starts_with((folder_ / "scene.toml").string() + ":")) << message;
  EXPECT_TRUE(says(message, {"keyframe", "[[keyframe]]"}));
  EXPECT_FALSE(recorder.has_recorded());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_played_001.toml"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_played_001"));
}

TEST_F(CliRecorderTest, WhatStandsInTheWayIsLeftAlone) {
  namespace fs = std::filesystem;
  folder_.write("scene_played_001", "notes");
  fs::create_symlink("nowhere.toml", folder_ / "scene_played_002.toml");
  fs::create_symlink("nowhere", folder_ / "scene_played_003");
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  step_to(stage, kPosed);
  recorder.keyframe(stage);
  EXPECT_EQ(recorder.scene_file(), folder_ / "scene_played_004.toml");
  EXPECT_EQ(folder_.read("scene_played_001"), "notes");
  EXPECT_TRUE(fs::is_symlink(folder_ / "scene_played_002.toml"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "scene_played_003"));
}

TEST_F(CliRecorderTest, FilesInItsFolderAreNotReplaced) {
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  recorder.folder();
  folder_.write("scene_played_001/cloth_001.npy", "mine");
  folder_.write("scene_played_001/drag_001.npy", "mine");
  perform(stage, kFirst + 4, kFirst + 8);
  recorder.track(stage);
  recorder.pins(stage);
  EXPECT_EQ(pose("cloth_001.npy"), "mine");
  EXPECT_EQ(pose("drag_001.npy"), "mine");
  const Scene read = read_scene(recorder.scene_file());
  ASSERT_EQ(read.tracks.size(), 1u);
  EXPECT_EQ(read.tracks[0].cache.value.filename(), "cloth_001_2.npy");
  EXPECT_EQ(read.pins.back().motion->value.filename(), "drag_001_2.npy");
}

}  // namespace
}  // namespace keydrape
