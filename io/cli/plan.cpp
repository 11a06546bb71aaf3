#include "io/cli/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/derivatives/run_sweeps.h"
#include "control/run/rollout.h"
#include "core/base/stopwatch.h"
#include "io/file/counted.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/perform/result_text.h"
#include "io/perform/search_memory_text.h"
#include "io/shot/contact.h"
#include "io/shot/control.h"
#include "io/shot/reach_json.h"
#include "io/shot/reach_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// Whichever ends first: a mean of several steps, within what one waits for an estimate. Not tuned.
constexpr int kSampleSteps = 16;
constexpr double kSampleSeconds = 4.0;
// Of Gauss-Newton, each a tangent and an adjoint sweep. The shots of `keydrape new` needed 9 to 15.
constexpr int kProductsPerIteration = 15;
constexpr double kReadSpeed = 1.2e9;  // of a scratch file on a solid-state disk [bytes/s]

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string megabytes(double bytes) { return fmt::format("{:.0f} MB", bytes / 1e6); }

// Which shows a wrong unit, and a wrong axis.
std::string extent_text(const Scene& scene, const Shot& shot) {
  const VecX& x = shot.start().x;
  const auto places = x.reshaped(3, x.size() / 3);
  const Vec3 size = places.rowwise().maxCoeff() - places.rowwise().minCoeff();
  return fmt::format("{} x {} x {} m at the first frame, {} up", short_number(size.x()),
                     short_number(size.y()), short_number(size.z()),
                     scene.shot.up_axis == UpAxis::kY ? "Y" : "Z");
}

// In brackets, all that is asked of a keyframe; nothing where no tolerance is.
std::string tolerance_text(const ShotKeyframe& keyframe) {
  std::vector<std::string> asked;
  if (keyframe.tolerance)
    asked.push_back(fmt::format("within {} mm", short_number(1e3 * *keyframe.tolerance)));
  if (keyframe.tolerance_max)
    asked.push_back(fmt::format("no vertex beyond {} mm", short_number(1e3 * *keyframe.tolerance_max)));
  if (keyframe.velocity_tolerance)
    asked.push_back(
        fmt::format("velocities within {} mm/s", short_number(1e3 * *keyframe.velocity_tolerance)));
  return asked.empty() ? "" : fmt::format(" ({})", fmt::join(asked, ", "));
}

std::string keyframe_text(const Shot& shot) {
  std::string text;
  int track = -1;
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    if (keyframe.track && keyframe.keyframe.target_id == track) continue;
    if (keyframe.track) track = keyframe.keyframe.target_id;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ",
                        keyframe.track ? keyframe.track->text() : fmt::format("{}", keyframe.frame),
                        tolerance_text(keyframe));
  }
  return text.empty() ? "none" : text;
}

// Whose budget it is.
std::string window_text(const Shot& shot, const Plan& plan) {
  if (plan.windows == 0) return "";
  return fmt::format(", {} in {}", shot.options.most_forward_runs(shot.task()),
                     plan.windows == 1 ? "the window" : fmt::format("each of {} windows", plan.windows));
}

// An adjoint sweep a forward run at most, in place of Gauss-Newton's products.
bool is_by_gradients(const Scene& scene) {
  return scene.control.method != scene::ControlMethod::kGaussNewton;
}

std::string sweeps_text(const Scene& scene, const StepCost& cost) {
  const std::string derivatives = fmt::format("derivatives {:.1f} ms a step, ", 1e3 * cost.linearize_s);
  if (is_by_gradients(scene))
    return derivatives +
           fmt::format("an adjoint sweep about {:.2f} ms; at most one a forward run", 0.5e3 * cost.sweep_s);
  return derivatives + fmt::format("a pair of sweeps {:.2f} ms; about {} pairs an iteration",
                                   1e3 * cost.sweep_s, kProductsPerIteration);
}

// What is searched before the shot itself.
std::string coarser_text(const Coarsening& coarsening) {
  return fmt::format("before it {} with {}{}{}", counted(coarsening.levels, "search", "searches"),
                     coarsening.mesh ? "a quarter of the vertices" : "",
                     coarsening.mesh && coarsening.step ? " and " : "",
                     coarsening.step ? "half the substeps" : "");
}

// The budget bounds the runs, but not what a step costs that touches more than those that were measured.
std::string planned_time_text(const Shot& shot, const Plan& plan) {
  const bool touches = shot.model().touchable().any();
  return fmt::format("{}{}{}", plan.is_search && !touches ? "at most about " : "about ",
                     duration(plan.total_s),
                     touches ? ", more once it touches more than in its first steps" : "");
}

