#include "io/formats/vdb/vdb_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/limited_process.h"
#include "io/formats/vdb/vdb_bricks.h"
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

}  // namespace

std::vector<VdbGridInfo> read_vdb_info(const VdbReference& reference) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::string path = reference.path.string();
  check_vdb_size(reference.path);
  const ProcessLimits limits{
      .seconds = kMaxVdbSeconds, .memory_bytes = kMaxVdbBytes, .answer_bytes = kMaxVdbAnswerBytes};
  const auto nonsense = [] { return std::string("is damaged: its reader returned nonsense"); };
  const ProcessAnswer names = run_limited([&] { return to_bytes(grid_list(reference)); }, limits);
  if (!names.bytes) throw InputError(fmt::format("{}: {}", path, names.failure));
  std::vector<VdbGridInfo> grids;
  try {
    for (const Json& grid : Json::from_cbor(*names.bytes))
      grids.push_back({grid.at("name"), grid.at("type"), {}, {}});
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: {}", path, nonsense()));
  }
  for (VdbGridInfo& grid : grids) {
    const double left = kMaxVdbInfoSeconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (left <= 0) {
      grid.defect = fmt::format("has not been read: those before it took {} s", kMaxVdbInfoSeconds);
      continue;
    }
    ProcessLimits of_grid = limits;
    of_grid.seconds = std::min(limits.seconds, left);
    const ProcessAnswer answer =
        run_limited([&] { return to_bytes(grid_report(reference.path, grid.name)); }, of_grid);
    grid.defect = answer.failure;
    if (!answer.bytes) continue;
    try {
      const Json report = Json::from_cbor(*answer.bytes);
      grid.defect = report.value("defect", "");
      if (report.contains("contents") && !report["contents"].is_null())
        grid.contents = contents_of(report.at("contents"));
    } catch (const Json::exception&) {
      grid.defect = nonsense();
    }
  }
  return grids;
}

}  // namespace keydrape
