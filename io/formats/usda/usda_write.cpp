#include <fmt/compile.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "io/cache/float_vector.h"
#include "io/file/text_file.h"
#include "io/formats/usda/usda.h"

namespace keydrape {
namespace {

void print_numbers(TextFile& text, const std::vector<float>& values, int components) {
  text.write("[");
  if (components == 1) {
    for (std::size_t i = 0; i < values.size(); ++i)
      text.print_compiled(FMT_COMPILE("{}{}"), i == 0 ? "" : ", ", values[i]);
  } else if (components == 2) {
    for (std::size_t i = 0; i < values.size(); i += 2)
      text.print_compiled(FMT_COMPILE("{}({}, {})"), i == 0 ? "" : ", ", values[i], values[i + 1]);
  } else {
    for (std::size_t i = 0; i < values.size(); i += 3)
      text.print_compiled(FMT_COMPILE("{}({}, {}, {})"), i == 0 ? "" : ", ", values[i], values[i + 1],
                          values[i + 2]);
  }
  text.write("]");
}

void print_integers(TextFile& text, std::string_view name, const std::vector<int>& values) {
  text.print("        int[] {} = [", name);
  for (std::size_t i = 0; i < values.size(); ++i)
    text.print_compiled(FMT_COMPILE("{}{}"), i == 0 ? "" : ", ", values[i]);
  text.write("]\n");
}

// As USD's programs call texture coordinates: st, or the first of st1, st2, .. that no field has.
std::string name_of_uvs(const std::vector<FieldHeader>& fields) {
  std::string name = "st";
  const auto has_it = [&](const FieldHeader& field) { return field.name == name; };
  for (int k = 1; std::any_of(fields.begin(), fields.end(), has_it); ++k) name = fmt::format("st{}", k);
  return name;
}

// The two corners of the bounding box.
std::vector<float> extent(const std::vector<float>& xyz) {
  std::vector<float> box(3, std::numeric_limits<float>::max());
  box.resize(6, std::numeric_limits<float>::lowest());
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    box[i % 3] = std::min(box[i % 3], xyz[i]);
    box[3 + i % 3] = std::max(box[3 + i % 3], xyz[i]);
  }
  return box;
}

class UsdaWriter final : public CacheWriter {
 public:
  UsdaWriter(const std::filesystem::path& path, const CacheHeader& header)
      : path_(path),
        text_(path),
        header_(header),
        frame_(header.first_frame),
        samples_(header.fields.size()) {
    print_layer();
    print_mesh();
    text_.write("        point3f[] points.timeSamples = {\n");
  }

  void append(const CacheFrame& frame) override {
    assert(frame_ <= header_.frames().last && frame.fields.size() == header_.fields.size());
    const FloatTarget target{path_, frame_};
    const std::vector<float> points = to_floats(frame.positions, target);
    print_sample(frame_, points, 3);
    extents_.push_back(extent(points));
    for (std::size_t i = 0; i < frame.fields.size(); ++i)
      samples_[i].push_back(to_floats(frame.fields[i], target));
    ++frame_;
  }

  void commit() override {
    assert(frame_ == header_.frames().last + 1);
    text_.write("        }\n        float3[] extent.timeSamples = {\n");
    print_samples(extents_, 3);
    for (std::size_t i = 0; i < samples_.size(); ++i) print_field(header_.fields[i], samples_[i]);
    text_.write("    }\n}\n");
    text_.commit();
  }

 private:
  void print_layer() {
    text_.print(
        "#usda 1.0\n(\n    defaultPrim = \"cloth\"\n    doc = \"\"\"keydrape\"\"\"\n    startTimeCode = {}\n"
        "    endTimeCode = {}\n    timeCodesPerSecond = {}\n    framesPerSecond = {}\n    metersPerUnit = "
        "{}\n"
        "    upAxis = \"{}\"\n)\n\n",
        header_.first_frame, header_.frames().last, header_.fps, header_.fps, header_.space.meters_per_unit,
        header_.space.up_axis == UpAxis::kY ? "Y" : "Z");
  }

  void print_mesh() {
    const TriangleMesh& mesh = header_.mesh;
    text_.write("def Xform \"cloth\" (\n    kind = \"component\"\n)\n{\n    def Mesh \"mesh\"\n    {\n");
    std::vector<int> corners, uv_corners;
    for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    print_integers(text_, "faceVertexCounts", std::vector<int>(mesh.triangles.size(), 3));
    print_integers(text_, "faceVertexIndices", corners);
    text_.write(
        "        uniform token orientation = \"rightHanded\"\n"
        "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n");
    if (!mesh.has_uvs()) return;
    const std::string name = "primvars:" + name_of_uvs(header_.fields);
    text_.print("        texCoord2f[] {} = ", name);
    print_numbers(text_, to_floats(mesh.uvs, path_), 2);
    text_.write(" (\n            interpolation = \"faceVarying\"\n        )\n");
    for (const Triangle& t : mesh.uv_triangles) uv_corners.insert(uv_corners.end(), t.begin(), t.end());
    print_integers(text_, name + ":indices", uv_corners);
  }

  void print_sample(int frame, const std::vector<float>& values, int components) {
    text_.print("            {}: ", frame);
    print_numbers(text_, values, components);
    text_.write(",\n");
  }

  void print_samples(const std::vector<std::vector<float>>& samples, int components) {
    for (std::size_t s = 0; s < samples.size(); ++s)
      print_sample(header_.first_frame + static_cast<int>(s), samples[s], components);
    text_.write("        }\n");
  }

  void print_field(const FieldHeader& field, const std::vector<std::vector<float>>& samples) {
    const char* type = field.components == 3 ? "vector3f[]" : "float[]";
    if (is_velocity(field)) {
      text_.write("        vector3f[] velocities.timeSamples = {\n");
    } else {
      const char* interpolation = field.place == FieldPlace::kVertex ? "vertex" : "uniform";
      text_.print(
          "        {0} primvars:{1} (\n            interpolation = \"{2}\"\n        )\n"
          "        {0} primvars:{1}.timeSamples = {{\n",
          type, field.name, interpolation);
    }
    print_samples(samples, field.components);
  }

  std::filesystem::path path_;
  TextFile text_;
  CacheHeader header_;
  int frame_;
  std::vector<std::vector<float>> extents_;
  std::vector<std::vector<std::vector<float>>> samples_;  // of each field, by frame
};

}  // namespace

std::unique_ptr<CacheWriter> open_usda_writer(const std::filesystem::path& path, const CacheHeader& header) {
  return std::make_unique<UsdaWriter>(path, header);
}

}  // namespace keydrape
