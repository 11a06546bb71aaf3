#include "io/templates/scene_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <sstream>
#include <system_error>

#include "io/file/file.h"
#include "io/formats/obj.h"
#include "io/scene/scene_reference.h"

namespace keydrape {
namespace {

constexpr std::size_t kCommentColumn = 38;

TemplateTable shot() { return {"shot", "", {{"frames", "\"1001-1024\""}, {"substeps", "2"}}}; }
TemplateTable cloth() { return {"cloth", "", {{"rest", "\"rest.obj\""}}}; }
TemplateTable pin(const std::string& group) { return {"pin", "", {{"group", group}}}; }
TemplateTable control() { return {"control", "", {{"effort", "1e-6"}, {"max_forward_simulations", "6"}}}; }

std::array<SceneTemplate, 3> make_templates() {
  const std::pair<std::string, std::string> key = {"mesh", "\"key.1024.obj\""}, frame = {"frame", "1024"};
  return {{{"flag",
            "a flag in wind that has to fall into a sculpted wave",
            flag_meshes,
            {shot(),
             cloth(),
             forgiving_material("\"denim\"", "[2200, 1400]", "60", "1.5e-3"),
             {"wind", "", {{"velocity", "[3, 0, 0.5]"}}},
             pin("\"hoist\""),
             {"keyframe", "", {frame, key, {"tolerance", "0.01"}}},
             control()}},
           {"skirt",
            "a skirt whose hem has to swing to one side; the rest of it is free",
            skirt_meshes,
            {shot(),
             cloth(),
             forgiving_material("\"wool\"", "[900, 850]", "80", "1e-3"),
             pin("\"waist\""),
             {"keyframe",
              "the hem alone: only its vertices have a target",
              {frame, key, {"group", "\"hem\""}, {"tolerance", "0.02"}}},
             control()}},
           {"cape",
            "a cape behind a body that has to lift",
            cape_meshes,
            {shot(),
             cloth(),
             {"cloth.material", "", {{"preset", "\"cotton\""}}},
             {"wind", "", {{"velocity", "[0, 0, -2]"}}},
             pin("\"collar\""),
             {"collider", "the body", {}},
             {"collider.capsule", "", {{"start", "[0, 0.4, 0]"}, {"end", "[0, 1.3, 0]"}, {"radius", "0.14"}}},
             {"contact", "", {{"self", "false"}, {"friction", "0.3"}}},
             {"keyframe", "", {frame, key, {"tolerance", "0.01"}}},
             control()}}}};
}

const TableReference& table_of(const std::vector<TableReference>& reference, const std::string& path) {
  const std::vector<ReferenceMatch> matches = find_in_reference(reference, path);
  assert(!matches.empty() && matches.front().key == nullptr);
  return *matches.front().table;
}

// The line of a key with its meaning behind it, or over it where it is long.
std::string key_line(const std::string& setting, const KeyReference& key) {
  std::string comment = key.meaning;
  if (!key.unit.empty()) comment += fmt::format(" [{}]", key.unit);
  if (key.default_value.empty() && !key.default_text.empty() && key.default_text != "required")
    comment += fmt::format("; default: {}", key.default_text);
  return fmt::format("{:<{}} # {}\n", setting, kCommentColumn, comment);
}

// Every line behind a #.
std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (line.empty() || line.starts_with('#') ? "" : "# ") + line + "\n";
  return result;
}

// `tables`: all of the template; a key that stands there as a table of its own is not shown as a key, too.
std::string table_text(const TableReference& reference, const TemplateTable& table,
                       const std::vector<TemplateTable>& tables) {
  std::string text =
      fmt::format("\n# {}\n{}\n", table.comment.empty() ? reference.meaning : table.comment, reference.title);
  const auto find = [&](const std::string& name) -> const KeyReference& {
    for (const KeyReference& key : reference.keys) {
      if (key.name == name) return key;
    }
    assert(false);
    return reference.keys.front();
  };
  for (const auto& [name, value] : table.values)
    text += key_line(fmt::format("{} = {}", name, value), find(name));
  for (const KeyReference& key : reference.keys) {
    const auto is_it = [&](const auto& setting) { return setting.first == key.name; };
    const auto is_its_table = [&](const TemplateTable& other) {
      return other.path == fmt::format("{}.{}", table.path, key.name);
    };
    if (std::any_of(table.values.begin(), table.values.end(), is_it) ||
        std::any_of(tables.begin(), tables.end(), is_its_table) || key.type == "table")
      continue;
    text += key_line(fmt::format("# {} = {}", key.name, key.default_value), key);
  }
  return table.is_commented ? commented(text) : text;
}

}  // namespace

TemplateTable forgiving_material(const std::string& preset, const std::string& stretch,
                                 const std::string& shear, const std::string& bend) {
  return {"cloth.material",
          "coated, so that a coarse mesh can follow: on a fine one take all but the preset away",
          {{"preset", preset}, {"stretch", stretch}, {"shear", shear}, {"bend", bend}, {"damping", "0.01"}}};
}

std::span<const SceneTemplate> scene_templates() {
  static const std::array<SceneTemplate, 3> kTemplates = make_templates();
  return kTemplates;
}

std::string scene_text(const SceneTemplate& scene_template) {
  const std::vector<TableReference> reference = scene_reference();
  std::string text = fmt::format(
      "# {}.\n# A line that begins with # and a key shows a default; to change it, remove the # and give a "
      "value.\n"
      "# More of a key: keydrape explain KEY\n",
      scene_template.meaning);
  std::string absent;
  for (const TableReference& table : reference) {
    const auto is_it = [&](const TemplateTable& used) { return used.path == table.path; };
    if (std::none_of(scene_template.tables.begin(), scene_template.tables.end(), is_it) &&
        table.path.find('.') == std::string::npos)
      absent += (absent.empty() ? "" : ", ") + table.title;
  }
  for (const TemplateTable& table : scene_template.tables)
    text += table_text(table_of(reference, table.path), table, scene_template.tables);
  return text + fmt::format("\n# There are also {}: keydrape explain.\n", absent);
}

std::filesystem::path write_template(const SceneTemplate& scene_template,
                                     const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw OutputError(
        fmt::format("{}: cannot be made: {}; expected the name of a folder that may be made here; "
                    "choose another one",
                    folder.string(), error.message()));
  }
  for (const auto& [name, mesh] : scene_template.meshes()) write_obj(folder / name, mesh);
  write_file_atomically(folder / "shot.toml", scene_text(scene_template));
  return folder / "shot.toml";
}

}  // namespace keydrape