// Where the points that bodies are held off by are far more than the cloth has vertices; else nothing.
std::vector<std::string> body_point_rows(const Scene& scene, const Shot& shot) {
  constexpr std::size_t kMany = 20;  // times the vertices; not tuned
  std::size_t most = 0;
  for (const auto& volume : shot.model().touchable().volumes) most = std::max(most, volume->points.size());
  const auto vertices = static_cast<std::size_t>(shot.rest().vertex_count());
  if (most < kMany * vertices || !keeps_points_out(scene)) return {};
  return {fmt::format(
      "a body is held off {} points of the cloth, {} times its vertices, each of which costs once "
      "it touches: a larger voxel or point_spacing in [[collider]] makes fewer",
      most, most / vertices)};
}

}  // namespace

StepCost measure_step_cost(const Shot& shot) {
  const Stopwatch watch;
  const auto observe = [&](int, const StepReport&) {
    throw_if_interrupted();
    return watch.seconds() < kSampleSeconds;
  };
  const Trajectory trajectory = rollout(shot.simulator(), shot.start(), NoForces(),
                                        std::min(kSampleSteps, shot.clock.step_count()), observe);
  StepCost cost;
  cost.sampled_steps = trajectory.step_count();
  for (const double seconds : trajectory.seconds) cost.forward_s += seconds / cost.sampled_steps;
  if (trajectory.first_failure() < cost.sampled_steps) {
    cost.failure = failure_message(shot, trajectory);
    return cost;
  }

  const Stopwatch linearizing;
  LinearizedTrajectory linearized(shot.simulator(), trajectory, std::numeric_limits<std::size_t>::max());
  cost.linearize_s = linearizing.seconds() / cost.sampled_steps;
  const StateVector one = {VecX::Ones(shot.start().x.size()), VecX::Zero(shot.start().x.size())};
  const Stopwatch sweeping;
  tangent(linearized, {std::vector<VecX>(cost.sampled_steps), {}, one});
  std::vector<StateVector> seeds(cost.sampled_steps + 1);
  seeds.back() = one;
  adjoint(linearized, seeds);
  cost.sweep_s = sweeping.seconds() / cost.sampled_steps;
  return cost;
}

Plan plan_simulation(const Shot& shot, const StepCost& cost) {
  Plan plan;
  plan.steps = shot.clock.step_count();
  plan.forward_run_s = cost.forward_s * plan.steps;
  plan.state_bytes = (plan.steps + 1) * 2 * sizeof(double) * static_cast<double>(shot.start().x.size());
  plan.total_s = plan.forward_run_s;
  plan.explicit_limits = explicit_limits(shot);
  return plan;
}

Plan plan_search(const Scene& scene, const Shot& shot, const StepCost& cost) {
  Plan plan = plan_simulation(shot, cost);
  plan.is_search = true;
  const int budget = shot.options.most_forward_runs(shot.task());
  int searched_steps = 0, steps_at_once = 0;
  std::vector<FrameRange> windows = control_windows(scene.control, shot.clock.frames);
  plan.windows = static_cast<int>(windows.size());
  // Each window has a budget of its own; before the first the shot runs once, and after the last to its end.
  plan.forward_simulations = windows.empty() ? budget : plan.windows * budget + 2;
  const double outside_s =
      windows.empty() ? 0.0
                      : cost.forward_s * (2 * plan.steps - shot.clock.state_of_frame(windows.back().last));
  if (windows.empty()) windows = {shot.clock.frames};
  for (const FrameRange& window : windows) {
    const int steps = (window.count() - 1) * shot.clock.substeps;
    searched_steps += steps;
    steps_at_once = std::max(steps_at_once, steps);
  }
  plan.memory = search_memory(scene, shot.prepared, shot.options);
  plan.state_bytes = plan.memory->trajectories;
  const StorageCounts& counts = plan.memory->plan.counts;
  if (!shot.simulator().differentiates_way())  // of which nothing is ever kept
    plan.recomputed_share = static_cast<double>(counts[static_cast<size_t>(StepStorage::kNone)] +
                                                counts[static_cast<size_t>(StepStorage::kMatrices)]) /
                            steps_at_once;
  const double products = is_by_gradients(scene) ? 0.5 : kProductsPerIteration;
  const double read_s = plan.memory->plan.file_bytes / kReadSpeed / steps_at_once;
  const double sweep_s = cost.sweep_s + 2.0 * (plan.recomputed_share * cost.linearize_s + read_s);
  const int iterations = std::max(1, budget - 2);
  plan.total_s = outside_s + searched_steps * (budget * cost.forward_s +
                                               iterations * (cost.linearize_s + products * sweep_s));
  return plan;
}

