#include "io/file/nearest_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/file/nearest_word.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// Of a folder: a render disk may hold a million. Not tuned.
constexpr std::size_t kMostNames = 10'000;

// Ascending, so that the same folder gives the same answer.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (names.size() == kMostNames) return {};
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string shown(const std::string& name) { return fmt::format("did you mean \"{}\"?", printable(name)); }

}  // namespace

std::string missing_file_hint(const fs::path& missing) {
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fmt::format("there is no folder \"{}\"", printable(folder.string()));
  const std::string name = missing.filename().string();
  const std::vector<std::string> names = names_in(folder);
  for (const std::string& other : names)
    if (lower_case(other) == lower_case(name)) return shown(other);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (const auto nearest = nearest_word(name, candidates)) return shown(std::string(*nearest));
  // The same name with another ending: what was exported as .ply and is looked for as .obj.
  for (const std::string& other : names)
    if (lower_case(fs::path(other).stem().string()) == lower_case(missing.stem().string()))
      return shown(other);
  return "";
}

}  // namespace keydrape
