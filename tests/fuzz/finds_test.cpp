// What fuzzing has found in the readers of results, and what people are told since.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "io/formats/file_summary.h"
#include "io/report/page.h"
#include "io/report/run.h"
#include "io/run/checkpoint.h"
#include "io/shot/shot.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/parts.h"
#include "tests/fuzz/small_shot.h"
#include "tests/support/temporary_folder.h"

namespace keydrape::fuzz {
namespace {

using Json = nlohmann::ordered_json;

std::string kept_input(const std::string& name) {
  std::ifstream file(std::string(KEYDRAPE_CORPUS) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A kept folder of results, with one value of one of its JSON files changed.
class DamagedResults : public testing::Test {
 protected:
  void unpack(const std::string& input) {
    const std::string bytes = kept_input(input);
    ASSERT_FALSE(bytes.empty()) << input;
    for (const Part& part : parts_of(bytes)) {
      const std::filesystem::path file = folder_ / part.name;
      std::filesystem::create_directories(file.parent_path());
      folder_.write(part.name, part.bytes);
    }
  }
  void set(const std::string& file, const std::string& pointer, const Json& value) const {
    Json json = Json::parse(folder_.read(file));
    json[Json::json_pointer(pointer)] = value;
    folder_.write(file, json.dump());
  }
  std::string refusal_of_report() const {
    return message_of<InputError>([&] { report_html({read_report_run(folder_.path())}); });
  }

  TemporaryFolder folder_;
};

TEST_F(DamagedResults, RecordsThatOthersCountAndDivideBy) {
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } cases[] = {
      {"/frames/1", 1001, "has frames 1001 to 1001"},
      {"/frames/1", 2147483647, "has frames 1001 to 2147483647"},
      {"/frames/0", 1.5, "is damaged"},
      {"/substeps", 0, "has 0 substeps"},
      {"/substeps", 1e300, "is damaged"},
      {"/fps", 0, "has 0 frames a second"},
      {"/up_axis", "X", "has no up_axis"},
      {"/keyframes/0/frame", 900, "has a keyframe at none of its frames"},
      {"/controlled/0", 9, "names vertices that rest.obj has not"},
      {"/colliders", Json::parse(R"([{"kind": "mesh", "positions": [[0, 0, 0]], "triangles": [[0, 0, 7]]}])"),
       "is damaged"},
      {"/colliders", Json::parse(R"([{"kind": "mesh", "positions": [[0, 0, 1e300]], "triangles": []}])"),
       "is damaged"},
  };
  for (const auto& [pointer, value, message] : cases) {
    unpack("results/solved");
    set("shot/shot.json", pointer, value);
    EXPECT_TRUE(says(refusal_of_report(), {"shot/shot.json: ", message})) << pointer;
  }
}

// Whoever else writes a summary: what is no list of keyframes says nothing of them.
TEST_F(DamagedResults, SummariesThatSayOtherThings) {
  for (const Json& keyframes : {Json(3), Json{1, 2}, Json::object()}) {
    unpack("results/solved");
    set("summary.json", "/keyframes", keyframes);
    if (report_obstacle()) continue;
    EXPECT_FALSE(report_html({read_report_run(folder_.path())}).empty());
  }
}

TEST_F(DamagedResults, CheckpointsThatFitNothing) {
  const struct {
    const char* pointer;
    Json value;
  } cases[] = {
      {"/counts/pairs", 2147483647},
      {"/counts/steps", -1},
      {"/counts/unknowns", 1e300},
      {"/iteration", 1e300},
      {"/progress/end", 99},
      {"/work/time_steps", 1e300},
      {"/work/kept_steps/0", -1e300},
      {"/windows", Json::parse(R"({"count": 1, "forward_simulations": 1, "out_of_budget": false})")}};
  const RunFolder run(folder_.path(), EarlierRun::kContinue);
  const SceneFingerprint scene = scene_fingerprint(small_scene());
  for (const auto& [pointer, value] : cases) {
    unpack("checkpoint/gauss_newton");
    set("checkpoint.json", "/scene", fingerprint_json(scene));
    set("checkpoint.json", "/layout", layout_fingerprint(small_shot().layout()));
    EXPECT_NO_THROW(read_checkpoint(run, scene, small_shot(), CheckpointOf::kThisScene));
    set("checkpoint.json", pointer, value);
    const std::string message =
        message_of<InputError>([&] { read_checkpoint(run, scene, small_shot(), CheckpointOf::kThisScene); });
    EXPECT_TRUE(says(message, {"checkpoint.json: the checkpoint is damaged; solve without --resume"}))
        << pointer;
  }
}

// The kept input is sound, so that what is changed of it gets far. As a level of the shot, the shot itself.
TEST_F(DamagedResults, CheckpointOfALevelIsRefusedWhereItIsDamaged) {
  const RunFolder run(folder_.path(), EarlierRun::kContinue);
  const SceneFingerprint scene = scene_fingerprint(small_scene());
  SearchPart level{SearchPart::Kind::kLevel, small_shot().prepared.task.grid.all(), small_shot().prepared};
  const auto read = [&] { return read_level_checkpoint(run, scene, small_shot(), level); };
  unpack("checkpoint/level");
  set("level.json", "/scene", fingerprint_json(scene));
  set("level.json", "/layout", layout_fingerprint(small_shot().layout()));
  EXPECT_FALSE(read()) << "of another level";
  level.level = 1;
  EXPECT_TRUE(read());
  set("level.json", "/counts/steps", -1);
  EXPECT_TRUE(says(message_of<InputError>(read), {"level.json: the checkpoint is damaged"}));
}

TEST_F(DamagedResults, ConvergenceOfSomebodyElseIsLeftOut) {
  unpack("checkpoint/gauss_newton");
  set("checkpoint.json", "/scene", fingerprint_json(scene_fingerprint(small_scene())));
  set("checkpoint.json", "/layout", layout_fingerprint(small_shot().layout()));
  const RunFolder run(folder_.path(), EarlierRun::kContinue);
  const Checkpoint checkpoint =
      read_checkpoint(run, scene_fingerprint(small_scene()), small_shot(), CheckpointOf::kThisScene);
  folder_.write("convergence.jsonl", "{\"iteration\": \"a\"}\n{\"iteration\": 0}\n3\n{\"iteration\": 99}\n");
  EXPECT_EQ(earlier_convergence_lines(run, checkpoint), "{\"iteration\": 0}\n");
}

TEST_F(DamagedResults, LongRefusalsAreCut) {
  folder_.write("a.glb", kept_input("glb/long_refusal"));
  const std::string message = message_of<InputError>([&] { summarize_file(folder_ / "a.glb"); });
  EXPECT_TRUE(says(message, {"a.glb: holds other glTF: ", "...; expected a file as keydrape writes it"}));
  EXPECT_LT(message.size(), 500U);
}

// A folder of results that leads elsewhere, where nothing may be touched.
TEST_F(DamagedResults, LinkedFoldersAreRefused) {
  unpack("results/solved");
  std::filesystem::create_directory(folder_ / "elsewhere");
  folder_.write("elsewhere/scene.toml", "precious");
  std::filesystem::remove_all(folder_ / "shot");
  std::filesystem::create_directory_symlink("elsewhere", folder_ / "shot");
  for (const EarlierRun earlier : {EarlierRun::kReplace, EarlierRun::kContinue}) {
    const std::string message = message_of<InputError>([&] { RunFolder(folder_.path(), earlier); });
    EXPECT_TRUE(
        says(message, {"/shot: leads to elsewhere; expected a folder of the run's own", "remove the link"}));
  }
  EXPECT_EQ(folder_.read("elsewhere/scene.toml"), "precious");
  EXPECT_FALSE(folder_.read("positions.npy").empty());
}

// A summary and a record of somebody else: a run replaces them.
TEST_F(DamagedResults, NamesAndStatesOfSomebodyElse) {
  unpack("results/solved");
  set("summary.json", "/status", 3);
  set("shot/shot.json", "/name", std::string(300'000, 'a'));
  EXPECT_NO_THROW(RunFolder(folder_.path(), EarlierRun::kReplace).begin("solve"));
  EXPECT_TRUE(folder_.read("positions.npy").empty());
}

// A body as large as the world's voxels.
TEST(FuzzedShots, VoxelsFitTheBody) {
  ASSERT_TRUE(is_small_file("rest.obj"));  // puts all of them there
  const std::string text =
      "[shot]\nframes = \"1-3\"\n[cloth]\nrest = \"rest.obj\"\n[contact]\n[[collider]]\nmesh = "
      "\"body.obj\"\n";
  for (const auto& [voxel, message] :
       {std::pair{"1e30", "voxel = 1e+30 m, and the body's longest side is 2 m; expected a fraction of that"},
        std::pair{"1e-6", "voxels of 1e-06 m; expected at most 2e+08; set a larger voxel"}}) {
    const auto file = input_folder().write("voxel.toml", text + "voxel = " + voxel + "\n");
    const std::string refusal = message_of<InputError>([&] { open_shot(read_scene(file)); });
    EXPECT_TRUE(says(refusal, {"voxel.toml:7:8: [[collider]] mesh: ", message}));
  }
}

}  // namespace
}  // namespace keydrape::fuzz
