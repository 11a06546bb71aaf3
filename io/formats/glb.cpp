#include "io/formats/glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/cache/float_vector.h"
#include "io/cache/vertex_normals.h"
#include "io/file/file.h"
#include "io/file/json_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "glTF is little endian: swap bytes here");

// Constants of the specification.
constexpr std::uint32_t kGlbMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr int kFloat = 5126, kUnsignedInt = 5125, kArrayBuffer = 34962, kElementArrayBuffer = 34963;
// Room for the JSON: its fixed part, and two accessors, a target and a name for each frame (some 450 bytes).
constexpr std::uint64_t kJsonBytes = 4096, kJsonBytesPerFrame = 640;

// Bounds of one accessor.
struct Bounds {
  std::array<float, 3> min, max;
};

Bounds bounds(const std::vector<float>& xyz) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Bounds b{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    b.min[i % 3] = std::min(b.min[i % 3], xyz[i]);
    b.max[i % 3] = std::max(b.max[i % 3], xyz[i]);
  }
  return b;
}

// Where the parts of the binary chunk begin [bytes].
struct BinaryLayout {
  std::uint64_t indices, uvs, times, weights, frames, end;
};

class GlbWriter final : public CacheWriter {
 public:
  GlbWriter(const std::filesystem::path& path, const CacheHeader& header)
      : path_(path), header_(header), uvs_(uvs_of_vertices(header.mesh)), frame_(header.first_frame) {
    assert(header.mesh.triangle_count() > 0 && header.space == Space{});
    const auto vertices = static_cast<std::uint64_t>(header.vertex_count());
    const auto frames = static_cast<std::uint64_t>(header.frame_count);
    layout_.indices = 0;
    layout_.uvs = 12 * static_cast<std::uint64_t>(header.mesh.triangle_count());
    layout_.times = layout_.uvs + (uvs_ ? 8 * vertices : 0);
    layout_.weights = layout_.times + (frames > 1 ? 4 * frames : 0);
    layout_.frames = layout_.weights + 4 * frames * (frames - 1);
    layout_.end = layout_.frames + 24 * vertices * frames;
    json_bytes_ = kJsonBytes + kJsonBytesPerFrame * frames;
    check_size();
    file_.emplace(path);
    write_beginning();
  }

  void append(const CacheFrame& frame) override {
    assert(frame_ <= header_.frames().last && frame.positions.size() == 3 * header_.vertex_count());
    VecX positions = frame.positions;
    VecX normals = vertex_normals(header_.mesh.triangles, positions);
    const FloatTarget target{path_, frame_};
    if (frame_ == header_.first_frame) {
      // What a reader adds the differences to.
      const auto rounded = [&](const VecX& x) {
        const std::vector<float> floats = to_floats(x, target);
        return VecX(Eigen::Map<const Eigen::VectorXf>(floats.data(), x.size()).cast<double>());
      };
      base_positions_ = rounded(positions);
      base_normals_ = rounded(normals);
    } else {
      positions -= base_positions_;
      normals -= base_normals_;
    }
    const std::vector<float> xyz = to_floats(positions, target);
    bounds_.push_back(bounds(xyz));
    append(xyz);
    append(to_floats(normals, target));
    ++frame_;
  }

  void commit() override {
    assert(frame_ == header_.frames().last + 1);
    std::string text = json_text(json());
    assert(text.size() <= json_bytes_);
    text.resize(json_bytes_, ' ');
    file_->overwrite(kJsonBegin, text.data(), text.size());
    file_->commit();
  }

 private:
  static constexpr std::uint64_t kJsonBegin = 20;  // behind the file's and the chunk's header

  bool is_animated() const { return header_.frame_count > 1; }

  void check_size() const {
    if (kJsonBegin + json_bytes_ + 8 + layout_.end <= std::numeric_limits<std::uint32_t>::max()) return;
    throw OutputError(
        fmt::format("{}: not written: {} frames of {} vertices need more than the 4 GiB that a .glb "
                    "holds; write fewer frames (--frames), or .usda or .pc2",
                    path_.string(), header_.frame_count, header_.vertex_count()));
  }

