#include "io/run/shot_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/json_text.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "io/shot/contact.h"
#include "io/take/shown_numbers.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;
using Shape = std::vector<std::int64_t>;

TargetKind kind_of(const ShotKeyframe& keyframe) {
  if (keyframe.track) return TargetKind::kTrack;
  if (keyframe.keyframe.surface) return TargetKind::kSurface;
  return keyframe.is_pose || keyframe.keyframe.relative_to ? TargetKind::kPose : TargetKind::kLandmarks;
}

TargetKind parse_kind(const std::string& text) {
  for (const TargetKind kind : {TargetKind::kTrack, TargetKind::kSurface, TargetKind::kLandmarks})
    if (text == word(kind)) return kind;
  return TargetKind::kPose;
}

Json keyframes_json(const Shot& shot) {
  Json keyframes = Json::array();
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    keyframes.push_back({{"frame", keyframe.frame},
                         {"tolerance_m", keyframe.tolerance ? Json(*keyframe.tolerance) : Json()},
                         {"kind", word(kind_of(keyframe))}});
    Json& json = keyframes.back();
    if (keyframe.velocity_tolerance) json["velocity_tolerance_m_s"] = *keyframe.velocity_tolerance;
    if (keyframe.tolerance_max) json["tolerance_max_m"] = *keyframe.tolerance_max;
    if (keyframe.track) json["track"] = {keyframe.track->first, keyframe.track->last};
    if (keyframe.window) json["window"] = {keyframe.window->first, keyframe.window->last};
    if (const auto& surface = keyframe.keyframe.surface) {
      json["max_angle_deg"] = surface->max_angle() * 180.0 / EIGEN_PI;
      json["border"] = surface->extent() == SurfaceExtent::kWhole;
    }
  }
  return keyframes;
}

std::filesystem::path surface_file(const std::filesystem::path& folder, std::size_t keyframe) {
  return folder / fmt::format("target_{}.obj", keyframe);
}

void write_surfaces(const Shot& shot, const std::filesystem::path& folder) {
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k)
    if (const auto& surface = shot.keyframes[k].keyframe.surface)
      write_obj(surface_file(folder, k), surface->mesh());
}

VecX target_of(const Shot& shot, const ShotKeyframe& keyframe) {
  const std::optional<int>& origin = keyframe.keyframe.relative_to;
  assert(!origin || *origin == 0);  // the only state that is known before a run
  return origin ? VecX(shot.start().x + keyframe.keyframe.target) : keyframe.keyframe.target;
}

void write_keyframes(const Shot& shot, const std::filesystem::path& folder) {
  if (shot.keyframes.empty()) return;
  const int n = shot.rest().vertex_count();
  NpyWriter targets(folder / "keyframes.npy", {n, 3}), weights(folder / "keyframe_weights.npy", {n});
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    targets.append(target_of(shot, keyframe));
    weights.append(keyframe.keyframe.vertex_weight);
  }
  targets.commit();
  weights.commit();
  write_surfaces(shot, folder);
}

[[noreturn]] void refuse_record(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; expected what keydrape simulate or solve writes there; run the scene again",
                  file.string(), found));
}

// An array of the record that must have the given shape.
VecX read_array(const std::filesystem::path& file, const Shape& shape) {
  NpyArray array = read_npy(file);
  if (array.shape != shape)
    refuse_record(file, fmt::format("has shape ({}) where shot.json and rest.obj need ({})",
                                    fmt::join(array.shape, ", "), fmt::join(shape, ", ")));
  refuse_large(file, array.values);
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
    goal.surface = record.keyframes[k].surface;
  }
}

FrameRange frames_of(const Json& json) { return {whole_number(json.at(0)), whole_number(json.at(1))}; }

void read_description(const Json& json, ShotRecord& record) {
  record.name = json.at("name");
  record.frames = frames_of(json.at("frames"));
  record.fps = json.at("fps");
  record.substeps = whole_number(json.at("substeps"));
  record.meters_per_unit = json.at("meters_per_unit");
  record.up_axis = json.at("up_axis");
  record.controlled = whole_numbers(json.at("controlled"));
  record.warnings = json.at("warnings").get<std::vector<std::string>>();
}

// What others count and divide by.
void check_times(const Json& json, const std::filesystem::path& file, const ShotRecord& record) {
  const auto is_in_shot = [&](const Json& keyframe) {
    const int frame = whole_number(keyframe.at("frame"));
    return frame >= record.frames.first && frame <= record.frames.last;
  };
  const auto& [first, last] = record.frames;
  if (first < 0 || last <= first || last > kMaxFrame)
    refuse_record(file, fmt::format("has frames {} to {}", first, last));
  const std::int64_t steps = std::int64_t{record.frames.count()} * record.substeps;
  if (record.substeps < 1 || steps > std::numeric_limits<int>::max())
    refuse_record(file, fmt::format("has {} substeps", record.substeps));
  if (!(record.fps > 0.0) || !(record.meters_per_unit > 0.0))
    refuse_record(
        file, fmt::format("has {} frames a second and units of {} m", record.fps, record.meters_per_unit));
  if (record.up_axis != "Y" && record.up_axis != "Z") refuse_record(file, "has no up_axis \"Y\" or \"Z\"");
  const Json& keyframes = json.at("keyframes");
  if (!std::all_of(keyframes.begin(), keyframes.end(), is_in_shot))
    refuse_record(file, "has a keyframe at none of its frames");
}

