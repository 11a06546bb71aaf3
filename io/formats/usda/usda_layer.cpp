#include "io/formats/usda/usda_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/formats/usda/usda_scanner.h"

namespace keydrape::usda {
namespace {

constexpr const char* kFlatten = "flatten the stage into one file (usdcat --flatten) and export that";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_list_operation(std::string_view word) {
  return is_one_of(word, {"prepend", "append", "add", "delete", "reorder"});
}

bool composes(std::string_view key) {
  return is_one_of(
      key, {"references", "payload", "inherits", "specializes", "subLayers", "variantSets", "variants"});
}

}  // namespace

class LayerParser {
 public:
  explicit LayerParser(Layer& layer) : layer_(layer), scan_(layer.path_, layer.text_, 0) {}

  void parse() {
    if (scan_.take('(')) parse_metadata(&layer_.metadata_, nullptr);
    while (!scan_.at_end()) {
      const Place place = scan_.place();
      const std::string_view word = scan_.expect_word("def, over or class");
      if (word == "reorder") {
        skip_assignment();
      } else {
        parse_prim(word, place, "", layer_.prims_, 1);
      }
    }
  }

 private:
  // Behind the opening bracket, up to and with the closing one.
  void parse_metadata(std::vector<Metadata>* entries, Attribute* attribute) {
    while (!scan_.take(')')) {
      if (scan_.take(';') || scan_.take(',')) continue;
      if (const char c = scan_.peek(); c == '"' || c == '\'') {
        scan_.skip_value();  // a comment
        continue;
      }
      const Place place = scan_.place();
      std::string_view key = scan_.expect_word("the name of a metadatum");
      if (is_list_operation(key)) key = scan_.expect_word("the name of a metadatum");
      if (composes(key)) {
        layer_.fail(place, fmt::format("{}: the layer brings in other prims or files", key),
                    "all in one file", kFlatten);
      }
      scan_.expect('=');
      if (entries) entries->push_back({std::string(key), scan_.place()});
      if (attribute && key == "interpolation") {
        attribute->interpolation = scan_.expect_text();
      } else {
        skip_value_or_asset();
      }
    }
  }

  void parse_prim(std::string_view specifier, Place place, const std::string& parent,
                  std::vector<Prim>& siblings, int depth) {
    if (!is_one_of(specifier, {"def", "over", "class"})) {
      layer_.fail(place, in_quotes(specifier), "def, over or class", "correct this line or export again");
    }
    if (depth > Layer::kMaxDepth) {
      layer_.fail(place, fmt::format("prims nested deeper than {}", Layer::kMaxDepth), "fewer",
                  "export the mesh alone");
    }
    Prim prim{std::string(scan_.take_word()), "", place, {}, {}};
    prim.path = parent + "/" + scan_.expect_text();
    std::vector<Metadata> metadata;
    if (scan_.take('(')) parse_metadata(&metadata, nullptr);
    scan_.expect('{');
    while (!scan_.take('}')) parse_statement(prim, depth);
    const bool is_active = std::none_of(metadata.begin(), metadata.end(),
                                        [this](const Metadata& entry) { return deactivates(entry); });
    if (specifier == "def" && is_active) {
      siblings.push_back(std::move(prim));
    } else {
      layer_.warnings_.push_back(
          fmt::format("the {} {} is not read", is_active ? specifier : "inactive", prim.path));
    }
  }

  // Takes a prim, with all below it, from the stage.
  bool deactivates(const Metadata& entry) const {
    const std::string_view value = std::string_view(layer_.text_).substr(entry.value);
    return entry.key == "active" && (value.starts_with("false") || value.starts_with("0"));
  }

  void parse_statement(Prim& prim, int depth) {
    if (scan_.take(';')) return;
    const Place place = scan_.place();
    std::string_view word = scan_.expect_word("an attribute, a prim or '}'");
    if (is_one_of(word, {"def", "over", "class"})) {
      parse_prim(word, place, prim.path, prim.children, depth + 1);
      return;
    }
    if (word == "variantSet") {
      layer_.fail(place, "variantSet: a choice between prims", "one mesh", kFlatten);
    }
    if (is_list_operation(word)) {
      word = scan_.expect_word("a property");
      if (scan_.peek() == '=') {  // reorder properties = [...]
        skip_assignment();
        return;
      }
    }
    while (is_one_of(word, {"custom", "uniform", "varying", "config"}))
      word = scan_.expect_word("the type of an attribute");
    if (word == "rel") {
      scan_.expect_word("the name of a relationship");
      if (scan_.peek() == '=') skip_assignment();
      if (scan_.take('(')) parse_metadata(nullptr, nullptr);
      return;
    }
    parse_attribute(std::string(word), prim);
  }

