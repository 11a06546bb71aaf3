#include "io/formats/write_cache.h"

#include <fmt/format.h>

#include <cassert>
#include <functional>

#include "core/base/error.h"
#include "io/cache/space_change.h"
#include "io/formats/format.h"
#include "io/formats/glb.h"
#include "io/formats/mdd.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/pc2.h"
#include "io/formats/ply/ply.h"
#include "io/formats/usda/usda.h"
#include "io/formats/vtp.h"

namespace keydrape {
namespace {

class Pc2CacheWriter final : public CacheWriter {
 public:
  Pc2CacheWriter(const std::filesystem::path& path, const CacheHeader& header)
      : writer_(path, {header.vertex_count(), static_cast<double>(header.first_frame), 1.0}) {}
  void append(const CacheFrame& frame) override { writer_.append(frame.positions); }
  void commit() override { writer_.commit(); }

 private:
  Pc2Writer writer_;
};

class NpyCacheWriter final : public CacheWriter {
 public:
  NpyCacheWriter(const std::filesystem::path& path, const CacheHeader& header)
      : writer_(path, {header.vertex_count(), 3}) {}
  void append(const CacheFrame& frame) override { writer_.append(frame.positions); }
  void commit() override { writer_.commit(); }

 private:
  NpyWriter writer_;
};

void write_obj_of_frame(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
                        int /*frame_number*/) {
  TriangleMesh mesh = header.mesh;
  for (int i = 0; i < mesh.vertex_count(); ++i)
    mesh.positions[static_cast<std::size_t>(i)] = frame.positions.segment<3>(3 * i);
  write_obj(path, mesh);
}

// A file a frame: name.####.obj, or one file for one frame.
class SequenceWriter final : public CacheWriter {
 public:
  using WriteFrame = void (*)(const std::filesystem::path&, const CacheHeader&, const CacheFrame&, int);

  SequenceWriter(const std::filesystem::path& path, const CacheHeader& header, WriteFrame write)
      : path_(path),
        pattern_(FramePattern::parse(path)),
        header_(header),
        write_(write),
        frame_(header.first_frame) {
    if (pattern_ || header.frame_count == 1) return;
    throw InputError(
        fmt::format("{}: is one file for {} frames; expected a place for the frame number in its name, "
                    "as in {}.####{}; or choose one frame with --frames",
                    path.string(), header.frame_count, path.stem().string(), path.extension().string()));
  }
  void append(const CacheFrame& frame) override {
    write_(pattern_ ? pattern_->path(frame_) : path_, header_, frame, frame_);
    ++frame_;
  }
  void commit() override { assert(frame_ == header_.frames().last + 1); }

 private:
  std::filesystem::path path_;
  std::optional<FramePattern> pattern_;
  CacheHeader header_;
  WriteFrame write_;
  int frame_;
};

// Frames on their way into the space of the file.
class ConvertingWriter final : public CacheWriter {
 public:
  ConvertingWriter(std::unique_ptr<CacheWriter> writer, const CacheHeader& header, const Space& to)
      : writer_(std::move(writer)), fields_(header.fields), change_(header.space, to) {}
  void append(const CacheFrame& frame) override {
    CacheFrame converted = frame;
    change_.apply(fields_, converted);
    writer_->append(converted);
  }
  void commit() override { writer_->commit(); }

 private:
  std::unique_ptr<CacheWriter> writer_;
  std::vector<FieldHeader> fields_;
  SpaceChange change_;
};

std::unique_ptr<CacheWriter> open_in_own_space(const std::filesystem::path& path, const CacheHeader& header,
                                               Format format) {
  switch (format) {
    case Format::kObj:
      return std::make_unique<SequenceWriter>(path, header, write_obj_of_frame);
    case Format::kPly:
      return std::make_unique<SequenceWriter>(path, header, write_ply);
    case Format::kVtp:
      return std::make_unique<SequenceWriter>(path, header, write_vtp);
    case Format::kPc2:
      return std::make_unique<Pc2CacheWriter>(path, header);
    case Format::kMdd:
      return open_mdd_writer(path, header);
    case Format::kUsda:
      return open_usda_writer(path, header);
    case Format::kGlb:
      return open_glb_writer(path, header);
    case Format::kPvd:
      return open_pvd_writer(path, header);
    case Format::kNpy:
      break;
  }
  return std::make_unique<NpyCacheWriter>(path, header);
}

}  // namespace

Space written_space(const std::filesystem::path& path, const Space& space) {
  switch (format_to_write(path)) {
    case Format::kGlb:
      return {1.0, UpAxis::kY};
    case Format::kNpy:
      return {1.0, space.up_axis};
    default:
      return space;
  }
}

std::vector<std::filesystem::path> written_files(const std::filesystem::path& path,
                                                 const FrameRange& frames) {
  std::vector<std::filesystem::path> files;
  const Format format = format_to_write(path);
  const auto pattern = traits(format).one_frame_a_file ? FramePattern::parse(path) : std::nullopt;
  if (!pattern) files.push_back(path);
  if (!pattern && format != Format::kPvd) return files;
  for (int frame = frames.first; frame <= frames.last; ++frame)
    files.push_back(pattern ? pattern->path(frame) : vtp_of_pvd(path, frame));
  return files;
}

std::unique_ptr<CacheWriter> open_cache_writer(const std::filesystem::path& path, const CacheHeader& header) {
  assert(header.frame_count >= 1 && header.vertex_count() >= 1 && header.fps > 0.0);
  const Format format = format_to_write(path);
  if (traits(format).has_triangles && header.mesh.triangles.empty()) {
    throw InputError(
        fmt::format("{}: a {} file holds faces, and the cache has points only; give the mesh that it "
                    "belongs to, with --mesh REST.obj",
                    path.string(), traits(format).name));
  }
  const Space space = written_space(path, header.space);
  if (space == header.space) return open_in_own_space(path, header, format);
  const SpaceChange change(header.space, space);
  CacheHeader converted = header;
  converted.space = space;
  for (Vec3& position : converted.mesh.positions) position = change.scale() * change.turned(position);
  return std::make_unique<ConvertingWriter>(open_in_own_space(path, converted, format), header, space);
}

void write_cache(const std::filesystem::path& path, const MeshCache& cache) {
  const std::unique_ptr<CacheWriter> writer = open_cache_writer(path, cache.header);
  for (const CacheFrame& frame : cache.frames) writer->append(frame);
  writer->commit();
}

}  // namespace keydrape
