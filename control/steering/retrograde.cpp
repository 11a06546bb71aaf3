#include "control/steering/retrograde.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace keydrape {

namespace {

// The least that the bounds allow: without forces those of a take may be too large.
VecX least_forces(const Retrograde::Problem& problem) {
  VecX z = VecX::Zero(problem.layout.size());
  if (problem.bounds) problem.bounds->project(z);
  return z;
}

}  // namespace

Retrograde::Retrograde(Problem problem, PathFollowing::TrialObserver observer)
    : problem_(std::move(problem)),
      following_({problem_.simulator, problem_.layout, problem_.base, problem_.bounds},
                 least_forces(problem_), std::move(observer)) {
  assert(can_steer_to(problem_.keyframes) && problem_.near_enough.size() == problem_.keyframes.size() &&
         static_cast<int>(problem_.near.states.size()) == problem_.layout.step_count() + 1);
}

bool Retrograde::can_steer_to(const std::vector<Keyframe>& keyframes) {
  std::set<int> states, goals;
  return std::all_of(keyframes.begin(), keyframes.end(), [&](const Keyframe& k) {
    if (!k.has_weight()) return true;
    const bool is_pose = k.weight > 0.0 && k.directions.empty() && !k.surface && !k.relative_to;
    const bool is_of_track = k.target_id >= 0 && !goals.insert(k.target_id).second;
    return is_pose && !is_of_track && states.insert(k.state).second;
  });
}

void Retrograde::steer(int step, const State& state, VecX& u) {
  const int block = problem_.layout.block_of_step(step);
  if (step == 0) before_ = problem_.near.before;
  if (step == 0 || step == following_.path().end) find_path(step, state);
  u.setZero();
  if (block >= 0 && !is_lost_) {
    if (block != block_ && !following_.has_ended(step)) {
      const PathFollowing::Span span = following_.span(step);
      following_.choose(span, {state, before_ ? &*before_ : nullptr}, way_along(span));
      block_ = block;
    }
    problem_.layout.force(following_.z(), block, u);
  }
  before_ = state;
}

std::optional<VecX> Retrograde::expected(int step) const { return following_.expected(step); }

void Retrograde::find_path(int step, const State& state) {
  const Keyframe* next = next_weighted(problem_.keyframes, step);
  if (!next) return;
  PathFollowing::Path path{step,
                           next->state,
                           {},
                           next->vertex_weight,
                           problem_.near_enough[next - problem_.keyframes.data()],
                           problem_.back};
  path.positions.resize(path.end - path.begin + 1, state.x);
  const VecX x = with_targets(*next, problem_.near.states[path.end].x);
  path.positions.back() = x;
  const VecX& mass = problem_.simulator.model().mass();
  const double dt = problem_.simulator.dt();
  const double duration = dt * (path.end - path.begin);
  State at{x, 0.5 * state.v - 1.5 / duration * (x - state.x),  // (R1)
           problem_.near.states[path.end].exempt};
  VecX u = VecX::Zero(x.size());
  for (int n = path.end - 1; n > path.begin; --n) {
    const double tau = dt * (n + 1 - path.begin);
    if (problem_.base) problem_.base->force(n, u);
    const VecX a = 6.0 / (tau * tau) * (state.x - at.x) - (4.0 * at.v - 2.0 * state.v) / tau;  // (R2)
    for (Eigen::Index i = 0; i < path.weight.size(); ++i)
      if (path.weight[i] > 0.0) u.segment<3>(3 * i) += mass[3 * i] * a.segment<3>(3 * i);
    // Pins and bodies as they are at state n, where step n - 1 ends.
    StepResult back = problem_.simulator.step(n - 1, at, u, {});
    following_.observe(n, back.report);
    if (!back.report.converged()) {
      is_lost_ = true;
      return;
    }
    at = std::move(back.next);
    path.positions[n - path.begin] = at.x;
    u.setZero();
  }
  // Where it would come from: it does not quite begin where the cloth is.
  if (path.positions.size() > 2) path.positions[0] = 2.0 * path.positions[1] - path.positions[2];
  following_.follow(std::move(path));
}

VecX Retrograde::way_along(const PathFollowing::Span& span) const {
  const PathFollowing::Path& path = following_.path();
  if (span.first == path.begin) return VecX::Zero(path.at(span.first).size());
  // Second differences, added up.
  const VecX sum =
      (path.at(span.end) - path.at(span.end - 1)) - (path.at(span.first) - path.at(span.first - 1));
  return 0.5 * (span.count() + 1.0) * sum;
}

}  // namespace keydrape
