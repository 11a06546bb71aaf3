#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/goal/border_forces.h"
#include "control/goal/tolerance.h"
#include "control/run/force_schedule.h"
#include "control/task/step_grid.h"
#include "control/unknowns/channel/channel_spec.h"
#include "control/unknowns/control_basis.h"
#include "core/cloth/cloth.h"
#include "core/step/drape.h"
#include "core/step/simulator.h"

// A shot as a search sees it: plain data in SI units, steps and states; no file, and no artist's frame.

namespace keydrape {

// For how long a force stays the same.
enum class Hold { kInterval, kStep };

// Which forces may act: where, when, and of which shape. Here and below, check(task) in task_check.h refuses
// what does not hold.
struct Pushing {
  // That may be pushed, ascending, each once; pins may hold some of them. Empty: no forces at all, and no
  // weights that count.
  std::vector<int> vertices;
  std::vector<double> weights;     // of each, in (0, 1]: the painted share of the full force; empty: ones
  Animated<double> strength{1.0};  // likewise in time, from the shot's first frame on [s]
  // Of a window: its unknowns are some of the whole task's, so that vertices which pins hold throughout the
  // window count as those that can move.
  bool counts_held = false;
  std::optional<IntervalRange> when;  // within the grid's; absent: always
  Hold hold = Hold::kInterval;
  std::optional<int> knots_every;  // [intervals], of splines in time, > 0; absent: none
  std::optional<int> modes;        // smooth shapes over the vertices, > 0; absent: every vertex by itself
  NetForce net = NetForce::kFree;
  std::optional<double> max_acceleration;  // [g_0], > 0; absent: no bound. Requires no modes, NetForce::kFree
};

// A keyframe and how near to it is near enough. Tolerances are > 0.
struct Target {
  Keyframe keyframe;                // of states of the grid, and of all vertices
  std::optional<double> tolerance;  // on the RMS distance [m]; none: any distance will do
  // On the distance of every vertex with weight [m]; none: any will do, but one that is farther off than
  // kFarthest tolerances is pursued all the same.
  std::optional<double> tolerance_max{};
  std::optional<double> velocity_tolerance;  // likewise of velocities [m/s]; only with a velocity_weight
  int number = 0;  // among those of the whole task, in windows and on coarser levels, too
};

// What forces cost.
struct EffortPolicy {
  // The least effort within the tolerances, which every target with weight then has (set_default_tolerances);
  // `value`, > 0, is where its search begins. Else the weight of the effort is `value`, >= 0.
  bool automatic = false;
  double value = 1e-4;       // epsilon of the goal, (4)
  double smooth_time = 0.0;  // over that of the effort, >= 0, as ObjectiveOptions; likewise below
  double smooth_space = 0.0;
  bool even = true;    // with `automatic`: forces that stand out cost more (PeakPrices)
  double share = 1.0;  // of the whole task's blocks, in a window  (W1)
  BorderForces borders{};
};

// A run that forces come on top of.
struct Take {
  std::shared_ptr<const ForceSchedule> forces;
  std::vector<VecX> channels{};  // values of each of the task's; empty: as the cloth's description has them
};

struct Task {
  ClothDescription cloth;
  State start;                    // at the beginning of the first step, of all vertices
  std::optional<State> before{};  // a step before that, of a part of a longer run; none: it starts anew
  // How the start came to rest: with channels that change the cloth, that comes to rest anew (drape_again).
  // None: it starts there whatever it is.
  std::optional<DrapeOptions> drape{};
  StepGrid grid;
  SimulatorOptions simulator;  // but for dt and first_step, which are the grid's
  Pushing pushing;
  std::vector<ChannelSpec> channels{};
  std::vector<Target> targets;
  EffortPolicy effort;
  std::optional<Take> take{};

  int vertex_count() const { return cloth.mesh.vertex_count(); }
  double length() const;  // l: the cloth's size [m]
};

// What a target is to be met to where it names no tolerance, as a share of the cloth's size: what
// the eye forgives.
inline constexpr double kDefaultTolerance = 0.005;

// Nobody who writes "within 5 mm" means a corner that is 50 mm off.
inline constexpr double kFarthest = 4.0;
// What every vertex of a target is pursued to [m]; infinite: nothing.
double farthest_wanted(const Target& target);

// Behind how many intervals all targets have passed, so that forces meet nothing; nullopt where they matter
// all the same: changes in time cost, a sum over the shot is held, or there is no target.
std::optional<int> intervals_to_last_target(const Task& task);

// Takes forces behind that away: of a search that begins with a steered run they would stay what that run had
// at its end.
void push_until_last_target(Task& task);

// Gives every target with weight that has none a tolerance: a share of the cloth's size `length` [m] or,
// where velocities alone have weight, of the speed of its fall. Velocities of a target relative to another
// state, a loop: what takes the cloth as far off as its positions may be within an interval [s].
void set_default_tolerances(Target& target, double length, double interval);

// What a search with EffortPolicy::automatic aims at: the tolerances of what has weight, infinite elsewhere.
std::vector<KeyframeTolerance> aimed_tolerances(const std::vector<Target>& targets);

// The vertices that may be pushed, and can be: all but those that pins hold in every direction at the end of
// every step. With their weights.
struct PushedVertices {
  std::vector<int> vertices;
  std::vector<double> weights;
};
PushedVertices pushed_vertices(const Task& task);

}  // namespace keydrape
