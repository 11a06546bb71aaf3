#include "io/report/bodies.h"

#include <nlohmann/json.hpp>

#include "core/mesh/mesh.h"
#include "io/file/json_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::json;

// A tenth of a millimetre on a figure of 2 m: less than the gap that contact keeps.
constexpr int kBodyBits = 14;

VecX numbers(const Json& rows) {
  VecX values(3 * static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) values[3 * static_cast<Eigen::Index>(i) + c] = rows[i].at(c);
  return values;
}

void move_mesh_to_buffer(const RecordedBody& body, Json& json, ReportBuffer& buffer) {
  const auto triangles = json.at("triangles").get<std::vector<Triangle>>();
  const VecX first = body.positions.empty() ? numbers(json.at("positions")) : body.positions.front();
  json["positions"] = buffer.add_floats(first);
  json["triangles"] = buffer.add_integers(flattened(triangles));
  if (body.positions.empty()) return;
  const LowerNeighbours neighbours = lower_neighbours(triangles, static_cast<int>(first.size()) / 3);
  json["moved"] =
      buffer.add_motion(body.positions, fit_quantisation({&body.positions}, kBodyBits), neighbours);
}

}  // namespace

Json bodies_json(const ReportRun& run, ReportBuffer& buffer) {
  Json list = Json::array();
  for (const RecordedBody& body : run.shot.bodies) {
    Json& json = list.emplace_back(parse_sorted_json(body.shape));
    if (json.contains("triangles")) move_mesh_to_buffer(body, json, buffer);
    if (!body.poses.empty()) json["poses"] = buffer.add_floats(concatenated(body.poses));
  }
  return list;
}

}  // namespace keydrape
