#include "io/formats/named_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/read_cache.h"
#include "io/formats/vdb/vdb_file.h"

namespace keydrape {
namespace {

// Another name of one of them, as a hard link is.
bool is_another_name(const std::filesystem::path& file, const std::set<std::filesystem::path>& files) {
  std::error_code error;
  return std::filesystem::hard_link_count(file, error) > 1 && !error &&
         std::any_of(files.begin(), files.end(), [&](const std::filesystem::path& each) {
           return std::filesystem::equivalent(file, each, error);
         });
}

}  // namespace

std::filesystem::path named_file(const std::filesystem::path& name) {
  if (const auto choice = split_frame(name)) return choice->file;
  const VdbReference reference = VdbReference::parse(name.string());
  return is_vdb(reference.path) ? reference.path : name;
}

std::vector<std::filesystem::path> named_files(const std::filesystem::path& name) {
  const std::filesystem::path file = named_file(name);
  const auto pattern = std::filesystem::exists(file) ? std::nullopt : FramePattern::parse(file);
  if (!pattern) return {file};
  std::vector<std::filesystem::path> files;
  for (const int frame : pattern->existing_frames()) files.push_back(pattern->path(frame));
  return files;
}

void refuse_to_write_over(const std::filesystem::path& name, std::string_view role,
                          const std::vector<std::filesystem::path>& written) {
  std::set<std::filesystem::path> read;
  for (const std::filesystem::path& file : named_files(name))
    read.insert(std::filesystem::weakly_canonical(file));
  for (const std::filesystem::path& file : written)
    if (read.contains(std::filesystem::weakly_canonical(file)) || is_another_name(file, read))
      throw InputError(fmt::format(
          "{}: is {}, and would be written over; expected another name or folder for what is written",
          file.string(), role));
}

}  // namespace keydrape
