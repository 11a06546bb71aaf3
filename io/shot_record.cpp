#include "io/shot_record.h"

#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "io/npy.h"
#include "io/obj.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;
using Shape = std::vector<std::int64_t>;

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json mesh_json(const std::filesystem::path& path, double meters_per_unit) {
  const TriangleMesh mesh = read_obj(path, {.keep_uvs = false});
  Json positions = Json::array();
  for (const Vec3& x : mesh.positions) positions.push_back(list(x * meters_per_unit));
  return {{"kind", "mesh"}, {"positions", positions}, {"triangles", mesh.triangles}};
}

Json collider_json(const scene::Collider& collider, double meters_per_unit) {
  switch (collider.kind) {
    case scene::ColliderKind::kSphere:
      return {
          {"kind", "sphere"}, {"center", list(collider.sphere->center)}, {"radius", collider.sphere->radius}};
    case scene::ColliderKind::kPlane:
      return {{"kind", "plane"},
              {"point", list(collider.plane->point)},
              {"normal", list(collider.plane->normal.normalized())}};
    case scene::ColliderKind::kCapsule:
      return {{"kind", "capsule"},
              {"start", list(collider.capsule->start)},
              {"end", list(collider.capsule->end)},
              {"radius", collider.capsule->radius}};
    case scene::ColliderKind::kBox:
      return {{"kind", "box"}, {"min", list(collider.box->min)}, {"max", list(collider.box->max)}};
    case scene::ColliderKind::kMesh:
      return mesh_json(collider.mesh->value, meters_per_unit);
    case scene::ColliderKind::kVdb:
      break;
  }
  return {{"kind", "vdb"}};
}

Json keyframes_json(const Shot& shot) {
  Json keyframes = Json::array();
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    keyframes.push_back({{"frame", keyframe.frame},
                         {"tolerance_m", keyframe.tolerance ? Json(*keyframe.tolerance) : Json()}});
    if (keyframe.track) keyframes.back()["track"] = {keyframe.track->first, keyframe.track->last};
  }
  return keyframes;
}

void write_keyframes(const Shot& shot, const std::filesystem::path& folder) {
  if (shot.keyframes.empty()) return;
  const int n = shot.rest.vertex_count();
  NpyWriter targets(folder / "keyframes.npy", {n, 3}), weights(folder / "keyframe_weights.npy", {n});
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    const std::optional<int>& origin = keyframe.goal.relative_to;
    assert(!origin || *origin == 0);  // the only state that is known before a run
    targets.append(origin ? VecX(shot.start.x + keyframe.goal.target) : keyframe.goal.target);
    weights.append(keyframe.goal.vertex_weight);
  }
  targets.commit();
  weights.commit();
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; expected what keydrape simulate or solve writes there; run the scene again",
                  file.string(), found));
}

// An array of the record that must have the given shape.
VecX read_array(const std::filesystem::path& file, const Shape& shape) {
  NpyArray array = read_npy(file);
  if (array.shape != shape)
    refuse(file, fmt::format("has shape ({}) where shot.json and rest.obj need ({})",
                             fmt::join(array.shape, ", "), fmt::join(shape, ", ")));
  return std::move(array.values);
}

void read_keyframe_arrays(const std::filesystem::path& folder, ShotRecord& record) {
  const std::int64_t count = static_cast<std::int64_t>(record.keyframes.size()),
                     n = record.rest.vertex_count();
  if (count == 0) return;
  const VecX targets = read_array(folder / "keyframes.npy", {count, n, 3});
  const VecX weights = read_array(folder / "keyframe_weights.npy", {count, n});
  for (std::int64_t k = 0; k < count; ++k) {
    Keyframe& goal = record.keyframes[k].goal;
    goal.state = (record.keyframes[k].frame - record.frames.first) * record.substeps;
    goal.target = targets.segment(3 * n * k, 3 * n);
    goal.vertex_weight = weights.segment(n * k, n);
  }
}

void read_description(const Json& json, ShotRecord& record) {
  record.name = json.at("name");
  record.frames = {json.at("frames").at(0), json.at("frames").at(1)};
  record.fps = json.at("fps");
  record.substeps = json.at("substeps");
  record.meters_per_unit = json.at("meters_per_unit");
  record.up_axis = json.at("up_axis");
  record.controlled = json.at("controlled").get<std::vector<int>>();
  record.colliders = json.at("colliders").dump();
  record.warnings = json.at("warnings").get<std::vector<std::string>>();
  for (const Json& keyframe : json.at("keyframes")) {
    const Json& tolerance = keyframe.at("tolerance_m");
    record.keyframes.push_back({keyframe.at("frame"),
                                tolerance.is_null() ? std::nullopt : std::optional<double>(tolerance),
                                {},
                                keyframe.contains("track")});
  }
}

}  // namespace

std::string colliders_json(const Scene& scene) {
  Json colliders = Json::array();
  for (const scene::Collider& collider : scene.colliders) {
    colliders.push_back(collider_json(collider, scene.shot.meters_per_unit));
    colliders.back()["moving"] = collider.motion.has_value();
  }
  return colliders.dump();
}

void write_shot_record(const Scene& scene, const Shot& shot, const RunFolder& run) {
  const std::filesystem::path folder = run.subfolder("shot");
  const Json json = {{"name", scene.shot.name},
                     {"frames", {shot.clock.frames.first, shot.clock.frames.last}},
                     {"fps", shot.clock.fps},
                     {"substeps", shot.clock.substeps},
                     {"meters_per_unit", shot.meters_per_unit},
                     {"up_axis", scene.shot.up_axis == scene::UpAxis::kZ ? "Z" : "Y"},
                     {"keyframes", keyframes_json(shot)},
                     {"controlled", shot.layout->active()},
                     {"colliders", Json::parse(colliders_json(scene))},
                     {"warnings", shot.warnings}};
  write_file_atomically(folder / "scene.toml", read_file(scene.source.file));
  write_obj(folder / "rest.obj", shot.rest);
  write_npy(folder / "mass.npy", {{shot.rest.vertex_count()}, shot.model->vertex_mass()});
  write_keyframes(shot, folder);
  write_file_atomically(folder / "shot.json", json.dump(1) + "\n");
}

ShotRecord read_shot_record(const std::filesystem::path& run) {
  const std::filesystem::path folder = run / "shot", file = folder / "shot.json";
  if (!std::filesystem::exists(file)) refuse(run, "holds no shot/shot.json");
  ShotRecord record;
  try {
    read_description(Json::parse(read_file(file)), record);
  } catch (const nlohmann::json::exception&) {
    refuse(file, "is damaged");
  }
  record.scene_text = read_file(folder / "scene.toml");
  record.rest = read_obj(folder / "rest.obj");
  record.mass = read_array(folder / "mass.npy", {record.rest.vertex_count()});
  read_keyframe_arrays(folder, record);
  for (const int vertex : record.controlled)
    if (vertex < 0 || vertex >= record.rest.vertex_count())
      refuse(file, "names vertices that rest.obj has not");
  return record;
}

}  // namespace keydrape
