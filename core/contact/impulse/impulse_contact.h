#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/contact/impulse/impact_search.h"
#include "core/pass/step_filter.h"

namespace keydrape {

struct ImpulseOptions {
  double restitution = 0.0;  // e, in [0, 1]
  double repulsion = 0.0;    // k: how hard what is nearer than its thickness is pushed apart, at most [N/m]
  int max_sweeps = 10;       // of impulses; what they leave is left to zones
};

// Contact by impulses (Bridson, Fedkiw & Anderson 2002), core/contact/impulse/EQUATIONS.md: what is near is
// pushed apart, what would hit gets impulses with friction and restitution, and what still would moves as one
// rigid zone. The cloth on itself and bodies that are triangles: cloth that does not go through them at the
// start of the step does not at its end, whatever the integrator proposes. Bodies that are distances: the
// sample points of the cloth stay outside, and between them it may sink in as sample_points.h says.
class ImpulseContact final : public StepFilter {
 public:
  static constexpr int kMaxHalvings = 6;  // of a step whose zones are led several ways

  // `surfaces`: what collides as triangles; null: nothing does.
  ImpulseContact(std::shared_ptr<const SurfacePairs> surfaces, std::vector<ImpulseVolume> volumes,
                 const ImpulseOptions& options)
      : surfaces_(std::move(surfaces)), volumes_(std::move(volumes)), options_(options) {}

  int apply(const FilteredStep& step, VecX& y) const override;

  // What it took, for those who measure.
  struct Work {
    int near = 0;    // pairs and points that were nearer than their thickness
    int sweeps = 0;  // with impulses
    int zoned = 0;   // vertices of the cloth that ended in zones
    int pieces = 1;  // that the step was taken in
  };
  int apply(const FilteredStep& step, VecX& y, Work& work) const;

 private:
  struct Piece {
    double begin, end;  // [s]
    int halvings;
  };
  // The cloth at the end of the piece, from x with the velocities v, which become those on the way; `before`:
  // those at the start. None where no way is known.
  std::optional<VecX> advance(const FilteredStep& step, const Piece& piece, const VecX& x, const VecX& before,
                              VecX& v, Work& work) const;
  // `step_time`: of the whole step [s], of which the search looks at a piece.
  void repel(const ImpactSearch& search, const Mobility& mobility, double step_time, const VecX& before,
             VecX& v, Work& work) const;
  std::optional<VecX> move_in_zones(const FilteredStep& step, const ImpactSearch& search,
                                    const std::vector<ImpactPoint>& hits, const VecX& v, Work& work) const;

  std::shared_ptr<const SurfacePairs> surfaces_;
  std::vector<ImpulseVolume> volumes_;
  ImpulseOptions options_;
};

}  // namespace keydrape