  template <typename Number>
  void append(const std::vector<Number>& numbers) {
    file_->append(numbers.data(), sizeof(Number) * numbers.size());
  }

  void write_beginning() {
    const auto total = static_cast<std::uint32_t>(kJsonBegin + json_bytes_ + 8 + layout_.end);
    append(
        std::vector<std::uint32_t>{kGlbMagic, 2, total, static_cast<std::uint32_t>(json_bytes_), kJsonChunk});
    append(std::vector<char>(json_bytes_, ' '));
    append(std::vector<std::uint32_t>{static_cast<std::uint32_t>(layout_.end), kBinaryChunk});
    std::vector<std::uint32_t> indices;
    for (const Triangle& t : header_.mesh.triangles)
      for (const int vertex : t) indices.push_back(static_cast<std::uint32_t>(vertex));
    append(indices);
    if (uvs_) write_uvs();
    if (is_animated()) write_animation();
  }

  void write_uvs() {
    std::vector<Vec2> st = *uvs_;
    for (Vec2& uv : st) uv.y() = 1.0 - uv.y();  // glTF counts from the top
    append(to_floats(st, path_));
  }

  void write_animation() {
    const int frames = header_.frame_count;
    std::vector<float> times;
    times.reserve(static_cast<std::size_t>(frames));
    for (int f = 0; f < frames; ++f) times.push_back(static_cast<float>(f / header_.fps));
    append(times);
    std::vector<float> weights(static_cast<std::size_t>(frames) * static_cast<std::size_t>(frames - 1), 0.0f);
    for (int f = 1; f < frames; ++f)
      weights[static_cast<std::size_t>(f) * static_cast<std::size_t>(frames - 1) +
              static_cast<std::size_t>(f - 1)] = 1.0f;
    append(weights);
  }

  struct Accessor {
    std::size_t view;
    std::uint64_t offset = 0;  // in the view [bytes]
    int component_type = kFloat;
    std::uint64_t count;
    const char* type;
  };
  // Appends it; returns its index.
  static std::size_t add_accessor(Json& gltf, const Accessor& accessor) {
    gltf["accessors"].push_back({{"bufferView", accessor.view},
                                 {"byteOffset", accessor.offset},
                                 {"componentType", accessor.component_type},
                                 {"count", accessor.count},
                                 {"type", accessor.type}});
    return gltf["accessors"].size() - 1;
  }

  static std::size_t add_view(Json& gltf, std::uint64_t begin, std::uint64_t end, int target, int stride) {
    Json view = {{"buffer", 0}, {"byteOffset", begin}, {"byteLength", end - begin}};
    if (stride > 0) view["byteStride"] = stride;
    if (target > 0) view["target"] = target;
    gltf["bufferViews"].push_back(view);
    return gltf["bufferViews"].size() - 1;
  }

