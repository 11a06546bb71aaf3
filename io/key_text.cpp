#include "io/key_text.h"

namespace keydrape {

std::string alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += fmt::format("{}\"{}\"", text.empty() ? "" : " | ", word);
  return text;
}

}  // namespace keydrape
