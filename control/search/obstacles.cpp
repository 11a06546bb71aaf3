#include "control/search/obstacles.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/constraint/hard_pin.h"

namespace keydrape {
namespace {

// Share of a miss, or of the forces, from which on something is said to hold the cloth back.
constexpr double kNoticeableShare = 0.05, kMostly = 0.5;
// So many times the runs are worth asking for.
constexpr int kMoreRuns = 4;

// Share of the squared miss that lies on the vertices of a set.
template <class Contains>
double share_of_miss(const Keyframe& keyframe, const VecX& compared, const Contains& contains) {
  double part = 0.0, whole = 0.0;
  for (int i = 0; i < static_cast<int>(keyframe.vertex_weight.size()); ++i) {
    const double square =
        keyframe.vertex_weight(i) * (compared - keyframe.target).segment<3>(3 * i).squaredNorm();
    whole += square;
    if (contains(i)) part += square;
  }
  return whole > 0.0 ? part / whole : 0.0;
}

// How far apart two keyframes of one moment are, over the vertices that both pose: RMS [m].
double distance_between(const Keyframe& a, const Keyframe& b) {
  double sum = 0.0, weights = 0.0;
  for (Eigen::Index i = 0; i < a.vertex_weight.size(); ++i) {
    const double weight = std::min(a.vertex_weight(i), b.vertex_weight(i));
    sum += weight * (a.target - b.target).segment<3>(3 * i).squaredNorm();
    weights += weight;
  }
  return weights > 0.0 ? std::sqrt(sum / weights) : 0.0;
}

// Whether the target is a shape of the whole cloth's own mesh, at a moment that stands.
bool is_pose(const Keyframe& keyframe) { return !keyframe.is_adaptive() && !keyframe.relative_to; }

class Finder {
 public:
  Finder(const PreparedTask& prepared, const SearchOptions& options, const SearchResult& result)
      : prepared_(prepared), task_(prepared.task), options_(options), result_(result), best_(*result.best) {
    std::vector<int> states;
    for (const KeyframeMiss& miss : best_.misses) states.push_back(miss.state);
    goal_ = adapted_at(*prepared.objective->first_goal(), best_.trajectory, states, task_.length());
    if (const Channels* channels = prepared.channels.get())
      variant_.emplace(channels->variant(channels->values(prepared.layout->channels(best_.z))));
  }

  std::vector<Obstacle> find() const {
    std::vector<Obstacle> obstacles;
    for (std::size_t k = 0; k < task_.targets.size(); ++k) {
      if (k > 0 && is_same_target(k - 1, k)) continue;
      const std::size_t worst = worst_of_target(k);
      const KeyframeMiss& miss = best_.misses[worst];
      const Target& target = task_.targets[worst];
      if (target.tolerance && miss.rms > *target.tolerance) obstacles.push_back(of_position(worst));
      if (target.velocity_tolerance && miss.velocity_rms > *target.velocity_tolerance)
        obstacles.push_back(of_velocity(worst));
    }
    return obstacles;
  }

 private:
  const Keyframe& keyframe(std::size_t k) const { return goal_->keyframes[k]; }

  bool is_same_target(std::size_t a, std::size_t b) const {
    return keyframe(a).target_id >= 0 && keyframe(a).target_id == keyframe(b).target_id;
  }

  // Of the keyframes of k's target, from k on, that with the largest miss.
  std::size_t worst_of_target(std::size_t k) const {
    std::size_t worst = k;
    for (std::size_t j = k; j < best_.misses.size() && (j == k || is_same_target(k, j)); ++j)
      if (best_.misses[j].rms > best_.misses[worst].rms) worst = j;
    return worst;
  }

  Obstacle of_position(std::size_t k) const {
    const double tolerance = *task_.targets[k].tolerance, miss = best_.misses[k].rms;
    Obstacle obstacle{k, false, best_.misses[k]};
    const auto& least = result_.summary.closest.now.least;
    obstacle.closest = least.empty() ? miss : std::min(miss, least[k].rms);
    if (keyframe(k).weight > 0.0)
      explain(k, tolerance * tolerance / (miss * miss), wants_more_runs(k, tolerance), obstacle);
    else
      obstacle.kind = ObstacleKind::kNoWeight;
    return obstacle;
  }

  Obstacle of_velocity(std::size_t k) const {
    Obstacle obstacle{k, true, best_.misses[k]};
    explain(k, 1.0, result_.summary.is_out_of_budget, obstacle);
    return obstacle;
  }

  // Whether the search ended before its time: as far as the misses fell so far, more runs meet the tolerance.
  bool wants_more_runs(std::size_t k, double tolerance) const {
    const SearchSummary& summary = result_.summary;
    if (!summary.is_out_of_budget) return false;
    // It was there, and the goal liked cheaper forces better.
    if (!task_.effort.automatic && !summary.closest.now.least.empty() &&
        summary.closest.now.least[k].rms <= tolerance)
      return false;
    // How fast they fall takes two runs.
    const bool is_known =
        !summary.closest.now.least.empty() && summary.closest.now.runs > summary.closest.quarter.runs;
    return !is_known || summary.closest.after(kMoreRuns, k) <= tolerance;
  }

