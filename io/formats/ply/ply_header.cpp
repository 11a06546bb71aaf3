#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/file/printable.h"
#include "io/formats/ply/ply_rows.h"

namespace keydrape::ply {
namespace {

using Words = std::span<const std::string_view>;

std::optional<NumberType> number_type(std::string_view word) {
  struct Named {
    std::string_view names[2];
    NumberType type;
  };
  static constexpr std::array<Named, 8> kTypes = {
      {{{"char", "int8"}, {1, true, true, -128, 127}},
       {{"uchar", "uint8"}, {1, true, false, 0, 255}},
       {{"short", "int16"}, {2, true, true, -32768, 32767}},
       {{"ushort", "uint16"}, {2, true, false, 0, 65535}},
       {{"int", "int32"}, {4, true, true, -2147483648.0, 2147483647}},
       {{"uint", "uint32"}, {4, true, false, 0, 4294967295.0}},
       {{"float", "float32"}, {4, false, true, 0, 0}},
       {{"double", "float64"}, {8, false, true, 0, 0}}}};
  for (const Named& named : kTypes)
    if (word == named.names[0] || word == named.names[1]) return named.type;
  return {};
}

class HeaderReader {
 public:
  explicit HeaderReader(WordReader& reader) : reader_(reader) {}

  Header read() {
    expect_line({"ply"}, "the word ply: a PLY file");
    read_format();
    for (Words words = next(); words[0] != "end_header" || words.size() > 1; words = next()) read_line(words);
    for (const Element& element : header_.elements) {
      if (element.properties.empty() && element.count > 0)
        reader_.fail(
            reader_.line_end(),
            {fmt::format("the element {} has no property", in_quotes(element.name)), "one or more", kRemedy});
    }
    return std::move(header_);
  }

 private:
  Words next() {
    const Words words = reader_.next_line();
    if (words.empty())
      reader_.fail(reader_.line_end(), {"the file ends within its header", "a line end_header", kRemedy});
    return words;
  }

  void expect_line(std::initializer_list<std::string_view> line, const char* expected) {
    const Words words = next();
    if (!std::equal(words.begin(), words.end(), line.begin(), line.end()))
      reader_.fail(words[0], {in_quotes(words[0]), expected, kRemedy});
  }

  void read_format() {
    const Words words = next();
    const bool is_format = words.size() == 3 && words[0] == "format" && words[2] == "1.0";
    if (is_format && words[1] == "ascii") {
      header_.encoding = Encoding::kAscii;
    } else if (is_format && words[1] == "binary_little_endian") {
      header_.encoding = Encoding::kLittleEndian;
    } else if (is_format && words[1] == "binary_big_endian") {
      header_.encoding = Encoding::kBigEndian;
    } else {
      reader_.fail(words[0], {in_quotes(fmt::format("{}", fmt::join(words, " "))),
                              "format ascii, binary_little_endian or binary_big_endian 1.0", kRemedy});
    }
  }

  void read_line(Words words) {
    if (words[0] == "comment" || words[0] == "obj_info") return;
    if (words[0] == "element" && words.size() == 3) {
      const long long count = reader_.integer(words[2]);
      if (count < 0 || count > std::numeric_limits<int>::max())
        reader_.fail(words[2], {in_quotes(words[2]), "a count from 0 to 2147483647", kRemedy});
      const auto same = [&](const Element& e) { return e.name == words[1]; };
      if (std::any_of(header_.elements.begin(), header_.elements.end(), same))
        reader_.fail(words[1],
                     {fmt::format("the element {} twice", in_quotes(words[1])), "each once", kRemedy});
      if (words[1] == "tristrips") {
        reader_.fail(words[1], {"triangle strips", "an element face with a list vertex_indices",
                                "export the mesh with faces"});
      }
      header_.elements.push_back({std::string(words[1]), count, {}});
    } else if (words[0] == "property" && !header_.elements.empty() &&
               (words.size() == 3 || words.size() == 5)) {
      read_property(words);
    } else {
      reader_.fail(words[0],
                   {in_quotes(fmt::format("{}", fmt::join(words, " "))),
                    "element NAME COUNT, property TYPE NAME, property list TYPE TYPE NAME, comment or "
                    "end_header",
                    kRemedy});
    }
  }

  void read_property(Words words) {
    const bool is_list = words.size() == 5;
    if (is_list && words[1] != "list")
      reader_.fail(words[1], {in_quotes(words[1]), "the word list", kRemedy});
    Property property{std::string(words.back()), type(words[words.size() - 2]), {}};
    if (is_list) {
      property.count_type = type(words[2]);
      if (!property.count_type->is_integer)
        reader_.fail(words[2],
                     {in_quotes(words[2]) + " for the length of a list", "a type of whole numbers", kRemedy});
    }
    Element& element = header_.elements.back();
    if (element.find({property.name}) >= 0)
      reader_.fail(words.back(),
                   {fmt::format("the property {} twice", in_quotes(property.name)), "each once", kRemedy});
    element.properties.push_back(std::move(property));
  }

  NumberType type(std::string_view word) const {
    const std::optional<NumberType> type = number_type(word);
    if (!type) {
      reader_.fail(word,
                   {in_quotes(word) + " is no type",
                    "char, uchar, short, ushort, int, uint, float, double or int8 to float64", kRemedy});
    }
    return *type;
  }

  static constexpr const char* kRemedy = "correct the header, or export the mesh again";
  WordReader& reader_;
  Header header_{};
};

}  // namespace

bool has_other_meaning(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {"x",  "y",   "z",     "nx",   "ny",
                                                              "nz", "red", "green", "blue", "alpha"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(std::begin(kUvNames), std::end(kUvNames),
                     [&](const auto& uv) { return name == uv.first || name == uv.second; });
}

Header read_header(WordReader& reader) { return HeaderReader(reader).read(); }

}  // namespace keydrape::ply
