#include "io/file/json_text.h"

#include <nlohmann/json.hpp>

namespace keydrape {
namespace {

template <class Json>
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& json, int indent) { return text_of(json, indent); }
std::string json_text(const nlohmann::json& json, int indent) { return text_of(json, indent); }

nlohmann::ordered_json parse_json(std::string_view text) { return nlohmann::ordered_json::parse(text); }
nlohmann::json parse_sorted_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::ordered_json json_if_any(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace keydrape
