#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "io/report/page.h"
#include "io/report/run.h"
#include "io/run/shot_record.h"
#include "io/shot/contact.h"
#include "tests/support/report_folder.h"

namespace keydrape {
namespace {

class CliReportTest : public ReportFolder {
 protected:
  ProgramResult solve() {
    ProgramResult result = run({"solve", "scene.toml", "-o", "out"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
};

TEST_F(CliReportTest, SolveWritesOneUnlessToldNotTo) {
  solve();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/report.html"));
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "out", "--force", "--no-report"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/report.html"));
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "out", "--force", "--no-report", "--live"}).exit_code, 2);
  EXPECT_EQ(left_overs("out"), std::vector<std::string>());
}

TEST_F(CliReportTest, AFolderBetweenBracketsIsNoList) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "[q]"}).exit_code, 0);
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "q"}).exit_code, 0);
  EXPECT_EQ(run({"report", "[q]"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "[q]/report.html"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "q/report.html"));
  EXPECT_EQ(run({"report", "q", "[q]", "q"}).exit_code, 0);
  EXPECT_EQ(manifest("report.html")["runs"].size(), 3u);
}

TEST_F(CliReportTest, ThePageHoldsTheRunsFigures) {
  folder_.write("scene.toml", "# </script><!-- & markup\n" + scene_text());
  solve();
  const ProgramResult result = run({"report", "out", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(folder_ / "out/report.html"));

  const nlohmann::json page = manifest("out/report.html"), run = page["runs"].at(0);
  EXPECT_EQ(run["summary"], read_json("out/summary.json"));
  EXPECT_EQ(run["convergence"], nlohmann::json(read_json_lines("out/convergence.jsonl")));
  EXPECT_EQ(run["steps"], nlohmann::json(read_json_lines("out/steps.jsonl")));
  EXPECT_EQ(run["scene"], folder_.read("scene.toml"));
  EXPECT_EQ(run["takes"].size(), 2u);
  EXPECT_DOUBLE_EQ(run["keyframes"][0]["misses"]["controlled"]["rms_m"],
                   run["summary"]["keyframes"][0]["rms_m"]);
  const auto peaks = run["acceleration"]["peak_g"].get<std::vector<double>>();
  EXPECT_EQ(peaks.size(), 5u);  // frame intervals
  EXPECT_NEAR(*std::max_element(peaks.begin(), peaks.end()), run["summary"]["effort"]["peak_g"].get<double>(),
              1e-9);
}

TEST_F(CliReportTest, ThePageSaysInWhatTheScenesDiffer) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "a"}).exit_code, 0);
  folder_.write("scene.toml", "# another comment\n" + shot_text("gravity = [0, -1.5, 0]\n") + pin_text() +
                                  keyframe_text("tolerance = 0.03\n") +
                                  "[solver]\nnewton_tolerance = 1e-9\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "b"}).exit_code, 0);
  ASSERT_EQ(run({"report", "a", "b", "-o", "both.html"}).exit_code, 0);
  const nlohmann::json page = manifest("both.html");
  const nlohmann::json& rows = page["scene_differences"];
  ASSERT_EQ(rows.size(), 3u) << rows;
  EXPECT_EQ(rows[0]["key"], "keyframe.0.tolerance");
  EXPECT_EQ(rows[0]["values"], nlohmann::json({"0.02", "0.03"}));
  EXPECT_EQ(rows[1]["key"], "shot.gravity");
  EXPECT_EQ(rows[1]["values"][0], nullptr);
  EXPECT_EQ(rows[1]["default"], "9.81 downwards along up_axis");
  EXPECT_EQ(rows[2]["key"], "solver.newton_tolerance");
  EXPECT_EQ(rows[2]["default"], "1e-08");
  EXPECT_EQ(page["runs"][0]["relative_to"], nullptr);
}

