#include "io/run/run_records.h"

#include <sys/resource.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/inspect/contact_summary.h"
#include "io/file/json_text.h"
#include "io/run/channel_file.h"
#include "io/run/search_json.h"
#include "io/scene/scene_words.h"
#include "io/shot/control.h"
#include "io/shot/reach_json.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// JSON knows no infinity: a value that is not finite would be a defect of ours.
double finite(double value) {
  assert(std::isfinite(value));
  return value;
}

// Null for what is not known, as the distance of a run that could not be simulated.
Json known(double value) { return std::isnan(value) ? Json() : Json(finite(value)); }

long long peak_rss_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024LL * usage.ru_maxrss;  // Linux counts in KiB
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json range_json(const FrameRange& range) { return {range.first, range.last}; }

bool has_velocity(const KeyframeOutcome& k) { return k.miss.velocity_rms > 0.0 || k.velocity_tolerance; }

// The number of far vertices, and the farthest of them by name.
Json far_json(const KeyframeOutcome& k) {
  constexpr std::size_t kNamed = 20;  // who wants all of them has the distances in positions.npy
  Json farthest = Json::array();
  for (std::size_t i = 0; i < std::min(kNamed, k.far_vertices.size()); ++i)
    farthest.push_back(
        {{"vertex", k.far_vertices[i].vertex}, {"miss_m", finite(k.far_vertices[i].distance)}});
  return {{"beyond_m", finite(k.farthest_wanted)}, {"count", k.far_vertices.size()}, {"farthest", farthest}};
}

Json coverage_json(const KeyframeOutcome& k) {
  const SurfaceCoverage& coverage = *k.coverage;
  return {{"within_m", finite(coverage.within)},
          {"bare", finite(coverage.bare)},
          {"spare", finite(coverage.spare)},
          {"left_bare", coverage.is_left_bare(k.miss.rms)},
          {"farthest_m", finite(coverage.farthest)},
          {"place_m", {coverage.place.x(), coverage.place.y(), coverage.place.z()}}};
}

// `keyframes`: one of each of the shot's.
Json keyframes_json(const Shot& shot, const std::vector<KeyframeOutcome>& keyframes) {
  Json list = Json::array();
  for (const KeyframeOutcome& k : keyframes) {
    if (k.track) continue;
    list.push_back({{"frame", k.frame},
                    {"rms_m", finite(k.miss.rms)},
                    {"max_m", finite(k.miss.max)},
                    {"uncontrolled_rms_m", known(k.uncontrolled_rms)},
                    {"tolerance_m", or_null(k.tolerance)},
                    {"reached", k.reached()}});
    if (k.window) list.back()["window"] = range_json(*k.window);
    if (has_velocity(k)) list.back()["velocity_rms_m_s"] = finite(k.miss.velocity_rms);
    if (k.velocity_tolerance) list.back()["velocity_tolerance_m_s"] = *k.velocity_tolerance;
    if (k.tolerance_max) list.back()["tolerance_max_m"] = *k.tolerance_max;
    if (!k.far_vertices.empty()) list.back()["far_vertices"] = far_json(k);
    if (k.coverage) list.back()["coverage"] = coverage_json(k);
    list.back()["reach"] = reach_json(shot, static_cast<std::size_t>(k.number));
  }
  return list;
}

Json tracks_json(const Shot& shot, const std::vector<KeyframeOutcome>& keyframes) {
  Json list = Json::array();
  for (const TrackOutcome& track : track_outcomes(keyframes)) {
    Json frames = Json::array(), misses = Json::array();
    std::size_t strained = static_cast<std::size_t>(track.frames.front().number);
    for (const KeyframeOutcome& k : track.frames) {
      frames.push_back(k.frame);
      misses.push_back(finite(k.miss.rms));
      const std::size_t number = static_cast<std::size_t>(k.number);
      if (shot.reach[number].strain.beyond > shot.reach[strained].strain.beyond) strained = number;
    }
    list.push_back({{"range", range_json(track.range)},
                    {"rms_m", finite(track.rms)},
                    {"max_m", finite(track.max)},
                    {"worst", {{"frame", track.worst.frame}, {"rms_m", finite(track.worst.miss.rms)}}},
                    {"uncontrolled_rms_m", known(track.uncontrolled_rms)},
                    {"tolerance_m", or_null(track.worst.tolerance)},
                    {"reached", track.worst.reached()},
                    {"frames", std::move(frames)},
                    {"frame_rms_m", std::move(misses)},
                    {"most_strained",
                     {{"frame", shot.keyframes[strained].frame}, {"reach", reach_json(shot, strained)}}}});
  }
  return list;
}

