#include "io/shot/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/shot/targets.h"

namespace keydrape {
namespace {

// When targets of a table are to be met, each within one of these, and where the scene asks for it.
struct Wish {
  std::vector<FrameRange> frames;
  SourcePosition source;
  bool has_weight;

  template <class IsWithin>
  bool is_any(const IsWithin& is_within) const {
    return std::any_of(frames.begin(), frames.end(), is_within);
  }
};

// Of a track; all of it where no frame counts, which its reader refuses.
std::vector<FrameRange> frames_of(const scene::Track& table, const FrameRange& shot) {
  std::vector<FrameRange> frames;
  for (const int frame : counted_frames(table, shot)) frames.push_back({frame, frame});
  return frames.empty() ? std::vector<FrameRange>{table.frames.value_or(shot)} : frames;
}

std::vector<Wish> wishes(const Scene& scene) {
  std::vector<Wish> list;
  for (const scene::Keyframe& table : scene.keyframes)
    list.push_back({{table.window.value_or(FrameRange{table.frame, table.frame})},
                    table.source,
                    table.weight > 0.0 || table.velocity_weight > 0.0});
  for (const scene::Track& table : scene.tracks)
    list.push_back({frames_of(table, scene.shot.frames), table.source, table.weight > 0.0});
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
    return !weighty.empty() && std::none_of(weighty.begin(), weighty.end(),
                                            [&](const Wish& wish) { return wish.is_any(is_within); });
  };
  const scene::Control& control = scene.control;
  if (control.window && none([&](const FrameRange& frames) {
        return frames.last > control.window->first && frames.first <= control.window->last;
      }))
    throw InputError(
        fmt::format("{}: [control] window: found {}, in which there is nothing to be met: {} ask for other "
                    "frames; expected a window that holds one of them after its first frame",
                    control.source.where(), control.window->text(), lines_of(weighty)));
  if (control.frames && control.forces && control.channels.empty() &&
      none([&](const FrameRange& frames) { return frames.last > control.frames->first; }))
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
      const TargetDistance distance = distance_between(a, b);
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
  int warned = -1;  // target_id: of a track one frame is enough
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    if (!keyframe.keyframe.has_weight() || keyframe.keyframe.target_id == warned) continue;
    const int last = keyframe.window ? keyframe.window->last : keyframe.frame;
    if (last > scene.control.frames->first) continue;
    warned = keyframe.keyframe.target_id;
    shot.warnings.push_back(fmt::format(
        "{}: the target at frame {}: [control] frames of {} begin at {}, so that no force acts before it; "
        "begin them earlier{}",
        keyframe.source.where(), keyframe.frame, scene.control.source.where(), scene.control.frames->first,
        keyframe.track ? ", or the track later" : ""));
  }
}

}  // namespace keydrape