  // The distance to a keyframe of the same moment that pulls elsewhere than the tolerances of both leave room
  // for; 0: there is none [m].
  double distance_to_rival(std::size_t k) const {
    if (!is_pose(keyframe(k))) return 0.0;
    double farthest = 0.0;
    for (std::size_t j = 0; j < task_.targets.size(); ++j) {
      const Keyframe& other = keyframe(j);
      if (j == k || other.state != keyframe(k).state || other.weight <= 0.0 || !is_pose(other)) continue;
      const double distance = distance_between(keyframe(k), other);
      if (distance > task_.targets[k].tolerance.value_or(0.0) + task_.targets[j].tolerance.value_or(0.0))
        farthest = std::max(farthest, distance);
    }
    return farthest;
  }

  bool is_outside_windows(int state) const {
    const std::vector<IntervalRange>& windows = options_.windows;
    if (windows.empty()) return false;
    const int substeps = task_.grid.substeps;
    return !(windows.front().first * substeps < state && state <= windows.back().last * substeps);
  }

  bool forces_act_before(int state) const {
    for (int n = 0; n < state; ++n)
      if (prepared_.layout->block_of_step(n) >= 0) return true;
    return false;
  }

  std::vector<bool> held_at(int state) const {
    std::vector<bool> held(static_cast<std::size_t>(task_.vertex_count()), false);
    const StepConstraints constraints(prepared_.model->pins(), state * task_.grid.dt(), task_.vertex_count());
    for (const StepConstraints::Row& row : constraints.rows()) held[row.vertex] = row.S.isZero();
    return held;
  }

  // In how many places no cloth can take the target: within a body, through itself, beyond the strain limit.
  // Asked only of targets of the whole cloth.
  int impossible_places(const Keyframe& keyframe) const {
    if (!is_pose(keyframe) || keyframe.state == 0 || keyframe.vertex_weight.minCoeff() <= 0.0) return 0;
    const VecX zero = VecX::Zero(keyframe.target.size());
    const State posed{keyframe.target, zero};
    const Simulator& simulator =
        variant_ && variant_->simulator ? *variant_->simulator : *prepared_.simulator;
    StepWorkspace work;
    return simulator.problem(keyframe.state - 1, posed, zero, work).count_violations(keyframe.target);
  }

  // `allowed_share`: of the squared miss of positions, within the tolerance.
  void explain(std::size_t k, double allowed_share, bool wants_runs, Obstacle& obstacle) const {
    const Keyframe& goal = keyframe(k);
    const VecX x = compared_state(goal, states_of(best_.trajectory)).x;
    const auto is = [&](ObstacleKind kind) { obstacle.kind = kind; };
    obstacle.distance = distance_to_rival(k);
    if (obstacle.distance > 0.0) return is(ObstacleKind::kRival);
    if (is_outside_windows(goal.state)) return is(ObstacleKind::kOutsideWindow);
    if (!forces_act_before(goal.state)) return is(ObstacleKind::kNoForceBefore);
    const std::vector<bool> held = held_at(goal.state);
    std::vector<bool> pushed(held.size(), false);
    for (const int i : prepared_.layout->active()) pushed[i] = true;
    obstacle.share = share_of_miss(goal, x, [&](int i) { return held[i]; });
    // No force moves them.
    if (obstacle.share > std::min(kMostly, allowed_share)) return is(ObstacleKind::kPins);
    if (task_.pushing.vertices.empty())
      return is(wants_runs ? ObstacleKind::kForwardRuns : ObstacleKind::kChannels);
    obstacle.share = share_of_miss(goal, x, [&](int i) { return !pushed[i] && !held[i]; });
    if (obstacle.share > kMostly) return is(ObstacleKind::kRegion);
    obstacle.places = impossible_places(goal);
    if (obstacle.places > 0) return is(ObstacleKind::kImpossibleShape);
    obstacle.share = prepared_.bounds ? prepared_.bounds->share_at_bound(best_.z) : 0.0;
    if (obstacle.share > kNoticeableShare) return is(ObstacleKind::kBound);
    if (wants_runs) return is(ObstacleKind::kForwardRuns);
    is(task_.effort.automatic ? ObstacleKind::kCloth : ObstacleKind::kEffort);
  }

  const PreparedTask& prepared_;
  const Task& task_;
  const SearchOptions& options_;
  const SearchResult& result_;
  const SearchPoint& best_;
  GoalPointer goal_;                     // as it was where the misses were measured
  std::optional<ClothVariant> variant_;  // what channels made of the cloth
};

}  // namespace

std::vector<Obstacle> find_obstacles(const PreparedTask& prepared, const SearchOptions& options,
                                     const SearchResult& result) {
  return Finder(prepared, options, result).find();
}

}  // namespace keydrape
