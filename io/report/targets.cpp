#include "io/report/targets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/file/json_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::json;

constexpr int kTrackBits = 16;  // as those of a take

// The cloth of a take at a frame [m] (3n); null beyond its end.
const VecX* positions_at(const ReportTake& take, int frame, int first_frame) {
  const auto f = static_cast<std::size_t>(frame - first_frame);
  return f < take.frames.size() ? &take.frames[f] : nullptr;
}

// Where each vertex of the cloth is to be (3n): on a surface, the point nearest to it.
VecX target_of(const RecordedKeyframe& keyframe, const VecX& x) {
  return keyframe.surface ? keyframe.surface->match(x).points : keyframe.goal.target;
}

Json miss_json(const RecordedKeyframe& keyframe, const VecX& x, ReportBuffer& buffer) {
  Keyframe goal = keyframe.goal;
  goal.target = target_of(keyframe, x);
  const KeyframeMiss figures = measure_miss(goal, x);
  const Eigen::Index n = x.size() / 3;
  VecX distance(n);
  for (Eigen::Index i = 0; i < n; ++i) distance[i] = (x - goal.target).segment<3>(3 * i).norm();
  return {{"distance", buffer.add_floats(distance)}, {"rms_m", figures.rms}, {"max_m", figures.max}};
}

Json surface_json(const TriangleMesh& mesh, ReportBuffer& buffer) {
  return {{"positions", buffer.add_floats(stacked(mesh.positions))},
          {"triangles", buffer.add_integers(flattened(mesh.triangles))}};
}

using Track = std::vector<const RecordedKeyframe*>;  // its frames, ascending

// The record lists tracks one after the other, each with ascending frames within its range.
std::vector<Track> tracks_of(const ShotRecord& shot) {
  std::vector<Track> tracks;
  const RecordedKeyframe* last = nullptr;
  for (const RecordedKeyframe& keyframe : shot.keyframes) {
    if (keyframe.kind != TargetKind::kTrack) continue;
    const bool goes_on = last && last->frame < keyframe.frame &&
                         last->track->first == keyframe.track->first &&
                         last->track->last == keyframe.track->last;
    if (!goes_on) tracks.emplace_back();
    tracks.back().push_back(&keyframe);
    last = &keyframe;
  }
  return tracks;
}

Json track_misses(const ReportRun& run, const Track& track) {
  Json misses = Json::object();
  for (const ReportTake& take : run.takes) {
    Json rms = Json::array(), largest = Json::array();
    for (const RecordedKeyframe* keyframe : track)
      if (const VecX* x = positions_at(take, keyframe->frame, run.shot.frames.first)) {
        const KeyframeMiss miss = measure_miss(keyframe->goal, *x);
        rms.push_back(miss.rms);
        largest.push_back(miss.max);
      }
    misses[take.name] = {{"rms_m", std::move(rms)}, {"max_m", std::move(largest)}};
  }
  return misses;
}

Json tolerance_json(const std::optional<double>& tolerance) { return tolerance ? Json(*tolerance) : Json(); }

// What the run says of the keyframes that are no frame of a track: in its summary or, while there is none,
// in the last line of convergence.jsonl, which a report that is written then is about. Frames are too far
// apart to have velocities from. A run that failed says nothing of some, nor do windows: then `frame`
// tells them apart.
class Outcomes {
 public:
  explicit Outcomes(const ReportRun& run) {
    const Json summary = parse_sorted_json(run.summary);
    Json source = Json::object();
    if (summary.is_object())
      source = summary;
    else if (!run.convergence.empty())
      source = parse_sorted_json(run.convergence.back());
    list_ = outcomes_in(source);
    const auto is_counted = [](const RecordedKeyframe& k) { return k.kind != TargetKind::kTrack; };
    is_complete_ = static_cast<std::ptrdiff_t>(list_.size()) ==
                   std::count_if(run.shot.keyframes.begin(), run.shot.keyframes.end(), is_counted);
  }

  // Of the next keyframe, in the order of the record; an empty object: nothing is known.
  Json next(const RecordedKeyframe& keyframe) {
    if (is_complete_) return list_[next_++];
    for (std::size_t k = next_; k < list_.size(); ++k) {
      if (!list_[k].contains("frame") || list_[k]["frame"] != keyframe.frame) continue;
      next_ = k + 1;
      return list_[k];
    }
    return Json::object();
  }

 private:
  // A list of objects, or none: whoever else writes into these files.
  static Json outcomes_in(const Json& source) {
    const bool has_list =
        source.is_object() && source.contains("keyframes") && source["keyframes"].is_array();
    const Json list = has_list ? source["keyframes"] : Json::array();
    const auto is_object = [](const Json& outcome) { return outcome.is_object(); };
    return std::all_of(list.begin(), list.end(), is_object) ? list : Json::array();
  }

  Json list_;
  bool is_complete_ = false;
  std::size_t next_ = 0;
};

}  // namespace

Json keyframes_json(const ReportRun& run, ReportBuffer& buffer) {
  Json list = Json::array();
  Outcomes outcomes(run);
  for (const RecordedKeyframe& keyframe : run.shot.keyframes) {
    if (keyframe.kind == TargetKind::kTrack) continue;
    Json misses = Json::object();
    for (const ReportTake& take : run.takes)
      if (const VecX* x = positions_at(take, keyframe.frame, run.shot.frames.first))
        misses[take.name] = miss_json(keyframe, *x, buffer);
    const Json outcome = outcomes.next(keyframe);
    if (!run.takes.empty() && misses.contains(run.takes.front().name) &&
        run.takes.front().name != kUncontrolledTake)
      misses[run.takes.front().name]["velocity_rms_m_s"] = outcome.value("velocity_rms_m_s", Json());
    list.push_back({{"frame", keyframe.frame},
                    {"kind", word(keyframe.kind)},
                    {"tolerance_m", tolerance_json(keyframe.tolerance)},
                    {"velocity_tolerance_m_s", tolerance_json(keyframe.velocity_tolerance)},
                    {"tolerance_max_m", tolerance_json(keyframe.tolerance_max)},
                    {"target", buffer.add_floats(keyframe.goal.target)},
                    {"weight", buffer.add_floats(keyframe.goal.vertex_weight)},
                    {"misses", std::move(misses)}});
    if (keyframe.window) list.back()["window"] = {keyframe.window->first, keyframe.window->last};
    if (keyframe.surface) list.back()["surface"] = surface_json(keyframe.surface->mesh(), buffer);
  }
  return list;
}

Json tracks_json(const ReportRun& run, const LowerNeighbours& neighbours, ReportBuffer& buffer) {
  Json list = Json::array();
  for (const Track& track : tracks_of(run.shot)) {
    std::vector<int> frames;
    std::vector<VecX> targets;
    for (const RecordedKeyframe* keyframe : track) {
      frames.push_back(keyframe->frame);
      targets.push_back(keyframe->goal.target);
    }
    list.push_back(
        {{"frames", frames},
         {"tolerance_m", tolerance_json(track.front()->tolerance)},
         {"targets", buffer.add_motion(targets, fit_quantisation({&targets}, kTrackBits), neighbours)},
         {"weight", buffer.add_floats(track.front()->goal.vertex_weight)},
         {"misses", track_misses(run, track)}});
  }
  return list;
}

}  // namespace keydrape
