#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "control/unknowns/control_layout.h"
#include "io/scene/scene.h"

namespace keydrape {

// What the problem to be solved depends on: every key of the scene by the name that settings use,
// "control.effort" or "keyframe.0.mesh" (io/scene/scene_edit.h), with its value in short. Files count by
// their contents. The budget (max_forward_simulations), the memory and [output] do not count, so that a
// search can be resumed with more of them. Recognises accidents, not forgery (64-bit FNV-1a).
using SceneFingerprint = std::vector<std::pair<std::string, std::string>>;

// Throws InputError where a file cannot be read.
SceneFingerprint scene_fingerprint(const Scene& scene);

// The value of a file there, by its contents: "rest.obj (3f..)". Of "name.pc2@1030" the whole cache counts,
// of a sequence the frame behind the @, or all. Throws InputError where it cannot be read.
std::string file_fingerprint(const std::filesystem::path& file);

// Which vertices and steps the unknowns of a search push, in short: those of another layout, be they as many,
// are other forces.
std::string layout_fingerprint(const ControlLayout& layout);

// "control.effort was 0.001 and is 0.01"; empty: nothing differs.
std::vector<std::string> differences(const SceneFingerprint& before, const SceneFingerprint& now);
// The first of them, and how many more there are.
std::string in_short(const std::vector<std::string>& differences);

// For a file, and back. fingerprint_of throws nlohmann::json::exception where `json` is no such thing.
nlohmann::ordered_json fingerprint_json(const SceneFingerprint& fingerprint);
SceneFingerprint fingerprint_of(const nlohmann::ordered_json& json);

}  // namespace keydrape
