#include "control/steering/landing.h"

#include <cassert>
#include <utility>

namespace keydrape {

Landing::Landing(Problem problem, PathFollowing::TrialObserver observer)
    : problem_(std::move(problem)),
      following_({problem_.simulator, problem_.layout, problem_.base, problem_.bounds}, problem_.z,
                 std::move(observer)) {
  assert(problem_.near_enough.size() == problem_.keyframes.size() &&
         static_cast<int>(problem_.run.states.size()) == problem_.layout.step_count() + 1);
}

void Landing::steer(int step, const State& state, VecX& u) {
  const int block = problem_.layout.block_of_step(step);
  if (step == 0) before_ = problem_.run.before;
  u.setZero();
  if (block >= 0) {
    if (block != block_) {
      block_ = block;
      if (following_.has_ended(step)) begin_path(step, state.x);
      const bool is_landing = !following_.has_ended(step);
      hold(step, state, is_landing);
      if (is_landing)
        following_.choose(following_.span(step), {state, before_ ? &*before_ : nullptr},
                          VecX::Zero(state.x.size()));
    }
    problem_.layout.force(following_.z(), block, u);
  }
  before_ = state;
}

std::optional<VecX> Landing::expected(int step) const {
  if (std::optional<VecX> end = following_.expected(step)) return end;
  return problem_.run.states[step + 1].x;
}

void Landing::begin_path(int step, const VecX& x) {
  const Keyframe* next = next_weighted(problem_.keyframes, step);
  if (!next || next->state - step > problem_.steps) return;
  const std::vector<State>& run = problem_.run.states;
  const VecX off_now = x - run[step].x,
             off_then = with_targets(*next, run[next->state].x) - run[next->state].x;
  PathFollowing::Path path{
      step, next->state, {}, next->vertex_weight, problem_.near_enough[next - problem_.keyframes.data()]};
  for (int n = path.begin; n <= path.end; ++n) {
    const double t = static_cast<double>(n - path.begin) / (path.end - path.begin);
    path.positions.push_back(run[n].x + (1.0 - t) * off_now + t * off_then);  // (R6)
  }
  following_.follow(std::move(path));
}

void Landing::hold(int step, const State& state, bool is_landing) {
  const State& wanted = problem_.run.states[step];
  StateVector off{state.x - wanted.x, state.v - wanted.v};
  if (is_landing) {
    const VecX& weight = following_.path().weight;
    for (Eigen::Index i = 0; i < weight.size(); ++i) {
      if (weight[i] <= 0.0) continue;
      off.x.segment<3>(3 * i).setZero();
      off.v.segment<3>(3 * i).setZero();
    }
  }
  subtract_feedback(problem_.layout, problem_.feedback, block_, off, following_.z());
  const auto [first, count] = problem_.layout.triples_beginning(block_);
  if (problem_.bounds) problem_.bounds->project(following_.z(), first, count);
}

}  // namespace keydrape
