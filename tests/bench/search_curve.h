#pragma once

#include <vector>

#include "control/shooting/shooting_iterate.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape::bench {

enum class SearchStart { kNoForces, kGuided };  // z = 0, or the run that is steered towards the keyframes

// An accepted iterate.
struct SearchPoint {
  int forward_simulations;  // spent so far
  double seconds;           // so far [s]
  double objective;
  std::vector<double> miss_percent;  // RMS miss of each keyframe, in percent of the cloth's size
  double peak_g;                     // largest control acceleration [g_0]
};

struct SearchCurve {
  std::vector<SearchPoint> points;  // ascending; none: the first run failed
  VecX z;                           // the best point
  double objective;                 // there
  double seconds;                   // of it all [s]
  ShootingWork work;
};

// Minimises the shot's objective by the scene's method within `max_forward_simulations`, the
// guided run included.
SearchCurve search_curve(const Shot& shot, scene::ControlMethod method, SearchStart start,
                         int max_forward_simulations, size_t memory_budget_bytes);

// The last point that cost no more than so many forward simulations; null if there is none.
const SearchPoint* point_after(const SearchCurve& curve, int forward_simulations);

// A point as one forward run shows it.
SearchPoint measure(const Shot& shot, const ShootingIterate& iterate);

}  // namespace keydrape::bench
