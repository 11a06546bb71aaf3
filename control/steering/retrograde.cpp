#include "control/steering/retrograde.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace keydrape {
namespace {

// Of a block of forces. The first tells what has to be done, the second how well it was done.
constexpr int kTrials = 2;
// Of the last block before a keyframe, until it is near enough.
constexpr int kLandingTrials = 12;
// Attempts tell different things where what they leave differs by this share from what a mixture of
// others would leave.
constexpr double kIndependent = 1e-6;

}  // namespace

Retrograde::Retrograde(Problem problem, TrialObserver observer)
    : problem_(std::move(problem)), observer_(std::move(observer)), z_(VecX::Zero(problem_.layout.size())) {
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
  if (step == 0 || step == path_end_) find_path(step, state);
  u.setZero();
  if (block >= 0 && !is_lost_) {
    if (block != block_ && path_end_ > step) {
      int end = step + 1;
      while (end < path_end_ && problem_.layout.block_of_step(end) == block) ++end;
      choose(block, {step, end}, {state, before_ ? &*before_ : nullptr});
    }
    problem_.layout.force(z_, block, u);
  }
  before_ = state;
}

std::optional<VecX> Retrograde::expected(int step) const {
  if (step < best_begin_ || step >= best_begin_ + static_cast<int>(best_ends_.size())) return std::nullopt;
  return best_ends_[step - best_begin_];
}

void Retrograde::observe(int step, const StepReport& report) {
  trial_reports_.push_back(report);
  if (observer_) observer_(step, report);
}

void Retrograde::find_path(int step, const State& state) {
  const Keyframe* next = nullptr;
  for (const Keyframe& k : problem_.keyframes)
    if (k.has_weight() && k.state > step && (!next || k.state < next->state)) next = &k;
  path_.clear();
  if (!next) return;
  path_begin_ = step;
  path_end_ = next->state;
  near_enough_ = problem_.near_enough[next - problem_.keyframes.data()];
  weight_ = next->vertex_weight;
  wants_ = VecX::Zero(state.x.size());
  VecX x = problem_.near.states[path_end_].x;
  for (Eigen::Index i = 0; i < next->vertex_weight.size(); ++i) {
    if (next->vertex_weight[i] <= 0.0) continue;
    wants_.segment<3>(3 * i).setOnes();
    x.segment<3>(3 * i) = next->target.segment<3>(3 * i);
  }
  path_.resize(path_end_ - path_begin_ + 1);
  path_.front() = state.x;
  path_.back() = x;
  const VecX& mass = problem_.simulator.model().mass();
  const double dt = problem_.simulator.dt();
  const double duration = dt * (path_end_ - path_begin_);
  State at{x, 0.5 * state.v - 1.5 / duration * (x - state.x),  // (R1)
           problem_.near.states[path_end_].exempt};
  VecX u = VecX::Zero(x.size());
  for (int n = path_end_ - 1; n > path_begin_; --n) {
    const double tau = dt * (n + 1 - path_begin_);
    if (problem_.base) problem_.base->force(n, u);
    const VecX a = 6.0 / (tau * tau) * (state.x - at.x) - (4.0 * at.v - 2.0 * state.v) / tau;  // (R2)
    u += mass.cwiseProduct(wants_).cwiseProduct(a);
    // Pins and bodies as they are at state n, where step n - 1 ends.
    StepResult back = problem_.simulator.step(n - 1, at, u, {});
    observe(n, back.report);
    if (!back.report.converged()) {
      is_lost_ = true;
      return;
    }
    at = std::move(back.next);
    path_[n - path_begin_] = at.x;
    u.setZero();
  }
}

VecX Retrograde::mean_acceleration(const Span& span) const {
  VecX sum = VecX::Zero(wants_.size());
  if (span.first == path_begin_) return sum;  // the path does not quite begin where the cloth is
  const auto at = [&](int n) -> const VecX& { return path_[n - path_begin_]; };
  // Second differences, added up.
  sum = (at(span.end) - at(span.end - 1)) - (at(span.first) - at(span.first - 1));
  return sum / (problem_.simulator.dt() * problem_.simulator.dt() * span.count());
}

