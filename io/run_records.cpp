#include "io/run_records.h"

#include <sys/resource.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/contact/contact_state.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// JSON knows no infinity: a value that is not finite would be a defect of ours.
double finite(double value) {
  assert(std::isfinite(value));
  return value;
}

long long peak_rss_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024LL * usage.ru_maxrss;  // Linux counts in KiB
}

Json keyframes_json(const std::vector<KeyframeOutcome>& keyframes) {
  Json list = Json::array();
  for (const KeyframeOutcome& k : keyframes) {
    list.push_back({{"frame", k.frame},
                    {"rms_m", finite(k.miss.rms)},
                    {"max_m", finite(k.miss.max)},
                    {"uncontrolled_rms_m", finite(k.uncontrolled_rms)},
                    {"tolerance_m", k.tolerance ? Json(*k.tolerance) : Json()},
                    {"reached", k.reached()}});
  }
  return list;
}

Json work_json(const ShootingWork& work) {
  return {{"forward_simulations", work.forward_simulations}, {"adjoint_sweeps", work.adjoint_sweeps},
          {"tangent_sweeps", work.tangent_sweeps},           {"newton_iterations", work.newton_iterations},
          {"factorizations", work.factorizations},           {"time_steps", work.time_steps}};
}

}  // namespace

std::string_view word(RunStatus status) {
  switch (status) {
    case RunStatus::kDone:
      return "done";
    case RunStatus::kMissed:
      return "missed";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kInterrupted:
      break;
  }
  return "interrupted";
}

ControlEffort measure_effort(const Shot& shot, const ForceSchedule& forces) {
  ControlEffort effort;
  const std::vector<int>& active = shot.layout->active();
  const VecX& mass = shot.model->vertex_mass();
  VecX u(shot.start.x.size());
  double sum = 0.0;
  int steps = 0;
  for (int n = 0; n < shot.clock.step_count(); ++n) {
    if (shot.layout->block_of_step(n) < 0) continue;
    forces.force(n, u);
    ++steps;
    for (const int i : active) {
      const double a = u.segment<3>(3 * i).norm() / (mass[i] * kStandardGravity);
      effort.peak_g = std::max(effort.peak_g, a);
      sum += a * a;
    }
  }
  effort.rms_g = std::sqrt(sum / steps / static_cast<double>(active.size()));
  return effort;
}

std::string summary_json(const Shot& shot, const RunSummary& summary) {
  const ShootingWork& work = summary.work;
  const Json json = {
      {"status", word(summary.status)},
      {"keyframes", keyframes_json(summary.keyframes)},
      {"obstacles", summary.obstacles},
      {"effort", {{"peak_g", finite(summary.effort.peak_g)}, {"rms_g", finite(summary.effort.rms_g)}}},
      {"work", work_json(work)},
      {"time_s",
       {{"total", summary.total_s},
        {"forward", work.forward_s},
        {"adjoint", work.linearize_s + work.adjoint_s},
        {"tangent", work.tangent_s},
        {"io", summary.io_s}}},
      {"memory_bytes", {{"peak_rss", peak_rss_bytes()}, {"trajectory", work.trajectory_bytes}}},
      {"vertices", shot.rest.vertex_count()},
      {"triangles", shot.rest.triangle_count()},
      {"frames", shot.clock.frames.count()},
      {"substeps", shot.clock.substeps},
      {"version", KEYDRAPE_VERSION}};
  return json.dump(2) + "\n";
}

std::string convergence_line(const ConvergenceRecord& record, const Shot& shot,
                             const std::vector<KeyframeMiss>& misses) {
  Json keyframes = Json::array();
  for (std::size_t k = 0; k < misses.size(); ++k)
    keyframes.push_back({{"frame", shot.keyframes[k].frame},
                         {"rms_m", finite(misses[k].rms)},
                         {"max_m", finite(misses[k].max)}});
  const Json json = {{"iteration", record.iteration},
                     {"objective", finite(record.objective)},
                     {"keyframe_term", finite(record.terms.keyframes)},
                     {"effort_term", finite(record.terms.effort + record.terms.smoothness)},
                     {"gradient_norm", finite(record.gradient_norm)},
                     {"step_length", finite(record.step_length)},
                     {"forward_simulations", record.forward_simulations},
                     {"cg_iterations", record.cg_iterations},
                     {"time_s", record.time_s},
                     {"keyframes", keyframes}};
  return json.dump();
}

std::string step_line(const Shot& shot, const Trajectory& trajectory, int n) {
  const StepReport& report = trajectory.reports[n];
  const State& end = trajectory.states[n + 1];
  const double dt = shot.clock.dt();
  const ContactState contact = contact_state(*shot.model, end.x, (n + 1) * dt);
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  const Json json = {{"frame", shot.clock.frame_of_step(n)},
                     {"substep", shot.clock.substep_of_step(n)},
                     {"newton_iterations", report.iterations},
                     {"factorizations", report.factorizations},
                     {"cg_iterations", report.cg_iterations},
                     {"residual", number(report.residual)},
                     {"kinetic_J", number(kinetic_energy(*shot.model, end))},
                     {"elastic_J", number(elastic_energy(*shot.model, end, dt, (n + 1) * dt))},
                     {"contact_pairs", contact.pairs},
                     {"least_distance_m", number(contact.least_distance)},
                     {"time_s", trajectory.seconds[n]}};
  return json.dump();
}

}  // namespace keydrape