  Json json() const {
    const auto vertices = static_cast<std::uint64_t>(header_.vertex_count());
    Json gltf = {{"asset",
                  {{"version", "2.0"},
                   {"generator", "keydrape"},
                   {"extras", {{"first_frame", header_.first_frame}, {"fps", header_.fps}}}}},
                 {"scene", 0},
                 {"scenes", Json::array({{{"nodes", {0}}}})},
                 {"nodes", Json::array({{{"name", "cloth"}, {"mesh", 0}}})},
                 {"materials", Json::array({{{"name", "cloth"},
                                             {"doubleSided", true},
                                             {"pbrMetallicRoughness",
                                              {{"baseColorFactor", {0.6, 0.65, 0.75, 1.0}},
                                               {"metallicFactor", 0.0},
                                               {"roughnessFactor", 0.9}}}}})},
                 {"buffers", Json::array({{{"byteLength", layout_.end}}})},
                 {"bufferViews", Json::array()},
                 {"accessors", Json::array()}};
    const std::size_t index_view = add_view(gltf, layout_.indices, layout_.uvs, kElementArrayBuffer, 0);
    const std::size_t indices = add_accessor(gltf, {.view = index_view,
                                                    .component_type = kUnsignedInt,
                                                    .count = 3 * header_.mesh.triangles.size(),
                                                    .type = "SCALAR"});
    Json primitive = {{"attributes", Json::object()}, {"indices", indices}, {"material", 0}};
    add_frames(gltf, primitive);
    if (uvs_) {
      const std::size_t view = add_view(gltf, layout_.uvs, layout_.times, kArrayBuffer, 0);
      primitive["attributes"]["TEXCOORD_0"] =
          add_accessor(gltf, {.view = view, .count = vertices, .type = "VEC2"});
    }
    Json mesh = {{"name", "cloth"}, {"primitives", Json::array({primitive})}};
    if (is_animated()) {
      for (int f = header_.first_frame + 1; f <= header_.frames().last; ++f)
        mesh["extras"]["targetNames"].push_back(fmt::format("{}", f));
      add_animation(gltf);
    }
    gltf["meshes"] = Json::array({mesh});
    return gltf;
  }

  void add_frames(Json& gltf, Json& primitive) const {
    const auto vertices = static_cast<std::uint64_t>(header_.vertex_count());
    const std::size_t view = add_view(gltf, layout_.frames, layout_.end, kArrayBuffer, 12);
    for (std::size_t f = 0; f < bounds_.size(); ++f) {
      const std::uint64_t begin = 24 * vertices * f;
      const std::size_t positions =
          add_accessor(gltf, {.view = view, .offset = begin, .count = vertices, .type = "VEC3"});
      gltf["accessors"].back()["min"] = bounds_[f].min;
      gltf["accessors"].back()["max"] = bounds_[f].max;
      const std::size_t normals = add_accessor(
          gltf, {.view = view, .offset = begin + 12 * vertices, .count = vertices, .type = "VEC3"});
      const Json attributes = {{"POSITION", positions}, {"NORMAL", normals}};
      if (f == 0) {
        primitive["attributes"] = attributes;
      } else {
        primitive["targets"].push_back(attributes);
      }
    }
  }

  void add_animation(Json& gltf) const {
    const auto frames = static_cast<std::uint64_t>(header_.frame_count);
    const std::size_t view = add_view(gltf, layout_.times, layout_.frames, 0, 0);
    const std::size_t times = add_accessor(gltf, {.view = view, .count = frames, .type = "SCALAR"});
    gltf["accessors"].back()["min"] = Json::array({0.0f});
    gltf["accessors"].back()["max"] =
        Json::array({static_cast<float>((header_.frame_count - 1) / header_.fps)});
    const std::size_t weights = add_accessor(gltf, {.view = view,
                                                    .offset = layout_.weights - layout_.times,
                                                    .count = frames * (frames - 1),
                                                    .type = "SCALAR"});
    gltf["animations"] = Json::array(
        {{{"name", "cloth"},
          {"samplers", Json::array({{{"input", times}, {"interpolation", "LINEAR"}, {"output", weights}}})},
          {"channels", Json::array({{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}})}}});
  }

  std::filesystem::path path_;
  CacheHeader header_;
  std::optional<std::vector<Vec2>> uvs_;
  int frame_;
  BinaryLayout layout_;
  std::uint64_t json_bytes_;
  std::optional<AtomicFile> file_;  // once it is known that everything fits
  VecX base_positions_, base_normals_;
  std::vector<Bounds> bounds_;
};

}  // namespace

std::unique_ptr<CacheWriter> open_glb_writer(const std::filesystem::path& path, const CacheHeader& header) {
  return std::make_unique<GlbWriter>(path, header);
}

}  // namespace keydrape