Json work_json(const ShootingWork& work) {
  return {{"forward_simulations", work.forward_simulations}, {"adjoint_sweeps", work.adjoint_sweeps},
          {"tangent_sweeps", work.tangent_sweeps},           {"newton_iterations", work.newton_iterations},
          {"factorizations", work.factorizations},           {"time_steps", work.time_steps},
          {"indefinite_steps", work.indefinite_steps}};
}

// Bytes, and steps by what was kept of their derivatives at last.
Json memory_json(const RunSummary& summary) {
  const ShootingWork& work = summary.work;
  Json json = {{"peak_rss", peak_rss_bytes()}, {"trajectory", work.trajectory_bytes}};
  if (!summary.memory) return json;
  json["budget"] = summary.memory->budget;
  json["states"] = summary.memory->trajectories;
  json["vectors"] = summary.memory->vectors;
  json["work_space"] = summary.memory->work_space;
  json["derivatives"] = summary.memory->of_derivatives();
  json["scratch"] = summary.memory->plan.file_bytes;
  const auto count = [&](StepStorage storage) { return work.kept[static_cast<std::size_t>(storage)]; };
  json["kept_steps"] = {{"double", count(StepStorage::kDouble)},
                        {"single", count(StepStorage::kSingle)},
                        {"file", count(StepStorage::kFile)},
                        {"matrices", count(StepStorage::kMatrices)},
                        {"none", count(StepStorage::kNone)}};
  return json;
}

Json crossings_json(const CrossingFigures& crossings) {
  return {{"places", crossings.places},
          {"curves", crossings.curves},
          {"curves_left", crossings.curves_left},
          {"last_parted_frame", crossings.last_parted_frame ? Json(*crossings.last_parted_frame) : Json()},
          {"near_pairs", crossings.near_pairs},
          {"near_pairs_left", crossings.near_pairs_left}};
}

Json effort_json(const Shot& shot, const RunSummary& summary) {
  const ForceFigures& effort = summary.effort;
  Json json = {{"peak_g", finite(effort.peak_g)}, {"rms_g", finite(effort.rms_g)}};
  if (summary.added)
    json["added"] = {{"peak_g", finite(summary.added->peak_g)}, {"rms_g", finite(summary.added->rms_g)}};
  if (effort.largest_interval < 0) return json;
  json["peak_over_rms"] = finite(effort.peak_over_rms());
  json["largest_frame"] = shot.clock.frames.first + effort.largest_interval;
  json["largest_frame_rms_g"] = finite(effort.largest_interval_g);
  json["largest_frame_over_mean"] = finite(effort.largest_over_mean());
  json["change_between_frames"] = finite(effort.change);
  return json;
}

Json motion_json(const Shot& shot, const RunSummary& summary) {
  Json json = Json::object();
  if (const FastestVertex& fastest = summary.fastest; fastest.vertex >= 0) {
    json["fastest_m_s"] = finite(fastest.speed);
    json["fastest_vertex"] = fastest.vertex;
    json["fastest_frame"] = shot.clock.frame_of_step(fastest.state - 1);
  }
  if (summary.uncontrolled_fastest.vertex >= 0)
    json["uncontrolled_fastest_m_s"] = finite(summary.uncontrolled_fastest.speed);
  return json;
}

// As in the scene file.
std::string_view integrator_name(StepMethod method) {
  for (const auto& [word, value] : scene::words(StepMethod{}))
    if (value == method) return word;
  assert(false);
  return {};
}

// The vertices that are farther off than `wanted` [m], the farthest first. x: what is compared [m] (3n).
std::vector<KeyframeOutcome::FarVertex> far_vertices(const Keyframe& keyframe, const VecX& x, double wanted) {
  std::vector<KeyframeOutcome::FarVertex> far;
  const VecX distances = vertex_distances(keyframe, x);
  for (int i = 0; i < distances.size(); ++i)
    if (distances[i] > wanted) far.push_back({i, distances[i]});
  std::sort(far.begin(), far.end(), [](const auto& a, const auto& b) { return a.distance > b.distance; });
  return far;
}

}  // namespace

KeyframeOutcome keyframe_outcome(const ShotKeyframe& keyframe, const KeyframeMiss& miss, int frame) {
  return {target_outcome(keyframe, miss), frame, keyframe.track, keyframe.window};
}

