#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/templates/meshes.h"

// Small shots to begin from: each runs as it is, in seconds, and shows one way to use keyframes.

namespace keydrape {

// A table of the scene file with the keys that the template sets; values as TOML writes them.
struct TemplateTable {
  std::string path;     // "cloth", "keyframe"
  std::string comment;  // why it is here; empty: as the reference says
  std::vector<std::pair<std::string, std::string>> values;
  bool is_commented = false;  // the whole table, to be filled in
};

struct SceneTemplate {
  std::string name;                     // "flag"
  std::string meaning;                  // one line
  std::function<NamedMeshes()> meshes;  // made when the template is written
  std::vector<TemplateTable> tables;
  // What was taken for granted, a sentence each, with the key that says otherwise.
  std::vector<std::string> remarks{};
};

// [cloth.material] for meshes of some centimetres an edge: gives more and bends less than clothing does,
// since such meshes cannot show its folds, and lock or buckle at the size of an edge instead.
TemplateTable forgiving_material(const std::string& preset, const std::string& stretch,
                                 const std::string& shear, const std::string& bend);

// In the order flag, skirt, cape.
std::span<const SceneTemplate> scene_templates();

// The scene file: the template's tables with every key that they have, those that it does not set as
// comments with their defaults. Meanings, units and defaults are those of scene_reference(). Requires tables
// and keys that exist.
std::string scene_text(const SceneTemplate& scene_template);

// Writes shot.toml and the meshes into `folder`, which is made where it is missing. Returns the scene
// file. Throws OutputError.
std::filesystem::path write_template(const SceneTemplate& scene_template,
                                     const std::filesystem::path& folder);

}  // namespace keydrape
