#include "control/search/obstacles.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "control/task/rivalry.h"
#include "core/constraint/active_time.h"
#include "core/constraint/hard_pin.h"
#include "core/inspect/strain.h"

namespace keydrape {
namespace {

// Share of a miss, or of the forces, from which on something is said to hold the cloth back.
constexpr double kNoticeableShare = 0.05, kMostly = 0.5;
// Share of the goal from which on forces cost too much, where the search was not at its end: one that was has
// weighed them against the miss, and then a noticeable share is enough.
constexpr double kDearShare = 0.25;
// So many times the runs are worth asking for.
constexpr int kMoreRuns = 4;
// Of a miss, what is left of it after the second half of the runs where it was still falling.
constexpr double kStillFalling = 0.75;

// What was missed of a target.
struct Missed {
  VecX squares;                // the squared misses of single vertices, weighted (n)
  double allowed_share = 0.0;  // of their sum, within the tolerance
  double mean_share = 0.0;     // of it, the weighted mean of all vertices' offsets, squared
  double rival = 0.0;          // distance to a keyframe that the tolerances leave no room for; 0: none [m]
  bool wants_runs = false;     // more of them may meet it
  bool was_met = false;        // by a run that the goal liked less
};

// |mean of r|^2, with weights.
double squared_mean(const VecX& omega, const VecX& r) {
  Vec3 sum = Vec3::Zero();
  for (Eigen::Index i = 0; i < omega.size(); ++i) sum += omega[i] * r.segment<3>(3 * i);
  return (sum / omega.sum()).squaredNorm();
}

// Of the offsets r of all vertices.
Missed missed_by(const VecX& omega, const VecX& r) {
  Missed missed;
  missed.squares = VecX::Zero(omega.size());
  double sum = 0.0;
  for (Eigen::Index i = 0; i < omega.size(); ++i) {
    missed.squares[i] = omega[i] * r.segment<3>(3 * i).squaredNorm();
    sum += missed.squares[i];
  }
  const double mean_square = sum / omega.sum();
  missed.mean_share = mean_square > 0.0 ? squared_mean(omega, r) / mean_square : 0.0;
  return missed;
}

// Share of squared misses that lies on the vertices of a set.
template <class Contains>
double share_of(const VecX& squares, const Contains& contains) {
  double part = 0.0;
  for (int i = 0; i < static_cast<int>(squares.size()); ++i)
    if (contains(i)) part += squares[i];
  const double whole = squares.sum();
  return whole > 0.0 ? part / whole : 0.0;
}

// Whether the target is a shape of the whole cloth's own mesh, at a moment that stands.
bool is_pose(const Keyframe& keyframe) { return !keyframe.is_adaptive() && !keyframe.relative_to; }
// Whether it is asked for, too: the mesh of a keyframe of velocities alone is nobody's wish.
bool is_wanted_pose(const Keyframe& keyframe) { return is_pose(keyframe) && keyframe.weight > 0.0; }

// Vertices of pins (n).
struct PinnedVertices {
  std::vector<bool> held;   // in all directions, for good
  std::vector<bool> moved;  // by a channel
};

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
      const std::size_t worst = worst_of_target(k, &KeyframeMiss::rms);
      const std::size_t farthest = worst_of_target(k, &KeyframeMiss::max);
      const Target& target = task_.targets[worst];
      const std::optional<double>& tolerance_max = task_.targets[farthest].tolerance_max;
      if (target.tolerance && best_.misses[worst].rms > *target.tolerance)
        obstacles.push_back(of_position(worst));
      else if (tolerance_max && best_.misses[farthest].max > *tolerance_max)
        obstacles.push_back(of_farthest(farthest));
      if (target.velocity_tolerance && best_.misses[worst].velocity_rms > *target.velocity_tolerance)
        obstacles.push_back(of_velocity(worst));
    }
    return obstacles;
  }

 private:
  const Keyframe& keyframe(std::size_t k) const { return goal_->keyframes[k]; }

  bool is_same_target(std::size_t a, std::size_t b) const {
    return keyframe(a).target_id >= 0 && keyframe(a).target_id == keyframe(b).target_id;
  }

  // Of the keyframes of k's target, from k on, that with the largest of these misses.
  std::size_t worst_of_target(std::size_t k, double KeyframeMiss::*miss) const {
    std::size_t worst = k;
    for (std::size_t j = k; j < best_.misses.size() && (j == k || is_same_target(k, j)); ++j)
      if (best_.misses[j].*miss > best_.misses[worst].*miss) worst = j;
    return worst;
  }

  VecX positions(std::size_t k) const { return compared_state(keyframe(k), states_of(best_.trajectory)).x; }

  Obstacle of_position(std::size_t k) const {
    const double tolerance = *task_.targets[k].tolerance, miss = best_.misses[k].rms;
    Obstacle obstacle{k, MissedTolerance::kRms, best_.misses[k]};
    const auto& least = result_.summary.closest.now.least;
    obstacle.closest = least.empty() ? miss : std::min(miss, least[k].rms);
    if (keyframe(k).weight > 0.0) {
      Missed missed = missed_by(keyframe(k).vertex_weight, positions(k) - keyframe(k).target);
      missed.allowed_share = tolerance * tolerance / (miss * miss);
      missed.rival = distance_to_rival(k);
      missed.was_met = !least.empty() && least[k].rms <= tolerance;
      missed.wants_runs = wants_more_runs(k, missed.was_met, &KeyframeMiss::rms, tolerance);
      explain(k, missed, obstacle);
    } else {
      obstacle.kind = ObstacleKind::kNoWeight;
    }
    return obstacle;
  }

  Obstacle of_farthest(std::size_t k) const {
    Obstacle obstacle{k, MissedTolerance::kOneVertex, best_.misses[k]};
    const double tolerance = *task_.targets[k].tolerance_max, miss = best_.misses[k].max;
    const VecX distances = vertex_distances(keyframe(k), positions(k));
    Eigen::Index vertex = 0;
    distances.maxCoeff(&vertex);
    VecX square = VecX::Zero(distances.size());
    square[vertex] = miss * miss;
    if (keyframe(k).weight > 0.0) {
      const double mean = squared_mean(keyframe(k).vertex_weight, positions(k) - keyframe(k).target);
      explain(k,
              {.squares = square,
               .allowed_share = tolerance * tolerance / (miss * miss),
               .mean_share = mean / (miss * miss),
               .rival = distance_to_rival(k),
               .wants_runs = is_out_of_runs(k)},
              obstacle);
    } else {
      obstacle.kind = ObstacleKind::kNoWeight;
    }
    return obstacle;
  }

  Obstacle of_velocity(std::size_t k) const {
    Obstacle obstacle{k, MissedTolerance::kVelocity, best_.misses[k]};
    const double tolerance = *task_.targets[k].velocity_tolerance, miss = best_.misses[k].velocity_rms;
    const VecX v = compared_state(keyframe(k), states_of(best_.trajectory)).v;
    Missed missed = missed_by(keyframe(k).velocity_omega(), v - keyframe(k).target_velocity);
    missed.allowed_share = tolerance * tolerance / (miss * miss);
    const auto& least = result_.summary.closest.now.least;
    missed.was_met = !least.empty() && least[k].velocity_rms <= tolerance;
    missed.wants_runs = wants_more_runs(k, missed.was_met, &KeyframeMiss::velocity_rms, tolerance);
    explain(k, missed, obstacle);
    return obstacle;
  }

  // Whether the search ended before its time; of windows the last one that sees the target.
  bool is_out_of_runs(std::size_t k) const {
    const SearchSummary& summary = result_.summary;
    if (options_.windows.empty()) return summary.is_out_of_budget;
    const int state = best_.misses[k].state, substeps = task_.grid.substeps;
    for (int w = static_cast<int>(options_.windows.size()) - 1; w >= 0; --w) {
      const IntervalRange& window = options_.windows[static_cast<std::size_t>(w)];
      if (window.first * substeps < state && state <= window.last * substeps)
        return std::count(summary.windows_spent.begin(), summary.windows_spent.end(), w) > 0;
    }
    return false;
  }

  // Whether more runs are worth asking for: as far as these misses fell so far, they meet the tolerance, or
  // they fell much until the search's end, which was before its time.
  bool wants_more_runs(std::size_t k, bool was_met, double KeyframeMiss::*miss, double tolerance) const {
    const ClosestMisses& closest = result_.summary.closest;
    if (!is_out_of_runs(k)) return false;
    // It was there, and the goal liked cheaper forces better.
    if (!task_.effort.automatic && was_met) return false;
    // How fast they fall takes two runs.
    const bool is_known = !closest.now.least.empty() && closest.now.runs > closest.quarter.runs;
    // What lies between the run without forces and a start is no fall of the search.
    const ClosestMisses::Mark& before = closest.quarter.runs > 1 ? closest.quarter : closest.half;
    const bool falls = before.runs > 1 && closest.now.least[k].*miss < kStillFalling * before.least[k].*miss;
    return !is_known || falls || closest.after(kMoreRuns, k, miss) <= tolerance;
  }

  // Whether cheaper forces would have taken the cloth nearer: a number weighs them against the miss, and they
  // are a share of the goal that counts.
  bool is_too_dear(std::size_t k, const Missed& missed) const {
    if (task_.effort.automatic) return false;
    const ObjectiveTerms& terms = best_.record.terms;
    const double share = terms.total() > 0.0 ? 1.0 - terms.keyframes / terms.total() : 0.0;
    return missed.was_met || share > (last_runs(k) == LastRuns::kSettled ? kNoticeableShare : kDearShare);
  }

  LastRuns last_runs(std::size_t k) const {
    if (is_out_of_runs(k)) return LastRuns::kNoNearer;
    return result_.summary.end == SearchEnd::kNoDescent ? LastRuns::kRefused : LastRuns::kSettled;
  }

  // The distance to a keyframe of the same moment that pulls elsewhere than the tolerances of both leave room
  // for; 0: there is none [m].
  double distance_to_rival(std::size_t k) const {
    if (!is_wanted_pose(keyframe(k))) return 0.0;
    double farthest = 0.0;
    for (std::size_t j = 0; j < task_.targets.size(); ++j) {
      const Keyframe& other = keyframe(j);
      if (j == k || other.state != keyframe(k).state || !is_wanted_pose(other)) continue;
      farthest = std::max(farthest, rivalry(task_.targets[k], task_.targets[j]));
    }
    return farthest;
  }

  bool is_outside_windows(int state) const {
    const std::vector<IntervalRange>& windows = options_.windows;
    if (windows.empty()) return false;
    const int substeps = task_.grid.substeps;
    return !(windows.front().first * substeps < state && state <= windows.back().last * substeps);
  }

  // Of the forces before a state, those that are as large as they may be; of splines, of all.
  double share_at_bound(int state) const {
    if (!prepared_.bounds) return 0.0;
    const ControlLayout& layout = *prepared_.layout;
    const int before = layout.blocks_before(state) * layout.active_count();
    return prepared_.bounds->share_at_bound(best_.z, layout.is_plain() ? before : prepared_.bounds->count());
  }

  template <class IsIt>
  bool any_channel(const IsIt& is_it) const {
    return std::any_of(task_.channels.begin(), task_.channels.end(), is_it);
  }

  // Of pins that hold one vertex the first counts, as in StepConstraints.
  PinnedVertices pinned_at(int state) const {
    const std::vector<bool> none(static_cast<std::size_t>(task_.vertex_count()), false);
    PinnedVertices pinned{none, none};
    std::vector<bool> is_seen = none;
    const std::vector<HardPin>& pins = prepared_.model->pins();
    for (std::size_t p = 0; p < pins.size(); ++p) {
      if (!is_active(pins[p].begin_time, pins[p].end_time, state * task_.grid.dt())) continue;
      const bool is_moved = any_channel([&](const ChannelSpec& channel) {
        return channel.kind == ChannelKind::kPin && channel.pin_kind == PinKind::kHard &&
               channel.pin == static_cast<int>(p);
      });
      for (const int i : pins[p].vertices) {
        if (is_seen[i]) continue;
        is_seen[i] = true;
        pinned.moved[i] = is_moved;
        pinned.held[i] = !is_moved && pins[p].free.isZero();
      }
    }
    return pinned;
  }

  // In how many places no cloth can take the target: within a body, through itself but where it began so,
  // beyond the strain limit. Asked only of targets of the whole cloth.
  int impossible_places(const Keyframe& keyframe) const {
    const bool is_asked =
        is_wanted_pose(keyframe) && keyframe.state > 0 && keyframe.vertex_weight.minCoeff() > 0.0;
    if (!is_asked) return 0;
    const VecX zero = VecX::Zero(keyframe.target.size());
    const State posed{keyframe.target, zero, task_.start.exempt};
    const Simulator& simulator =
        variant_ && variant_->simulator ? *variant_->simulator : *prepared_.simulator;
    StepWorkspace work;
    return simulator.problem(keyframe.state - 1, posed, zero, work).count_violations(keyframe.target);
  }

  // Whether the target has a strain that is known: shapes of their own have, where no channel changes the
  // lengths of the cloth.
  bool has_strain(const Keyframe& keyframe, MissedTolerance missed) const {
    const bool is_stretched =
        any_channel([](const ChannelSpec& channel) { return channel.kind == ChannelKind::kStretchScale; });
    return missed != MissedTolerance::kVelocity && !is_stretched && is_wanted_pose(keyframe) &&
           keyframe.state > 0 && keyframe.vertex_weight.minCoeff() > 0.0;
  }

  // Where the target strains cloth beyond what it gives (n).
  std::vector<char> strained_at(const Keyframe& keyframe, MissedTolerance missed) const {
    if (!has_strain(keyframe, missed))
      return std::vector<char>(static_cast<std::size_t>(task_.vertex_count()), 0);
    return StrainMeter(task_.cloth).vertices_beyond(keyframe.target, keyframe.state * task_.grid.dt());
  }

  // By how much the result's cloth is squeezed there, if by more than it gives.
  double crumpling(const Keyframe& keyframe) const {
    const std::vector<char> none(static_cast<std::size_t>(task_.vertex_count()), 0);
    const VecX& x = best_.trajectory.states[static_cast<std::size_t>(keyframe.state)].x;
    const StrainFigures strain = StrainMeter(task_.cloth).at(x, keyframe.state * task_.grid.dt(), none);
    return strain.squeeze_99 > strain.limit ? strain.squeeze_99 : 0.0;
  }

  // Whether the miss is mostly that the cloth as a whole is elsewhere, and no net force may take it along.
  // Where pins, bodies or air push back its centre moves all the same.
  bool is_of_net(const Missed& missed) const {
    const NetForce net = task_.pushing.net;
    const ClothDescription& cloth = task_.cloth;
    // With a zero impulse alone forces could take it along, if they did not cost so much.
    if (net == NetForce::kFree || (net == NetForce::kZeroImpulse && !task_.effort.automatic)) return false;
    const bool is_free = cloth.pins.empty() && cloth.soft_pins.empty() && cloth.bodies.empty() &&
                         cloth.surfaces.empty() && !cloth.wind && !cloth.pressure;
    return is_free && missed.mean_share > std::max(kMostly, missed.allowed_share);
  }

  // Where no forces may act.
  ObstacleKind of_channels(std::size_t k, const Missed& missed) const {
    if (missed.wants_runs) return ObstacleKind::kForwardRuns;
    if (is_too_dear(k, missed)) return ObstacleKind::kEffort;
    return is_out_of_runs(k) ? ObstacleKind::kForwardRuns : ObstacleKind::kChannels;
  }

  void explain(std::size_t k, const Missed& missed, Obstacle& obstacle) const {
    const Keyframe& goal = keyframe(k);
    const VecX& squares = missed.squares;
    const auto is = [&](ObstacleKind kind) { obstacle.kind = kind; };
    obstacle.distance = missed.rival;
    if (obstacle.distance > 0.0) return is(ObstacleKind::kRival);
    if (is_outside_windows(goal.state)) return is(ObstacleKind::kOutsideWindow);
    if (prepared_.layout->blocks_before(goal.state) == 0) return is(ObstacleKind::kNoForceBefore);
    const PinnedVertices pinned = pinned_at(goal.state);
    const std::vector<bool>&held = pinned.held, &moved = pinned.moved;
    const std::vector<char> strained = strained_at(goal, obstacle.missed);
    std::vector<bool> pushed(held.size(), false);
    for (const int i : prepared_.layout->active()) pushed[i] = true;
    // No force moves what pins hold; of the rest a strained target is missed by whoever pushes.
    const double pins = share_of(squares, [&](int i) { return held[i]; });
    const double strain = share_of(squares, [&](int i) { return !held[i] && strained[i] != 0; });
    const auto is_outside = [&](int i) { return !held[i] && !moved[i] && !pushed[i]; };
    const double region = share_of(squares, [&](int i) { return is_outside(i) && !strained[i]; });
    const bool pins_are_enough = pins > missed.allowed_share;
    if (pins >= std::max(strain, region) && (pins_are_enough || pins > kMostly)) {
      obstacle.share = pins;
      return is(ObstacleKind::kPins);
    }
    obstacle.pins_share = pins_are_enough ? pins : 0.0;
    if (task_.pushing.vertices.empty()) return is(of_channels(k, missed));
    obstacle.share = strain;
    if (strain > std::max(kMostly, region)) return is(ObstacleKind::kStrained);
    obstacle.share = share_of(squares, is_outside);
    if (region > kMostly) return is(ObstacleKind::kRegion);
    obstacle.places = impossible_places(goal);
    if (obstacle.places > 0) return is(ObstacleKind::kImpossibleShape);
    obstacle.share = share_at_bound(goal.state);
    if (obstacle.share > kMostly) return is(ObstacleKind::kBound);
    if (missed.wants_runs) return is(ObstacleKind::kForwardRuns);
    obstacle.last_runs = last_runs(k);
    if (obstacle.share > kNoticeableShare) return is(ObstacleKind::kBound);
    // Nothing else is in the way: then what pins hold is, however little.
    obstacle.share = pins;
    if (pins_are_enough) return is(ObstacleKind::kPins);
    obstacle.share = missed.mean_share;
    if (is_of_net(missed)) return is(ObstacleKind::kNet);
    if (is_too_dear(k, missed)) return is(ObstacleKind::kEffort);
    // Whether it is the cloth nobody knows whose forces may not go everywhere.
    const bool go_everywhere = prepared_.layout->is_plain() && task_.pushing.net == NetForce::kFree;
    is(go_everywhere ? ObstacleKind::kCloth : ObstacleKind::kBasis);
    obstacle.is_strain_in_reach =
        has_strain(goal, obstacle.missed) && std::count(strained.begin(), strained.end(), char{1}) == 0;
    obstacle.crumpling = crumpling(goal);
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
