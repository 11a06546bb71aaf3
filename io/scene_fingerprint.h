#pragma once

#include <string>

#include "io/scene.h"

namespace keydrape {

// A number that changes with anything in the scene that changes the problem to be solved, the contents of its
// files included: 16 hexadecimal digits. The budget (max_forward_simulations), the memory and [output] do not
// count, so that a search can be resumed with more of them. Recognises accidents, not forgery (64-bit
// FNV-1a). Throws InputError where a file cannot be read.
std::string scene_fingerprint(const Scene& scene);

}  // namespace keydrape
