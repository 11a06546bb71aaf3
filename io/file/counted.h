#pragma once

#include <string>
#include <string_view>

namespace keydrape {

// "1 pin", "3 pins"; `many`: the word for several where an s does not make it, "vertices".
template <class Count>
std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == Count{1}) return text.append(one);
  return many.empty() ? text.append(one) + 's' : text.append(many);
}

}  // namespace keydrape
