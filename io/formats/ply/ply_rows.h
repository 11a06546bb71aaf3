#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file/word_reader.h"

// PLY as a table of numbers: the header, and the rows of its elements in ASCII or binary. What they mean
// stands in ply_read.cpp, but for what both reader and writer have to know.

namespace keydrape::ply {

// The texture coordinates of vertices, by whoever writes them.
inline constexpr std::pair<const char*, const char*> kUvNames[] = {
    {"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};

// The lists of faces: their corners, and the texture coordinates of those.
inline constexpr const char* kCornerNames[2] = {"vertex_indices", "vertex_index"};
inline constexpr const char* kCornerUvName = "texcoord";

// Whether a property of vertices with this name is a part of the position, the normal, the colour or the
// texture coordinate, and no field.
bool has_other_meaning(std::string_view name);

// A type of number: its size, and the whole numbers that it holds (none: floating point).
struct NumberType {
  std::size_t bytes;
  bool is_integer;
  bool is_signed;
  double low, high;
};

struct Property {
  std::string name;
  NumberType type;
  std::optional<NumberType> count_type;  // of a list
};

struct Element {
  std::string name;
  std::int64_t count;
  std::vector<Property> properties;

  // The first property of one of these names; -1: there is none.
  int find(std::initializer_list<std::string_view> names) const {
    for (std::size_t p = 0; p < properties.size(); ++p)
      if (std::find(names.begin(), names.end(), properties[p].name) != names.end())
        return static_cast<int>(p);
    return -1;
  }
};

enum class Encoding { kAscii, kLittleEndian, kBigEndian };

struct Header {
  Encoding encoding;
  std::vector<Element> elements;
};

// Throws InputError with line and column.
Header read_header(WordReader& reader);

// One row of an element: the numbers of each property, one unless it is a list.
using Row = std::vector<std::vector<double>>;

// The rows of a file, in the order of the header.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Requires a row with a place for each property. Throws InputError.
  virtual void next(const Element& element, std::int64_t index, Row& row) = 0;
  // Throws InputError that names the place of the row read last.
  [[noreturn]] virtual void fail(const Element& element, std::int64_t index,
                                 const Complaint& complaint) const = 0;
  virtual void finish() = 0;  // throws InputError unless the file ends here
};

// The rows behind the header of the file `bytes`, which outlive the source.
std::unique_ptr<RowSource> make_rows(const std::filesystem::path& path, std::string_view bytes,
                                     const Header& header, std::size_t header_length);

}  // namespace keydrape::ply
