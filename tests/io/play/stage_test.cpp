// Acting on a scene: what is played, recorded and simulated again is the same.

#include "io/play/stage.h"

#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "io/play/recorder.h"
#include "io/play/session.h"
#include "tests/io/play/play_folder.h"
#include "tests/support/loopback_client.h"

namespace keydrape {
namespace {

class CliPlayTest : public PlayFolder {
 protected:
  CliPlayTest() { folder_.write("wind.toml", scene_text() + "[wind]\nvelocity = [0, 0, 3]\n"); }
  // The positions of a run of the recorded scene.
  void expect_same(const Stage& stage, const Recorder& recorder, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"simulate", recorder.scene_file().string(), "-o", "again", "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const VecX positions = read_npy(folder_ / "again/positions.npy").values;
    const Eigen::Index size = stage.x().size();
    ASSERT_EQ(positions.size(), size * static_cast<Eigen::Index>(stage.played().size()));
    for (std::size_t f = 0; f < stage.played().size(); ++f)
      EXPECT_EQ(positions.segment(static_cast<Eigen::Index>(f) * size, size), stage.played()[f])
          << "frame " << kFirst + static_cast<int>(f);
  }

  // Whether the file comes to have this text.
  bool comes(const std::string& name, const std::string& text) const {
    for (int k = 0; k < 1200; ++k) {
      const bool is_there = std::filesystem::exists(folder_ / name);
      if (is_there && folder_.read(name).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  // two.obj, and two.pc2, in which the second of its two tetrahedra is elsewhere from a frame on.
  void write_bodies_that_part(int frame) const {
    const std::array<Vec3, 4> corners = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)};
    const auto corner = [&](int n) -> Vec3 { return corners[n % 4] - Vec3(0, n < 4 ? 1.0 : 1.3, 0); };
    std::string mesh;
    for (int n = 0; n < 8; ++n)
      mesh += fmt::format("v {} {} {}\n", corner(n).x(), corner(n).y(), corner(n).z());
    for (const int a : {1, 5})
      for (const auto& [i, j, k] : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
        mesh += fmt::format("f {} {} {}\n", a + i, a + j, a + k);
    folder_.write("two.obj", mesh);

    Pc2Writer motion(folder_ / "two.pc2", {8, kFirst, 1.0});
    for (int f = kFirst; f <= kLast; ++f) {
      VecX sample(3 * 8);
      for (int n = 0; n < 8; ++n)
        sample.segment<3>(3 * n) = corner(n) - (f >= frame && n >= 4 ? 1e4 : 0.0) * Vec3(1, 1, 1);
      motion.append(sample);
    }
    motion.commit();
  }

  // The url that a stage prints as soon as it is there.
  std::string printed_url() const {
    for (int k = 0; k < 200; ++k) {
      const std::string out = folder_.read(".out");
      if (out.ends_with("/\n")) return out.substr(0, out.size() - 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return "";
  }
};

TEST_F(CliPlayTest, ARecordedDragIsSimulatedToTheBit) {
  Stage stage(scene(), {});
  Stage untouched(scene(), {});
  perform(stage, kFirst + 4, kFirst + 11);
  perform(untouched, kLast + 1, kLast + 1);
  EXPECT_GT((stage.played()[11] - untouched.played()[11]).lpNorm<Eigen::Infinity>(), 0.02);
  ASSERT_EQ(stage.drags().size(), 1u);
  EXPECT_EQ(stage.drags()[0].frames.first, kFirst + 5);
  EXPECT_EQ(stage.drags()[0].frames.last, kFirst + 11);
  EXPECT_GE(stage.drags()[0].vertices.size(), 1u);
  Recorder recorder(stage.scene());
  recorder.pins(stage);
  EXPECT_EQ(recorder.unrecorded(stage), 0);
  expect_same(stage, recorder, {"--draft"});
}

TEST_F(CliPlayTest, SoItIsWithTheScenesOwnStepsAndOnTopOfWhatWasRecorded) {
  folder_.write("scene.toml", scene_text() + "\n[solver]\nintegrator = \"bdf2\"\n");
  Stage stage(scene(), {.quality = StepQuality::kScene});
  Recorder recorder(stage.scene());
  perform(stage, kFirst + 2, kFirst + 6);
  recorder.pins(stage);
  expect_same(stage, recorder, {});
  Stage next(read_scene(recorder.scene_file()), {.quality = StepQuality::kScene});
  recorder.begin(next.scene());
  perform(next, kFirst + 10, kFirst + 14);
  recorder.pins(next);
  expect_same(next, recorder, {});
}

TEST_F(CliPlayTest, ADragLastsTwoFramesOrMore) {
  Stage stage(scene(), {});
  stage.grab(kGrabbed);
  stage.let_go();  // no frame
  EXPECT_FALSE(stage.is_held());
  stage.grab(kGrabbed);
  stage.drag(Vec3(0, 0, 0.05));
  stage.advance();
  stage.let_go();
  EXPECT_TRUE(stage.is_held());
  stage.grab(2 * kGrabbed % 36);  // waits for the other one
  stage.drag(Vec3(0, 0.02, 0));
  EXPECT_EQ(stage.drags().size(), 0u);
  stage.advance();
  ASSERT_EQ(stage.drags().size(), 1u);
  EXPECT_TRUE(stage.is_held());
  while (!stage.is_at_end()) stage.advance();
  stage.let_go();
  ASSERT_EQ(stage.drags().size(), 2u);
  const auto way = [&](std::size_t k) -> Vec3 {
    const std::vector<VecX>& samples = stage.drags()[k].samples;
    return samples.back().head(3) - samples.front().head(3);
  };
  EXPECT_LE((way(0) - Vec3(0, 0, 0.05)).norm(), 1e-12);
  EXPECT_LE((way(1) - Vec3(0, 0.02, 0)).norm(), 1e-12);
  Recorder recorder(stage.scene());
  recorder.pins(stage);
  expect_same(stage, recorder, {"--draft"});
}

TEST_F(CliPlayTest, ResetBeginsTheSamePerformanceAnew) {
  Stage stage(scene(), {});
  perform(stage, kFirst + 4, kFirst + 8);
  const std::vector<VecX> first = stage.played();
  stage.reset();
  EXPECT_EQ(stage.frame(), kFirst);
  EXPECT_EQ(stage.drags().size(), 0u);
  perform(stage, kFirst + 4, kFirst + 8);
  EXPECT_EQ(stage.played(), first);
}

TEST_F(CliPlayTest, WindIsSwitchedOffAndOn) {
  Stage windy(scene("wind.toml"), {}), calm(scene(), {}), switched(scene("wind.toml"), {});
  switched.switch_wind(false);
  for (Stage* stage : {&windy, &calm, &switched}) perform(*stage, kLast + 1, kLast + 1);
  EXPECT_EQ(switched.x(), calm.x());
  EXPECT_GT((windy.x() - calm.x()).norm(), 0.01);
  EXPECT_TRUE(switched.was_switched());
  switched.switch_wind(true);
  switched.reset();
  perform(switched, kLast + 1, kLast + 1);
  EXPECT_EQ(switched.x(), windy.x());
}

TEST_F(CliPlayTest, BodiesAreSwitchedOff) {
  const std::string ball =
      "[contact]\n[[collider]]\nsphere = { center = [0.12, -0.2, 0.08], radius = 0.06 }\n";
  folder_.write("ball.toml",
                scene_text() + ball + "translate = [[1001, [0, 0, 0]], [1010, [0, 0, -0.08]]]\n");
  Stage pushed(scene("ball.toml"), {}), free(scene("ball.toml"), {});
  free.switch_bodies(false);
  perform(pushed, kLast + 1, kLast + 1);
  perform(free, kLast + 1, kLast + 1);
  EXPECT_GT((pushed.x() - free.x()).norm(), 0.01);
}

TEST_F(CliPlayTest, AnOptionIsRefusedThatTheSceneDoesNotAllow) {
  EXPECT_TRUE(says(message_of<InputError>([&] { Stage(scene(), {.last_frame = 1005}); }),
                   {"--last", "1005", "1020"}));
  const Stage longer(scene(), {.substeps = 1, .last_frame = 1030});
  EXPECT_EQ(longer.shot().clock.frames.last, 1030);
  EXPECT_EQ(longer.shot().clock.substeps, 1);
}

TEST_F(CliPlayTest, TheCopyHasTheArtistsTextAndTheScenesFileIsNotTouched) {
  const std::string before = folder_.read("scene.toml");
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  EXPECT_EQ(recorder.scene_file(), folder_ / "scene.toml");
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.keyframe(stage); }), {"1001", "first"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.pins(stage); }), {"no drag"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.track(stage); }), {"play on"}));
  EXPECT_FALSE(recorder.has_recorded());
  perform(stage, kFirst + 4, kFirst + 8);
  EXPECT_TRUE(says(recorder.keyframe(stage), {"1020", "pose_1020.obj", "scene_played_001.toml"}));
  recorder.track(stage);
  EXPECT_EQ(folder_.read("scene.toml"), before);
  const std::string copy = folder_.read("scene_played_001.toml");
  EXPECT_EQ(copy.substr(0, before.size()), before);
  const Scene read = read_scene(folder_ / "scene_played_001.toml");
  ASSERT_EQ(read.keyframes.size(), 1u);
  EXPECT_EQ(read.keyframes[0].frame, kLast);
  ASSERT_EQ(read.tracks.size(), 1u);
  // What somebody writes there meanwhile stays.
  folder_.write("scene_played_001.toml", copy + "# mine\n[control]\neffort = 1e-5\n");
  recorder.pins(stage);
  const Scene again = read_scene(folder_ / "scene_played_001.toml");
  EXPECT_EQ(again.control.effort.value, 1e-5);
  EXPECT_EQ(again.pins.size(), 2u);
  // Another session has a copy of its own, and one of a copy no name that grows.
  Recorder second(read_scene(folder_ / "scene_played_001.toml"));
  second.keyframe(stage);
  EXPECT_EQ(second.scene_file(), folder_ / "scene_played_002.toml");
}