// After the cloth: a surface is matched against it.
void read_keyframes(const Json& list, const std::filesystem::path& folder, ShotRecord& record) {
  for (const Json& json : list) {
    const Json& tolerance = json.at("tolerance_m");
    RecordedKeyframe& keyframe = record.keyframes.emplace_back();
    keyframe.frame = whole_number(json.at("frame"));
    if (!tolerance.is_null()) keyframe.tolerance = tolerance;
    if (json.contains("velocity_tolerance_m_s")) keyframe.velocity_tolerance = json["velocity_tolerance_m_s"];
    if (json.contains("tolerance_max_m")) keyframe.tolerance_max = json["tolerance_max_m"];
    keyframe.kind = parse_kind(json.value("kind", "pose"));
    if (keyframe.kind == TargetKind::kTrack) keyframe.track = frames_of(json.at("track"));
    if (json.contains("window")) keyframe.window = frames_of(json["window"]);
    if (keyframe.kind == TargetKind::kSurface)
      keyframe.surface = std::make_shared<const TargetSurface>(
          read_obj(surface_file(folder, record.keyframes.size() - 1)), record.rest.triangles,
          json.at("max_angle_deg").get<double>() * EIGEN_PI / 180.0,
          json.value("border", false) ? SurfaceExtent::kWhole : SurfaceExtent::kPart);
  }
}

}  // namespace

std::string_view word(TargetKind kind) {
  switch (kind) {
    case TargetKind::kPose:
      return "pose";
    case TargetKind::kTrack:
      return "track";
    case TargetKind::kSurface:
      return "surface";
    case TargetKind::kLandmarks:
      return "landmarks";
  }
  return "";
}

void write_shot_record(const Scene& scene, const Shot& shot, const RunFolder& run) {
  const std::filesystem::path folder = run.subfolder("shot");
  const std::vector<ShownBody> bodies = read_shown_bodies(scene, shot.clock, shot.bodies());
  const Json json = {{"name", scene.shot.name},
                     {"frames", {shot.clock.frames.first, shot.clock.frames.last}},
                     {"fps", shot.clock.fps},
                     {"substeps", shot.clock.substeps},
                     {"meters_per_unit", shot.meters_per_unit},
                     {"up_axis", scene.shot.up_axis == scene::UpAxis::kZ ? "Z" : "Y"},
                     {"keyframes", keyframes_json(shot)},
                     {"controlled", shot.layout().active()},
                     {"colliders", colliders_json(scene, bodies)},
                     {"warnings", shot.warnings}};
  write_file_atomically(folder / "scene.toml", scene.text);
  write_obj(folder / "rest.obj", shot.rest());
  write_npy(folder / "mass.npy", {{shot.rest().vertex_count()}, shot.model().vertex_mass()});
  write_keyframes(shot, folder);
  write_body_motions(bodies, shot.clock, folder);
  write_file_atomically(folder / "shot.json", json_text(json, 1) + "\n");
}

ShotRecord shot_record(const Scene& scene, const Shot& shot) {
  ShotRecord record{scene.shot.name,
                    shot.clock.frames,
                    shot.clock.fps,
                    shot.clock.substeps,
                    shot.meters_per_unit,
                    scene.shot.up_axis == scene::UpAxis::kZ ? "Z" : "Y",
                    scene.text,
                    shot.rest(),
                    shot.model().vertex_mass(),
                    {},
                    shot.layout().active(),
                    recorded_bodies(scene, read_shown_bodies(scene, shot.clock, shot.bodies()), shot.clock),
                    shot.warnings};
  for (const ShotKeyframe& each : shot.keyframes) {
    RecordedKeyframe& keyframe = record.keyframes.emplace_back();
    keyframe.frame = each.frame;
    keyframe.tolerance = each.tolerance;
    keyframe.velocity_tolerance = each.velocity_tolerance;
    keyframe.tolerance_max = each.tolerance_max;
    keyframe.goal.state = each.keyframe.state;
    keyframe.goal.target = target_of(shot, each);
    keyframe.goal.vertex_weight = each.keyframe.vertex_weight;
    keyframe.goal.surface = each.keyframe.surface;
    keyframe.kind = kind_of(each);
    keyframe.track = each.track;
    keyframe.window = each.window;
    keyframe.surface = each.keyframe.surface;
  }
  return record;
}

ShotRecord read_shot_record(const std::filesystem::path& run) {
  const std::filesystem::path folder = run / "shot", file = folder / "shot.json";
  if (!std::filesystem::exists(file)) refuse_record(run, "holds no shot/shot.json");
  ShotRecord record;
  record.scene_text = read_file(folder / "scene.toml");
  record.rest = read_obj(folder / "rest.obj");
  try {
    const Json json = parse_json(read_file(file));
    read_description(json, record);
    check_times(json, file, record);
    read_keyframes(json.at("keyframes"), folder, record);
    record.bodies = read_bodies(json.at("colliders"), folder, record.frames);
  } catch (const nlohmann::json::exception&) {
    refuse_record(file, "is damaged");
  }
  record.mass = read_array(folder / "mass.npy", {record.rest.vertex_count()});
  read_keyframe_arrays(folder, record);
  for (const int vertex : record.controlled)
    if (vertex < 0 || vertex >= record.rest.vertex_count())
      refuse_record(file, "names vertices that rest.obj has not");
  refuse_large(folder / "rest.obj", stacked(record.rest.positions));
  return record;
}

}  // namespace keydrape
