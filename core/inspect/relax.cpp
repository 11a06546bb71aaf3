#include "core/inspect/relax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/inspect/overlap.h"
#include "core/inspect/repair.h"

namespace keydrape {
namespace {

// The first pull, over that which halves a strain of the cloth's size, and from one to the next.  (P6)
constexpr double kFirstPull = 16.0, kNextPull = 0.25;
// Of its way from the start: farther a pose is not moved that is no more strained than cloth can be.
constexpr double kMostOfTheWay = 0.05;
// Where pins or bodies strain the cloth, whatever the pull: over what the weakest leaves.
constexpr double kHardlyMore = 1.2;
// Of a fabric that gives way under compression: a fold that is left squeezed by more, no run brings about.
constexpr double kSqueezedFold = 0.2;

// The same cloth under nothing but its own forces, bodies and hard pins.
ClothDescription undisturbed(ClothDescription cloth) {
  cloth.gravity = Vec3(0, 0, 0);
  cloth.wind.reset();
  cloth.pressure.reset();
  cloth.soft_pins.clear();
  cloth.contact.friction = 0.0;
  for (VolumeBody& body : cloth.bodies) body.friction = 0.0;
  for (SurfaceBody& body : cloth.surfaces) body.friction = 0.0;
  return cloth;
}

// A third of each triangle's area at rest to each of its vertices [m^2] (n).
std::vector<double> vertex_areas(const TriangleMesh& mesh) {
  std::vector<double> areas(static_cast<std::size_t>(mesh.vertex_count()), 0.0);
  for (const Triangle& t : mesh.triangles) {
    const Vec3 e = mesh.positions[t[1]] - mesh.positions[t[0]],
               f = mesh.positions[t[2]] - mesh.positions[t[0]];
    for (const int v : t) areas[v] += e.cross(f).norm() / 6.0;
  }
  return areas;
}

// Springs to the pose, of `pull` on each area [N/m^3].  (P5)
SoftPin springs_to(const VecX& pose, const std::vector<double>& areas, double pull) {
  const double largest = *std::max_element(areas.begin(), areas.end());
  SoftPin pin;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    pin.vertices.push_back(static_cast<int>(i));
    pin.weights.push_back(areas[i] / largest);
  }
  pin.motion = {{pose}, 1.0};
  pin.stiffness = pull * largest;
  return pin;
}

bool is_clean(const ClothDescription& cloth, const VecX& x, double time) {
  const std::vector<char> held = held_vertices(cloth, time);
  return overlaps_with_bodies(cloth, x, time, held).empty() &&
         overlaps_with_surfaces(cloth, x, time, held).empty() &&
         (!cloth.contact.self ||
          overlap_with_itself(cloth, x, std::vector<char>(held.size(), 0)).is_clean()) &&
         find_overstretched(cloth, x, time).count == 0;
}

VecX clean_start(const ClothDescription& cloth, const VecX& pose, const VecX& start, double time,
                 RelaxStart& which) {
  if (is_clean(cloth, pose, time)) return pose;
  which = RelaxStart::kRepaired;
  RepairResult repaired = repair_start(cloth, pose, {.time = time});
  const bool can_repair = repaired.is_clean && is_clean(cloth, repaired.x, time);
  if (can_repair && repaired.displacement <= mean_side(cloth.mesh)) return std::move(repaired.x);
  which = RelaxStart::kStart;
  if (is_clean(cloth, start, time)) return start;
  which = RelaxStart::kRepaired;
  if (can_repair) return std::move(repaired.x);
  throw InputError(
      "the pose is within a body, through itself or overstretched, cannot be repaired, and where the cloth "
      "begins is not free of that then, either; expected a frame at which bodies leave the cloth where it "
      "begins free: the first one is, with repair = true where steps keep no gap");
}

// The RMS distance of two shapes, vertices weighted by their area.
double rms_between(const VecX& a, const VecX& b, const std::vector<double>& areas) {
  double sum = 0.0, all = 0.0;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    sum += areas[i] * (a - b).segment<3>(3 * static_cast<Eigen::Index>(i)).squaredNorm();
    all += areas[i];
  }
  return std::sqrt(sum / all);
}

void measure(const VecX& pose, const VecX& start, const std::vector<double>& areas, RelaxResult& result) {
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const double distance = (result.x - pose).segment<3>(3 * static_cast<Eigen::Index>(i)).norm();
    if (distance <= result.farthest) continue;
    result.farthest = distance;
    result.farthest_vertex = static_cast<int>(i);
  }
  result.rms = rms_between(result.x, pose, areas);
  result.asked = rms_between(pose, start, areas);
}

