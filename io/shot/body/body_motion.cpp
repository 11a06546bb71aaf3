#include "io/shot/body/body_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/shot/input/motion.h"

namespace keydrape {
namespace {

// Between two keys of a RigidMotion a body takes the shorter way round. It turns by no more than its three
// angles change together, which between keys is no more than this.
constexpr double kMostTurn = 30;               // [degrees]
constexpr double kMostTurnPerFrame = 360'000;  // makes 12,000 keys a frame [degrees]
// A cache in centimetres beside a mesh in metres is off by 100, one in inches by 39; a body that is blown
// up, by less.
constexpr double kOtherSize = 10;

// The most that the angles change together in a frame's time, anywhere between `frame` and the
// next [degrees].
double turn_in_frame(const Keyed<Vec3>& rotate, int frame) {
  double most = 0.0;
  for (std::size_t k = 0; k + 1 < rotate.keys.size(); ++k) {
    const auto& [begin, from] = rotate.keys[k];
    const auto& [end, to] = rotate.keys[k + 1];
    if (begin < frame + 1 && end > frame) most = std::max(most, (to - from).lpNorm<1>() / (end - begin));
  }
  return most;
}

// The keys between `frame` and the next, as shares of the way there.
std::set<double> keyed_within(const Keyed<Vec3>& keyed, int frame) {
  std::set<double> shares;
  for (const auto& [at, value] : keyed.keys)
    if (at > frame && at < frame + 1) shares.insert(at - frame);
  return shares;
}

// Ascending, the last 1. A key of a third of a frame and the first of three are one, a rounding apart.
std::vector<double> apart(const std::set<double>& shares) {
  constexpr double kRounding = 1e-9;
  std::vector<double> all;
  for (const double share : shares)
    if (share - (all.empty() ? 0.0 : all.back()) > kRounding && 1.0 - share > kRounding) all.push_back(share);
  all.push_back(1.0);
  return all;
}

int key_count(const Keyed<Vec3>& rotate, int frame, const SourcePosition& source, std::string_view table) {
  const double turn = turn_in_frame(rotate, frame);
  if (!(turn <= kMostTurnPerFrame))
    throw InputError(
        fmt::format("{}: {} rotate: found a turn of {} degrees within frame {}; expected at "
                    "most {}; turn it slower",
                    source.where(), table, short_number(turn), frame, kMostTurnPerFrame));
  return std::max(1, static_cast<int>(std::ceil(turn / kMostTurn)));
}

// Of the box of a mesh's vertices in a sample.
double extent(const TriangleMesh& mesh, const VecX& sample) {
  BoundingBox box;
  for (const Triangle& t : mesh.triangles)
    for (const int v : t) box.add(sample.segment<3>(3 * v));
  return (box.high - box.low).norm();
}

void judge_samples(const scene::FilePath& file, const ShotClock& clock, const TriangleMesh& mesh,
                   const std::vector<VecX>& samples, ShotWarnings& warnings) {
  const double at_rest = extent(mesh, stacked(mesh.positions));
  bool is_said = false;
  for (std::size_t f = 0; f < samples.size(); ++f) {
    const int frame = clock.frames.first + static_cast<int>(f);
    if (!samples[f].allFinite()) {
      throw InputError(fmt::format(
          "{}: [[collider]] motion: {}: frame {} has a position that is not finite; export it anew",
          file.source.where(), file.value.string(), frame));
    }
    const double size = extent(mesh, samples[f]);
    const double ratio = size > at_rest ? size / at_rest : at_rest / size;
    if (is_said || ratio < kOtherSize) continue;
    warnings.push_back(fmt::format(
        "{}: [[collider]] motion: {}: at frame {} the body is {} m across, and its mesh is "
        "{} m; give both in one unit ([shot] meters_per_unit)",
        file.source.where(), file.value.string(), frame, short_number(size), short_number(at_rest)));
    is_said = true;
  }
}

}  // namespace

BoundingBox bounding_box(const TriangleMesh& mesh) {
  BoundingBox box;
  for (const Triangle& t : mesh.triangles)
    for (const int v : t) box.add(mesh.positions[v]);
  return box;
}

RigidMotion make_rigid_motion(const scene::Placement& placement, const SourcePosition& source,
                              std::string_view table, const ShotClock& clock, const Vec3& middle) {
  if (placement.translate.is_constant() && placement.rotate.is_constant() &&
      placement.rotate.keys[0].second.isZero(0) && placement.translate.keys[0].second.isZero(0))
    return RigidMotion();
  const Vec3 pivot = placement.pivot.value_or(middle);
  const Animated<Vec3> translate = placement.translate.over_time(clock.frames.first, clock.fps);
  const Animated<Vec3> rotate = placement.rotate.over_time(clock.frames.first, clock.fps);
  const auto key = [&](double time) {
    const Vec3 angle = rotate.at(time) * (std::numbers::pi / 180);
    const Eigen::Quaterniond turn = Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) *
                                    Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                                    Eigen::AngleAxisd(angle.x(), Vec3::UnitX());
    return RigidKey{time, pivot + translate.at(time), turn};
  };
  std::vector<RigidKey> keys{key(clock.time_of_frame(clock.frames.first))};
  if (placement.translate.is_constant() && placement.rotate.is_constant())
    return RigidMotion(std::move(keys), pivot);
  for (int f = clock.frames.first; f < clock.frames.last; ++f) {
    std::set<double> shares = keyed_within(placement.translate, f);
    shares.merge(keyed_within(placement.rotate, f));
    const int count = key_count(placement.rotate, f, source, table);
    for (int k = 1; k < count; ++k) shares.insert(static_cast<double>(k) / count);
    const double begin = clock.time_of_frame(f), end = clock.time_of_frame(f + 1);
    for (const double share : apart(shares))
      keys.push_back(key(share < 1.0 ? begin + (end - begin) * share : end));
  }
  return RigidMotion(std::move(keys), pivot);
}

RigidMotion make_rigid_motion(const scene::Collider& collider, const ShotClock& clock, const Vec3& middle) {
  return make_rigid_motion(collider, collider.source, "[[collider]]", clock, middle);
}

MotionTrack read_body_motion(const Scene& scene, const scene::Collider& collider, const ShotClock& clock,
                             const TriangleMesh& mesh, ShotWarnings& warnings) {
  std::vector<int> all(mesh.vertex_count());
  std::iota(all.begin(), all.end(), 0);
  MotionTrack motion = read_motion(scene, *collider.motion, clock,
                                   {.vertices = all,
                                    .vertex_count = mesh.vertex_count(),
                                    .last_frame = clock.frames.last,
                                    .triangles = &mesh.triangles},
                                   warnings);
  judge_samples(*collider.motion, clock, mesh, motion.samples, warnings);
  return motion;
}

}  // namespace keydrape