std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const std::vector<KeyframeMiss>& misses,
                                               const std::vector<KeyframeMiss>& uncontrolled) {
  std::vector<KeyframeOutcome> outcomes;
  for (std::size_t k = 0; k < misses.size(); ++k) {
    outcomes.push_back(keyframe_outcome(shot.keyframes[k], misses[k], frame_of(shot, misses[k])));
    outcomes.back().uncontrolled_rms = uncontrolled[k].rms;
  }
  return outcomes;
}

std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const SearchPart& part,
                                               const std::vector<KeyframeMiss>& misses) {
  std::vector<KeyframeOutcome> outcomes;
  for (std::size_t k = 0; k < misses.size(); ++k) {
    const int number = part.task.task.targets[k].number;
    outcomes.push_back(keyframe_outcome(shot.keyframes[static_cast<std::size_t>(number)], misses[k],
                                        frame_of(part, misses[k].state, shot.clock.frames)));
  }
  return outcomes;
}

std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const LevelOutcome& level) {
  std::vector<KeyframeOutcome> outcomes;
  for (std::size_t k = 0; k < level.misses.size(); ++k)
    outcomes.push_back(keyframe_outcome(shot.keyframes[k], level.misses[k],
                                        frame_of(level, level.misses[k].state, shot.clock.frames)));
  return outcomes;
}

std::vector<KeyframeOutcome> outcomes_so_far(const Shot& shot, const Trajectory& run) {
  std::vector<KeyframeOutcome> outcomes;
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    const std::vector<int>& candidates = keyframe.keyframe.candidates;
    if (std::max(keyframe.keyframe.state, candidates.empty() ? 0 : candidates.back()) > run.first_failure())
      continue;
    const KeyframeMiss miss = measure_miss(keyframe.keyframe, states_of(run), shot.task().length());
    outcomes.push_back(keyframe_outcome(keyframe, miss, frame_of(shot, miss)));
  }
  return outcomes;
}

std::vector<TrackOutcome> track_outcomes(const std::vector<KeyframeOutcome>& keyframes) {
  std::vector<TrackOutcome> tracks;
  for (const KeyframeOutcome& k : keyframes) {
    if (!k.track) continue;
    const bool is_next = !tracks.empty() && tracks.back().target_id == k.target_id;
    if (!is_next) tracks.push_back({*k.track, k.target_id, 0.0, 0.0, 0.0, k, {}});
    TrackOutcome& track = tracks.back();
    track.frames.push_back(k);
    track.max = std::max(track.max, k.miss.max);
    if (k.miss.rms > track.worst.miss.rms) track.worst = k;
  }
  for (TrackOutcome& track : tracks) {
    const double count = static_cast<double>(track.frames.size());
    for (const KeyframeOutcome& k : track.frames) {
      track.rms += k.miss.rms * k.miss.rms / count;
      track.uncontrolled_rms += k.uncontrolled_rms * k.uncontrolled_rms / count;
    }
    track.rms = std::sqrt(track.rms);
    track.uncontrolled_rms = std::sqrt(track.uncontrolled_rms);
  }
  return tracks;
}

void find_behind_misses(const Shot& shot, const Trajectory& run, std::vector<KeyframeOutcome>& keyframes) {
  const StateSource states = states_of(run);
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    KeyframeOutcome& outcome = keyframes[k];
    const ShotKeyframe& target = shot.keyframes[k];
    outcome.farthest_wanted = farthest_wanted(target);
    const bool is_far = outcome.miss.max > outcome.farthest_wanted;
    if (!is_far && !target.keyframe.surface) continue;
    Keyframe adapted = target.keyframe;
    adapted.state = outcome.miss.state;
    adapted.candidates.clear();
    adapt(adapted, states, shot.task().length());
    const VecX x = compared_state(adapted, states).x;
    if (is_far) outcome.far_vertices = far_vertices(adapted, x, outcome.farthest_wanted);
    if (adapted.surface)
      outcome.coverage = surface_coverage(adapted, shot.rest(), x, outcome.tolerance.value_or(0.0));
  }
}

ForceFigures measure_forces(const Shot& shot, const ForceSchedule& forces) {
  const StepGrid& grid = shot.task().grid;
  const std::vector<IntervalRange>& windows = shot.options.windows;
  IntervalRange searched = grid.all();
  if (!windows.empty()) {
    // Their forces act behind the last target, too, but nothing asks for any.
    searched = {windows.front().first, windows.back().last};
    searched.last = std::min(searched.last, intervals_to_last_target(shot.task()).value_or(searched.last));
  }
  return measure_forces(grid, shot.layout(), searched, shot.model().vertex_mass(), forces);
}

bool leaves_residuals(const Simulator& simulator) {
  return simulator.is_linearized() || simulator.takes_rounds();
}

