#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/cache/polygon.h"
#include "io/formats/usda/usda.h"
#include "io/formats/usda/usda_frames.h"
#include "io/formats/usda/usda_layer.h"
#include "io/formats/usda/usda_transform.h"

namespace keydrape {
namespace {

using usda::Attribute, usda::kExportAgain, usda::Layer, usda::Prim, usda::Sample;

constexpr std::string_view kPrimvars = "primvars:";

struct PlacedMesh {
  const Prim* prim;
  Eigen::Affine3d transform;  // to the world
};

void find_meshes(const Layer& layer, const std::vector<Prim>& prims, const Eigen::Affine3d& parent,
                 std::vector<PlacedMesh>& found) {
  for (const Prim& prim : prims) {
    std::vector<PlacedMesh> below;
    const bool is_mesh = prim.type == "Mesh";
    if (is_mesh) below.push_back({&prim, Eigen::Affine3d::Identity()});
    find_meshes(layer, prim.children, Eigen::Affine3d::Identity(), below);
    if (below.empty()) continue;  // a camera may move as it likes
    const Eigen::Affine3d transform = parent * usda::local_transform(layer, prim);
    for (const PlacedMesh& mesh : below) found.push_back({mesh.prim, transform * mesh.transform});
  }
}

class MeshReader {
 public:
  MeshReader(const Layer& layer, const PlacedMesh& mesh, std::vector<std::string>& warnings)
      : layer_(layer), frames_(layer), prim_(*mesh.prim), transform_(mesh.transform), warnings_(warnings) {}

  void read(MeshCache& cache) {
    CacheHeader& header = cache.header;
    read_points(cache);
    for (int i = 0; i < cache.frames[0].positions.size() / 3; ++i)
      header.mesh.positions.emplace_back(cache.frames[0].positions.segment<3>(3 * i));
    read_faces(header.mesh);
    read_uvs(header.mesh);
    read_fields(cache);
    report_dropped();
  }

 private:
  const Attribute& require(const char* name) {
    const Attribute* attribute = prim_.find(name);
    if (attribute == nullptr || (!attribute->value && attribute->samples.empty())) {
      layer_.fail(prim_.place, fmt::format("the Mesh {} has no {}", prim_.path, name), "one", kExportAgain);
    }
    read_.push_back(attribute->name);
    return *attribute;
  }

  // Numbers that must be the same in all samples.
  std::vector<int> still_integers(const Attribute& attribute) const {
    if (attribute.samples.empty()) return layer_.integers(*attribute.value);
    std::vector<int> first = layer_.integers(attribute.samples[0].value);
    for (const Sample& sample : attribute.samples) {
      if (layer_.integers(sample.value) != first)
        layer_.fail(sample.value, fmt::format("{} changes in time", attribute.name),
                    "the same topology in all frames", kExportAgain);
    }
    return first;
  }

  void read_points(MeshCache& cache) {
    const Attribute& points = require("points");
    std::vector<VecX> positions = frames_.read_points(points);
    cache.header.first_frame = frames_.range().first;
    if (positions[0].size() == 0) layer_.fail(points.place, "no points", "one or more", kExportAgain);
    cache.header.frame_count = static_cast<int>(positions.size());
    for (VecX& x : positions) {
      for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) = transform_ * Vec3(x.segment<3>(i));
      refuse_infinite(points, x);
      cache.frames.push_back({std::move(x), {}});
    }
  }

  // Numbers of the file are finite; between two samples, or moved and scaled, they need not be.
  void refuse_infinite(const Attribute& attribute, const VecX& numbers) const {
    if (!numbers.allFinite())
      layer_.fail(attribute.place,
                  fmt::format("a number in {} that is too large once it is placed", attribute.name),
                  "numbers up to 1e308", kExportAgain);
  }

