#include "io/scene/reference/scene_schema.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/file/json_text.h"
#include "io/scene/key_default.h"
#include "io/scene/key_text.h"
#include "io/scene/scene_keys.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// ---- schemas of values: overloaded on what the key is read into; the argument's value does not matter

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.low)) schema[range.low_excluded ? "exclusiveMinimum" : "minimum"] = range.low;
  if (std::isfinite(range.high)) schema["maximum"] = range.high;
}

Json list_of(const Json& element, int count) {
  return {{"type", "array"}, {"items", element}, {"minItems", count}, {"maxItems", count}};
}

Json schema_of(double, const KeyRule& rule) {
  Json schema = {{"type", "number"}};
  add_range(schema, rule.range);
  return schema;
}
Json schema_of(int, const KeyRule& rule) {
  Json schema = {{"type", "integer"}};
  add_range(schema, rule.range);
  return schema;
}
Json schema_of(bool, const KeyRule&) { return {{"type", "boolean"}}; }
Json schema_of(const std::string&, const KeyRule& rule) {
  if (!rule.choices.empty()) return {{"enum", rule.choices}};
  return {{"type", "string"}, {"minLength", 1}};
}
Json schema_of(const Vec2&, const KeyRule& rule) {
  return {{"anyOf", {schema_of(0.0, rule), list_of(schema_of(0.0, rule), 2)}}};
}
Json schema_of(const Vec3&, const KeyRule& rule) { return list_of(schema_of(0.0, rule), 3); }
Json schema_of(const FrameRange&, const KeyRule&) {
  return {{"type", "string"}, {"pattern", "^[0-9]+-[0-9]+$"}};
}
Json schema_of(const std::filesystem::path&, const KeyRule&) {
  return {{"type", "string"}, {"minLength", 1}};
}
Json schema_of(const std::vector<int>&, const KeyRule& rule) {
  return {{"type", "array"}, {"items", schema_of(0, rule)}, {"minItems", 1}, {"uniqueItems", true}};
}
Json schema_of(const std::vector<Edge>&, const KeyRule& rule) {
  return {{"type", "array"}, {"items", list_of(schema_of(0, rule), 2)}, {"minItems", 1}};
}
Json schema_of(const std::vector<scene::Landmark>&, const KeyRule&) {
  return {{"type", "array"}, {"items", list_of(schema_of(0.0, {}), 4)}, {"minItems", 1}};
}
Json schema_of(const scene::Effort&, const KeyRule& rule) {
  return {{"anyOf", {schema_of(0.0, rule), {{"const", "auto"}}}}};
}
Json schema_of(const scene::Compressed&, const KeyRule& rule) {
  return {{"anyOf", {schema_of(0.0, rule), {{"const", "buckling"}}}}};
}
Json schema_of(const scene::Initial&, const KeyRule& rule) {
  return schema_of(std::filesystem::path{}, rule);  // "drape", too, is a text
}
template <scene::WordEnum Enum>
Json schema_of(Enum, const KeyRule&) {
  return {{"enum", words_of<Enum>()}};
}
template <scene::WordEnum Enum>
Json schema_of(const std::vector<Enum>&, const KeyRule& rule) {
  return {{"type", "array"}, {"items", schema_of(Enum{}, rule)}, {"uniqueItems", true}};
}

template <scene::TableStruct Table>
Json schema_of(const Table&, const KeyRule&);
template <scene::TableStruct Table>
Json schema_of(const std::vector<Table>&, const KeyRule& rule) {
  return {{"type", "array"}, {"items", schema_of(Table{}, rule)}};
}
// material = "cotton" is short for a table with that preset.
Json schema_of(const scene::Material& material, const KeyRule& rule) {
  return {{"anyOf",
           {schema_of(std::string(), {.choices = scene::material_names()}),
            schema_of<scene::Material>(material, rule)}}};
}
template <class First, class Second>
Json schema_of(const std::variant<First, Second>&, const KeyRule& rule);
template <class Value>
Json schema_of(const Keyed<Value>& keyed, const KeyRule& rule);
template <class Value>
Json schema_of(const Sourced<Value>&, const KeyRule& rule) {
  return schema_of(Value{}, rule);
}
template <class Value>
Json schema_of(const std::optional<Value>&, const KeyRule& rule) {
  return schema_of(Value{}, rule);
}
template <class First, class Second>
Json schema_of(const std::variant<First, Second>&, const KeyRule& rule) {
  return {{"anyOf", {schema_of(First{}, rule), schema_of(Second{}, rule)}}};
}
template <class Value>
Json schema_of(const Keyed<Value>& keyed, const KeyRule& rule) {
  const Json constant = schema_of(keyed.keys.front().second, rule);
  const Json frame_and_value = {
      {"type", "array"}, {"items", {{{"type", "number"}}, constant}}, {"minItems", 2}, {"maxItems", 2}};
  return {{"anyOf", {constant, {{"type", "array"}, {"items", frame_and_value}, {"minItems", 1}}}}};
}

// ---- tables

struct SchemaVisitor {
  Json properties = Json::object();
  Json required = Json::array();

  template <class Value>
  void operator()(std::string_view key, const Value& value, const KeyRule& rule) {
    Json schema = schema_of(value, rule);
    schema["description"] = description(value, rule);
    const std::string text = default_value(value, rule);
    if (!text.empty()) schema["default"] = parse_json(text);
    properties[std::string(key)] = std::move(schema);
    if (rule.required) required.push_back(key);
  }

 private:
  template <class Value>
  static std::string description(const Value&, const KeyRule& rule) {
    std::string text(rule.meaning);
    if (!rule.unit.empty()) text += fmt::format(" [{}]", rule.unit);
    if (!rule.default_text.empty()) text += fmt::format(". Default: {}", rule.default_text);
    if (!rule.when.empty()) text += fmt::format(". When to change it: {}", rule.when);
    return text + ".";
  }
};

template <scene::TableStruct Table>
Json schema_of(const Table&, const KeyRule&) {
  Table defaults;
  SchemaVisitor visitor;
  scene::visit_keys(visitor, defaults);
  Json schema = {
      {"type", "object"}, {"properties", std::move(visitor.properties)}, {"additionalProperties", false}};
  if (!visitor.required.empty()) schema["required"] = std::move(visitor.required);
  return schema;
}

}  // namespace

std::string scene_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "keydrape scene file, version " KEYDRAPE_VERSION}};
  schema.update(schema_of(Scene{}, {}));
  return json_text(schema, 2) + "\n";
}

}  // namespace keydrape
