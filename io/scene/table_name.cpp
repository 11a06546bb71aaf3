#include "io/scene/table_name.h"

#include <fmt/format.h>

namespace keydrape {

std::string TableName::title() const {
  return repeated ? fmt::format("[[{}]]", path) : fmt::format("[{}]", path);
}

std::string TableName::key(std::string_view name) const {
  return path.empty() ? std::string(name) : fmt::format("{} {}", title(), name);
}

std::string TableName::child(std::string_view name) const {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

}  // namespace keydrape
