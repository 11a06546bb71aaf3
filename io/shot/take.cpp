#include "io/shot/take.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/shot/input/named_file.h"
#include "io/take/recorded_channels.h"
#include "io/take/recorded_forces.h"
#include "io/take/recorded_take.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

// The forces of a take where a scene lets nothing push: steps outside of [control] window and frames, and
// vertices outside of its region.
struct KeptForces {
  double peak = 0.0;  // [g]
  int frame = 0;      // of the peak
};
KeptForces kept_forces(const Scene& scene, const Shot& shot, const ForceSchedule& take) {
  std::vector<bool> is_active(shot.rest().vertex_count(), false);
  for (const int i : shot.layout().active()) is_active[i] = true;
  const FrameRange part = scene.control.window.value_or(shot.clock.frames);
  const VecX& mass = shot.model().vertex_mass();
  KeptForces kept;
  VecX u(shot.start().x.size());
  for (int n = 0; n < shot.clock.step_count(); ++n) {
    const int frame = shot.clock.frame_of_step(n);
    const bool is_pushed = part.first <= frame && frame < part.last && shot.layout().block_of_step(n) >= 0;
    take.force(n, u);
    for (int i = 0; i < shot.rest().vertex_count(); ++i) {
      if (is_pushed && is_active[i]) continue;
      const double a = u.segment<3>(3 * i).norm() / (mass[i] * kStandardGravity);
      if (a > kept.peak) kept = {a, frame};
    }
  }
  return kept;
}

void warn_of_kept_forces(const Scene& scene, const ForceSchedule& take, Shot& shot) {
  const KeptForces kept = kept_forces(scene, shot, take);
  if (kept.peak <= *scene.control.max_acceleration) return;
  shot.warnings.push_back(fmt::format(
      "{}: [control] max_acceleration: the take reaches {} g at frame {}, beyond {:g} g, where or when "
      "[control] lets nothing push, and stays as it is there",
      scene.control.relative_to->source.where(), short_number(kept.peak), kept.frame,
      *scene.control.max_acceleration));
}

// Largest net force of a take in a step, and net impulse over all of them divided by their number; both [N].
struct TakeNet {
  double force = 0.0, impulse = 0.0;
  double scale = 0.0;  // largest sum of norms in a step
};
TakeNet net_of(const Shot& shot, const ForceSchedule& take) {
  TakeNet net;
  Vec3 sum = Vec3::Zero();
  VecX u(shot.start().x.size());
  for (int n = 0; n < shot.clock.step_count(); ++n) {
    take.force(n, u);
    const Eigen::Map<const Eigen::Matrix3Xd> forces(u.data(), 3, u.size() / 3);
    net.force = std::max(net.force, forces.rowwise().sum().norm());
    net.scale = std::max(net.scale, forces.colwise().norm().sum());
    sum += forces.rowwise().sum();
  }
  net.impulse = sum.norm() / shot.clock.step_count();
  return net;
}

void warn_of_net_force(const Scene& scene, const ForceSchedule& take, Shot& shot) {
  constexpr double kRounding = 1e-9;  // of the forces' sum of norms: what is left of a sum that is zero
  if (scene.control.net == NetForce::kFree) return;
  const TakeNet net = net_of(shot, take);
  const bool by_frame = scene.control.net == NetForce::kZero;
  const double value = by_frame ? net.force : net.impulse;
  if (value <= kRounding * net.scale) return;
  shot.warnings.push_back(fmt::format(
      "{}: [control] net: holds of what is added to the take, whose own forces have a sum of {} {} N "
      "and stay; solve the take with the same net",
      scene.control.relative_to->source.where(), by_frame ? "up to" : "in the mean", short_number(value)));
}

}  // namespace

void start_from_take(const Scene& scene, Shot& shot) {
  const std::filesystem::path& file = scene.control.relative_to->value;
  const std::filesystem::path folder = file.parent_path();
  const int n = shot.rest().vertex_count();
  const NamedFile named{*scene.control.relative_to, "[control] relative_to"};
  auto forces = named.read(
      [&] { return std::make_unique<RecordedForces>(exact_forces(file, shot.clock, n), shot.clock, n); });
  refuse_positions(
      *forces, shot.start().x,
      fmt::format("{}: [control] relative_to: {}", scene.control.relative_to->source.where(), file.string()));
  Take take;
  if (std::filesystem::exists(folder / kChannelsFile))
    take.channels =
        named.read([&] { return read_channels(folder / kChannelsFile, shot.channels(), shot.clock); });
  if (scene.control.max_acceleration && !shot.layout().is_constant_over_blocks(*forces)) {
    throw InputError(
        fmt::format("{}: [control] relative_to: the forces of this take change within frames; expected hold "
                    "= \"step\" together with max_acceleration",
                    scene.control.relative_to->source.where()));
  }
  if (scene.control.max_acceleration) warn_of_kept_forces(scene, *forces, shot);
  warn_of_net_force(scene, *forces, shot);
  if (std::filesystem::exists(folder / kStepsFile))
    take.forces = std::make_shared<RecordedTake>(
        std::move(forces), named.read([&] { return read_take_positions(folder, shot.clock, n); }));
  else
    take.forces = std::move(forces);
  start_from(shot.prepared, std::move(take));
}

}  // namespace keydrape