  void parse_attribute(std::string type, Prim& prim) {
    if (scan_.take('[')) {
      scan_.expect(']');
      type += "[]";
    }
    const Place place = scan_.place();
    std::string name(scan_.expect_word("the name of an attribute"));
    constexpr std::string_view kSamples = ".timeSamples", kConnection = ".connect";
    const bool is_sampled = name.ends_with(kSamples), is_connection = name.ends_with(kConnection);
    if (is_sampled) name.resize(name.size() - kSamples.size());
    if (is_connection) {
      skip_assignment();
      return;
    }
    const auto known = std::find_if(prim.attributes.begin(), prim.attributes.end(),
                                    [&](const Attribute& a) { return a.name == name; });
    Attribute& attribute =
        known != prim.attributes.end()
            ? *known
            : prim.attributes.emplace_back(Attribute{std::move(type), std::move(name), place, {}, {}, {}});
    if (scan_.take('=')) {
      if (is_sampled) {
        parse_samples(attribute);
      } else {
        attribute.value = scan_.place();
        skip_value_or_asset();
      }
    }
    if (scan_.take('(')) parse_metadata(nullptr, &attribute);
  }

  void parse_samples(Attribute& attribute) {
    scan_.expect('{');
    while (!scan_.take('}')) {
      const Place place = scan_.place();
      const double time = scan_.expect_number();
      if (!attribute.samples.empty() && time <= attribute.samples.back().time) {
        layer_.fail(place,
                    fmt::format("a sample at {} behind one at {}", time, attribute.samples.back().time),
                    "times that ascend", "export again");
      }
      scan_.expect(':');
      attribute.samples.push_back({time, scan_.place()});
      skip_value_or_asset();
      if (!scan_.take(',') && scan_.peek() != '}') scan_.fail("',' or '}'");
    }
  }

  // An asset may be followed by the path of a prim in it.
  void skip_value_or_asset() {
    const bool is_asset = scan_.peek() == '@';
    scan_.skip_value();
    if (is_asset && scan_.peek() == '<') scan_.skip_value();
  }

  void skip_assignment() {
    scan_.take_word();
    scan_.expect('=');
    skip_value_or_asset();
  }

  Layer& layer_;
  Scanner scan_;
};

const Attribute* Prim::find(std::string_view name) const {
  for (const Attribute& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

Layer::Layer(std::filesystem::path path) : path_(std::move(path)), text_(read_file(path_)) {
  if (text_.starts_with("PXR-USDC") || text_.starts_with("PK\x03\x04")) {
    throw InputError(
        fmt::format("{}: is a binary USD file; expected USD text; convert it with usdcat -o name.usda, or "
                    "export .usda",
                    path_.string()));
  }
  if (!text_.starts_with("#usda 1."))
    fail(0, "no '#usda 1.0' in front", "USD text", "export the mesh as .usda");
  LayerParser(*this).parse();
}

const Metadata* Layer::find(std::string_view key) const {
  for (const Metadata& entry : metadata_)
    if (entry.key == key) return &entry;
  return nullptr;
}

std::optional<double> Layer::number(std::string_view key) const {
  const Metadata* entry = find(key);
  if (entry == nullptr) return {};
  return Scanner(path_, text_, entry->value).expect_number();
}

std::optional<std::string> Layer::text(std::string_view key) const {
  const Metadata* entry = find(key);
  if (entry == nullptr) return {};
  return text(entry->value);
}

std::string Layer::text(Place value) const { return Scanner(path_, text_, value).expect_text(); }

VecX Layer::numbers(Place value, int components) const {
  Scanner scan(path_, text_, value);
  std::vector<double> numbers;
  scan.expect('[');
  while (!scan.take(']')) {
    if (components > 1) scan.expect('(');
    for (int c = 0; c < components; ++c) {
      if (c > 0) scan.expect(',');
      numbers.push_back(scan.expect_number());
    }
    if (components > 1) scan.expect(')');
    if (!scan.take(',') && scan.peek() != ']') scan.fail("',' or ']'");
  }
  return Eigen::Map<const VecX>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

std::vector<int> Layer::integers(Place value) const {
  const VecX values = numbers(value, 1);
  std::vector<int> integers;
  for (const double number : values) {
    if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max())
      fail(value, fmt::format("{} in this list", number), "whole numbers", "export again");
    integers.push_back(static_cast<int>(number));
  }
  return integers;
}

std::vector<std::string> Layer::texts(Place value) const {
  Scanner scan(path_, text_, value);
  std::vector<std::string> texts;
  scan.expect('[');
  while (!scan.take(']')) {
    texts.push_back(scan.expect_text());
    if (!scan.take(',') && scan.peek() != ']') scan.fail("',' or ']'");
  }
  return texts;
}

VecX Layer::tuple(Place value) const {
  Scanner scan(path_, text_, value);
  std::vector<double> numbers;
  int depth = 0;
  do {
    if (scan.take('(')) {
      ++depth;
    } else if (depth > 0 && scan.take(')')) {
      --depth;
      scan.take(',');
    } else {
      numbers.push_back(scan.expect_number());
      if (depth > 0) scan.take(',');
    }
  } while (depth > 0);
  return Eigen::Map<const VecX>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

void Layer::fail(Place place, const std::string& found, const std::string& expected,
                 const std::string& remedy) const {
  Scanner(path_, text_, place).fail(place, found, expected, remedy);
}

}  // namespace keydrape::usda
