#pragma once

#include <vector>

#include "control/search/options.h"
#include "control/search/result.h"
#include "control/task/prepared_task.h"

namespace keydrape {

// What holds the cloth back at a target.
enum class ObstacleKind {
  kNoWeight,         // it has none, so that nothing takes the cloth there
  kRival,            // another target asks for another pose at the same moment, `distance` away
  kOutsideWindow,    // it is outside of the windows that were searched
  kNoForceBefore,    // no force may act before it
  kPins,             // `share` of the squared miss is on vertices of pins that no channel moves
  kStrained,         // `share` of it is where the target strains cloth more than it gives
  kForwardRuns,      // the search was not at its end
  kChannels,         // there are only channels, whose search was at its end: they take it no nearer
  kRegion,           // `share` of the squared miss is on vertices that no force may push
  kImpossibleShape,  // no cloth can take it: in a body, through itself or overstretched in `places` places
  kBound,            // `share` of the forces before it are as large as their bound allows
  kNet,              // `share` of the squared miss is its mean offset, that forces without a net force leave
  kBasis,            // forces are splines, patterns or without a net force, and none takes it nearer
  kEffort,           // forces, or channels, cost too much
  kCloth,            // the cloth itself resists
};

// What the search's last runs say of cloth that resists.
enum class LastRuns {
  kSettled,   // the goal was at a minimum
  kRefused,   // every trial was worse, however little it changed
  kNoNearer,  // the budget was spent, and the second half of it hardly came nearer
};

// What of a target was missed.
enum class MissedTolerance {
  kRms,        // of positions
  kOneVertex,  // a vertex is too far off (tolerance_max); its RMS distance is within
  kVelocity,
};

// A target that was missed, by the frame of its track that was missed by most.
struct Obstacle {
  std::size_t target = 0;  // index in the task's list
  MissedTolerance missed = MissedTolerance::kRms;
  KeyframeMiss miss{};   // of the result
  double closest = 0.0;  // least RMS miss of positions of any run [m]
  ObstacleKind kind = ObstacleKind::kCloth;
  double distance = 0.0;  // [m]
  double share = 0.0;     // kOneVertex: of the farthest vertex, 0 or 1
  // Of the squared miss, on vertices that pins hold: alone more than the tolerance, but not the reason.
  double pins_share = 0.0;
  int places = 0;
  LastRuns last_runs = LastRuns::kSettled;  // of kCloth, and of kBound where few forces are at it
  // Of kCloth.
  bool is_strain_in_reach = false;  // nowhere does the target strain the cloth more than it gives
  // By so much 99 % of the result's cloth is squeezed there at most, if that is more than it gives: as folds
  // do that are finer than its mesh. Else 0.
  double crumpling = 0.0;
};

// One for each target that missed a tolerance: of pins, strain and region that which the largest share of the
// miss is on. Requires a best run.
std::vector<Obstacle> find_obstacles(const PreparedTask& prepared, const SearchOptions& options,
                                     const SearchResult& result);

}  // namespace keydrape
