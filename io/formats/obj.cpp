#include "io/formats/obj.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "io/cache/polygon.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/file/word_reader.h"

namespace keydrape {
namespace {

using Words = std::span<const std::string_view>;

constexpr const char* kCorrectLine = "correct this line or export again";

bool is_skipped(std::string_view keyword) {
  static constexpr std::array<std::string_view, 14> kSkipped = {
      "s",   "usemtl", "mtllib",   "mg",       "usemap",     "maplib",    "usemat",
      "lod", "bevel",  "c_interp", "d_interp", "shadow_obj", "trace_obj", "texture"};
  return std::find(kSkipped.begin(), kSkipped.end(), keyword) != kSkipped.end();
}

bool is_free_form(std::string_view keyword) {
  static constexpr std::array<std::string_view, 15> kFreeForm = {"cstype", "deg",  "bmat", "step", "curv",
                                                                 "curv2",  "surf", "parm", "trim", "hole",
                                                                 "scrv",   "sp",   "end",  "con",  "ctech"};
  return std::find(kFreeForm.begin(), kFreeForm.end(), keyword) != kFreeForm.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A number or the beginning of one: 3, -.5, 1/2/3, nan.
bool looks_numeric(std::string_view word) {
  if (word.find_first_of("0123456789") == word.find_first_not_of("+-.")) return true;
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// A keyword, or none, and then nothing but numbers: even where the keyword is unknown, it may be geometry.
bool looks_like_geometry(Words words) {
  const bool word_first =
      std::all_of(words[0].begin(), words[0].end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (!word_first && !looks_numeric(words[0])) return false;
  return std::all_of(words.begin() + 1, words.end(), looks_numeric);
}

struct Counts {
  long long positions = 0;
  long long uvs = 0;
  long long normals = 0;
};

// One corner of a face; the optional parts tell which of v, v/vt, v//vn and v/vt/vn it was.
struct Corner {
  int vertex = 0;
  std::optional<int> uv;
  std::optional<int> normal;
};

class ObjReader {
 public:
  ObjReader(const std::filesystem::path& path, std::string_view text, const ObjOptions& options)
      : path_(path),
        text_(text),
        options_(options),
        reader_(path, text, WordReader::Continuation::kBackslash) {}

  TriangleMesh read();

 private:
  void count_elements();
  void read_line(Words words);
  void read_unknown(Words words);
  [[noreturn]] void refuse_curved(std::string_view keyword) const;
  void read_face(Words words);
  void read_polyline(Words words);
  [[noreturn]] void refuse_short_line(std::string_view end, int vertex_count) const;
  void read_points(Words words);
  void begin_groups(Words words);
  void begin_object(Words words);

  Vec3 coordinates(Words words) const;
  void check_number_count(Words words, std::initializer_list<std::size_t> allowed, const char* layout) const;
  Corner corner(std::string_view word) const;
  int index(std::string_view word, long long total, long long so_far, const char* what) const;
  void join_groups(int vertex);

  void drop_useless_uvs();
  void warn_of_doubtful_faces();
  void judge_left_out();
  void warn(std::string_view word, const std::string& sentence);

  std::filesystem::path path_;
  std::string_view text_;
  ObjOptions options_;
  WordReader reader_;
  TriangleMesh mesh_;
  Counts total_;   // in the whole file: indices may point forward
  Counts so_far_;  // up to the current line: negative indices count back from here
  std::optional<bool> faces_have_uvs_;
  std::string_view first_textured_face_;
  std::vector<PolygonFan> faces_;
  std::vector<std::string_view> face_keywords_;  // their places
  std::vector<std::vector<int>*> groups_;        // that the next elements join, into mesh_.groups
  std::vector<int>* object_ = nullptr;
  std::string_view first_wrapped_comment_;
  std::string_view first_parameter_vertex_;
  std::string_view first_short_line_, first_short_line_end_;
};

TriangleMesh ObjReader::read() {
  count_elements();
  mesh_.positions.reserve(static_cast<std::size_t>(total_.positions));
  mesh_.uvs.reserve(static_cast<std::size_t>(total_.uvs));
  for (Words words = reader_.next_line(); !words.empty(); words = reader_.next_line()) read_line(words);
  if (mesh_.positions.empty()) {
    reader_.fail(reader_.line_end(), {"no vertex up to the end of the file", "lines such as 'v 0 1 0'",
                                      "check that the export was complete and that this is an OBJ file"});
  }
  for (auto& [name, vertices] : mesh_.groups) {
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  }
  judge_left_out();
  drop_useless_uvs();
  warn_of_doubtful_faces();
  if (!first_wrapped_comment_.empty()) {
    warn(first_wrapped_comment_,
         "is taken for the end of the comment above it, and so are later lines of that kind");
  }
  return std::move(mesh_);
}

void ObjReader::count_elements() {
  WordReader reader(path_, text_, WordReader::Continuation::kBackslash);
  for (Words words = reader.next_line(); !words.empty(); words = reader.next_line()) {
    total_.positions += words[0] == "v";
    total_.uvs += words[0] == "vt";
    total_.normals += words[0] == "vn";
  }
}

void ObjReader::read_line(Words words) {
  const std::string_view keyword = words[0];
  if (keyword == "v") {
    check_number_count(words, {3, 4, 6}, "v x y z, and after it at most w or r g b");
    mesh_.positions.push_back(coordinates(words));
    ++so_far_.positions;
  } else if (keyword == "vt") {
    check_number_count(words, {1, 2, 3}, "vt u v, and after it at most w");
    mesh_.uvs.push_back(coordinates(words).head<2>());
    ++so_far_.uvs;
  } else if (keyword == "vn") {
    check_number_count(words, {3}, "vn x y z");
    coordinates(words);
    ++so_far_.normals;
  } else if (keyword == "vp") {
    check_number_count(words, {1, 2, 3}, "vp u, and after it at most v w");
    coordinates(words);
    if (first_parameter_vertex_.empty()) first_parameter_vertex_ = keyword;
  } else if (keyword == "f") {
    read_face(words);
  } else if (keyword == "l") {
    read_polyline(words);
  } else if (keyword == "p") {
    read_points(words);
  } else if (keyword == "g") {
    begin_groups(words);
  } else if (keyword == "o") {
    begin_object(words);
  } else if (!is_skipped(keyword)) {
    read_unknown(words);
  }
}

void ObjReader::read_unknown(Words words) {
  if (is_free_form(words[0])) refuse_curved(words[0]);
  if (!reader_.follows_comment() || looks_like_geometry(words)) {
    reader_.fail(words[0], {fmt::format("{} is no keyword of OBJ", in_quotes(words[0])),
                            "v, vt, vn, f, l, p, g, o, s, usemtl, mtllib or a comment (#)",
                            "correct the keyword (lower case), or put # in front of the line"});
  }
  if (first_wrapped_comment_.empty()) first_wrapped_comment_ = words[0];
}

void ObjReader::refuse_curved(std::string_view keyword) const {
  reader_.fail(keyword, {fmt::format("{} belongs to a curve or a curved surface", in_quotes(keyword)),
                         "a mesh of polygons", "convert the object to polygons and export again"});
}

// Up to three numbers; missing ones are 0. What else is on the line is checked only.
Vec3 ObjReader::coordinates(Words words) const {
  Vec3 values = Vec3::Zero();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const double value = reader_.number(words[i]);
    if (i <= 3) values[static_cast<Eigen::Index>(i) - 1] = value;
  }
  return values;
}

void ObjReader::check_number_count(Words words, std::initializer_list<std::size_t> allowed,
                                   const char* layout) const {
  const std::size_t count = words.size() - 1;
  if (std::find(allowed.begin(), allowed.end(), count) != allowed.end()) return;
  const std::size_t most = std::max(allowed);
  reader_.fail(count > most ? words[most + 1] : reader_.line_end(),
               {fmt::format("{} with {} number{}", in_quotes(words[0]), count, count == 1 ? "" : "s"), layout,
                kCorrectLine});
}

int ObjReader::index(std::string_view word, long long total, long long so_far, const char* what) const {
  const long long given = reader_.integer(word);
  if (given >= 1 && given <= total) return static_cast<int>(given - 1);
  if (given < 0 && given >= -so_far) return static_cast<int>(so_far + given);
  if (given == 0) {
    reader_.fail(word, {fmt::format("the {} index is 0", what), "a number from 1, or a negative one",
                        "OBJ counts from 1: add 1 to every index of a file that counts from 0"});
  }
  const std::string back = so_far > 0 ? fmt::format(", or -1 to -{} back from here", so_far) : "";
  const std::string expected =
      total > 0 ? fmt::format("1 to {}{}", total, back) : "none, as the file defines none";
  reader_.fail(word, {fmt::format("the {} index {} points to nothing", what, given), expected,
                      "export the mesh again, as a whole"});
}

Corner ObjReader::corner(std::string_view word) const {
  const std::size_t slash = word.find('/');
  Corner corner;
  corner.vertex = index(word.substr(0, slash), total_.positions, so_far_.positions, "vertex");
  if (slash == std::string_view::npos) return corner;

  const std::string_view rest = word.substr(slash + 1);
  const std::size_t second_slash = rest.find('/');
  if (second_slash != 0) {
    corner.uv = index(rest.substr(0, second_slash), total_.uvs, so_far_.uvs, "texture coordinate");
  }
  if (second_slash != std::string_view::npos) {
    corner.normal = index(rest.substr(second_slash + 1), total_.normals, so_far_.normals, "normal");
  }
  return corner;
}

void ObjReader::read_face(Words words) {
  const Words corner_words = words.subspan(1);
  if (corner_words.size() < 3) {
    reader_.fail(reader_.line_end(), {fmt::format("a face with {} corners", corner_words.size()),
                                      "at least 3", "delete this face, or use 'l' for a line"});
  }
  std::vector<Corner> corners;
  for (const std::string_view word : corner_words) {
    corners.push_back(corner(word));
    if (corners.back().uv.has_value() != corners[0].uv.has_value() ||
        corners.back().normal.has_value() != corners[0].normal.has_value()) {
      reader_.fail(word, {fmt::format("the corner {} is written otherwise than {}", in_quotes(word),
                                      in_quotes(words[1])),
                          "all corners of a face alike: v, v/vt, v//vn or v/vt/vn", kCorrectLine});
    }
  }
  std::vector<int> vertices(corners.size());
  std::transform(corners.begin(), corners.end(), vertices.begin(), [](const Corner& c) { return c.vertex; });
  std::sort(vertices.begin(), vertices.end());
  if (const auto twice = std::adjacent_find(vertices.begin(), vertices.end()); twice != vertices.end()) {
    std::size_t last = corners.size() - 1;
    while (corners[last].vertex != *twice) --last;
    reader_.fail(corner_words[last],
                 {fmt::format("the face has vertex {} twice", *twice + 1), "each vertex once",
                  "clean the mesh (delete degenerate faces) and export again"});
  }
  const bool has_uvs = corners[0].uv.has_value();
  if (options_.keep_uvs && faces_have_uvs_.value_or(has_uvs) != has_uvs) {
    reader_.fail(words[1],
                 {fmt::format("a face {} texture coordinates", has_uvs ? "with" : "without"),
                  fmt::format("faces {} them, as before in this file", has_uvs ? "without" : "with"),
                  "unwrap the whole mesh, or export it without texture coordinates"});
  }
  faces_have_uvs_ = has_uvs;
  if (has_uvs && first_textured_face_.empty()) first_textured_face_ = words[0];

  faces_.push_back({mesh_.triangle_count(), static_cast<int>(corners.size()) - 2});
  face_keywords_.push_back(words[0]);
  for (std::size_t c = 2; c < corners.size(); ++c) {
    mesh_.triangles.push_back({corners[0].vertex, corners[c - 1].vertex, corners[c].vertex});
    if (options_.keep_uvs && has_uvs)
      mesh_.uv_triangles.push_back({*corners[0].uv, *corners[c - 1].uv, *corners[c].uv});
  }
  for (const int vertex : vertices) join_groups(vertex);
}

void ObjReader::read_polyline(Words words) {
  if (words.size() < 2) refuse_short_line(reader_.line_end(), 0);
  if (words.size() == 2 && first_short_line_.empty()) {
    first_short_line_ = words[0];
    first_short_line_end_ = reader_.line_end();
  }
  std::vector<int> vertices;
  for (const std::string_view word : words.subspan(1)) {
    vertices.push_back(corner(word).vertex);
    join_groups(vertices.back());
    if (vertices.size() < 2) continue;
    const Edge edge = {vertices[vertices.size() - 2], vertices.back()};
    if (edge[0] == edge[1]) {
      reader_.fail(word, {fmt::format("the line has vertex {} twice in a row", edge[0] + 1),
                          "two different vertices", kCorrectLine});
    }
    mesh_.lines.push_back(edge);
  }
}

void ObjReader::refuse_short_line(std::string_view end, int vertex_count) const {
  reader_.fail(end, {fmt::format("a line with {} vertices", vertex_count), "at least 2", kCorrectLine});
}

void ObjReader::read_points(Words words) {
  for (const std::string_view word : words.subspan(1)) join_groups(corner(word).vertex);
}

void ObjReader::begin_groups(Words words) {
  groups_.clear();
  if (words.size() == 2 && words[1] == "off") return;  // Blender's, for faces without a group
  for (const std::string_view name : words.subspan(1)) {
    if (name != "default") groups_.push_back(&mesh_.groups[std::string(name)]);
  }
}

void ObjReader::begin_object(Words words) {
  const std::string name = fmt::format("{}", fmt::join(words.subspan(1), "_"));
  object_ = name.empty() || name == "default" ? nullptr : &mesh_.groups[name];
}

void ObjReader::join_groups(int vertex) {
  for (std::vector<int>* group : groups_) group->push_back(vertex);
  if (object_) object_->push_back(vertex);
}

// What another object of the file left behind does no harm beside polygons; without any it is all there is.
void ObjReader::judge_left_out() {
  const bool has_faces = !mesh_.triangles.empty();
  if (!first_parameter_vertex_.empty()) {
    if (!has_faces) refuse_curved(first_parameter_vertex_);
    warn(first_parameter_vertex_,
         "belongs to a curve or a curved surface, and is left out, as are later ones");
  }
  if (!first_short_line_.empty()) {
    if (!has_faces) refuse_short_line(first_short_line_end_, 1);
    warn(first_short_line_, "a line with 1 vertex is none, and is left out, as are later ones");
  }
}

void ObjReader::drop_useless_uvs() {
  const std::vector<Triangle>& uv = mesh_.uv_triangles;
  const bool one_for_all = !uv.empty() && std::all_of(uv.begin(), uv.end(), [&](const Triangle& t) {
    return t == Triangle{uv[0][0], uv[0][0], uv[0][0]};
  });
  if (one_for_all) {
    warn(first_textured_face_,
         "every corner has the same texture coordinate: the mesh is taken to have none");
    mesh_.uv_triangles.clear();
  }
  if (!mesh_.uvs.empty() && first_textured_face_.empty()) {
    warn(reader_.line_end(), "no face uses the texture coordinates: the mesh is taken to have none");
  }
  if (mesh_.uv_triangles.empty()) mesh_.uvs.clear();
}

void ObjReader::warn_of_doubtful_faces() {
  if (const auto folded = find_folded_face(faces_, mesh_))
    warn(face_keywords_[*folded], fmt::format("this face {}", kFoldedFace));
  if (const auto repeated = find_repeated_face(faces_, mesh_)) {
    warn(face_keywords_[repeated->face],
         fmt::format("this face is given twice ({} such in all): line {} has the same corners",
                     repeated->count, reader_.line(face_keywords_[repeated->first])));
  }
}

void ObjReader::warn(std::string_view word, const std::string& sentence) {
  if (options_.warnings) options_.warnings->push_back(fmt::format("{}: {}", reader_.place(word), sentence));
}

}  // namespace

TriangleMesh read_obj(const std::filesystem::path& path, const ObjOptions& options) {
  const std::string text = read_file(path);
  return ObjReader(path, text, options).read();
}

}  // namespace keydrape