  void read_faces(TriangleMesh& mesh) {
    const Attribute& counts = require("faceVertexCounts");
    const Attribute& indices = require("faceVertexIndices");
    counts_ = still_integers(counts);
    indices_ = still_integers(indices);
    std::size_t begin = 0;
    for (std::size_t f = 0; f < counts_.size(); ++f) {
      if (counts_[f] < 3 || static_cast<std::size_t>(counts_[f]) > indices_.size() - begin) {
        layer_.fail(counts.place, fmt::format("face {} (counted from 0) with {} corners", f, counts_[f]),
                    "3 or more, as many in all as faceVertexIndices has", kExportAgain);
      }
      refuse_repeated_vertex(f, begin, indices);
      begin += static_cast<std::size_t>(counts_[f]);
    }
    if (begin != indices_.size())
      layer_.fail(indices.place, fmt::format("{} indices", indices_.size()),
                  fmt::format("{}, the sum of faceVertexCounts", begin), kExportAgain);
    for (const int vertex : indices_) {
      if (vertex < 0 || vertex >= mesh.vertex_count())
        layer_.fail(indices.place, fmt::format("the vertex index {}", vertex),
                    fmt::format("0 to {}", mesh.vertex_count() - 1), kExportAgain);
    }
    // The file's orientation is that in the mesh's own space: a mirror turns it round.
    const Attribute* orientation = prim_.find("orientation");
    const bool is_left_handed =
        orientation != nullptr && orientation->value && layer_.text(*orientation->value) == "leftHanded";
    is_turned_round_ = is_left_handed != (transform_.linear().determinant() < 0.0);
    mesh.triangles = fans(indices_);
    std::vector<PolygonFan> faces;
    int triangle_count = 0;
    for (const int count : counts_) {
      faces.push_back({triangle_count, count - 2});
      triangle_count += count - 2;
    }
    doubts_ = doubts_of_faces(faces, mesh);
  }

  void refuse_repeated_vertex(std::size_t face, std::size_t begin, const Attribute& indices) const {
    const auto first = indices_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<int> corners(first, first + counts_[face]);
    std::sort(corners.begin(), corners.end());
    if (const auto twice = std::adjacent_find(corners.begin(), corners.end()); twice != corners.end()) {
      layer_.fail(indices.place, fmt::format("face {} (counted from 0) has vertex {} twice", face, *twice),
                  "each vertex once", "clean the mesh (delete degenerate faces) and export again");
    }
  }

  // Values of the faces' corners, as triangles: the fan of each face's first corner.
  std::vector<Triangle> fans(const std::vector<int>& corners) const {
    std::vector<Triangle> triangles;
    std::size_t begin = 0;
    for (const int count : counts_) {
      for (std::size_t c = begin + 2; c < begin + static_cast<std::size_t>(count); ++c) {
        triangles.push_back({corners[begin], corners[c - 1], corners[c]});
        if (is_turned_round_) std::swap(triangles.back()[1], triangles.back()[2]);
      }
      begin += static_cast<std::size_t>(count);
    }
    return triangles;
  }

  // The first texture coordinates that there are.
  void read_uvs(TriangleMesh& mesh) {
    for (const Attribute& attribute : prim_.attributes) {
      if (attribute.type != "texCoord2f[]" || !attribute.value || !attribute.name.starts_with(kPrimvars))
        continue;
      const VecX uvs = layer_.numbers(*attribute.value, 2);
      const bool of_vertices = attribute.interpolation == "vertex" || attribute.interpolation == "varying";
      std::vector<int> corners;
      const Attribute* indices = prim_.find(attribute.name + ":indices");
      if (indices != nullptr && indices->value) {
        corners = layer_.integers(*indices->value);
      } else {
        for (int i = 0; i < uvs.size() / 2; ++i) corners.push_back(i);
      }
      const std::size_t wanted = of_vertices ? mesh.positions.size() : indices_.size();
      const auto in_range = [&](int i) { return i >= 0 && i < uvs.size() / 2; };
      if (corners.size() != wanted || !std::all_of(corners.begin(), corners.end(), in_range)) {
        layer_.fail(attribute.place,
                    fmt::format("{} texture coordinates, {} of them used", uvs.size() / 2, corners.size()),
                    fmt::format("one for each of {} {}", wanted, of_vertices ? "points" : "corners"),
                    kExportAgain);
      }
      if (of_vertices) {
        std::vector<int> of_corners;
        for (const int vertex : indices_) of_corners.push_back(corners[static_cast<std::size_t>(vertex)]);
        corners = std::move(of_corners);
      }
      for (Eigen::Index i = 0; i < uvs.size(); i += 2) mesh.uvs.emplace_back(uvs.segment<2>(i));
      mesh.uv_triangles = fans(corners);
      read_.push_back(attribute.name);
      read_.push_back(attribute.name + ":indices");
      return;
    }
  }

