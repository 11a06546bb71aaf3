#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "io/cache/polygon.h"
#include "io/file/file.h"
#include "io/formats/ply/ply.h"
#include "io/formats/ply/ply_rows.h"

namespace keydrape {
namespace {

using ply::Element, ply::Header, ply::Row, ply::RowSource;

// How the properties of a vertex become a field.
struct FieldSource {
  FieldHeader header;
  std::vector<std::size_t> properties;
};

// -1: there is none.
int find_scalar(const Element& vertex, const std::string& name) {
  const int found = vertex.find({name});
  return found >= 0 && vertex.properties[static_cast<std::size_t>(found)].count_type ? -1 : found;
}

std::vector<FieldSource> fields_of(const Element& vertex) {
  std::vector<FieldSource> fields;
  for (std::size_t p = 0; p < vertex.properties.size(); ++p) {
    const std::string& name = vertex.properties[p].name;
    if (vertex.properties[p].count_type || ply::has_other_meaning(name) || !is_field_name(name)) continue;
    const bool is_axis = name.ends_with("_x") || name.ends_with("_y") || name.ends_with("_z");
    const std::string stem = is_axis ? name.substr(0, name.size() - 2) : "";
    const int x = find_scalar(vertex, stem + "_x"), y = find_scalar(vertex, stem + "_y"),
              z = find_scalar(vertex, stem + "_z");
    const bool is_vector = is_field_name(stem) && x >= 0 && y >= 0 && z >= 0 && vertex.find({stem}) < 0;
    if (is_vector && !name.ends_with("_x")) continue;  // comes with its x
    FieldSource source;
    source.header.name = is_vector ? stem : name;
    source.properties.push_back(p);
    if (is_vector) {
      source.header.components = 3;
      source.header.in_space_unit = stem == kVelocityField;
      source.properties.push_back(static_cast<std::size_t>(y));
      source.properties.push_back(static_cast<std::size_t>(z));
    }
    fields.push_back(std::move(source));
  }
  return fields;
}

// The properties that make the vertex's texture coordinate.
std::optional<std::array<std::size_t, 2>> uv_properties(const Element& vertex) {
  for (const auto& [u_name, v_name] : ply::kUvNames) {
    const int u = find_scalar(vertex, u_name), v = find_scalar(vertex, v_name);
    if (u >= 0 && v >= 0) return {{static_cast<std::size_t>(u), static_cast<std::size_t>(v)}};
  }
  return {};
}

// Texture coordinates as corners have them: corners of a vertex that have the same one share it.
class CornerUvs {
 public:
  // Its number in all().
  int of(int vertex, const Vec2& uv) {
    const auto [known, is_new] =
        numbers_.try_emplace({vertex, uv.x(), uv.y()}, static_cast<int>(uvs_.size()));
    if (is_new) uvs_.push_back(uv);
    return known->second;
  }
  const std::vector<Vec2>& all() const { return uvs_; }

 private:
  std::map<std::tuple<int, double, double>, int> numbers_;
  std::vector<Vec2> uvs_;
};

class BodyReader {
 public:
  BodyReader(const std::filesystem::path& path, const Header& header, RowSource& rows,
             const PlyOptions& options)
      : path_(path), header_(header), rows_(rows), options_(options) {}

  MeshCache read() {
    const auto vertex = std::find_if(header_.elements.begin(), header_.elements.end(),
                                     [](const Element& e) { return e.name == "vertex"; });
    if (vertex == header_.elements.end() || vertex->count == 0)
      throw InputError(fmt::format("{}: has no vertices; expected an element vertex; export the mesh again",
                                   path_.string()));
    vertex_count_ = vertex->count;
    cache_.header.first_frame = options_.frame;
    cache_.frames.resize(1);
    for (const Element& element : header_.elements) {
      Row row(element.properties.size());
      if (element.name == "vertex") {
        read_vertices(element, row);
      } else if (element.name == "face") {
        read_faces(element, row);
      } else {
        for (std::int64_t i = 0; i < element.count; ++i) rows_.next(element, i, row);
      }
    }
    rows_.finish();
    if (options_.keep_uvs) take_uvs();
    if (options_.warnings)
      for (const std::string& doubt : doubts_of_faces(faces_, cache_.header.mesh))
        options_.warnings->push_back(fmt::format("{}: {}", path_.string(), doubt));
    cache_.frames[0].positions = stacked(cache_.header.mesh.positions);
    return std::move(cache_);
  }

