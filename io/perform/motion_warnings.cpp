#include "io/perform/motion_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "io/file/short_number.h"
#include "io/shot/doubt/vertex_words.h"

namespace keydrape {
namespace {

std::vector<std::string> implausible_forces(const ForceFigures& effort, const Shot& shot) {
  if (!(effort.peak_g > kImplausiblePeak)) return {};
  const Pushing& pushing = shot.task().pushing;
  const bool may_be_bounded =
      !pushing.modes && pushing.net == NetForce::kFree && !(shot.base() && pushing.knots_every);
  return {fmt::format(
      "the forces reach {} g, more than a shot can mean: move the keyframes nearer to where the cloth "
      "can get, {}give it more time{}",
      short_number(effort.peak_g, 2), may_be_bounded ? "" : "or ",
      may_be_bounded ? ", or bound them by [control] max_acceleration" : "")};
}

// Whether the key is more than a multiple of nothing.
bool smooth_time_counts(const Shot& shot) {
  const EffortPolicy& effort = shot.task().effort;
  return shot.has_forces() && (effort.automatic || effort.value > 0.0);
}

// From here on cloth may look snatched into its pose: the flag, which did, had 4.4; the examples that ask for
// tolerances have 1.4 to 2.6 (control/measurements/starts.md).
constexpr double kUneven = 3.0;  // RMS of the largest frame over the mean of all

// On which the mean force of a frame interval is largest, over its mass.
int most_pushed_vertex(const Shot& shot, const ForceSchedule& forces, int interval) {
  VecX sum = VecX::Zero(shot.start().x.size()), u = sum;
  for (int k = 0; k < shot.clock.substeps; ++k) {
    forces.force(interval * shot.clock.substeps + k, u);
    sum += u;
  }
  Eigen::Index vertex = 0;
  const auto size = sum.reshaped(3, sum.size() / 3).colwise().norm();
  (size.transpose().array() / shot.model().vertex_mass().array()).maxCoeff(&vertex);
  return static_cast<int>(vertex);
}

bool has_tolerance(const Task& task) {
  return std::any_of(task.targets.begin(), task.targets.end(), [](const Target& target) {
    return target.tolerance || target.tolerance_max || target.velocity_tolerance;
  });
}

std::vector<std::string> uneven_forces(const ForceFigures& effort, const Shot& shot,
                                       const ForceSchedule& forces) {
  if (!(effort.largest_over_mean() > kUneven)) return {};
  const int frame = shot.clock.frames.first + effort.largest_interval;
  int next = std::numeric_limits<int>::max();  // the keyframe that they are for; they are in no order
  for (const ShotKeyframe& keyframe : shot.keyframes)
    if (keyframe.frame > frame) next = std::min(next, keyframe.frame);
  const std::string_view remedy =
      shot.task().effort.automatic || has_tolerance(shot.task())
          ? "raise smooth_time in [control], or give the cloth more time to get there"
          : "name a tolerance and leave effort out, or raise effort or smooth_time";
  return {fmt::format(
      "the forces of frame {} are {:.1f} times those of a mean frame{}, the largest on {}: cloth may look "
      "snatched into its pose; {}",
      frame, effort.largest_over_mean(),
      next < std::numeric_limits<int>::max() ? fmt::format(", before the keyframe of frame {}", next) : "",
      vertex_in_words(shot.rest(), most_pushed_vertex(shot, forces, effort.largest_interval)), remedy)};
}

// So many frames before a target count as its arrival. A vertex is snatched into it that is so many times as
// fast as the cloth is anywhere without control, as targets of velocities ask for or as its fall explains,
// and as the cloth is on its way from the target before in the mean: brought somewhere from rest by the
// least forces it arrives 1.5 times as fast as that, in smooth shots up to 2.1 times.
constexpr int kArrivalFrames = 4;
constexpr double kFaster = 1.5, kFasterThanItsWay = 2.5;

// A vertex that is faster than anybody would think.
struct Rush {
  double speed = 0.0;  // [m/s]
  int vertex = -1;     // -1: there is none
  std::size_t keyframe = 0;
  int state = 0;  // at the end of that step
};

VecX speeds(const Trajectory& run, int state) {
  const VecX& v = run.states[static_cast<std::size_t>(state)].v;
  return v.reshaped(3, v.size() / 3).colwise().norm().transpose();
}

// The state of the target of places before this one; 0: there is none.
int state_of_target_before(const Shot& shot, const SearchPoint& best, std::size_t k) {
  int before = 0;
  for (std::size_t j = 0; j < shot.keyframes.size(); ++j)
    if (const int other = best.misses[j].state;
        shot.keyframes[j].keyframe.weight > 0.0 && other < best.misses[k].state)
      before = std::max(before, other);
  return before;
}

// Of the vertex that comes farthest, or is asked to, between a state and the target, in the mean [m/s]. The
// whole cloth counts: a wanted part takes along what hangs on it, and lets go of what another target wanted.
double fastest_on_way(const Shot& shot, const SearchPoint& best, int from, std::size_t k) {
  const std::vector<State>& states = best.trajectory.states;
  const auto x = [&](int state) -> const VecX& { return states[static_cast<std::size_t>(state)].x; };
  const Keyframe& keyframe = shot.keyframes[k].keyframe;
  const int to = best.misses[k].state;
  VecX asked = keyframe.target - x(from);
  if (keyframe.relative_to) asked += x(*keyframe.relative_to);
  double farthest = 0.0;
  for (int i = 0; i < keyframe.vertex_weight.size(); ++i) {
    farthest = std::max(farthest, (x(to) - x(from)).segment<3>(3 * i).norm());
    if (keyframe.vertex_weight[i] > 0.0) farthest = std::max(farthest, asked.segment<3>(3 * i).norm());
  }
  return farthest / ((to - from) * shot.simulator().dt());
}

// How fast each vertex may be by what gravity has done since it stood highest, from state to state.
class Fall {
 public:
  explicit Fall(const Shot& shot)
      : shot_(shot), work_(VecX::Zero(shot.start().x.size() / 3)), least_(work_) {}

