#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/scene/scene.h"
#include "io/scene/scene_parse.h"
#include "io/scene/table_reader.h"
#include "io/scene/toml_remedy.h"

namespace keydrape {
namespace {

// File systems end at 255 bytes, of which a sequence needs some for its frame, and a file in the making for
// its temporary name.
constexpr std::size_t kLongestName = 200;

// The shot's name, which may be that of the scene file: it names files, and stands in JSON.
void check_name(const scene::Shot& shot) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(fmt::format("{}: [shot] name: found {}; expected {}; by default it is the scene file's",
                                 shot.source.where(), found, expected));
  };
  if (!is_utf8(shot.name)) refuse(in_quotes(shot.name), "a text in UTF-8");
  if (shot.name.size() > kLongestName) {
    refuse(fmt::format("{} bytes", shot.name.size()),
           fmt::format("at most {}, as it names files", kLongestName));
  }
  // One that the key gives is refused where it stands: this is the stem of the scene file.
  if (shot.name.find_first_of("/\\") != std::string::npos)
    refuse(in_quotes(shot.name),
           "a text without '/' and '\\', as it names files: rename the scene file or give [shot] name");
}

}  // namespace

std::string scene_text(const std::filesystem::path& path) {
  const std::uint64_t size = InputFile(path).size();
  if (size > kMaxSceneBytes) {
    throw InputError(fmt::format("{}: found {} bytes; expected a scene file of at most {} bytes",
                                 path.string(), size, kMaxSceneBytes));
  }
  return read_file(path);
}

toml::table parse_toml(const std::string& path, const std::string& text, bool has_lines) {
  try {
    return toml::parse(std::string_view(text), std::string_view(path));
  } catch (const toml::parse_error& error) {
    const auto place = error.source().begin;
    const TomlMistake mistake =
        toml_mistake(text, static_cast<int>(place.line), static_cast<int>(place.column), error.description());
    const bool is_scene = std::filesystem::path(path).extension() == ".toml";
    const std::string remedy =
        is_scene ? mistake.remedy : "expected a scene file, such as keydrape new writes";
    throw InputError(fmt::format("{}: not TOML: {}{}{}",
                                 SourcePosition{path, mistake.line, mistake.column, has_lines}.where(),
                                 mistake.description, remedy.empty() ? "" : "; ", remedy));
  }
}

Scene scene_of(const std::filesystem::path& path, const std::string& text, bool has_lines) {
  SceneContext file{path.string(), std::filesystem::absolute(path).parent_path(), std::nullopt, has_lines};
  const toml::table root = parse_toml(file.path, text, has_lines);

  Scene scene;
  scene.text = text;
  scene.shot.name = path.stem().string();
  scene.output.dir = short_path(file.folder / (path.stem().string() + "_out"));
  read_table(TableSource(file, root, {"", false}), scene);
  check_name(scene.shot);
  scene.doubts = std::move(file.doubts);
  return scene;
}

Scene read_scene(const std::filesystem::path& path) { return scene_of(path, scene_text(path), true); }

Scene parse_scene(const std::string& text, const std::filesystem::path& name) {
  return scene_of(name, text, false);
}

}  // namespace keydrape
