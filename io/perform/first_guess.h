#pragma once

#include <optional>

#include "io/run/checkpoint.h"

// Forces of another scene that a search begins with. The checkpoint that they come from stays in the folder,
// as first_guess.json and first_guess.npy, until that search has ended: one that is broken off before its
// first iteration, or between two windows, begins with them once more.

namespace keydrape {

// Makes the folder's checkpoint, which can be read, the first guess of a search that begins there, and
// removes what else the search before has left. The checkpoint itself stays for the new one to replace: until
// then it is what can be gone on from. Throws OutputError.
void begin_with_first_guess(const RunFolder& folder);
// None: the folder has none. Throws as read_checkpoint.
std::optional<SavedRun> read_first_guess(const RunFolder& folder, const SceneFingerprint& scene,
                                         const Shot& shot);
void remove_first_guess(const RunFolder& folder);

}  // namespace keydrape
