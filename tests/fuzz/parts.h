#pragma once

#include <string_view>
#include <vector>

namespace keydrape::fuzz {

// Several files as one input: each begins behind a line of its own, "@@@ shot/rest.obj". What stands before
// the first such line is no file.
struct Part {
  std::string_view name;
  std::string_view bytes;  // up to the line break before the next part's line
};
std::vector<Part> parts_of(std::string_view bytes);

}  // namespace keydrape::fuzz
