#pragma once

#include "core/energy/condition.h"

namespace keydrape {

// What warp and weft store where pulling one draws the other in, at given conditions c: the crimp of a fabric
// goes from threads that are pulled to those that are not (core/EQUATIONS.md (W13) to (W15)). Each follows
// its own law by a strain t of its own, and what the other's tension does to it comes on top, so that cloth
// gives way in compression as without coupling. Of proportional laws: s = K c, with k_uv off the diagonal,
// orthotropic plane stress; that compliances add up in series is our own choice. Densities: of the area.
class CoupledStretch {
 public:
  // `share`: k_uv over sqrt(k_warp k_weft), where both are as stiff as they come to be, in (0, 1). The stored
  // parts of the laws count alone, whose k > 0.
  CoupledStretch(const ConditionLaw& warp, const ConditionLaw& weft, double share, const Vec2& c);

  double value() const;                          // [N/m]
  const Vec2& tension() const { return s_; }     // dvalue/dc [N/m]
  const Mat2& stiffness() const { return ds_; }  // dtension/dc: symmetric, positive semidefinite [N/m]
  // dtension/d log(number), with the share as it is: of the stiffness k of warp (0) or weft (1), of the bend.
  Vec2 tension_by_stiffness(int direction) const;
  Vec2 tension_by_bend() const;

 private:
  void solve(const Vec2& c);

  const ConditionLaw* laws_[2];
  Mat2 Q_;   // compliance beyond the laws' own [m/N]
  Vec2 t_;   // own strains
  Vec2 s_;   // tensions
  Mat2 ds_;  // by c
};

}  // namespace keydrape
