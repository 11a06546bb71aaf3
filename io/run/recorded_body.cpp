#include "io/run/recorded_body.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/json_text.h"
#include "io/formats/npy.h"
#include "io/take/shown_numbers.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPoseSize = 7;  // quaternion and translation

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json with_mesh(const char* kind, const TriangleMesh& mesh) {
  Json positions = Json::array();
  for (const Vec3& x : mesh.positions) positions.push_back(list(x));
  return {{"kind", kind}, {"positions", positions}, {"triangles", mesh.triangles}};
}

Json shape_json(const scene::Collider& collider, const TriangleMesh& mesh) {
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
      return with_mesh("mesh", mesh);
    case scene::ColliderKind::kVdb:
      if (!mesh.triangles.empty()) return with_mesh("vdb", mesh);
      break;
  }
  return {{"kind", "vdb"}};
}

bool stands_where_its_shape_says(const ShownBody& body) {
  const RigidPose pose = body.rigid.pose(0.0);
  return !body.deforms() && body.rigid.is_static() && pose.rotation.isIdentity(0) &&
         pose.translation.isZero(0);
}

const char* motion_word(const ShownBody& body) {
  if (body.deforms()) return "deforming";
  return stands_where_its_shape_says(body) ? "none" : "rigid";
}

VecX packed(const RigidPose& pose) {
  VecX values(kPoseSize);
  values << Eigen::Quaterniond(pose.rotation).normalized().coeffs(), pose.translation;
  return values;
}

std::filesystem::path motion_file(const std::filesystem::path& folder, std::size_t body) {
  return folder / fmt::format("collider_{}.npy", body);
}

// One a frame, or one for all of them.
std::vector<VecX> poses_of(const ShownBody& body, const ShotClock& clock) {
  std::vector<VecX> poses;
  const int last = body.rigid.is_static() ? clock.frames.first : clock.frames.last;
  for (int frame = clock.frames.first; frame <= last; ++frame)
    poses.push_back(packed(body.rigid.pose(clock.time_of_frame(frame))));
  return poses;
}

void write_motion(const ShownBody& body, const ShotClock& clock, const std::filesystem::path& file) {
  if (body.deforms()) {
    NpyWriter writer(file, {body.points.front().size() / 3, 3});
    for (const VecX& x : body.points) writer.append(x);
    return writer.commit();
  }
  NpyWriter writer(file, {kPoseSize});
  for (const VecX& pose : poses_of(body, clock)) writer.append(pose);
  writer.commit();
}

// The rows of a file, of `row` values each. Requires one for each frame, or, where that may be, only one.
std::vector<VecX> read_rows(const std::filesystem::path& file, const std::vector<std::int64_t>& row_shape,
                            const FrameRange& frames, bool may_rest) {
  const NpyArray array = read_npy(file);
  std::vector<std::int64_t> expected = row_shape;
  expected.insert(expected.begin(), may_rest && array.shape.front() == 1 ? 1 : frames.count());
  if (array.shape != expected)
    throw InputError(fmt::format("{}: has shape ({}) where shot.json needs ({}); run the scene again",
                                 file.string(), fmt::join(array.shape, ", "), fmt::join(expected, ", ")));
  refuse_large(file, array.values);
  const Eigen::Index size = array.values.size() / expected.front();
  std::vector<VecX> rows;
  for (std::int64_t f = 0; f < expected.front(); ++f) rows.push_back(array.values.segment(size * f, size));
  return rows;
}

// Throws nlohmann's exceptions: positions that are none, triangles of vertices that are not there.
void check_mesh(const Json& json) {
  const Json& positions = json.at("positions");
  if (!positions.is_array()) throw Json::type_error::create(302, "no list of positions", &json);
  for (const Json& position : positions)
    for (std::size_t c = 0; c < 3; ++c)
      if (!(std::abs(position.at(c).get<double>()) <= kLargestShown))
        throw Json::out_of_range::create(406, "a position that is none", &json);
  for (const Json& triangle : json.at("triangles"))
    for (std::size_t c = 0; c < 3; ++c) {
      const int vertex = whole_number(triangle.at(c));
      if (vertex < 0 || static_cast<std::size_t>(vertex) >= positions.size())
        throw Json::out_of_range::create(406, "a vertex that is not there", &json);
    }
}

}  // namespace

Json colliders_json(const Scene& scene, const std::vector<ShownBody>& bodies) {
  Json colliders = Json::array();
  for (std::size_t k = 0; k < scene.colliders.size(); ++k) {
    colliders.push_back(shape_json(scene.colliders[k], bodies.at(k).mesh));
    colliders.back()["motion"] = motion_word(bodies.at(k));
  }
  return colliders;
}

void write_body_motions(const std::vector<ShownBody>& bodies, const ShotClock& clock,
                        const std::filesystem::path& folder) {
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (!stands_where_its_shape_says(bodies[k])) write_motion(bodies[k], clock, motion_file(folder, k));
}

std::vector<RecordedBody> recorded_bodies(const Scene& scene, const std::vector<ShownBody>& bodies,
                                          const ShotClock& clock) {
  std::vector<RecordedBody> recorded;
  for (const Json& json : colliders_json(scene, bodies)) {
    const ShownBody& body = bodies[recorded.size()];
    RecordedBody& each = recorded.emplace_back();
    each.shape = json_text(json);
    if (body.deforms())
      each.positions = body.points;
    else if (!stands_where_its_shape_says(body))
      each.poses = poses_of(body, clock);
  }
  return recorded;
}

std::vector<RecordedBody> read_bodies(const Json& list, const std::filesystem::path& folder,
                                      const FrameRange& frames) {
  std::vector<RecordedBody> bodies;
  for (const Json& json : list) {
    const std::filesystem::path file = motion_file(folder, bodies.size());
    const std::string motion = json.value("motion", "none");
    RecordedBody& body = bodies.emplace_back();
    body.shape = json_text(json);
    if (json.contains("triangles")) check_mesh(json);
    if (motion == "rigid") body.poses = read_rows(file, {kPoseSize}, frames, true);
    if (motion == "deforming") {
      const std::int64_t vertices = json.at("positions").size();
      body.positions = read_rows(file, {vertices, 3}, frames, false);
    }
  }
  return bodies;
}

}  // namespace keydrape