 private:
  void read_vertices(const Element& element, Row& row) {
    const int axes[3] = {element.find({"x"}), element.find({"y"}), element.find({"z"})};
    for (const int axis : axes) {
      if (axis >= 0 && !element.properties[static_cast<std::size_t>(axis)].count_type) continue;
      throw InputError(
          fmt::format("{}: its vertices lack one of the properties x, y and z; expected all three; "
                      "export the mesh again",
                      path_.string()));
    }
    const std::vector<FieldSource> sources = fields_of(element);
    const auto uv = uv_properties(element);
    std::vector<std::vector<double>> values(sources.size());
    for (std::int64_t i = 0; i < element.count; ++i) {
      rows_.next(element, i, row);
      Vec3 position;
      for (int a = 0; a < 3; ++a) position[a] = row[static_cast<std::size_t>(axes[a])][0];
      cache_.header.mesh.positions.push_back(position);
      if (uv) vertex_uvs_.emplace_back(row[(*uv)[0]][0], row[(*uv)[1]][0]);
      for (std::size_t f = 0; f < sources.size(); ++f)
        for (const std::size_t p : sources[f].properties) values[f].push_back(row[p][0]);
    }
    for (std::size_t f = 0; f < sources.size(); ++f) {
      cache_.header.fields.push_back(sources[f].header);
      cache_.frames[0].fields.push_back(
          Eigen::Map<const VecX>(values[f].data(), static_cast<Eigen::Index>(values[f].size())));
    }
  }

  void read_faces(const Element& element, Row& row) {
    const int found = element.find({ply::kCornerNames[0], ply::kCornerNames[1]});
    const auto list = static_cast<std::size_t>(found);
    if (element.count > 0 && (found < 0 || !element.properties[list].count_type)) {
      throw InputError(fmt::format(
          "{}: its faces have no list vertex_indices; expected one; export the mesh again", path_.string()));
    }
    const int uv_list = element.find({ply::kCornerUvName});
    const bool has_uv_list = uv_list >= 0 && element.properties[static_cast<std::size_t>(uv_list)].count_type;
    for (std::int64_t i = 0; i < element.count; ++i) {
      rows_.next(element, i, row);
      const std::vector<int> corners = checked_corners(element, i, row[list]);
      faces_.push_back({cache_.header.mesh.triangle_count(), static_cast<int>(corners.size()) - 2});
      for (std::size_t c = 2; c < corners.size(); ++c)
        cache_.header.mesh.triangles.push_back({corners[0], corners[c - 1], corners[c]});
      if (has_uv_list) read_corner_uvs(element, i, corners, row[static_cast<std::size_t>(uv_list)]);
    }
  }

  void read_corner_uvs(const Element& element, std::int64_t face, const std::vector<int>& corners,
                       const std::vector<double>& uvs) {
    if (!uvs.empty() && uvs.size() != 2 * corners.size()) {
      rows_.fail(element, face,
                 {fmt::format("{} numbers in texcoord", uvs.size()),
                  fmt::format("2 for each of {} corners, or none", corners.size()), "export the mesh again"});
    }
    if (!options_.keep_uvs) return;
    if (faces_have_uvs_.value_or(!uvs.empty()) == uvs.empty()) {
      rows_.fail(element, face,
                 {fmt::format("a face {} texture coordinates", uvs.empty() ? "without" : "with"),
                  fmt::format("faces {} them, as before in this file", uvs.empty() ? "with" : "without"),
                  "unwrap the whole mesh, or export it without texture coordinates"});
    }
    faces_have_uvs_ = !uvs.empty();
    if (uvs.empty()) return;
    std::vector<int> numbers;
    for (std::size_t c = 0; c < corners.size(); ++c)
      numbers.push_back(corner_uvs_.of(corners[c], {uvs[2 * c], uvs[2 * c + 1]}));
    for (std::size_t c = 2; c < numbers.size(); ++c)
      cache_.header.mesh.uv_triangles.push_back({numbers[0], numbers[c - 1], numbers[c]});
  }

