#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/types.h"

namespace keydrape {

// Cloth as a continuum: numbers that belong to the fabric and not to its mesh.
//
// Stiffnesses are those of small strain, per unit width, of the densities [J/m^2]
//   k_warp/2 (|w_u| - 1)^2 ,   k_weft/2 (|w_v| - 1)^2 ,   k_shear/2 (w_u . w_v)^2.
// Real cloth stiffens as its crimp is pulled out; these numbers do not.
//
// From a fabric tester (KES-F):
//   B of 1 gf cm^2/cm is 9.81e-5 N m;   G of 1 gf/(cm deg) is 56 N/m;
//   an extension of EMT percent at 500 gf/cm is a secant stiffness of 49050 / EMT N/m.
// From an isotropic sheet of thickness t (in its plane this model has no lateral contraction; bent, it has
// one of its own, see bend):
//   stretch E t ,   shear E t / (2 (1 + nu)) ,   bend E t^3 / (12 (1 - nu^2)) where it is held across,
//   E t^3 / 12 for a narrow strip.
// The bending length (bend / (density g))^(1/3) checks bend against weight: 1 to 3 cm for clothing.
struct Material {
  double density;    // areal density [kg/m^2]
  double k_warp;     // stretch stiffness along warp, force per unit width and unit strain [N/m]
  double k_weft;     // ... along weft [N/m]
  double k_shear;    // ... against shear: shear force per unit width and unit shear (radian) [N/m]
  double bend;       // B: moment per unit width over curvature, of the sheet at rest: mean of a narrow strip
                     // with free edges and of cloth held across (bending_calibration.h) [N m]
  double damping;    // viscosity over stiffness: every stiffness k dissipates with k_d = damping k [s]
  double thickness;  // [m]
  // How far cloth can be stretched at all, over its rest length: no principal stretch comes to 1 +
  // strain_limit. > 0; none: without limit. The stiffnesses above rule up to half of it
  // (energy/strain_limit.h).
  std::optional<double> strain_limit = std::nullopt;
};

// One sample of a fabric, not the fabric: two cottons differ by more than the rounding here.
struct MaterialPreset {
  std::string_view name;
  Material material;
  std::string_view source;  // where each number comes from; 'chosen' where it was not measured
};

// In the order cotton, silk, denim, wool, leather, rubber.
std::span<const MaterialPreset> material_presets();
// The preset of that name (lower case), or none.
std::optional<Material> find_material_preset(std::string_view name);

}  // namespace keydrape
