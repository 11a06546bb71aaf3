#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/fuzz/parts.h"

namespace keydrape::fuzz {
namespace {

using Json = nlohmann::ordered_json;

std::size_t below(std::size_t count, Random& random) { return random() % std::max<std::size_t>(count, 1); }

Json odd_value(Random& random) {
  static const std::array<Json, 18> values = {Json(),
                                              Json(0),
                                              Json(-1),
                                              Json(1),
                                              Json(2),
                                              Json(std::numeric_limits<int>::max()),
                                              Json(std::numeric_limits<int>::min()),
                                              Json(std::numeric_limits<std::int64_t>::max()),
                                              Json(std::numeric_limits<std::uint64_t>::max()),
                                              Json(1e300),
                                              Json(-1e300),
                                              Json(0.5),
                                              Json(1e-320),
                                              Json(true),
                                              Json(""),
                                              Json("a"),
                                              Json::array(),
                                              Json::object()};
  return values[below(values.size(), random)];
}

// Every value below, and the root.
void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  if (json.is_structured())
    for (Json& element : json) collect(element, all);
}

void change(Json& json, Random& random) {
  const std::size_t kind = below(4, random);
  if (json.is_array() && !json.empty() && kind == 0) {
    json.erase(json.begin() + static_cast<std::ptrdiff_t>(below(json.size(), random)));
  } else if (json.is_array() && !json.empty() && kind == 1) {
    json.push_back(json[below(json.size(), random)]);
  } else if (json.is_object() && !json.empty() && kind < 3) {
    json.erase(std::next(json.begin(), static_cast<std::ptrdiff_t>(below(json.size(), random))));
  } else {
    json = odd_value(random);
  }
}

constexpr std::array<std::string_view, 12> kNumbers = {"0",
                                                       "-1",
                                                       "1e999",
                                                       "nan",
                                                       "-inf",
                                                       "2147483647",
                                                       "2147483648",
                                                       "-2147483648",
                                                       "9223372036854775807",
                                                       "18446744073709551616",
                                                       "1e-320",
                                                       "1e30"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void change_number(std::string& bytes, Random& random) {
  std::size_t begin = below(bytes.size(), random);
  while (begin < bytes.size() && !is_digit(bytes[begin])) ++begin;
  std::size_t end = begin;
  while (end < bytes.size() && (is_digit(bytes[end]) || bytes[end] == '.')) ++end;
  if (end > begin) bytes.replace(begin, end - begin, kNumbers[below(kNumbers.size(), random)]);
}

void change_bytes(std::string& bytes, Random& random) {
  if (bytes.empty()) bytes.push_back('\0');
  const std::size_t at = below(bytes.size(), random);
  const std::size_t count = 1 + below(std::min<std::size_t>(bytes.size() - at, 24), random);
  switch (random() % 6) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 2:
      bytes.erase(at, count);
      break;
    case 3:
      bytes.insert(below(bytes.size(), random), bytes.substr(at, count));
      break;
    case 4:
      bytes.resize(at);
      break;
    default:
      change_number(bytes, random);
  }
}

}  // namespace

std::string with_other_value(std::string_view text, Random& random) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::string(text);
  std::vector<Json*> all;
  collect(json, all);
  change(*all[below(all.size(), random)], random);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string with_other_part(std::string_view bytes, Random& random) {
  std::vector<Part> parts = parts_of(bytes), json;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(json),
               [](const Part& part) { return part.name.ends_with(".json"); });
  if (json.empty()) return std::string(bytes);
  const Part chosen = json[below(json.size(), random)];
  std::string all(bytes);
  all.replace(static_cast<std::size_t>(chosen.bytes.data() - bytes.data()), chosen.bytes.size(),
              with_other_value(chosen.bytes, random));
  return all;
}

std::string with_noise(std::string bytes, Random& random) {
  for (std::size_t k = 1 + random() % 4; k > 0; --k) change_bytes(bytes, random);
  return bytes;
}

}  // namespace keydrape::fuzz
