#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <iterator>

#include "io/cache/float_vector.h"
#include "io/file/file.h"
#include "io/formats/ply/ply.h"
#include "io/formats/ply/ply_rows.h"

namespace keydrape {
namespace {

static_assert(std::endian::native == std::endian::little,
              "binary PLY is written little endian: swap bytes here");

constexpr const char* kAxes[3] = {"_x", "_y", "_z"};

std::string properties(const CacheHeader& header, FieldPlace place) {
  std::string text;
  for (const FieldHeader& field : header.fields) {
    if (field.place != place || !ply_has_place(field, header.fields)) continue;
    for (int c = 0; c < field.components; ++c)
      text += fmt::format("property float {}{}\n", field.name, field.components == 3 ? kAxes[c] : "");
  }
  return text;
}

std::string header_text(const CacheHeader& header) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\n{}element face {}\nproperty list uchar int {}\n{}end_header\n",
      header.vertex_count(), properties(header, FieldPlace::kVertex), header.mesh.triangle_count(),
      ply::kCornerNames[0], properties(header, FieldPlace::kTriangle));
}

template <typename Number>
void append(std::string& bytes, const Number* numbers, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(numbers), sizeof(Number) * count);
}

// A field beside the record that it belongs to.
struct Column {
  std::vector<float> values;
  std::size_t components;
};

std::vector<Column> columns(const CacheHeader& header, const CacheFrame& frame, FieldPlace place,
                            const FloatTarget& target) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const FieldHeader& field = header.fields[i];
    assert(frame.fields[i].size() == header.value_count(field));
    if (field.place == place && ply_has_place(field, header.fields))
      columns.push_back({to_floats(frame.fields[i], target), static_cast<std::size_t>(field.components)});
  }
  return columns;
}

void append_columns(std::string& bytes, const std::vector<Column>& columns, std::size_t row) {
  for (const Column& column : columns)
    append(bytes, column.values.data() + column.components * row, column.components);
}

}  // namespace

bool ply_has_place(const FieldHeader& field, const std::vector<FieldHeader>& fields) {
  if (field.components == 3) return true;  // its names end with an axis
  const auto has_its_name = [&](const FieldHeader& other) {
    return other.place == field.place && other.components == 3 &&
           std::any_of(std::begin(kAxes), std::end(kAxes),
                       [&](const char* axis) { return field.name == other.name + axis; });
  };
  if (std::any_of(fields.begin(), fields.end(), has_its_name)) return false;
  if (field.place == FieldPlace::kVertex) return !ply::has_other_meaning(field.name);
  return field.name != ply::kCornerNames[0] && field.name != ply::kCornerNames[1] &&
         field.name != ply::kCornerUvName;
}

void write_ply(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
               int frame_number) {
  assert(frame.positions.size() == 3 * header.vertex_count() && frame.fields.size() == header.fields.size());
  const FloatTarget target{path, frame_number};
  const std::vector<float> positions = to_floats(frame.positions, target);
  const std::vector<Column> of_vertices = columns(header, frame, FieldPlace::kVertex, target);
  const std::vector<Column> of_triangles = columns(header, frame, FieldPlace::kTriangle, target);

  std::string bytes = header_text(header);
  for (std::size_t i = 0; i < header.mesh.positions.size(); ++i) {
    append(bytes, positions.data() + 3 * i, 3);
    append_columns(bytes, of_vertices, i);
  }
  for (std::size_t t = 0; t < header.mesh.triangles.size(); ++t) {
    constexpr std::uint8_t kCorners = 3;
    append(bytes, &kCorners, 1);
    append(bytes, header.mesh.triangles[t].data(), 3);
    append_columns(bytes, of_triangles, t);
  }
  write_file_atomically(path, bytes);
}

}  // namespace keydrape
