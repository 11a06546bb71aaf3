#include "io/file/json_text.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

namespace keydrape {
namespace {

template <class Json>
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Integer>
Integer integer_of(const nlohmann::ordered_json& json) {
  using Json = nlohmann::ordered_json;
  if (!json.is_number_integer()) throw Json::type_error::create(302, "type must be a whole number", &json);
  const std::string text = json.dump();  // so that no conversion comes first
  Integer number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
    throw Json::out_of_range::create(406, "whole number out of range", &json);
  return number;
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& json, int indent) { return text_of(json, indent); }
std::string json_text(const nlohmann::json& json, int indent) { return text_of(json, indent); }

nlohmann::ordered_json parse_json(std::string_view text) { return nlohmann::ordered_json::parse(text); }
nlohmann::json parse_sorted_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::ordered_json json_if_any(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

int whole_number(const nlohmann::ordered_json& json) { return integer_of<int>(json); }
std::int64_t large_number(const nlohmann::ordered_json& json) { return integer_of<std::int64_t>(json); }

std::vector<int> whole_numbers(const nlohmann::ordered_json& json) {
  if (!json.is_array())
    throw nlohmann::ordered_json::type_error::create(302, "type must be a list of whole numbers", &json);
  std::vector<int> numbers;
  for (const nlohmann::ordered_json& number : json) numbers.push_back(whole_number(number));
  return numbers;
}

}  // namespace keydrape
