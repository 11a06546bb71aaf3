#include "io/shot/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

// When a target may be met, and where the scene asks for it.
struct Wish {
  FrameRange frames;
  SourcePosition source;
  bool has_weight;
};

std::vector<Wish> wishes(const Scene& scene) {
  std::vector<Wish> list;
  for (const scene::Keyframe& table : scene.keyframes)
    list.push_back({table.window.value_or(FrameRange{table.frame, table.frame}), table.source,
                    table.weight > 0.0 || table.velocity_weight > 0.0});
  for (const scene::Track& table : scene.tracks)
    list.push_back({table.frames.value_or(scene.shot.frames), table.source, table.weight > 0.0});
  return list;
}

std::string lines_of(const std::vector<Wish>& list) {
  std::string text;
  for (const Wish& wish : list) text += fmt::format("{}{}", text.empty() ? "" : ", ", wish.source.where());
  return text;
}

// Whether the target is a shape of the cloth's own mesh, or of a part of it, at a moment that stands.
bool is_shape(const Keyframe& keyframe) {
  return !keyframe.is_adaptive() && !keyframe.relative_to && keyframe.directions.empty() &&
         keyframe.weight > 0.0;
}

// Of the vertices that both ask for.
struct Distance {
  double rms;  // [m]
  // sqrt( sum min(omega_a, omega_b) |x*_a - x*_b|^2 ) - t_a sqrt( sum omega_a ) - t_b sqrt( sum omega_b ),
  // with the tolerances t. min(omega_a, omega_b) weighs no square more than either does, so that by the
  // triangle inequality no x is within both tolerances where this is above 0.
  double excess;
};
Distance distance_between(const Target& a, const Target& b) {
  const VecX &at_a = a.keyframe.vertex_weight, &at_b = b.keyframe.vertex_weight;
  const VecX omega = at_a.cwiseMin(at_b);
  double sum = 0.0;
  for (Eigen::Index i = 0; i < omega.size(); ++i)
    sum += omega[i] * (a.keyframe.target - b.keyframe.target).segment<3>(3 * i).squaredNorm();
  const double room = *a.tolerance * std::sqrt(at_a.sum()) + *b.tolerance * std::sqrt(at_b.sum());
  return {omega.sum() > 0.0 ? std::sqrt(sum / omega.sum()) : 0.0, std::sqrt(sum) - room};
}

}  // namespace

void refuse_without_goal(const Scene& scene) {
  const std::vector<Wish> all = wishes(scene);
  std::vector<Wish> weighty;
  std::copy_if(all.begin(), all.end(), std::back_inserter(weighty),
               [](const Wish& wish) { return wish.has_weight; });
  if (!all.empty() && weighty.empty())
    throw InputError(fmt::format(
        "{}: weight: found 0 in every [[keyframe]] and [[track]], so that there is nothing to solve for; "
        "expected one with a weight above 0; to measure the distances alone, use keydrape simulate",
        lines_of(all)));
  const auto none = [&](const auto& is_within) {
    return !weighty.empty() && std::none_of(weighty.begin(), weighty.end(), is_within);
  };
  const scene::Control& control = scene.control;
  if (control.window && none([&](const Wish& w) {
        return w.frames.last > control.window->first && w.frames.first <= control.window->last;
      }))
    throw InputError(
        fmt::format("{}: [control] window: found {}, in which there is nothing to be met: {} ask for other "
                    "frames; expected a window that holds one of them after its first frame",
                    control.source.where(), control.window->text(), lines_of(weighty)));
  if (control.frames && control.forces && control.channels.empty() &&
      none([&](const Wish& w) { return w.frames.last > control.frames->first; }))
    throw InputError(
        fmt::format("{}: [control] frames: found {}, before which all is to be met that {} ask for; expected "
                    "frames that begin before one of them",
                    control.source.where(), control.frames->text(), lines_of(weighty)));
}

void warn_of_rivals(Shot& shot) {
  std::set<std::pair<int, int>> warned;  // target_id
  for (std::size_t i = 0; i < shot.keyframes.size(); ++i) {
    for (std::size_t j = i + 1; j < shot.keyframes.size(); ++j) {
      const ShotKeyframe &a = shot.keyframes[i], &b = shot.keyframes[j];
      if (a.frame != b.frame || !is_shape(a.keyframe) || !is_shape(b.keyframe)) continue;
      if (!a.tolerance || !b.tolerance) continue;
      const Distance distance = distance_between(a, b);
      if (!(distance.excess > 0.0)) continue;
      if (!warned.emplace(a.keyframe.target_id, b.keyframe.target_id).second) continue;
      shot.warnings.push_back(
          fmt::format("{}: the target at frame {} is {} mm RMS from what {} asks for at the same frame, "
                      "and no shape is within {} mm of the one and {} mm of the other; leave one "
                      "out, part them by group or weights, or by frames",
                      b.source.where(), b.frame, short_number(1e3 * distance.rms), a.source.where(),
                      short_number(1e3 * *b.tolerance), short_number(1e3 * *a.tolerance)));
    }
  }
}

void warn_of_late_forces(const Scene& scene, Shot& shot) {
  if (!scene.control.frames || shot.channels() || shot.task().pushing.vertices.empty()) return;
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    if (keyframe.track || !keyframe.keyframe.has_weight()) continue;
    const int last = keyframe.window ? keyframe.window->last : keyframe.frame;
    if (last > scene.control.frames->first) continue;
    shot.warnings.push_back(fmt::format(
        "{}: the target at frame {}: [control] frames of {} begin at {}, so that no force acts before it; "
        "begin them earlier",
        keyframe.source.where(), keyframe.frame, scene.control.source.where(), scene.control.frames->first));
  }
}

}  // namespace keydrape