DraftFigures draft_figures(const Trajectory& run) {
  DraftFigures figures;
  for (int n = 0; n < run.first_failure(); ++n) {
    figures.largest_residual = std::max(figures.largest_residual, run.reports[n].residual);
    figures.cut_steps += run.reports[n].cuts > 0;
  }
  return figures;
}

std::string summary_json(const Shot& shot, const RunSummary& summary) {
  const ShootingWork& work = summary.work;
  Json json = {{"status", word(summary.status)},
               {"keyframes", keyframes_json(shot, summary.keyframes)},
               {"tracks", tracks_json(shot, summary.keyframes)},
               {"obstacles", summary.obstacles},
               {"effort", effort_json(shot, summary)},
               {"motion", motion_json(shot, summary)},
               {"work", work_json(work)},
               {"time_s",
                {{"total", summary.total_s},
                 {"this_start", summary.start_s},
                 {"forward", work.forward_s},
                 {"adjoint", work.linearize_s + work.adjoint_s},
                 {"tangent", work.tangent_s},
                 {"io", summary.io_s}}},
               {"memory_bytes", memory_json(summary)},
               {"vertices", shot.rest().vertex_count()},
               {"triangles", shot.rest().triangle_count()},
               {"frames", shot.clock.frames.count()},
               {"frames_done", summary.frames_done},
               {"substeps", shot.clock.substeps},
               {"preview", summary.is_preview},
               {"integrator", integrator_name(shot.simulator().options().method)},
               {"version", KEYDRAPE_VERSION}};
  if (summary.draft)
    json["draft"] = {{"largest_residual", finite(summary.draft->largest_residual)},
                     {"cut_steps", summary.draft->cut_steps}};
  if (summary.crossings) json["start_crossings"] = crossings_json(*summary.crossings);
  if (!summary.levels.empty()) json["levels"] = levels_json(summary.levels, shot.clock.frames);
  if (!summary.channels.empty()) json["channels"] = channels_json(shot, summary.channels, ChannelRows::kFew);
  return json_text(json, 2) + "\n";
}

std::string convergence_line(const ConvergenceRecord& record, const std::vector<KeyframeOutcome>& outcomes) {
  Json keyframes = Json::array(), tracks = Json::array();
  for (const KeyframeOutcome& k : outcomes) {
    if (k.track) continue;
    keyframes.push_back({{"frame", k.frame}, {"rms_m", finite(k.miss.rms)}, {"max_m", finite(k.miss.max)}});
    if (has_velocity(k)) keyframes.back()["velocity_rms_m_s"] = finite(k.miss.velocity_rms);
  }
  for (const TrackOutcome& track : track_outcomes(outcomes))
    tracks.push_back(
        {{"range", range_json(track.range)}, {"rms_m", finite(track.rms)}, {"max_m", finite(track.max)}});
  Json json = {{"iteration", record.iteration},
               {"objective", finite(record.objective)},
               {"keyframe_term", finite(record.terms.keyframes)},
               {"effort_term", finite(record.terms.effort + record.terms.smoothness)},
               {"gradient_norm", known(record.gradient_norm)},
               {"step_length", finite(record.step_length)},
               {"forward_simulations", record.forward_simulations},
               {"cg_iterations", record.cg_iterations},
               {"time_s", record.time_s},
               {"keyframes", keyframes}};
  if (!tracks.empty()) json["tracks"] = std::move(tracks);
  if (record.window) json["window"] = range_json(*record.window);
  return json_text(json);
}

std::string step_line(const Shot& shot, const Trajectory& trajectory, int n, PairSearch& search) {
  const StepReport& report = trajectory.reports[n];
  const State& end = trajectory.states[n + 1];
  const double dt = shot.clock.dt();
  const ContactSummary contact = contact_summary(shot.model(), end, (n + 1) * dt, search);
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  const Json json = {{"frame", shot.clock.frame_of_step(n)},
                     {"substep", shot.clock.substep_of_step(n)},
                     {"newton_iterations", report.iterations},
                     {"factorizations", report.factorizations},
                     {"cg_iterations", report.cg_iterations},
                     {"residual", number(report.residual)},
                     {"kinetic_J", number(kinetic_energy(shot.model(), end))},
                     {"elastic_J", number(elastic_energy(shot.model(), end, dt, (n + 1) * dt, &search))},
                     {"contact_pairs", contact.pairs},
                     {"least_distance_m", number(contact.least_distance)},
                     {"time_s", trajectory.seconds[n]}};
  return json_text(json);
}

}  // namespace keydrape