TEST_F(CliReportTest, TargetsOfEveryKindAreRecordedAndShown) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "take"}).exit_code, 0);
  folder_.write("scan.obj", "v 0 0 1\nv 1 0 1\nv 0 -1 1\nf 1 2 3\n");
  const std::string landmarks = "[[keyframe]]\nframe = 1003\nlandmarks = [[30, 0, -0.2, 0.1]]\n",
                    surface = "[[keyframe]]\nframe = 1004\nsurface = \"scan.obj\"\nmax_angle = 120\n",
                    track = "[[track]]\ncache = \"take/simulated.pc2\"\nframes = \"1002-1006\"\nevery = 2\n";
  folder_.write("targets.toml", shot_text() + pin_text() + keyframe_text() + landmarks + surface + track);
  ASSERT_EQ(run({"simulate", "targets.toml", "-o", "out"}).exit_code, 0);

  const ShotRecord record = read_shot_record(folder_ / "out");
  std::vector<TargetKind> kinds;
  for (const RecordedKeyframe& keyframe : record.keyframes) kinds.push_back(keyframe.kind);
  using enum TargetKind;
  EXPECT_EQ(kinds, (std::vector{kPose, kLandmarks, kSurface, kTrack, kTrack, kTrack}));
  ASSERT_TRUE(record.keyframes[2].surface);
  EXPECT_EQ(record.keyframes[2].surface->mesh().vertex_count(), 3);
  EXPECT_NEAR(record.keyframes[2].surface->max_angle(), 120 * EIGEN_PI / 180, 1e-12);

  ASSERT_EQ(run({"report", "out"}).exit_code, 0);
  const nlohmann::json page = manifest("out/report.html")["runs"][0];
  ASSERT_EQ(page["keyframes"].size(), 3u);
  EXPECT_EQ(page["keyframes"][1]["kind"], "landmarks");
  EXPECT_EQ(page["keyframes"][2]["surface"]["triangles"]["length"], 3);
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_DOUBLE_EQ(page["keyframes"][2]["misses"]["simulated"]["rms_m"], summary["keyframes"][2]["rms_m"]);
  ASSERT_EQ(page["tracks"].size(), 1u);
  EXPECT_EQ(page["tracks"][0]["frames"], (std::vector<int>{1002, 1004, 1006}));
  EXPECT_NEAR(page["tracks"][0]["misses"]["simulated"]["rms_m"][1], 0.0, 1e-7);  // the very run, by PC2
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/shot/target_2.obj"));
}

TEST_F(CliReportTest, SeveralRunsShareOnePage) {
  solve();
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "free"}).exit_code, 0);
  const ProgramResult result = run({"report", "out", "free"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "report.html\n");
  const nlohmann::json runs = manifest("report.html")["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1]["takes"][0]["name"], "simulated");
  EXPECT_FALSE(runs[1].contains("forces"));
}

// A page of one run is written anew; what is no page is somebody else's.
TEST_F(CliReportTest, ReplacesPagesAlone) {
  solve();
  ASSERT_EQ(run({"report", "out", "-o", "page.html"}).exit_code, 0);
  EXPECT_EQ(run({"report", "out", "-o", "page.html"}).exit_code, 0);
  const std::string scene = folder_.read("scene.toml");
  const ProgramResult refused = run({"report", "out", "-o", "scene.toml"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"scene.toml", "--force"})) << refused.err;
  EXPECT_EQ(folder_.read("scene.toml"), scene);
}

TEST_F(CliReportTest, DoesWithoutPositionsInDoublePrecision) {
  folder_.write("scene.toml", scene_text() + "[output]\ncaches = [\"pc2\"]\n");
  solve();
  EXPECT_EQ(manifest("out/report.html")["runs"][0]["takes"][0]["source"], "controlled.pc2");
}

// solve writes them whatever [output] says: their states at frames are positions.npy.
TEST_F(CliReportTest, TakesTheClothFromItsStepsWhereNoCacheIsThere) {
  folder_.write("scene.toml", scene_text() + "[output]\ncaches = [\"npy\", \"usda\"]\n");
  solve();
  const ReportTake take = read_report_run(folder_ / "out").takes.at(0);
  ASSERT_EQ(take.source, "positions.npy");
  std::filesystem::remove(folder_ / "out/positions.npy");
  const ReportRun steps = read_report_run(folder_ / "out");
  ASSERT_GT(steps.shot.substeps, 1);
  ASSERT_EQ(steps.takes.size(), 1u);
  EXPECT_EQ(steps.takes[0].name, "controlled");
  EXPECT_EQ(steps.takes[0].source, "steps.npy");
  EXPECT_TRUE(steps.takes[0].frames == take.frames);
  ASSERT_EQ(run({"report", "out"}).exit_code, 0);
  const nlohmann::json page = manifest("out/report.html")["runs"][0];
  EXPECT_DOUBLE_EQ(page["keyframes"][0]["misses"]["controlled"]["rms_m"],
                   page["summary"]["keyframes"][0]["rms_m"]);
}

