#pragma once

#include <filesystem>
#include <string>

#include "control/run/trajectory.h"
#include "io/perform/run_listener.h"
#include "io/perform/run_place.h"
#include "io/run/run_records.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// How a scene is to be simulated in a folder.
struct SimulateOrder {
  PlaceOrder place{};
  std::filesystem::path forces{};             // forces.npy; empty: none
  std::filesystem::path channels{};           // channels.json; empty: none, or those of `along`
  std::filesystem::path along{};              // folder of a take to repeat; empty: none
  StepQuality quality = StepQuality::kScene;  // kDraft: a preview, by linearised steps
};

// A simulation that has ended, with its files written.
struct SimulatedRun {
  std::filesystem::path folder;
  Shot shot;
  Trajectory trajectory;
  RunSummary summary;
  std::string json;     // summary.json
  std::string failure;  // where and why a step failed; empty: none did
};

// The shot that the order simulates, under the values of its channels; all that it names has been read.
// Throws InputError: as open_shot; forces, channels or a take that do not fit.
Shot simulated_shot(const Scene& scene, const SimulateOrder& order);

// Simulates, and leaves in the folder what io/OUTPUTS.md says. Throws InputError: as simulated_shot; a folder
// that holds another run, or files that this one reads. OutputError.
SimulatedRun simulate_in_folder(const Scene& scene, const SimulateOrder& order, RunListener& listener);

}  // namespace keydrape
