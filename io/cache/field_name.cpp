#include <algorithm>

#include "io/cache/mesh_cache.h"

namespace keydrape {

bool is_field_name(std::string_view name) {
  const auto is_good = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
  };
  return !name.empty() && !('0' <= name[0] && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_good);
}

}  // namespace keydrape
