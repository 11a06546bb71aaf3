#pragma once

#include <optional>

#include "core/cloth/material.h"

namespace keydrape {

// What a fabric tester (KES-F, Kawabata 1980) has measured of a fabric, in the units of its sheets. What is
// absent leaves the material as it is.
struct TesterSheet {
  std::optional<Vec2> emt;   // extension of warp and weft at 500 gf/cm, > 0 [%]
  Vec2 lt = Vec2(0.6, 0.6);  // linearity of the two curves up to there, above `initial`, at most 1
  double initial = 0.15;     // slope of the curves at rest over 500 gf/cm / EMT; below lt by (1 - initial)/45
  std::optional<double> g;   // shear stiffness [gf/(cm deg)]
  std::optional<double> hg2;        // 2HG: width of the loop of shear [gf/cm]
  std::optional<double> b;          // bending rigidity [gf cm^2/cm]
  std::optional<double> hb2;        // 2HB: width of the loop of bending [gf cm/cm]
  std::optional<double> weight;     // [mg/cm^2]
  std::optional<double> thickness;  // [mm]
};

// The material with these numbers.
Material with_tester_sheet(Material material, const TesterSheet& sheet);

}  // namespace keydrape