  void read_fields(MeshCache& cache) {
    for (const Attribute& attribute : prim_.attributes) {
      const bool are_velocities = attribute.name == "velocities";
      if (!are_velocities && !attribute.name.starts_with(kPrimvars)) continue;
      FieldHeader field;
      field.name = are_velocities ? kVelocityField : attribute.name.substr(kPrimvars.size());
      const bool is_vector = attribute.type == "vector3f[]" || attribute.type == "float3[]";
      if (!is_vector && attribute.type != "float[]") continue;
      if (is_vector && !are_velocities && !transform_.isApprox(Eigen::Affine3d::Identity())) continue;
      field.components = is_vector ? 3 : 1;
      field.place = attribute.interpolation == "uniform" ? FieldPlace::kTriangle : FieldPlace::kVertex;
      field.in_space_unit = is_velocity(field);
      if (are_velocities && !is_velocity(field)) continue;
      if (!is_field_name(field.name) || !frames_.is_sampled_like_points(attribute)) continue;
      const auto is_same = [&](const FieldHeader& other) { return other.name == field.name; };
      if (std::any_of(cache.header.fields.begin(), cache.header.fields.end(), is_same)) continue;
      const bool has_place =
          are_velocities || attribute.interpolation == "vertex" ||
          (attribute.interpolation == "uniform" && cache.header.mesh.triangles.size() == counts_.size());
      if (!has_place || !read_field(attribute, field, cache)) continue;
      read_.push_back(attribute.name);
      read_.push_back(attribute.name + ":indices");
    }
  }

  // Appends it to the cache. False: it cannot be had in every frame, or changes which values it names.
  bool read_field(const Attribute& attribute, const FieldHeader& field, MeshCache& cache) {
    const Attribute* indices = prim_.find(attribute.name + ":indices");
    if (indices != nullptr && (!indices->value || !indices->samples.empty())) return false;
    std::vector<VecX> frames = frames_.read(attribute, field.components);
    if (frames.empty()) return false;
    const std::vector<int> named = indices != nullptr ? layer_.integers(*indices->value) : std::vector<int>();
    const Eigen::Index count =
        indices != nullptr ? field.components * static_cast<Eigen::Index>(named.size()) : frames[0].size();
    if (count != cache.header.value_count(field)) {
      layer_.fail(attribute.place, fmt::format("{} with {} numbers", attribute.name, count),
                  fmt::format("{}, as {} points and {} faces have", cache.header.value_count(field),
                              cache.header.vertex_count(), counts_.size()),
                  kExportAgain);
    }
    if (indices != nullptr && !spread(named, field.components, frames)) return false;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      for (Eigen::Index i = 0; field.components == 3 && i < frames[f].size(); i += 3)
        frames[f].segment<3>(i) = transform_.linear() * Vec3(frames[f].segment<3>(i));
      refuse_infinite(attribute, frames[f]);
      cache.frames[f].fields.push_back(std::move(frames[f]));
    }
    cache.header.fields.push_back(field);
    return true;
  }

  // The named values in place of the different ones. False: one is not there, or they are beyond all memory.
  bool spread(const std::vector<int>& named, int components, std::vector<VecX>& frames) {
    const Eigen::Index count = frames[0].size() / components;
    const auto is_there = [&](int i) { return i >= 0 && i < count; };
    if (!std::all_of(named.begin(), named.end(), is_there)) return false;
    const auto size = static_cast<Eigen::Index>(named.size());
    if (!frames_.may_fill(static_cast<double>(std::max<Eigen::Index>(size - count, 0)) * components *
                          static_cast<double>(frames.size())))
      return false;
    for (VecX& frame : frames) {
      VecX whole(components * size);
      for (Eigen::Index i = 0; i < size; ++i)
        whole.segment(components * i, components) =
            frame.segment(Eigen::Index{components} * named[static_cast<std::size_t>(i)], components);
      frame = std::move(whole);
    }
    return true;
  }

