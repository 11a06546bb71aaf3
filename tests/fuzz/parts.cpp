#include "tests/fuzz/parts.h"

#include <algorithm>

namespace keydrape::fuzz {
namespace {

constexpr std::string_view kMark = "\n@@@ ";

}  // namespace

std::vector<Part> parts_of(std::string_view bytes) {
  std::vector<Part> parts;
  std::size_t mark = bytes.starts_with(kMark.substr(1)) ? 0 : bytes.find(kMark);
  while (mark != std::string_view::npos) {
    const std::size_t name = mark + kMark.size() - (mark == 0 && bytes[0] == '@' ? 1 : 0);
    const std::size_t name_end = std::min(bytes.find('\n', name), bytes.size());
    const std::size_t next = bytes.find(kMark, name_end);
    const std::size_t begin = std::min(name_end + 1, bytes.size());
    const std::size_t end = next == std::string_view::npos ? bytes.size() : next;
    parts.push_back({bytes.substr(name, name_end - name), bytes.substr(begin, std::max(begin, end) - begin)});
    mark = next;
  }
  return parts;
}

}  // namespace keydrape::fuzz
