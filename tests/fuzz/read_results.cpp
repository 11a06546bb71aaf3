#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "io/file/json_text.h"
#include "io/report/page.h"
#include "io/report/run.h"
#include "io/run/checkpoint.h"
#include "io/run/run_folder.h"
#include "io/run/simulation_checkpoint.h"
#include "io/take/recorded_channels.h"
#include "io/take/recorded_forces.h"
#include "io/take/recorded_take.h"
#include "io/take/take_files.h"
#include "io/wedge/element_files.h"
#include "io/wedge/element_state.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/small_shot.h"

namespace keydrape::fuzz {
namespace {

// In kept inputs stands @SCENE@ for the fingerprint of the small scene, @LAYOUT@ for that of its unknowns: a
// key that is new some day changes both.
std::string with_fingerprints(std::string_view bytes) {
  static const std::string scene = json_text(fingerprint_json(scene_fingerprint(small_scene())));
  static const std::string layout = layout_fingerprint(small_shot().layout());
  std::string text(bytes);
  for (const auto& [word, value] :
       {std::pair{std::string_view("\"@SCENE@\""), scene}, std::pair{std::string_view("@LAYOUT@"), layout}})
    if (const std::size_t at = text.find(word); at != std::string::npos) text.replace(at, word.size(), value);
  return text;
}

}  // namespace

void run_take(std::string_view bytes) {
  const Shot& shot = small_shot();
  const int n = shot.rest().vertex_count();
  const InputFolder& folder = input_folder();
  folder.write_parts(bytes, {kForcesFile, kForcesOfStepsFile, kStepsFile, kPositionsFile, kChannelsFile});
  expect_answer([&] {
    const auto forces = exact_forces(folder / kForcesFile, shot.clock, n);
    const RecordedForces recorded(forces, shot.clock, n);
    refuse_positions(recorded, shot.start().x, (folder / kForcesFile).string());
    for (int f = 0; f < shot.clock.frames.count(); ++f)
      expect(mean_force(recorded, shot.clock, n, f).allFinite(), "a force that is not finite");
  });
  expect_answer([&] {
    expect(read_take_positions(folder.path(), shot.clock, n).size() ==
               static_cast<std::size_t>(shot.clock.step_count()) + 1,
           "a take with other steps than the shot");
  });
  expect_answer([&] { read_channels(folder / kChannelsFile, shot.channels(), shot.clock); });
}

void run_results(std::string_view bytes) {
  const InputFolder& folder = input_folder();
  folder.write_parts(bytes, {"shot/shot.json",    "shot/scene.toml",     "shot/rest.obj",
                             "shot/mass.npy",     "shot/keyframes.npy",  "shot/keyframe_weights.npy",
                             "shot/target_0.obj", "shot/collider_0.npy", "positions.npy",
                             "simulated.pc2",     "controlled.pc2",      "uncontrolled.pc2",
                             "forces.npy",        "contacts.npy",        "summary.json",
                             "convergence.jsonl", "steps.jsonl",         "keydrape.log",
                             "element.json",      "element_files.json"});
  expect_answer([&] {
    const ReportRun run = read_report_run(folder.path());
    if (report_obstacle()) return;
    expect(!report_html({run}).empty(), "no page");
  });
  expect_answer([&] { element_outcome(folder.path()); });
  expect_answer([&] { changed_files(folder.path(), {{"/rest.obj", "rest.obj (0)"}}); });
}

void run_checkpoint(std::string_view bytes) {
  const Shot& shot = small_shot();
  static const SceneFingerprint scene = scene_fingerprint(small_scene());
  const InputFolder& folder = input_folder();
  static const RunFolder run(folder.path(), EarlierRun::kContinue);  // while there is nothing in it
  folder.write_parts(
      with_fingerprints(bytes),
      {"checkpoint.json", "checkpoint_a.npy", "checkpoint_b.npy", "level.json", "level_a.npy", "level_b.npy",
       "convergence.jsonl", "simulation.json", "simulation/part_0001.npy", "simulation/part_0002.npy"});
  for (const CheckpointOf which : {CheckpointOf::kThisScene, CheckpointOf::kAnyScene})
    expect_answer([&] {
      const Checkpoint checkpoint = read_checkpoint(run, scene, shot, which);
      earlier_convergence_lines(run, checkpoint);
    });
  SearchPart level{SearchPart::Kind::kLevel, shot.prepared.task.grid.all(), shot.prepared};
  level.level = 1;
  expect_answer([&] { read_level_checkpoint(run, scene, shot, level); });
  if (!std::filesystem::exists(folder.path() / kSimulationFile)) return;
  expect_answer([&] {
    SimulationCheckpoint steps(run, scene);
    if (!steps.differences().empty()) return;
    Trajectory trajectory{{stepped_shot().start()}, {}, {}};
    steps.read(stepped_shot(), trajectory);
  });
}

}  // namespace keydrape::fuzz
