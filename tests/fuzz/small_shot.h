#pragma once

#include <string_view>

#include "io/shot/shot.h"

// A sheet of nine vertices over four frames, and files for it that a scene may name.

namespace keydrape::fuzz {

// Whether a scene of target `shot` may name it; "shot.toml" itself is one of them.
bool is_small_file(std::string_view name);
// Puts it into the input folder as it belongs there.
void write_small_file(std::string_view name);

// With a keyframe and a channel, opened once. Stepped: in as many steps as a part of a simulation has.
const Scene& small_scene();
const Shot& small_shot();
const Shot& stepped_shot();

}  // namespace keydrape::fuzz
