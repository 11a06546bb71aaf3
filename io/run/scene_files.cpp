#include "io/run/scene_files.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "io/formats/named_file.h"
#include "io/run/run_folder.h"
#include "io/scene/scene_keys.h"
#include "io/scene/table_name.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

// Visits every key of the scene (scene_keys.h).
class FileLister {
 public:
  template <class Value>
  void operator()(std::string_view name, const Value& value, const KeyRule&) {
    add(name, value);
  }

  std::vector<SceneFile> files;

 private:
  template <class Value>
  void add(std::string_view, const Value&) {}  // names no file
  void add(std::string_view name, const scene::FilePath& file) {
    files.push_back({table_.key(name), named_file(file.value), file.source, file.value});
  }
  void add(std::string_view name, const scene::Initial& initial) { add(name, initial.mesh); }
  template <class Value>
  void add(std::string_view name, const std::optional<Value>& value) {
    if (value) add(name, *value);
  }
  template <class First, class Second>
  void add(std::string_view name, const std::variant<First, Second>& value) {
    std::visit([&](const auto& held) { add(name, held); }, value);
  }
  template <class First, class Second>
  void add(std::string_view name, const Sourced<std::variant<First, Second>>& value) {
    add(name, value.value);
  }
  template <scene::TableStruct Table>
  void add(std::string_view name, const Table& table) {
    visit(name, table, false);
  }
  template <scene::TableStruct Table>
  void add(std::string_view name, const std::vector<Table>& tables) {
    for (const Table& table : tables) visit(name, table, true);
  }

  template <class Table>
  void visit(std::string_view name, Table table, bool repeated) {  // visit_keys asks for one to write to
    const TableName outer = std::exchange(table_, {table_.child(name), repeated});
    scene::visit_keys(*this, table);
    table_ = outer;
  }

  TableName table_{"", false};
};

}  // namespace

std::vector<SceneFile> scene_files(const Scene& scene) {
  FileLister lister;
  Scene copy = scene;
  scene::visit_keys(lister, copy);
  std::vector<SceneFile> files = std::move(lister.files);
  files.push_back({"the scene itself", scene.source.file, scene.source, scene.source.file});
  if (const auto& take = scene.control.relative_to)
    for (const std::filesystem::path& beside : files_beside_forces(take->value))
      files.push_back({"[control] relative_to", beside, take->source, beside});
  return files;
}

void refuse_to_replace_inputs(const Scene& scene, const std::filesystem::path& folder) {
  for (const SceneFile& file : scene_files(scene)) {
    if (!is_result_of_run_in(folder, file.path)) continue;
    throw InputError(fmt::format(
        "{}: {}: found {} in the output folder {}, where this run would replace it; keep it elsewhere, "
        "or choose another output folder (-o)",
        file.source.where(), file.key, file.path.string(), folder.string()));
  }
}

}  // namespace keydrape