TEST_F(CliPlayTest, AKeyframeIsThePoseAndIsReplacedAtItsFrame) {
  Stage stage(scene(), {});
  Recorder recorder(stage.scene());
  perform(stage, kFirst + 4, kFirst + 8);
  recorder.keyframe(stage);
  stage.reset();
  perform(stage, kFirst + 10, kLast);
  EXPECT_TRUE(says(recorder.keyframe(stage), {"1020", "the one shown now"}));
  const Scene read = read_scene(recorder.scene_file());
  ASSERT_EQ(read.keyframes.size(), 1u);
  const Shot shot = open_shot(read);
  EXPECT_LE((shot.keyframes[0].keyframe.target - stage.x()).lpNorm<Eigen::Infinity>(), 1e-8);
  EXPECT_EQ(recorder.keyframes(), std::vector<int>{kLast});
}

TEST_F(CliPlayTest, NothingIsRecordedBeyondTheShot) {
  Stage stage(scene(), {.last_frame = 1024});
  Recorder recorder(scene());
  perform(stage, kFirst + 4, 1023);
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.keyframe(stage); }), {"1024", "1020"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.pins(stage); }), {"1023", "1020"}));
}

TEST_F(CliPlayTest, EditsOfTheSceneCountAtOnceForWhatIsRecorded) {
  Stage stage(scene(), {.last_frame = 1024});
  Recorder recorder(scene());
  perform(stage, kFirst + 4, kFirst + 11);
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.keyframe(stage); }), {"1024", "1020"}));
  edit("scene.toml", "1001-1020", "1001-1030");
  EXPECT_TRUE(says(recorder.keyframe(stage), {"Keyframe at 1024", "edited", "Reset"}));
  edit("scene_played_001.toml", "substeps = 2", "substeps = 3");
  EXPECT_TRUE(says(recorder.pins(stage), {"Played with substeps = 2; the scene has 3.", "edited", "Reset"}));
  // Samples are counted from the first frame.
  edit("scene_played_001.toml", "1001-1030", "1002-1030");
  EXPECT_TRUE(says(message_of<InputError>([&] { recorder.track(stage); }), {"1002", "1001", "Reset"}));
  edit("scene_played_001.toml", "1002-1030", "1001-1030");
  // What is played from then on is the scene as it is now.
  Stage next(read_scene(recorder.scene_file()), {});
  recorder.begin(next.scene());
  EXPECT_EQ(next.shot().clock.frames.last, 1030);
  EXPECT_EQ(next.shot().clock.substeps, 3);
  perform(next, 1025, 1029);
  const std::string said = recorder.pins(next);
  EXPECT_TRUE(said.find("Played with") == std::string::npos && said.find("edited") == std::string::npos)
      << said;
  expect_same(next, recorder, {"--draft"});
}

