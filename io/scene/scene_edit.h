#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/scene.h"

// A scene file with other values, as text: its comments, its order and all else stay as they are.

namespace keydrape {

// A key and what it is set to: "control.effort", "1e-5". Tables of a list count
// from 0: "keyframe.0.tolerance".
struct SceneSetting {
  std::string key;
  std::string value;  // TOML

  bool operator==(const SceneSetting&) const = default;
};

// The values of a list with commas between, each in TOML: `1e-5,[0, 1],silk` are three. What is no value of
// TOML is a text: silk is "silk". Throws InputError, which begins with `place`: an empty value, or one that
// begins as a text, a list or a table and is none.
std::vector<std::string> toml_values(std::string_view list, const std::string& place);

struct EditedScene {
  std::string text;
  Scene scene;  // as the text says
};
// A scene file with settings in it, to be written anywhere: files and folders are named by their absolute
// paths, those that settings name relative to the scene's folder as well. It has been read as read_scene
// reads. Throws InputError: what read_scene refuses, and a setting of no such place; lines below a key that
// was not there before count one more.
EditedScene edited_scene(const std::filesystem::path& scene, const std::vector<SceneSetting>& settings);

// A table of one of the scene's lists: "keyframe", with its keys and their values in TOML.
struct AddedTable {
  std::string list;
  std::vector<SceneSetting> keys;
};
// `text`, a scene that stands in `scene` or is to stand there, with these tables behind all that it says; not
// a byte before them changes. `remark`: a line of comment above each. It has been read as read_scene reads.
// Throws InputError: what read_scene refuses; a list that the text has in another form.
EditedScene scene_with_tables(const std::filesystem::path& scene, std::string text,
                              const std::vector<AddedTable>& tables, std::string_view remark);

// A text as TOML has it, between quotes.
std::string toml_quoted(std::string_view text);

}  // namespace keydrape