TEST_F(CliReportTest, SaysWhyThereIsNoCloth) {
  folder_.write("scene.toml", scene_text() + "[output]\ncaches = [\"usda\"]\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const auto warnings = [&] {
    EXPECT_EQ(run({"report", "out"}).exit_code, 0);
    const nlohmann::json page = manifest("out/report.html")["runs"][0];
    EXPECT_TRUE(page["takes"].empty());
    return page["warnings"].dump();
  };
  const std::string said = warnings();
  EXPECT_TRUE(says(said, {"no cloth", "positions.npy", "steps.npy", "caches"})) << said;
  std::filesystem::remove(folder_ / "out/summary.json");  // of a run that goes on it is no wonder
  EXPECT_FALSE(says(warnings(), {"no cloth"}));
}

// There is the cloth without forces, and nothing that a key would add.
TEST_F(CliReportTest, SaysWhatThereIsOfASearchThatFailed) {
  folder_.write("scene.toml", scene_text() + "[solver]\nmax_newton_iterations = 1\n");
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 5);
  const auto warnings = [&] {
    const nlohmann::json page = manifest("out/report.html")["runs"][0];
    EXPECT_EQ(page["summary"]["status"], "failed");
    return page["warnings"].dump();
  };
  const std::string said = warnings();
  EXPECT_TRUE(says(said, {"out: only the cloth without forces is there, as far as it could"})) << said;
  EXPECT_FALSE(says(said, {"holds no cloth"})) << said;
  std::filesystem::remove(folder_ / "out/uncontrolled.pc2");
  ASSERT_EQ(run({"report", "out"}).exit_code, 0);
  const std::string nothing = warnings();
  EXPECT_FALSE(says(nothing, {"cloth without forces is there"}) || says(nothing, {"holds no cloth"}))
      << nothing;
}

TEST_F(CliReportTest, ShowsARunThatHasNotEnded) {
  solve();
  for (const char* file :
       {"summary.json", "positions.npy", "controlled.pc2", "steps.npy", "forces.npy", "steps.jsonl"})
    std::filesystem::remove(folder_ / "out" / file);
  const std::string log = folder_.read("out/convergence.jsonl");
  folder_.write("out/convergence.jsonl", log + "{\"iteration\": 9");  // in the middle of a line
  ASSERT_EQ(run({"report", "out"}).exit_code, 0);
  const nlohmann::json page = manifest("out/report.html")["runs"][0];
  EXPECT_TRUE(page["summary"].is_null());
  EXPECT_EQ(page["takes"].size(), 1u);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(page["convergence"].size()),
            std::count(log.begin(), log.end(), '\n'));
}

TEST_F(CliReportTest, SaysWhatIsWrongWithAFolder) {
  solve();
  const auto refusal = [&](const char* file, const std::string& bytes) {
    const std::string kept = folder_.read(std::string("out/") + file);
    folder_.write(std::string("out/") + file, bytes);
    const ProgramResult result = run({"report", "out"});
    EXPECT_EQ(result.exit_code, 3) << file;
    EXPECT_TRUE(says(result.err, {std::filesystem::path(file).filename()})) << result.err;
    folder_.write(std::string("out/") + file, kept);
  };
  refusal("shot/shot.json", "{");
  refusal("shot/shot.json", "{}");
  refusal("shot/rest.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  refusal("positions.npy", "\x93NUMPY");
  refusal("positions.npy", folder_.read("out/shot/mass.npy"));
  refusal("summary.json", "{\"status\"");
  refusal("convergence.jsonl", "{}\nno\n");
  EXPECT_EQ(run({"report", "nowhere"}).exit_code, 3);
  EXPECT_EQ(run({"report"}).exit_code, 2);
}

TEST_F(CliReportTest, TheRecordOutlivesTheScene) {
  folder_.write("scene.toml", shot_text("meters_per_unit = 0.5\nfps = 30\n") + pin_text() + keyframe_text());
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  for (const char* file : {"scene.toml", "rest.obj", "key.obj"}) std::filesystem::remove(folder_ / file);
  const ReportRun run = read_report_run(folder_ / "out");
  EXPECT_EQ(run.shot.frames.first, 1001);
  EXPECT_EQ(run.shot.fps, 30.0);
  EXPECT_EQ(run.shot.rest.vertex_count(), kSide * kSide);
  EXPECT_DOUBLE_EQ(run.shot.rest.positions[kSide - 1].x(), 0.125);  // in metres
  ASSERT_EQ(run.shot.keyframes.size(), 1u);
  EXPECT_EQ(run.shot.keyframes[0].tolerance, 0.02);
  EXPECT_NEAR(run.shot.keyframes[0].goal.target.tail(1)[0], 0.5 * 0.25 * std::sin(0.4), 1e-12);
  EXPECT_EQ(run.shot.controlled.size(), 30u);  // all but the pinned ones
  EXPECT_EQ(run.takes.at(0).frames.size(), 6u);
}

TEST_F(CliReportTest, CollidersAreListedInMetres) {
  folder_.write("body.obj", sheet());
  const std::string colliders =
      "[[collider]]\nsphere = { center = [1, 2, 3], radius = 0.5 }\n"
      "[[collider]]\nplane = { point = [0, -1, 0], normal = [0, 2, 0] }\n"
      "[[collider]]\nmesh = \"body.obj\"\ntranslate = [9, 0, 0]\n";
  const Scene scene =
      read_scene(folder_.write("bodies.toml", shot_text("meters_per_unit = 0.1\n") + colliders));
  const nlohmann::json list =
      colliders_json(scene, read_shown_bodies(scene, {scene.shot.frames, scene.shot.fps, 1}, {}));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0],
            nlohmann::json::parse(
                R"({"kind": "sphere", "center": [1.0, 2.0, 3.0], "radius": 0.5, "motion": "none"})"));
  EXPECT_EQ(list[1]["normal"], (nlohmann::json{0.0, 1.0, 0.0}));
  EXPECT_NEAR(list[2]["positions"][kSide - 1][0], 0.025, 1e-15);
  EXPECT_EQ(list[2]["triangles"].size(), 2u * (kSide - 1) * (kSide - 1));
  EXPECT_EQ(list[2]["motion"], "rigid");
}

