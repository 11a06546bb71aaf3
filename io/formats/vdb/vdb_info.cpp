#include "io/formats/vdb/vdb_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "io/formats/vdb/vdb_bricks.h"
#include "io/formats/vdb/vdb_process.h"
#include "io/formats/vdb/vdb_reader.h"

namespace keydrape {
namespace {

// Answers go from process to process as CBOR, which takes names of any bytes.
using Json = nlohmann::json;

std::string to_bytes(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

Json list(const openvdb::Vec3d& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vector(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

// Names and types of the grids that are asked for.
Json grid_list(const VdbReference& reference) {
  return vdb::read_or_refuse([&] {
    const vdb::Reader reader(reference.path);
    Json grids = Json::array();
    for (std::size_t i = 0; i < reader.names().size(); ++i)
      if (!reference.grid || reader.find(reference.grid) == i)
        grids.push_back({{"name", reader.names()[i]}, {"type", reader.type(i)}});
    return grids;
  });
}

Json contents(const openvdb::GridBase& grid) {
  Json json = {{"class", openvdb::GridBase::gridClassToString(grid.getGridClass())},
               {"voxel", list(grid.voxelSize())},
               {"active_voxels", static_cast<std::int64_t>(grid.activeVoxelCount())},
               {"memory_bytes", static_cast<std::int64_t>(grid.memUsage())}};
  if (const auto* floats = dynamic_cast<const openvdb::FloatGrid*>(&grid))
    if (grid.getGridClass() == openvdb::GRID_LEVEL_SET) json["band"] = double{floats->background()};
  if (const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox(); !box.empty()) {
    const openvdb::BBoxd world = grid.transform().indexToWorld(box);
    json["low"] = list(world.min());
    json["high"] = list(world.max());
  }
  return json;
}

// Null where it is of a type that nobody knows.
Json contents_or_null(const std::filesystem::path& path, const std::string& name) {
  return vdb::read_or_refuse([&] {
    vdb::Reader reader(path);
    const std::size_t place = reader.find(name);
    return reader.is_known(place) ? contents(*reader.read(place)) : Json();
  });
}

// The grid's contents, where they can be read, and what is wrong with it.
Json grid_report(const std::filesystem::path& path, const std::string& name) {
  Json report = Json::object();
  try {
    report["contents"] = contents_or_null(path, name);
    // As a body of which hardly any band is asked: how much, only the scene knows.
    constexpr double kLeastBand = 1e-12;
    read_vdb_bricks(path, {name, 1.0, kLeastBand});
  } catch (const InputError& e) {
    report["defect"] = e.what();
  }
  return report;
}

VdbGridInfo::Contents contents_of(const Json& json) {
  VdbGridInfo::Contents contents{.grid_class = json.at("class"),
                                 .voxel = vector(json.at("voxel")),
                                 .band = {},
                                 .active_voxels = json.at("active_voxels"),
                                 .bounding_box = {},
                                 .memory_bytes = json.at("memory_bytes")};
  if (json.contains("band")) contents.band = json.at("band").get<double>();
  if (json.contains("low")) contents.bounding_box.emplace(vector(json.at("low")), vector(json.at("high")));
  return contents;
}

// Of what all grids of a file may take.
class TimeLeft {
 public:
  explicit TimeLeft(const ProcessLimits& each)
      : each_(each),
        processor_seconds_(kVdbInfoShare * each.processor_seconds),
        end_(Clock::now() + std::chrono::duration<double>(kVdbInfoShare * each.wall_seconds)) {}

  void spend(const ProcessAnswer& answer) { processor_seconds_ -= answer.processor_seconds; }
  bool is_none() const { return processor_seconds_ <= 0 || wall_seconds() <= 0; }
  ProcessLimits limits() const {
    ProcessLimits limits = each_;
    limits.processor_seconds = std::min(limits.processor_seconds, processor_seconds_);
    limits.wall_seconds = std::min(limits.wall_seconds, wall_seconds());
    return limits;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double wall_seconds() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }

  ProcessLimits each_;
  double processor_seconds_;
  std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
};

}  // namespace

std::vector<VdbGridInfo> read_vdb_info(const VdbReference& reference) {
  constexpr std::string_view kSmaller = "use larger voxels";
  const std::string path = reference.path.string();
  const ProcessLimits limits = vdb_limits(reference.path);
  TimeLeft left(limits);
  const ProcessAnswer names =
      run_vdb_reader([&] { return to_bytes(grid_list(reference)); }, limits, kSmaller);
  left.spend(names);
  if (!names.bytes) throw InputError(fmt::format("{}: {}", path, names.failure));
  std::vector<VdbGridInfo> grids;
  try {
    for (const Json& grid : Json::from_cbor(*names.bytes))
      grids.push_back({grid.at("name"), grid.at("type"), {}, {}});
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: {}", path, vdb_nonsense()));
  }
  for (VdbGridInfo& grid : grids) {
    if (left.is_none()) {
      grid.defect =
          "has not been read: those before it took too long; expected fewer grids, or smaller ones; ask for "
          "it alone: file.vdb:name";
      continue;
    }
    const ProcessAnswer answer = run_vdb_reader(
        [&] { return to_bytes(grid_report(reference.path, grid.name)); }, left.limits(), kSmaller);
    left.spend(answer);
    grid.defect = answer.failure;
    if (!answer.bytes) continue;
    try {
      const Json report = Json::from_cbor(*answer.bytes);
      grid.defect = report.value("defect", "");
      if (report.contains("contents") && !report["contents"].is_null())
        grid.contents = contents_of(report.at("contents"));
    } catch (const Json::exception&) {
      grid.defect = vdb_nonsense();
    }
  }
  return grids;
}

}  // namespace keydrape
