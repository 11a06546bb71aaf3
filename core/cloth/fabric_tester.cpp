#include "core/cloth/fabric_tester.h"

#include <numbers>

namespace keydrape {

namespace {

constexpr double kGramForce = 9.80665e-3;     // [N]
constexpr double kPerCm = kGramForce / 1e-2;  // 1 gf/cm [N/m]
constexpr double kFullForce = 500 * kPerCm;   // of the tensile test [N/m]
constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

Material with_tester_sheet(Material material, const TesterSheet& sheet) {
  if (sheet.emt) {
    const auto measured = [&](int axis) {
      return tester_curve((*sheet.emt)(axis) / 100, kFullForce, sheet.lt(axis), sheet.initial);
    };
    const MeasuredCurve warp = measured(0), weft = measured(1);
    material.k_warp = warp.stiffness;
    material.warp_curve = std::make_shared<const ConditionCurve>(warp.curve);
    material.k_weft = weft.stiffness;
    material.weft_curve = std::make_shared<const ConditionCurve>(weft.curve);
  }
  if (sheet.g) material.k_shear = *sheet.g * kPerCm / kDegree;
  if (sheet.hg2) material.shear_hysteresis = 0.5 * *sheet.hg2 * kPerCm;
  if (sheet.b) material.bend = *sheet.b * kGramForce * 1e-2;
  if (sheet.hb2) material.bend_hysteresis = 0.5 * *sheet.hb2 * kGramForce;
  if (sheet.weight) material.density = *sheet.weight * 1e-6 / 1e-4;
  if (sheet.thickness) material.thickness = *sheet.thickness * 1e-3;
  return material;
}

}  // namespace keydrape
