#include "io/formats/named_file.h"

#include "io/formats/read_cache.h"
#include "io/formats/vdb/vdb_file.h"

namespace keydrape {

std::filesystem::path named_file(const std::filesystem::path& name) {
  if (const auto choice = split_frame(name)) return choice->file;
  const VdbReference reference = VdbReference::parse(name.string());
  return is_vdb(reference.path) ? reference.path : name;
}

}  // namespace keydrape
