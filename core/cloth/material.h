#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/types.h"
#include "core/energy/condition_curve.h"

namespace keydrape {

// How cloth answers being pushed together along warp or weft.
struct Compression {
  enum class Law {
    kAsStretch,  // as stiff as against stretch: it can only fold, and no finer than its mesh
    kSofter,     // less stiff, by a factor
    kBuckling,   // gives way under the load at which it would fold between its vertices (buckling_curve.h);
                 // without bend that is no load, and it is kAsStretch
  };
  Law law = Law::kAsStretch;
  double factor = 1.0;                               // of kSofter: in (0, 1)
  std::optional<double> fold_length = std::nullopt;  // of kBuckling: of the finest fold that the mesh can
                                                     // show, > 0 [m]; none: 0.7 mean edges

  // factor in (0, 1]
  static Compression softer(double factor) {
    return {factor < 1.0 ? Law::kSofter : Law::kAsStretch, factor, std::nullopt};
  }
};

// A membrane that is alike in all directions and narrows as it is pulled (energy/isotropic_membrane.h).
struct Isotropic {
  double young;    // E, > 0 [Pa]; of the thickness of the fabric
  double poisson;  // nu, in [0, 1)
};

// Cloth as a continuum: numbers that belong to the fabric and not to its mesh.
//
// Stiffnesses are those of small strain, per unit width, of the densities [J/m^2]
//   k_warp/2 (|w_u| - 1)^2 ,   k_weft/2 (|w_v| - 1)^2 ,   k_shear/2 (w_u . w_v)^2.
// Real cloth stiffens as its crimp is pulled out: see warp_curve and fabric_tester.h.
//
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
  Compression compression{};
  // Takes the place of k_warp, k_weft, k_shear, of the curves below and of friction in shear.
  std::optional<Isotropic> isotropic = std::nullopt;
  // How the stiffness changes as the fabric is stretched (c >= 0 of these curves) and sheared; k_warp, k_weft
  // and k_shear are those at rest. Null: it does not.
  std::shared_ptr<const ConditionCurve> warp_curve{}, weft_curve{}, shear_curve{};
  // Friction between threads: half the width of the loops that a tester draws, as it shears the fabric there
  // and back [N/m], and as it bends it (moment per unit width) [N]; how near hinges come to that: (W12).
  double shear_hysteresis = 0.0, bend_hysteresis = 0.0;
  // How far pulling the warp draws the weft in, and the other way round: k_uv over sqrt(k_warp k_weft), in
  // [0, 1), where k_uv c_u c_v comes to the densities above (energy/coupled_stretch.h). k_warp and k_weft are
  // those of cloth that is held across; free there, it narrows by coupling sqrt(k_warp/k_weft) of what it is
  // pulled by along the warp.
  double coupling = 0.0;
};

// One sample of a fabric, not the fabric: two cottons differ by more than the rounding here.
struct MaterialPreset {
  std::string_view name;
  Material material;
  std::string_view source;  // where each number comes from; 'chosen' where it was not measured
};

// In the order cotton, silk, denim, wool, jersey, jeans, leather, rubber.
std::span<const MaterialPreset> material_presets();
// The preset of that name (lower case), or none.
std::optional<Material> find_material_preset(std::string_view name);

}  // namespace keydrape