void Retrograde::push(int block, const Span& span, const VecX& way, VecX& z) const {
  const double k = span.count(), dt = problem_.simulator.dt();
  ControlLayout::Rows y = ControlLayout::Rows::Zero(problem_.layout.active_count(), 3);
  for (int j = 0; j < problem_.layout.active_count(); ++j) {
    const Eigen::Index i = 3 * static_cast<Eigen::Index>(problem_.layout.active()[j]);
    // (R4)
    const Vec3 a = 2.0 / (dt * dt * k * (k + 1.0)) * wants_.segment<3>(i).cwiseProduct(way.segment<3>(i));
    y.row(j) = problem_.layout.compliance(j) * a.transpose() /
               (kStandardGravity * problem_.layout.acceleration_scale(block, j));
  }
  problem_.layout.add_beginning(block, y, z);
  const auto [first, count] = problem_.layout.triples_beginning(block);
  if (problem_.bounds) problem_.bounds->project(z, first, count);
}

Retrograde::BlockRun Retrograde::run_block(const Span& span, const StepFrom& from, const VecX& z) {
  const ControlForces forces(problem_.layout, z, problem_.base);
  BlockRun run{{}, from.start, true};
  std::optional<State> before;
  if (from.before) before = *from.before;
  VecX u(from.start.x.size());
  for (int n = span.first; n < span.end; ++n) {
    forces.force(n, u);
    const VecX& along = best_ends_.empty() ? path_[n + 1 - path_begin_] : best_ends_[n - span.first];
    StepResult result =
        problem_.simulator.step(n, {run.last, before ? &*before : nullptr}, u, {nullptr, &along});
    observe(n, result.report);
    run.is_complete = run.is_complete && result.report.converged();
    if (!run.is_complete) break;
    before = std::exchange(run.last, std::move(result.next));
    run.ends.push_back(run.last.x);
  }
  return run;
}

double Retrograde::miss(const VecX& off) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < weight_.size(); ++i) sum += weight_[i] * off.segment<3>(3 * i).squaredNorm();
  return std::sqrt(sum / weight_.sum());
}

Retrograde::Attempt Retrograde::anderson_mix(const std::vector<Attempt>& attempts, size_t best) {
  Attempt mix = attempts[best];
  if (attempts.size() == 1) return mix;
  Eigen::MatrixXd differences(mix.off.size(), attempts.size());
  for (size_t j = 0; j < attempts.size(); ++j) differences.col(j) = attempts[best].off - attempts[j].off;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(differences);
  qr.setThreshold(kIndependent);
  const VecX share = qr.solve(mix.off);
  mix.off -= differences * share;
  for (size_t j = 0; j < attempts.size(); ++j) mix.z -= share[j] * (attempts[best].z - attempts[j].z);
  return mix;
}

void Retrograde::choose(int block, const Span& span, const StepFrom& from) {
  block_ = block;
  best_ends_.clear();
  best_begin_ = span.first;
  const double k = span.count(), dt = problem_.simulator.dt();
  VecX z = z_;
  push(block, span, 0.5 * dt * dt * k * (k + 1.0) * mean_acceleration(span), z);  // (R3)
  std::vector<Attempt> attempts;
  size_t best = 0;
  double share = 1.0;
  const bool is_landing = span.end == path_end_;
  for (int trial = 0; trial < (is_landing ? kLandingTrials : kTrials); ++trial) {
    BlockRun run = run_block(span, from, z);
    if (!run.is_complete && trial == 0) break;
    if (run.is_complete) {
      attempts.push_back({z, wants_.cwiseProduct(path_[span.end - path_begin_] - run.last.x)});
      if (attempts.size() == 1 || attempts.back().off.norm() < attempts[best].off.norm()) {
        best = attempts.size() - 1;
        best_ends_ = std::move(run.ends);
        z_ = z;
      }
    } else {
      share *= 0.5;
    }
    if (is_landing && miss(attempts[best].off) <= near_enough_) break;
    Attempt mix = anderson_mix(attempts, best);
    push(block, span, share * mix.off, mix.z);
    z = std::move(mix.z);
  }
}

}  // namespace keydrape