TEST_F(CliReportTest, TheRecordSaysWhereBodiesGo) {
  const auto leaf = [](int step) { return fmt::format("v 5 0 0\nv 6 0 0\nv 5 1 {}\nf 1 2 3\n", step); };
  for (int step = 0; step < 6; ++step) folder_.write(fmt::format("leaf.{}.obj", 1001 + step), leaf(step));
  folder_.write("scene.toml",
                shot_text("meters_per_unit = 0.5\n") +
                    "[[collider]]\nsphere = { center = [4, 0, 0], radius = 0.5 }\npivot = [4, 0, 0]\n"
                    "rotate = [[1001, [0, 0, 0]], [1005, [0, 0, 180]]]\ntranslate = [0, 7, 0]\n"
                    "[[collider]]\nmesh = \"leaf.1001.obj\"\nas = \"surface\"\nmotion = \"leaf.####.obj\"\n"
                    "[[collider]]\nbox = { min = [8, 0, 0], max = [9, 1, 1] }\ntranslate = [0, 7, 0]\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const std::vector<RecordedBody> bodies = read_report_run(folder_ / "out").shot.bodies;
  ASSERT_EQ(bodies.size(), 3u);
  ASSERT_EQ(bodies[0].poses.size(), 6u);
  VecX quarter(7);  // about z, and x' = c + R(x - c) + t with c = (4, 0, 0)
  quarter << 0, 0, std::sqrt(0.5), std::sqrt(0.5), 4, 7 - 4, 0;
  EXPECT_LT((bodies[0].poses[2] - quarter).norm(), 1e-14) << bodies[0].poses[2].transpose();
  ASSERT_EQ(bodies[1].positions.size(), 6u);
  EXPECT_EQ(bodies[1].positions[3][8], 0.5 * 3);  // in metres
  ASSERT_EQ(bodies[2].poses.size(), 1u);
  EXPECT_EQ(bodies[2].poses[0].tail(3), (VecX(3) << 0, 7, 0).finished());

  folder_.write("out/shot/collider_0.npy", folder_.read("out/shot/collider_2.npy"));  // it may rest, but ...
  EXPECT_EQ(read_report_run(folder_ / "out").shot.bodies[0].poses.size(), 1u);
  folder_.write("out/shot/collider_1.npy", folder_.read("out/shot/collider_2.npy"));
  EXPECT_THROW(read_report_run(folder_ / "out"), InputError);
  std::string record = folder_.read("out/shot/shot.json");  // as it was before bodies moved in reports
  const std::string motion = "\"motion\": \"deforming\"";
  ASSERT_NE(record.find(motion), std::string::npos) << record;
  folder_.write("out/shot/shot.json", record.replace(record.find(motion), motion.size(), "\"moving\": true"));
  EXPECT_TRUE(read_report_run(folder_ / "out").shot.bodies[1].positions.empty());
}

}  // namespace
}  // namespace keydrape
