#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>

#include "io/cache/float_vector.h"
#include "io/file/text_file.h"
#include "io/formats/obj.h"

namespace keydrape {
namespace {

using Groups = std::map<std::string, std::vector<int>>;

bool holds(const std::vector<int>& group, int vertex) {
  return std::binary_search(group.begin(), group.end(), vertex);
}

// Begins groups; `names`: each with a blank in front. A backslash at the end would join the next line to it,
// and `g off` begins none: beside `default`, which is never one, off is a name like any other.
void print_group_line(std::string_view names, TextFile& text) {
  text.print("g{}{}\n", names, names.ends_with('\\') ? " " : names == " off" ? " default" : "");
}

// Names of the groups that hold all corners, each with a blank in front.
std::string groups_of(const Triangle& triangle, const Groups& groups) {
  std::string names;
  for (const auto& [name, vertices] : groups) {
    const auto in_group = [&vertices = vertices](int vertex) { return holds(vertices, vertex); };
    if (std::all_of(triangle.begin(), triangle.end(), in_group)) names += " " + name;
  }
  return names;
}

void print_faces(const TriangleMesh& mesh, TextFile& text) {
  std::string current;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& v = mesh.triangles[t];
    if (std::string names = groups_of(v, mesh.groups); names != current) {
      current = std::move(names);
      print_group_line(current, text);
    }
    if (mesh.has_uvs()) {
      const Triangle& uv = mesh.uv_triangles[t];
      text.print("f {}/{} {}/{} {}/{}\n", v[0] + 1, uv[0] + 1, v[1] + 1, uv[1] + 1, v[2] + 1, uv[2] + 1);
    } else {
      text.print("f {} {} {}\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
  }
}

// The vertices that no face has brought into their group.
void print_group_rests(const TriangleMesh& mesh, TextFile& text) {
  for (const auto& [name, vertices] : mesh.groups) {
    std::vector<bool> written(mesh.positions.size(), false);
    for (const Triangle& triangle : mesh.triangles) {
      const auto in_group = [&vertices = vertices](int vertex) { return holds(vertices, vertex); };
      if (!std::all_of(triangle.begin(), triangle.end(), in_group)) continue;
      for (const int vertex : triangle) written[static_cast<std::size_t>(vertex)] = true;
    }
    const bool complete = std::all_of(vertices.begin(), vertices.end(),
                                      [&](int vertex) { return written[static_cast<std::size_t>(vertex)]; });
    if (complete && !vertices.empty()) continue;
    print_group_line(" " + name, text);  // also a group without vertices keeps its name
    for (const int vertex : vertices) {
      if (!written[static_cast<std::size_t>(vertex)]) text.print("p {}\n", vertex + 1);
    }
  }
}

void check_finite(const std::filesystem::path& path, const TriangleMesh& mesh) {
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    if (mesh.positions[static_cast<std::size_t>(i)].allFinite()) continue;
    throw OutputError(
        fmt::format("{}: not written: vertex {} (counted from 0) has a position that is not finite; {}",
                    path.string(), i, kMendNumber));
  }
}

}  // namespace

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  assert(mesh.uv_triangles.empty() || mesh.uv_triangles.size() == mesh.triangles.size());
  check_finite(path, mesh);
  TextFile text(path);
  for (const Vec3& x : mesh.positions) text.print("v {} {} {}\n", x[0], x[1], x[2]);
  if (mesh.has_uvs()) {
    for (const Vec2& uv : mesh.uvs) text.print("vt {} {}\n", uv[0], uv[1]);
  }
  for (const Edge& line : mesh.lines) text.print("l {} {}\n", line[0] + 1, line[1] + 1);  // before any group
  print_faces(mesh, text);
  print_group_rests(mesh, text);
  text.commit();
}

}  // namespace keydrape
