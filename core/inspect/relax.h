#pragma once

#include <functional>

#include "core/inspect/strain.h"
#include "core/step/drape.h"

namespace keydrape {

struct RelaxOptions {
  DrapeOptions drape;  // at its time pins and bodies stand; its tolerance is that of one pull
  // The strain that is to be left, over what cloth hardly goes beyond (StrainMeter).
  double strain_share = 0.2;
  int max_pulls = 12;
};

enum class RelaxStart { kPose, kRepaired, kStart };

struct RelaxResult {
  VecX x;                                // positions [m] (3n)
  RelaxStart start = RelaxStart::kPose;  // where the first pull began
  StrainFigures before, after;           // of the pose, and of x
  double pull = 0.0;                     // of the last one, on an area [N/m^3]
  int pulls = 0;
  int newton_iterations = 0;
  double rms = 0.0, farthest = 0.0;  // that x is from the pose [m], vertices weighted by their area
  double asked = 0.0;                // likewise, RMS: that the pose is from the start
  int farthest_vertex = -1;
  bool is_settled = false;  // the last pull has come to rest
  bool is_relaxed = false;  // the strain is as small as was asked for, or what cloth can take by itself
};

// The nearest shape that cloth can take on: pulled towards the pose by a spring at every vertex, against its
// membrane and bending, its springs, bodies and pins, without weight, wind, friction and soft pins, since the
// pull alone is to judge (core/EQUATIONS.md (P5), (P6)). The pull is the strongest of `max_pulls` that leaves
// so little strain, or where pins or bodies make more than that no more than cloth can be strained; a pose
// that is no more strained is moved by a twentieth of its way from `start` at most, whatever is left.
// Where folds of another are left squeezed by more than a fifth, it is relaxed with compression as stiff as
// stretch, in which they come out. It begins with the pose where that is clean and within the strain limit;
// else where repair_start takes it, if that is no farther than an edge is long: what lies deeper may come out
// on the wrong side. Else with `start`, from which the cloth comes as far as bodies and layers let it. No
// state on the way intersects. Throws as build_model, and InputError where none of the three is clean.
// `observer`: told after every round; whether to go on.
RelaxResult relax(const ClothDescription& cloth, const VecX& pose, const VecX& start,
                  const RelaxOptions& options, const std::function<bool(const DrapeResult&)>& observer = {});

}  // namespace keydrape