// What one pull came to.
struct Pulled {
  VecX x;
  StrainFigures after;
  double pull;
};

// Where no pull was weak enough, since pins or bodies strain the cloth: the strongest that left no more than
// cloth can be strained, or hardly more than the weakest. A weaker one gives the pose away for nothing.
void take_strongest(std::vector<Pulled>& pulls, double limit, RelaxResult& result) {
  const double most = std::max(limit, kHardlyMore * result.after.felt_99);
  const auto strongest = std::find_if(pulls.begin(), pulls.end(),
                                      [&](const Pulled& pulled) { return pulled.after.felt_99 <= most; });
  if (strongest == pulls.end()) return;
  result.x = std::move(strongest->x);
  result.after = strongest->after;
  result.pull = strongest->pull;
  result.is_relaxed = result.after.felt_99 <= limit;
}

RelaxResult pulled(const ClothDescription& cloth, const VecX& pose, const VecX& start,
                   const RelaxOptions& options, const std::function<bool(const DrapeResult&)>& observer) {
  assert(pose.size() == 3 * static_cast<Eigen::Index>(cloth.mesh.vertex_count()) && options.max_pulls > 0);
  const double time = options.drape.time;
  const StrainMeter meter(cloth);
  const std::vector<char> all(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0);
  const std::vector<double> areas = vertex_areas(cloth.mesh);
  ClothDescription free = minimised(cloth);
  RelaxResult result;
  result.before = meter.at(pose, time, all);
  // Judged as what it is pulled as: that keeps a gap where steps may not.
  result.x = clean_start(free, pose, start, time, result.start);
  free = undisturbed(std::move(free));
  const double length = bounding_box_diagonal(cloth.mesh.positions);
  const double wave = 2.0 * std::numbers::pi / length;
  double pull = kFirstPull * membrane_stiffness(cloth.material) * wave * wave;  // (P6)
  const double enough = options.strain_share * meter.limit();
  const double most = kMostOfTheWay * rms_between(pose, start, areas);
  const bool is_cloth = result.start == RelaxStart::kPose && result.before.felt_99 <= meter.limit();
  bool goes_on = true;
  std::vector<Pulled> settled;
  while (goes_on && !result.is_relaxed && result.pulls < options.max_pulls) {
    free.soft_pins = {springs_to(pose, areas, pull)};
    const Model model = build_model(free);
    DrapeResult rest = drape(model, result.x, options.drape, [&](const DrapeResult& so_far) {
      goes_on = !observer || observer(so_far);
      return goes_on;
    });
    result.newton_iterations += rest.newton_iterations;
    if (is_cloth && result.pulls > 0 && rms_between(rest.x, pose, areas) > most) {
      result.is_relaxed = result.is_settled;
      break;
    }
    ++result.pulls;
    result.is_settled = rest.is_settled;
    result.x = std::move(rest.x);
    result.pull = pull;
    result.after = meter.at(result.x, time, all);
    result.is_relaxed = result.is_settled && result.after.felt_99 <= enough;
    if (result.is_settled) settled.push_back({result.x, result.after, pull});
    pull *= kNextPull;
  }
  if (goes_on && result.is_settled && !result.is_relaxed) take_strongest(settled, meter.limit(), result);
  measure(pose, start, areas, result);
  return result;
}

}  // namespace

RelaxResult relax(const ClothDescription& cloth, const VecX& pose, const VecX& start,
                  const RelaxOptions& options, const std::function<bool(const DrapeResult&)>& observer) {
  RelaxResult result = pulled(cloth, pose, start, options, observer);
  const bool was_cloth = result.start == RelaxStart::kPose && result.before.felt_99 <= result.before.limit;
  if (was_cloth || !result.is_settled || !(result.after.squeeze_99 > kSqueezedFold)) return result;
  // No run brings cloth there: it comes out of the fold, and is as long as before.
  ClothDescription stiff = cloth;
  stiff.material.compression = Compression{};
  RelaxResult unsqueezed = pulled(stiff, pose, start, options, observer);
  unsqueezed.before = result.before;
  unsqueezed.after =
      StrainMeter(cloth).at(unsqueezed.x, options.drape.time,
                            std::vector<char>(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0));
  unsqueezed.newton_iterations += result.newton_iterations;
  return unsqueezed;
}

}  // namespace keydrape
