#include "io/formats/vtp.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cstdint>
#include <system_error>

#include "io/cache/float_vector.h"
#include "io/file/file.h"

namespace keydrape {
namespace {

static_assert(std::endian::native == std::endian::little, "VTP is written little endian: swap bytes here");

// The arrays of a file: their XML, and the bytes behind it, each block with its length in front.
class AppendedArrays {
 public:
  template <typename Number>
  std::string add(const char* type, const std::string& name, int components,
                  const std::vector<Number>& numbers) {
    std::string xml = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type, name, components, bytes_.size());
    const std::uint64_t size = sizeof(Number) * numbers.size();
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), size);
    return xml;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string field_arrays(const CacheHeader& header, const CacheFrame& frame, FieldPlace place,
                         const FloatTarget& target, AppendedArrays& arrays) {
  std::string xml;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const FieldHeader& field = header.fields[i];
    assert(frame.fields[i].size() == header.value_count(field));
    if (field.place == place)
      xml += arrays.add("Float32", field.name, field.components, to_floats(frame.fields[i], target));
  }
  return xml;
}

std::string polygons(const TriangleMesh& mesh, AppendedArrays& arrays) {
  std::vector<std::int32_t> corners, ends;
  for (const Triangle& t : mesh.triangles) {
    corners.insert(corners.end(), t.begin(), t.end());
    ends.push_back(static_cast<std::int32_t>(corners.size()));
  }
  std::string xml = arrays.add("Int32", "connectivity", 1, corners);
  return xml + arrays.add("Int32", "offsets", 1, ends);
}

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

class PvdWriter final : public CacheWriter {
 public:
  PvdWriter(const std::filesystem::path& path, const CacheHeader& header)
      : path_(path), header_(header), frame_(header.first_frame) {
    folder_ = vtp_of_pvd(path_, frame_).parent_path();
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (!std::filesystem::is_directory(folder_)) {
      throw OutputError(
          fmt::format("{}: cannot be created: {}; choose an output folder that you may write to",
                      folder_.string(), error ? error.message() : "there is a file of this name"));
    }
  }

  void append(const CacheFrame& frame) override {
    const std::filesystem::path file = vtp_of_pvd(path_, frame_);
    write_vtp(file, header_, frame, frame_);
    list_ += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", frame_,
                         xml_escaped((folder_.filename() / file.filename()).string()));
    ++frame_;
  }

  void commit() override {
    assert(frame_ == header_.frames().last + 1);
    write_file_atomically(path_,
                          fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                                      "byte_order=\"LittleEndian\">\n<Collection>\n{}</Collection>\n"
                                      "</VTKFile>\n",
                                      list_));
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path folder_;
  CacheHeader header_;
  int frame_;
  std::string list_;
};

}  // namespace

std::filesystem::path vtp_of_pvd(const std::filesystem::path& path, int frame) {
  const std::string name = path.stem().string();
  return path.parent_path() / (name + "_vtp") / fmt::format("{}.{:04}.vtp", name, frame);
}

void write_vtp(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
               int frame_number) {
  assert(frame.positions.size() == 3 * header.vertex_count() && frame.fields.size() == header.fields.size());
  const FloatTarget target{path, frame_number};
  AppendedArrays arrays;
  const std::string points = arrays.add("Float32", "Points", 3, to_floats(frame.positions, target));
  const std::string polys = polygons(header.mesh, arrays);
  const std::string of_points = field_arrays(header, frame, FieldPlace::kVertex, target, arrays);
  const std::string of_cells = field_arrays(header, frame, FieldPlace::kTriangle, target, arrays);

  AtomicFile file(path);
  const std::string head = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" "
      "NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<PointData>\n{}</PointData>\n<CellData>\n{}</CellData>\n"
      "<Points>\n{}</Points>\n<Polys>\n{}</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
      header.vertex_count(), header.mesh.triangle_count(), of_points, of_cells, points, polys);
  file.append(head.data(), head.size());
  file.append(arrays.bytes().data(), arrays.bytes().size());
  constexpr std::string_view kTail = "\n</AppendedData>\n</VTKFile>\n";
  file.append(kTail.data(), kTail.size());
  file.commit();
}

std::unique_ptr<CacheWriter> open_pvd_writer(const std::filesystem::path& path, const CacheHeader& header) {
  return std::make_unique<PvdWriter>(path, header);
}

}  // namespace keydrape
