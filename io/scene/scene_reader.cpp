#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/scene/scene.h"
#include "io/scene/scene_parse.h"
#include "io/scene/table_reader.h"

namespace keydrape {
namespace {

// TOML knows no key that holds a text and a table at once, though it would read well in a scene; frames =
// 1001-1024 begins as a date does; and a mesh is no scene.
std::string_view remedy(const std::filesystem::path& path, std::string_view description) {
  const auto speaks_of = [&](std::string_view words) {
    return description.find(words) != std::string_view::npos;
  };
  if (path.extension() != ".toml") return "; expected a scene file, such as keydrape new writes";
  if (speaks_of("cannot redefine") && speaks_of("material'"))
    return "; next to [cloth.material], name the fabric inside of it: preset = \"cotton\"";
  if (speaks_of("parsing date"))
    return "; ranges of frames and other text stand in quotes: frames = \"1001-1024\"";
  return "";
}

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
    const SceneContext file{path, {}, std::nullopt, has_lines};
    throw InputError(fmt::format("{}: not TOML: {}{}", file.position(error.source()).where(),
                                 error.description(), remedy(path, error.description())));
  }
}

Scene scene_of(const std::filesystem::path& path, const std::string& text, bool has_lines) {
  SceneContext file{path.string(), std::filesystem::absolute(path).parent_path(), std::nullopt, has_lines};
  const toml::table root = parse_toml(file.path, text, has_lines);

  Scene scene;
  scene.text = text;
  scene.shot.name = path.stem().string();
  scene.output.dir = (file.folder / (path.stem().string() + "_out")).lexically_normal();
  read_table(TableSource(file, root, {"", false}), scene);
  check_name(scene.shot);
  return scene;
}

Scene read_scene(const std::filesystem::path& path) { return scene_of(path, scene_text(path), true); }

Scene parse_scene(const std::string& text, const std::filesystem::path& name) {
  return scene_of(name, text, false);
}

}  // namespace keydrape
