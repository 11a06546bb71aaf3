#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace keydrape {

// `json` in words, indented by `indent` blanks, or in one line (-1). Names of files and groups come from
// outside and may hold bytes that are no UTF-8, as JSON has to be: U+FFFD stands for each of them.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace keydrape