  // What a cloth can do without: looks, and what follows from the rest.
  static bool is_harmless(const std::string& name) {
    static constexpr std::string_view kHarmless[] = {"extent",
                                                     "normals",
                                                     "orientation",
                                                     "subdivisionScheme",
                                                     "doubleSided",
                                                     "visibility",
                                                     "purpose",
                                                     "primvars:displayColor",
                                                     "primvars:displayOpacity",
                                                     "interpolateBoundary",
                                                     "xformOpOrder",
                                                     "faceVaryingLinearInterpolation",
                                                     "triangleSubdivisionRule",
                                                     "primvars:normals"};
    return name.starts_with("xformOp:") ||
           std::find(std::begin(kHarmless), std::end(kHarmless), name) != std::end(kHarmless);
  }

  void report_dropped() {
    std::vector<std::string> names;
    for (const Attribute& attribute : prim_.attributes)
      if (!is_harmless(attribute.name) &&
          std::find(read_.begin(), read_.end(), attribute.name) == read_.end())
        names.push_back(attribute.name);
    warnings_.insert(warnings_.end(), doubts_.begin(), doubts_.end());
    warnings_.insert(warnings_.end(), frames_.warnings().begin(), frames_.warnings().end());
    if (!names.empty())
      warnings_.push_back(
          fmt::format("the attributes {} of {} are not read", fmt::join(names, ", "), prim_.path));
  }

  const Layer& layer_;
  usda::FrameReader frames_;
  const Prim& prim_;
  Eigen::Affine3d transform_;
  std::vector<std::string>& warnings_;
  std::vector<std::string> read_;
  std::vector<std::string> doubts_;  // of faces
  std::vector<int> counts_, indices_;
  bool is_turned_round_ = false;  // corners run clockwise
};

double positive(const Layer& layer, std::string_view key, double fallback) {
  const double value = layer.number(key).value_or(fallback);
  if (value <= 0.0)
    layer.fail(0, fmt::format("{} = {}", key, value), "a number above 0", "correct the layer's metadata");
  return value;
}

void read_layer(const Layer& layer, CacheHeader& header, std::vector<std::string>& warnings) {
  header.fps = positive(layer, "timeCodesPerSecond", positive(layer, "framesPerSecond", 24.0));
  header.space.meters_per_unit = positive(layer, "metersPerUnit", 0.01);
  if (!layer.number("metersPerUnit")) warnings.emplace_back("no metersPerUnit: 0.01 is taken, as USD says");
  const std::string up = layer.text("upAxis").value_or("Y");
  if (up != "Y" && up != "Z")
    layer.fail(0, fmt::format("upAxis = \"{}\"", up), "\"Y\" or \"Z\"", "correct the metadata");
  header.space.up_axis = up == "Y" ? UpAxis::kY : UpAxis::kZ;
}

}  // namespace

MeshCache read_usda(const std::filesystem::path& path, std::vector<std::string>* warnings) {
  const Layer layer(path);
  std::vector<PlacedMesh> meshes;
  find_meshes(layer, layer.prims(), Eigen::Affine3d::Identity(), meshes);
  if (meshes.size() != 1) {
    std::string names;
    for (const PlacedMesh& mesh : meshes) names += (names.empty() ? ": " : ", ") + mesh.prim->path;
    throw InputError(
        fmt::format("{}: has {} prims of type Mesh{}; expected one; export the cloth alone, as a mesh of "
                    "polygons",
                    path.string(), meshes.size(), names));
  }
  std::vector<std::string> found = layer.warnings();
  MeshCache cache;
  read_layer(layer, cache.header, found);
  MeshReader(layer, meshes[0], found).read(cache);
  if (warnings)
    for (const std::string& sentence : found)
      warnings->push_back(fmt::format("{}: {}", path.string(), sentence));
  return cache;
}

}  // namespace keydrape
