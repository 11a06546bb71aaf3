#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

// The text of a USD layer as a tree of prims whose values are not read yet: a value is a place in the text.
// What the values mean stands in usda_read.cpp.

namespace keydrape::usda {

// A place in the layer's text [bytes].
using Place = std::size_t;

struct Sample {
  double time;
  Place value;
};

// `type name = value (metadata)`, or `type name.timeSamples = { time: value, ... }`; both make one attribute.
struct Attribute {
  std::string type;  // "point3f[]"
  std::string name;  // "points", "primvars:st:indices"
  Place place;       // of the name
  std::optional<Place> value;
  std::vector<Sample> samples;
  std::string interpolation;  // empty: not said
};

struct Prim {
  std::string type;  // "Mesh"; empty: none
  std::string path;  // "/cloth/mesh"
  Place place;
  std::vector<Attribute> attributes;
  std::vector<Prim> children;

  const Attribute* find(std::string_view name) const;  // null: there is none
};

struct Metadata {
  std::string key;
  Place value;
};

// What `def` prims hold; `over` and `class` prims, and inactive ones, are parsed and dropped.
class Layer {
 public:
  // Reads the whole file. Throws InputError with line and column: text that is no USDA, composition
  // (references, payload, inherits, specializes, subLayers, variants), prims nested deeper than kMaxDepth.
  explicit Layer(std::filesystem::path path);

  static constexpr int kMaxDepth = 64;

  const std::vector<Prim>& prims() const { return prims_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // A number or a text of the layer's own metadata; none: not said. Throws InputError for another
  // kind of value.
  std::optional<double> number(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;

  // Values of an attribute. All throw InputError for another kind of value and for numbers not finite.
  // `[a, b, ...]`, or `[(a, b), ...]` with `components` numbers in each tuple, as one vector.
  VecX numbers(Place value, int components) const;
  std::vector<int> integers(Place value) const;
  std::vector<std::string> texts(Place value) const;  // ["a", "b"]
  // One number, or a tuple of numbers, or a tuple of tuples.
  VecX tuple(Place value) const;
  std::string text(Place value) const;  // "a"

  // Throws InputError "path:line:column: found; expected; remedy".
  [[noreturn]] void fail(Place place, const std::string& found, const std::string& expected,
                         const std::string& remedy) const;

 private:
  friend class LayerParser;

  const Metadata* find(std::string_view key) const;

  std::filesystem::path path_;
  std::string text_;
  std::vector<Prim> prims_;
  std::vector<Metadata> metadata_;
  std::vector<std::string> warnings_;
};

}  // namespace keydrape::usda
