#include "control/search/closest_misses.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

void ClosestMisses::take_in(const std::vector<KeyframeMiss>& misses, int runs) {
  if (half.least.empty()) {
    now = half = quarter = {runs, misses};
    return;
  }
  assert(misses.size() == now.least.size() && runs >= now.runs);
  if (runs >= 2 * half.runs) {
    quarter = half;
    half = now;
  }
  now.runs = runs;
  for (std::size_t k = 0; k < misses.size(); ++k) {
    const double velocity_rms = std::min(now.least[k].velocity_rms, misses[k].velocity_rms);
    if (misses[k].rms < now.least[k].rms) now.least[k] = misses[k];
    now.least[k].velocity_rms = velocity_rms;
  }
}

double ClosestMisses::after(int times, std::size_t k, double KeyframeMiss::*miss) const {
  const double before = quarter.least.at(k).*miss, least = now.least.at(k).*miss;
  if (now.runs == quarter.runs || least == 0.0) return least;
  const double doublings = std::log(times) / std::log(static_cast<double>(now.runs) / quarter.runs);
  return least * std::pow(least / before, doublings);
}

}  // namespace keydrape