  // The speeds at a state [m/s]. Requires n > 0, one after the other.
  VecX speeds_at(const Trajectory& run, int n) {
    const auto state = static_cast<std::size_t>(n);
    const VecX moved = run.states[state].x - run.states[state - 1].x;
    work_ += moved.reshaped(3, work_.size()).transpose() *
             shot_.task().cloth.gravity.at(n * shot_.simulator().dt());
    least_ = least_.cwiseMin(work_);
    return (2.0 * (work_ - least_)).cwiseSqrt();
  }

 private:
  const Shot& shot_;
  VecX work_, least_;  // over the mass
};

// The largest that targets ask for within so many states of one [m/s]; 0: none asks for velocities.
double asked_speed(const Shot& shot, const SearchPoint& best, int state, int nearness) {
  double fastest = 0.0;
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const Keyframe& keyframe = shot.keyframes[k].keyframe;
    if (keyframe.velocity_weight <= 0.0 || std::abs(best.misses[k].state - state) >= nearness) continue;
    for (int i = 0; i < keyframe.velocity_omega().size(); ++i)
      if (keyframe.velocity_omega()[i] > 0.0)
        fastest = std::max(fastest, keyframe.target_velocity.segment<3>(3 * i).norm());
  }
  return fastest;
}

// The worst; `free_speed`: of the fastest vertex without control [m/s]. Targets that ask for no place have
// none to be snatched into.
Rush find_snatch(const Shot& shot, const SearchPoint& best, double free_speed) {
  const int nearness = kArrivalFrames * shot.clock.substeps;
  struct Arrival {
    int after, state;  // the states after one, up to another
    double bound;
  };
  std::vector<Arrival> arrivals;  // one a keyframe
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const int state = best.misses[k].state, before = state_of_target_before(shot, best, k);
    const double expected = std::max(free_speed, asked_speed(shot, best, state, nearness));
    arrivals.push_back(
        {std::max(before, state - nearness), state,
         std::max(kFaster * expected, kFasterThanItsWay * fastest_on_way(shot, best, before, k))});
  }
  Rush worst;
  Fall fall(shot);
  for (int n = 1; n < static_cast<int>(best.trajectory.states.size()); ++n) {
    const VecX falling = fall.speeds_at(best.trajectory, n), now = speeds(best.trajectory, n);
    for (std::size_t k = 0; k < arrivals.size(); ++k) {
      if (shot.keyframes[k].keyframe.weight <= 0.0 || n <= arrivals[k].after || n > arrivals[k].state)
        continue;
      for (Eigen::Index i = 0; i < now.size(); ++i)
        if (now[i] > std::max({worst.speed, arrivals[k].bound, kFaster * falling[i]}))
          worst = {now[i], static_cast<int>(i), k, n};
    }
  }
  return worst;
}

