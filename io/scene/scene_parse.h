#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>

#include "io/scene/scene.h"

// The parts of read_scene. Inside of io/scene only.

namespace keydrape {

// The file's text. Throws InputError: cannot be read, or beyond kMaxSceneBytes.
std::string scene_text(const std::filesystem::path& path);

// Throws InputError, which names place and remedy, where `text` is no TOML. `has_lines`: a person sees them.
toml::table parse_toml(const std::string& path, const std::string& text, bool has_lines = true);

// The scene that `text` is, as if it stood in `path`. Throws as read_scene.
Scene scene_of(const std::filesystem::path& path, const std::string& text, bool has_lines = true);

}  // namespace keydrape
