#pragma once

#include <vector>

#include "control/search/search.h"
#include "io/shot/shot.h"

namespace keydrape::bench {

// An iteration that a search reported.
struct CurvePoint {
  int forward_simulations;  // spent so far
  double seconds;           // so far [s]
  double objective;         // with the weights that the goal has then
  std::vector<double> miss_percent;
};

// The program's own search, and how it went.
struct SearchCurve {
  std::vector<CurvePoint> points;  // ascending; the result comes last
  SearchResult result;
};

// Of the shot itself: iterations of its coarser levels are not in the curve.
SearchCurve search_curve(const Shot& shot, const SearchOptions& options);

// The last point that cost no more than so many forward simulations; null if there is none.
const CurvePoint* point_after(const SearchCurve& curve, int forward_simulations);

// The RMS miss of each target, in percent of the cloth's size.
std::vector<double> miss_percent(const Shot& shot, const std::vector<KeyframeMiss>& misses);

}  // namespace keydrape::bench
