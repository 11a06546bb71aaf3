#include "io/run/crossing_figures.h"

#include "core/contact/pairs/exemptions.h"
#include "core/contact/pairs/intersection.h"

namespace keydrape {
namespace {

int curve_count(const State& state) {
  return state.exempt ? static_cast<int>(state.exempt->crossing().size()) : 0;
}

int near_pair_count(const State& state) { return state.exempt ? state.exempt->near_pair_count() : 0; }

}  // namespace

std::optional<CrossingFigures> crossing_figures(const Shot& shot, const Trajectory& run) {
  const State& start = run.states.front();
  if (!start.exempt) return std::nullopt;
  CrossingFigures figures;
  figures.places = find_intersections(shot.rest().triangles, start.x).count;
  figures.curves = curve_count(start);
  figures.curves_left = curve_count(run.back());
  figures.near_pairs = near_pair_count(start);
  figures.near_pairs_left = near_pair_count(run.back());
  for (int n = 0; n < run.step_count(); ++n)
    if (curve_count(run.states[n + 1]) < curve_count(run.states[n]))
      figures.last_parted_frame = shot.clock.frame_of_step(n);
  return figures;
}

}  // namespace keydrape