std::string plan_text(const Scene& scene, const Shot& shot, const StepCost& cost, const Plan& plan) {
  const auto line = [](std::string_view label, const std::string& text) {
    return fmt::format("{:<14} {}\n", label, text);
  };
  std::string text =
      line("shot", fmt::format("{}, frames {}, {} time steps of {:.2f} ms", scene.shot.name,
                               shot.clock.frames.text(), plan.steps, 1e3 * shot.clock.dt())) +
      line("cloth", fmt::format("{} vertices, {} triangles; {} unknowns a step", shot.rest().vertex_count(),
                                shot.rest().triangle_count(), shot.start().x.size())) +
      line("", extent_text(scene, shot)) +
      line("around it", fmt::format("{}, {}, {}{}", counted(scene.pins.size(), "pin"),
                                    counted(scene.springs.size(), "spring"),
                                    counted(scene.colliders.size(), "body", "bodies"),
                                    scene.contact && scene.contact->self ? ", contact with itself" : "")) +
      line("keyframes", keyframe_text(shot));
  const auto lines = [&](std::string_view label, const std::vector<std::string>& rows) {
    for (const std::string& row : rows) text += line(std::exchange(label, ""), row);
  };
  lines("weights", shot.covered);
  lines("reach", reach_table(shot));
  if (plan.is_search) {
    text += line("search",
                 fmt::format("{} unknowns: {} blocks of forces on {} vertices{}; at most {}{}",
                             shot.layout().size(), shot.layout().block_count(), shot.layout().active_count(),
                             shot.channels() ? fmt::format(", {} of channels", shot.channels()->size()) : "",
                             counted(plan.forward_simulations, "forward run"), window_text(shot, plan)));
    if (shot.options.coarsening.levels > 0) text += line("", coarser_text(shot.options.coarsening));
  }
  std::string memory = plan.memory ? describe(*plan.memory) : megabytes(plan.state_bytes) + " of states";
  if (plan.recomputed_share > 0)
    memory += fmt::format(
        "; the factors of {:.0f} % of the steps do not fit memory_gb and are made again in every sweep, "
        "which takes longer than to read them from a solid-state disk (scratch_gb)",
        1e2 * plan.recomputed_share);
  text += line("memory", memory) + line("time", planned_time_text(shot, plan));
  lines("", body_point_rows(scene, shot));
  text +=
      line("estimated by",
           fmt::format("{} steps: {:.1f} ms each, so {} a forward run; contact and folds come later and take "
                       "longer",
                       cost.sampled_steps, 1e3 * cost.forward_s, duration(plan.forward_run_s)));
  if (plan.is_search) text += line("", sweeps_text(scene, cost));
  if (!plan.is_search || scene.solver.integrator == StepMethod::kExplicit)
    lines("explicit steps", explicit_limit_rows(shot, plan.explicit_limits));
  return text;
}

std::string plan_json(const Scene& scene, const Shot& shot, const StepCost& cost, const Plan& plan) {
  Json keyframes = Json::array();
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const ShotKeyframe& keyframe = shot.keyframes[k];
    Json json = {{"frame", keyframe.frame},
                 {"tolerance_m", keyframe.tolerance ? Json(*keyframe.tolerance) : Json()}};
    if (keyframe.velocity_tolerance) json["velocity_tolerance_m_s"] = *keyframe.velocity_tolerance;
    if (keyframe.tolerance_max) json["tolerance_max_m"] = *keyframe.tolerance_max;
    json["reach"] = reach_json(shot, k);
    keyframes.push_back(std::move(json));
  }
  const Json json = {
      {"shot", scene.shot.name},
      {"frames", {shot.clock.frames.first, shot.clock.frames.last}},
      {"time_steps", plan.steps},
      {"vertices", shot.rest().vertex_count()},
      {"triangles", shot.rest().triangle_count()},
      {"unknowns", {{"step", shot.start().x.size()}, {"search", plan.is_search ? shot.layout().size() : 0}}},
      {"keyframes", keyframes},
      {"forward_simulations", plan.forward_simulations},
      {"memory_bytes",
       {{"states", plan.state_bytes},
        {"vectors", plan.memory ? plan.memory->vectors : 0.0},
        {"derivatives", plan.memory ? plan.memory->of_derivatives() : 0.0}}},
      {"memory", plan.memory ? describe(*plan.memory) : ""},
      {"time_s", {{"forward_run", plan.forward_run_s}, {"total", plan.total_s}}},
      {"sample",
       {{"steps", cost.sampled_steps},
        {"forward_s", cost.forward_s},
        {"linearize_s", cost.linearize_s},
        {"sweep_s", cost.sweep_s}}},
      {"explicit_steps", explicit_limits_json(plan.explicit_limits)}};
  return json_text(json, 2) + "\n";
}

}  // namespace keydrape
