#pragma once

#include <string>

namespace keydrape {

// JSON Schema (draft 7) of the scene file, for editors that complete and check TOML as it is typed: every key
// with its type, range, default and meaning, from the list that the reader walks (scene_keys.h). What no
// single key can tell (exactly one of ..., only together with ...) is not in it, so that it accepts all
// scenes that read_scene accepts, and a few more.
std::string scene_schema();

}  // namespace keydrape