  // Those of corners, or else of vertices; none, if all are the same.
  void take_uvs() {
    TriangleMesh& mesh = cache_.header.mesh;
    const bool are_of_corners = !mesh.uv_triangles.empty();
    if (!are_of_corners && (vertex_uvs_.empty() || mesh.triangles.empty())) return;
    mesh.uvs = are_of_corners ? corner_uvs_.all() : std::move(vertex_uvs_);
    const bool one_for_all =
        std::all_of(mesh.uvs.begin(), mesh.uvs.end(), [&](const Vec2& uv) { return uv == mesh.uvs[0]; });
    if (!one_for_all && !are_of_corners) mesh.uv_triangles = mesh.triangles;
    if (!one_for_all) return;
    mesh.uvs.clear();
    mesh.uv_triangles.clear();
    if (options_.warnings)
      options_.warnings->push_back(
          fmt::format("{}: every corner has the same texture coordinate: the mesh is taken to have none",
                      path_.string()));
  }

  std::vector<int> checked_corners(const Element& element, std::int64_t face,
                                   const std::vector<double>& indices) {
    if (indices.size() < 3) {
      rows_.fail(element, face,
                 {fmt::format("a face with {} corners", indices.size()), "at least 3",
                  "delete this face and export again"});
    }
    std::vector<int> corners;
    for (const double index : indices) {
      if (index != std::floor(index) || index < 0 || index >= static_cast<double>(vertex_count_)) {
        rows_.fail(
            element, face,
            {fmt::format("the vertex index {}", index),
             fmt::format("0 to {}, a whole number", vertex_count_ - 1), "export the mesh again, as a whole"});
      }
      corners.push_back(static_cast<int>(index));
    }
    std::vector<int> sorted = corners;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      rows_.fail(element, face,
                 {fmt::format("the face has vertex {} twice", *twice), "each vertex once",
                  "clean the mesh (delete degenerate faces) and export again"});
    }
    return corners;
  }

  std::filesystem::path path_;
  const Header& header_;
  RowSource& rows_;
  const PlyOptions& options_;
  std::int64_t vertex_count_ = 0;
  std::vector<Vec2> vertex_uvs_;  // where they have any
  CornerUvs corner_uvs_;
  std::vector<PolygonFan> faces_;
  std::optional<bool> faces_have_uvs_;
  MeshCache cache_;
};

// Where the line end_header ends, or the end of the text.
std::size_t header_length(std::string_view bytes) {
  constexpr std::string_view kEnd = "end_header";
  for (std::size_t at = bytes.find(kEnd); at != std::string_view::npos; at = bytes.find(kEnd, at + 1)) {
    if (at > 0 && bytes[at - 1] != '\n' && bytes[at - 1] != '\r') continue;  // within a comment
    std::size_t end = at + kEnd.size();
    while (end < bytes.size() && (bytes[end] == ' ' || bytes[end] == '\t')) ++end;
    if (end < bytes.size() && bytes[end] != '\r' && bytes[end] != '\n') continue;  // another word
    if (end < bytes.size() && bytes[end] == '\r') ++end;
    if (end < bytes.size() && bytes[end] == '\n') ++end;
    return end;
  }
  return bytes.size();
}

}  // namespace

MeshCache read_ply(const std::filesystem::path& path, const PlyOptions& options) {
  const std::string bytes = read_file(path);
  const std::size_t length = header_length(bytes);
  WordReader words(path, std::string_view(bytes).substr(0, length), WordReader::Continuation::kNone);
  const Header header = ply::read_header(words);
  const std::unique_ptr<RowSource> rows = ply::make_rows(path, bytes, header, length);
  return BodyReader(path, header, *rows, options).read();
}

}  // namespace keydrape
