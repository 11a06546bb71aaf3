#include "control/steering/path_following.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {
namespace {

// Of a block of forces. The first tells what has to be done, the second how well it was done.
constexpr int kTrials = 2;
// Of the last block of a path, until its end is near enough.
constexpr int kLandingTrials = 12;
// Cloth that may come back in time takes, in blocks beyond the one that is chosen, a share of those that are
// left but one; at least and at most so many. In the last three it is held to its path: what is off before
// the last block, that one has to make good alone.
constexpr double kReturn = 0.25, kLeastReturn = 0.5, kMostReturn = 5.0, kHeld = 2.5;
// Attempts tell different things where what they leave differs by this share from what a mixture of
// others would leave.
constexpr double kIndependent = 1e-6;

}  // namespace

PathFollowing::PathFollowing(const Problem& problem, VecX z, TrialObserver observer)
    : problem_(problem), observer_(std::move(observer)), z_(std::move(z)) {
  assert(z_.size() == problem_.layout.size());
}

void PathFollowing::follow(Path path) {
  assert(static_cast<int>(path.positions.size()) == path.end - path.begin + 1);
  path_ = std::move(path);
  best_ends_.clear();
}

PathFollowing::Span PathFollowing::span(int first) const {
  const int block = problem_.layout.block_of_step(first);
  int end = first + 1;
  while (end < path_.end && problem_.layout.block_of_step(end) == block) ++end;
  return {first, end};
}

std::optional<VecX> PathFollowing::expected(int step) const {
  if (step < best_begin_ || step >= best_begin_ + static_cast<int>(best_ends_.size())) return std::nullopt;
  return best_ends_[step - best_begin_];
}

void PathFollowing::observe(int step, const StepReport& report) {
  reports_.push_back(report);
  if (observer_) observer_(step, report);
}

void PathFollowing::push(const Span& span, const VecX& way, VecX& z) const {
  const ControlLayout& layout = problem_.layout;
  const int block = layout.block_of_step(span.first);
  const double k = span.count(), dt = problem_.simulator.dt();
  ControlLayout::Rows y = ControlLayout::Rows::Zero(layout.active_count(), 3);
  for (int j = 0; j < layout.active_count(); ++j) {
    const int i = layout.active()[j];
    if (path_.weight[i] <= 0.0) continue;
    const Vec3 a = 2.0 / (dt * dt * k * (k + 1.0)) * way.segment<3>(3 * i);  // (R4)
    y.row(j) =
        layout.compliance(j) * a.transpose() / (kStandardGravity * layout.acceleration_scale(block, j));
  }
  layout.add_beginning(block, y, z);
  const auto [first, count] = layout.triples_beginning(block);
  if (problem_.bounds) problem_.bounds->project(z, first, count);
}

PathFollowing::BlockRun PathFollowing::run_block(const Span& span, const StepFrom& from, const VecX& z) {
  const ControlForces forces(problem_.layout, z, problem_.base);
  BlockRun run{{}, from.start, true};
  std::optional<State> before;
  if (from.before) before = *from.before;
  VecX u(from.start.x.size());
  for (int n = span.first; n < span.end; ++n) {
    forces.force(n, u);
    const VecX& along = best_ends_.empty() ? path_.at(n + 1) : best_ends_[n - span.first];
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

PathFollowing::Aim PathFollowing::aim(const Span& span) const {
  const double k = span.count(), left = (path_.end - span.end) / k;
  if (path_.back == Return::kAtOnce || left < kHeld) return {0.0, 1.0};
  const double m = 1.0 + std::clamp(kReturn * (left - 1.0), kLeastReturn, kMostReturn),
               c = (k + 1.0) / (2.0 * k);
  // Pushed in a block that j others follow, a particle is carried (c + j) (k h)^2 times as far as it is
  // accelerated: squares of that, added up over j < m.
  const double sum = m * c * c + m * (m - 1.0) * c + m * (m - 1.0) * (2.0 * m - 1.0) / 6.0;
  return {(m - 1.0) * k * problem_.simulator.dt(), c * (c + m - 1.0) / sum};
}

VecX PathFollowing::off_path(const Span& span, const State& end, const Aim& aim) const {
  const VecX &wanted = path_.at(span.end), &before = path_.at(span.end - 1);
  VecX off = wanted - end.x;
  if (aim.lead > 0.0) off += aim.lead * ((wanted - before) / problem_.simulator.dt() - end.v);
  for (Eigen::Index i = 0; i < path_.weight.size(); ++i)
    if (path_.weight[i] <= 0.0) off.segment<3>(3 * i).setZero();
  return off;
}

double PathFollowing::miss(const VecX& off) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < path_.weight.size(); ++i)
    sum += path_.weight[i] * off.segment<3>(3 * i).squaredNorm();
  return std::sqrt(sum / path_.weight.sum());
}

PathFollowing::Attempt PathFollowing::anderson_mix(const std::vector<Attempt>& attempts, size_t best) {
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

void PathFollowing::choose(const Span& span, const StepFrom& from, const VecX& way) {
  best_ends_.clear();
  best_begin_ = span.first;
  const ControlLayout& layout = problem_.layout;
  const auto [first, count] = layout.triples_beginning(layout.block_of_step(span.first));
  VecX z = z_;
  auto of_block = z.segment(3 * first, 3 * count);
  push(span, way, z);
  std::vector<Attempt> attempts;
  size_t best = 0;
  double share = 1.0;
  const bool is_landing = span.end == path_.end;
  const Aim aim = this->aim(span);
  for (int trial = 0; trial < (is_landing ? kLandingTrials : kTrials); ++trial) {
    BlockRun run = run_block(span, from, z);
    if (!run.is_complete && trial == 0) break;
    if (run.is_complete) {
      attempts.push_back({of_block, off_path(span, run.last, aim)});
      if (attempts.size() == 1 || attempts.back().off.norm() < attempts[best].off.norm()) {
        best = attempts.size() - 1;
        best_ends_ = std::move(run.ends);
        z_ = z;
      }
    } else {
      share *= 0.5;
    }
    if (is_landing && miss(attempts[best].off) <= path_.near_enough) break;
    const Attempt mix = anderson_mix(attempts, best);
    of_block = mix.z;
    push(span, share * aim.share * mix.off, z);
  }
}

}  // namespace keydrape
