#pragma once

#include <optional>
#include <string_view>

#include "io/run/checkpoint.h"

// Forces of another scene that a search begins with. The checkpoint that they come from stays in the folder,
// as first_guess.json and first_guess.npy, until that search has ended: one that is broken off before its
// first iteration, or between two windows, begins with them once more.

namespace keydrape {

// The files of a checkpoint, and of a first guess.
inline constexpr std::string_view kCheckpointFiles[] = {
    "checkpoint.json", "checkpoint_a.npy", "checkpoint_b.npy", "first_guess.json", "first_guess.npy"};

// Copies the folder's checkpoint. Requires that it can be read. Throws OutputError.
void keep_first_guess(const RunFolder& folder);
// None: the folder has none. Throws as read_checkpoint.
std::optional<SavedRun> read_first_guess(const RunFolder& folder, const SceneFingerprint& scene,
                                         const Shot& shot);
void remove_first_guess(const RunFolder& folder);

}  // namespace keydrape
