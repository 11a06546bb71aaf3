#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "control/search/checkpoint.h"
#include "control/search/observer.h"
#include "io/run/run_folder.h"
#include "io/run/scene_fingerprint.h"
#include "io/shot/shot.h"

// Where a search stands, on the disk: everything that its continuation depends on, but for what it began with
// (io/perform/first_guess.h), so that `solve --resume` gives the bits of a run that was never broken.
//
//   checkpoint.json                    the scene's fingerprint, counters, weights, and which file the values
//   are in checkpoint_a.npy | checkpoint_b.npy    (count) float64: runs and vectors one after the other
//
// The two take turns: a new checkpoint fills the file that the old one does not use, checkpoint.json then
// changes from one to the other, whole, and the old file goes. A kill at any moment leaves one that loads.
//
// level.json and its values are the same of the coarser level that is searched, or was last, before the shot.

namespace keydrape {

// What says where the search stands, and the two that take turns.
using CheckpointNames = std::array<std::string_view, 3>;
inline constexpr CheckpointNames kCheckpointFiles = {"checkpoint.json", "checkpoint_a.npy",
                                                     "checkpoint_b.npy"};
inline constexpr CheckpointNames kLevelFiles = {"level.json", "level_a.npy", "level_b.npy"};

struct Checkpoint {
  SceneFingerprint scene;
  std::string layout;  // layout_fingerprint of the unknowns
  SearchCheckpoint search;
};

// What SearchObserver::on_checkpoint is told.
struct SearchStand {
  const SearchState& state;
  const RunView& at;
  const RunView* best;
};
// Throws OutputError: the checkpoint before then stays.
void write_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                      const SearchStand& stand);
// Of a coarser level.
void write_level_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                            const SearchPart& part, const SearchStand& stand);

// Whether a checkpoint is read whatever scene it is of, as long as its forces fit. Windows that have not come
// to the shot's end fit a scene that asks for windows, too.
enum class CheckpointOf { kThisScene, kAnyScene };
// Requires the sizes of the shot at hand. Throws InputError: no checkpoint, a damaged one, or one of another
// scene, with what differs and whether its forces fit.
Checkpoint read_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                           CheckpointOf which);

// Likewise of other names: `values` empty: the file that the checkpoint says.
Checkpoint read_checkpoint(const std::filesystem::path& file, const std::filesystem::path& values,
                           const SceneFingerprint& scene, const Shot& shot, CheckpointOf which);

// Of this coarser level; none: it was not the last that was searched. Throws InputError as read_checkpoint.
std::optional<SearchCheckpoint> read_level_checkpoint(const RunFolder& folder, const SceneFingerprint& scene,
                                                      const Shot& shot, const SearchPart& part);

// What convergence.jsonl holds up to the checkpoint's iteration, to go on from; nothing without a checkpoint.
std::string earlier_convergence_lines(const RunFolder& folder, const std::optional<Checkpoint>& checkpoint);

}  // namespace keydrape
