#include "io/shot/input/named_file.h"

#include <fmt/format.h>

namespace keydrape {

std::string NamedFile::sentence(const std::string& said) const {
  const std::string where = file.source.where();
  return said.starts_with(where + ":") ? said : fmt::format("{}: {}: {}", where, role, said);
}

}  // namespace keydrape