// Behind the last target nothing asks for anything. What is faster then than it was there, and than it has
// fallen since, is driven by what the pose has stored in the cloth.
Rush find_recoil(const Shot& shot, const SearchPoint& best, double free_speed) {
  Rush worst;
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k)
    if (shot.keyframes[k].keyframe.has_weight() && best.misses[k].state > worst.state)
      worst = {0.0, -1, k, best.misses[k].state};
  const int last = worst.state;
  if (last == 0) return worst;
  const VecX there = speeds(best.trajectory, last);
  const double dt = shot.simulator().dt();
  double fallen = 0.0;  // [m/s]
  for (int n = last + 1; n < static_cast<int>(best.trajectory.states.size()); ++n) {
    fallen += dt * shot.task().cloth.gravity.at(n * dt).norm();
    const VecX now = speeds(best.trajectory, n);
    for (Eigen::Index i = 0; i < now.size(); ++i)
      if (now[i] > std::max({worst.speed, kFaster * free_speed, there[i] + fallen}))
        worst.speed = now[i], worst.vertex = static_cast<int>(i), worst.state = n;
  }
  return worst;
}

}  // namespace

std::vector<std::string> motion_warnings(const Shot& shot, const SearchPoint& best,
                                         const ForceSchedule& forces, const RunSummary& summary) {
  std::vector<std::string> texts = implausible_forces(summary.effort, shot);
  for (std::string& text : uneven_forces(summary.effort, shot, forces)) texts.push_back(std::move(text));
  const double free_speed = summary.uncontrolled_fastest.speed;
  if (!(free_speed > 0.0)) return texts;
  const auto told = [&](const Rush& rush) {
    return fmt::format("{} m/s in frame {}, {} times the fastest {}", short_number(rush.speed),
                       shot.clock.frame_of_step(rush.state - 1), short_number(rush.speed / free_speed, 2),
                       summary.added ? "in the accepted take" : "without control");
  };
  if (const Rush snatch = find_snatch(shot, best, free_speed); snatch.vertex >= 0)
    texts.push_back(
        fmt::format("{} is snatched into frame {}: {}; {}give it more time, or look whether the pose asks "
                    "for a corner that the cloth does not bring there",
                    vertex_in_words(shot.rest(), snatch.vertex), shot.keyframes[snatch.keyframe].frame,
                    told(snatch), smooth_time_counts(shot) ? "raise smooth_time in [control], " : ""));
  if (const Rush recoil = find_recoil(shot, best, free_speed); recoil.vertex >= 0)
    texts.push_back(fmt::format(
        "{} springs back behind frame {}, the last target: {}, and faster than it falls; go on with a "
        "[[track]] or a later keyframe, or end the shot there",
        vertex_in_words(shot.rest(), recoil.vertex), shot.keyframes[recoil.keyframe].frame, told(recoil)));
  return texts;
}

}  // namespace keydrape