// Of the artist's own file until something is recorded, of the copy from then on; again and again.
TEST_F(CliPlayTest, ResetPlaysTheSceneAsItIsNow) {
  PlaySession session(scene(), {}, 0);
  const auto play_to = [&](int frame) {
    session.on_text(0, R"({"do":"reset"})");
    for (int k = kFirst; k < frame; ++k) session.on_text(0, R"({"do":"step"})");
    session.on_text(0, R"({"do":"keyframe"})");
  };
  edit("scene.toml", "1001-1020", "1001-1022");
  play_to(1022);
  ASSERT_TRUE(comes("scene_played_001.toml", "pose_1022.obj"));
  edit("scene_played_001.toml", "1001-1022", "1001-1024");
  play_to(1024);
  ASSERT_TRUE(comes("scene_played_001.toml", "pose_1024.obj"));
  // A Reset after which nothing is recorded; the page is made anew with the stage.
  const std::string page = session.answer("").body;
  session.on_text(0, R"({"do":"reset"})");
  for (int k = 0; k < 1200 && session.answer("").body == page; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_NE(session.answer("").body, page);
  edit("scene_played_001.toml", "1001-1024", "1001-1026");
  play_to(1026);
  EXPECT_TRUE(comes("scene_played_001.toml", "pose_1026.obj"));
  EXPECT_EQ(read_scene(folder_ / "scene.toml").shot.frames.last, 1022);
}

// One of two bodies flies off, so that no table holds the space between them: by itself as in steps.
TEST_F(CliPlayTest, AFrameThatCannotBeSteppedToEndsThePlayAlone) {
  write_bodies_that_part(kFirst + 2);
  folder_.write("parts.toml",
                scene_text("[[collider]]\nmesh = \"two.obj\"\nmotion = \"two.pc2\"\nvoxel = 0.02\n"));
  PlaySession session(scene("parts.toml"), {}, 0);
  session.on_text(0, R"({"do":"play"})");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  for (const char* act : {"reset", "step", "step", "keyframe"})
    session.on_text(0, fmt::format(R"({{"do":"{}"}})", act));
  EXPECT_TRUE(comes("parts_played_001.toml", fmt::format("pose_{}.obj", kFirst + 1)));
}

TEST_F(CliPlayTest, TheProgramServesItsPageUntilItIsInterrupted) {
  const Process process = start({"play", "scene.toml"});
  const std::string url = printed_url();
  ASSERT_TRUE(url.starts_with("http://127.0.0.1:")) << folder_.read(".err");
  const LoopbackClient client(url);
  const std::string page = client.get("");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200"));
  EXPECT_NE(page.find("<title>scene - keydrape play</title>"), std::string::npos);
  EXPECT_TRUE(client.get("report/1").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(client.get("report/../../scene.toml").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(client.get("socket", fmt::format("{}Origin: http://evil.example\r\n", LoopbackClient::kUpgrade))
                  .starts_with("HTTP/1.1 403"));
  ::kill(process.id, SIGINT);
  EXPECT_EQ(finish(process).exit_code, 0);
}

TEST_F(CliPlayTest, TheProgramRefusesWhatItCannotDo) {
  EXPECT_EQ(run({"play", "nowhere.toml"}).exit_code, 3);
  EXPECT_EQ(run({"play", "scene.toml", "--step", "fast"}).exit_code, 2);
  const ProgramResult result = run({"play", "scene.toml", "--last", "1002"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"--last", "1020"}));
}

}  // namespace
}  // namespace keydrape
