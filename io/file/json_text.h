#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

// JSON as text. What writes and reads it are templates that take seconds to compile: here, and nowhere else.

namespace keydrape {

// `json` in words, indented by `indent` blanks, or in one line (-1). Names of files and groups come from
// outside and may hold bytes that are no UTF-8, as JSON has to be: U+FFFD stands for each of them.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
std::string json_text(const nlohmann::json& json, int indent = -1);

// The keys of objects stay in their order, or are sorted. Throw nlohmann::json::parse_error: this is no JSON.
nlohmann::ordered_json parse_json(std::string_view text);
nlohmann::json parse_sorted_json(std::string_view text);

// Of what may be no JSON: it is then neither an object nor anything else (is_discarded()).
nlohmann::ordered_json json_if_any(std::string_view text);

// What was written as an int, a std::int64_t, or a list of ints. Throw nlohmann::json::exception for all
// else: `get` makes one of any number, be it a fraction or too large.
int whole_number(const nlohmann::ordered_json& json);
std::int64_t large_number(const nlohmann::ordered_json& json);
std::vector<int> whole_numbers(const nlohmann::ordered_json& json);

}  // namespace keydrape
