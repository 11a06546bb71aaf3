#pragma once

#include <string>
#include <vector>

#include "io/scene/scene_edit.h"

namespace keydrape {

// The keys that a scene's text sets, as settings name them ("control.effort", "keyframe.1.tolerance"), each
// with its value as TOML; by name, tables of a list in their order. No key is checked, and no file opened:
// the scene may be of long ago. What is no TOML has none.
std::vector<SceneSetting> written_keys(const std::string& text);

}  // namespace keydrape
