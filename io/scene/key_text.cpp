#include "io/scene/key_text.h"

namespace keydrape {

std::string alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += fmt::format("{}\"{}\"", text.empty() ? "" : " | ", word);
  return text;
}

std::string range_text(const KeyRule& rule) {
  std::string text = rule.range.text();
  const auto add = [&](const char* condition) {
    text += (text.empty() ? "" : ", ") + std::string(condition);
  };
  if (rule.direction) add("not zero");
  if (rule.within_shot) add("inside the shot's frames");
  return text;
}

}  // namespace keydrape
