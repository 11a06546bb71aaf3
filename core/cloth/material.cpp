#include "core/cloth/material.h"

#include <algorithm>

namespace keydrape {

namespace {

// A coarse mesh crumples in compression as stiff as stretch (core/measurements/compression.md).
const Compression kGivesWay{.law = Compression::Law::kBuckling};

// Membrane stiffnesses of the woven fabrics: Codim-IPC (Compute_Fiber_Energy) has at small strain, per area,
//   W = t (a_11/2 E_11^2 + a_12 E_11 E_22 + a_22/2 E_22^2 + G_12 E_12^2) ,   E = (F^T F - I)/2.
// There E_ii is the stretch and E_12 = w_u . w_v / 2, hence
//   k_warp, k_weft = a_ii t ,   k_shear = G_12 t / 2.
// Its bending is E t^3/12 times a factor set per scene, so not a measured rigidity and not taken over.
const MaterialPreset kPresets[] = {
    {"cotton",
     {.density = 0.104,
      .k_warp = 4500,
      .k_weft = 2800,
      .k_shear = 97,
      .bend = 5e-6,
      .damping = 0.002,
      .thickness = 0.18e-3,
      .compression = kGivesWay},
     "density, thickness, stretch and shear: Codim-IPC scripts (Li et al. 2021), cotton: 103.6 read as "
     "g/m^2 (chosen reading: the script itself multiplies it by the thickness), 0.18 mm, a = 15.557 and "
     "25.004 MPa, G_12 = 1.076 MPa; rounded, without its a_12, which there is half of a stiffness in every "
     "fabric and not measured, the stiffer direction taken as warp. "
     "bend: chosen (bending length 17 mm). damping: chosen"},
    {"silk",
     {.density = 0.083,
      .k_warp = 1800,
      .k_weft = 770,
      .k_shear = 51,
      .bend = 2e-6,
      .damping = 0.001,
      .thickness = 0.18e-3,
      .compression = kGivesWay},
     "density, thickness, stretch and shear: Codim-IPC scripts (Li et al. 2021), silk: 83 read as g/m^2 "
     "(chosen reading: the script itself multiplies it by the thickness), 0.18 mm, a = 4.3 and 9.942 "
     "MPa, G_12 = 0.57 MPa; rounded, without its a_12, which there is half of a stiffness in every fabric "
     "and not measured, the stiffer direction taken as warp. bend: "
     "chosen (bending length 13 mm). damping: chosen"},
    {"denim",
     {.density = 0.40,
      .k_warp = 6000,
      .k_weft = 3200,
      .k_shear = 810,
      .bend = 6e-5,
      .damping = 0.003,
      .thickness = 0.66e-3,
      .compression = kGivesWay},
     "density, thickness, stretch and shear: Codim-IPC scripts (Li et al. 2021), denim: 400 read as "
     "g/m^2 (chosen reading: the script itself multiplies it by the thickness), 0.66 mm, a = 4.793 and "
     "9.029 MPa, G_12 = 2.448 MPa; rounded, without its a_12, which there is half of a stiffness in every "
     "fabric and not measured, the stiffer direction taken as warp "
     "(KES-F on six cellulose denims, Journal of Textiles 2016, article 4614168, gives a softer shear of "
     "84 to 191 N/m). bend: 11 oz black denim of Wang, O'Brien and Ramamoorthi 2011, 6.4e-5 N m as "
     "copied in a public code, taken as plate rigidity, rounded (the same KES-F table: 1.4e-5 to "
     "2.3e-5). damping: chosen"},
    {"wool",
     {.density = 0.48,
      .k_warp = 2900,
      .k_weft = 2800,
      .k_shear = 240,
      .bend = 3e-5,
      .damping = 0.003,
      .thickness = 1.28e-3,
      .compression = kGivesWay},
     "a heavy wool; density, thickness, stretch and shear: Codim-IPC scripts (Li et al. 2021), wool: "
     "480.6 read as g/m^2 (chosen reading: the script itself multiplies it by the thickness), 1.28 mm, a "
     "= 2.29 and 2.219 MPa, G_12 = 0.371 MPa; rounded, without its a_12, which there is half of a stiffness "
     "in every fabric and not measured, the stiffer direction "
     "taken as warp. bend: chosen (bending length 19 mm). damping: chosen"},
    {"jersey",
     {.density = 0.187,
      .k_warp = 330,
      .k_weft = 97,
      .k_shear = 18,
      .bend = 2.1e-5,
      .damping = 0.003,
      .thickness = 0.6e-3,
      .compression = kGivesWay,
      .coupling = 0.45},
     "a t-shirt's interlock knit, 60 % cotton, 40 % polyester, measured by Wang, O'Brien and Ramamoorthi "
     "2011 (Data-driven elastic models for cloth; grey interlock), as copied in a public code: density; "
     "stretch "
     "and coupling: means of its five rows of strained cloth, c_11 97.4, c_22 330.6, c_12 81.2 N/m "
     "(unstrained "
     "it is a fifth to a tenth as stiff); shear: half of c_33 of its first row, 36.9 N/m, read as that of "
     "the "
     "tensor's shear strain; bend: mean of its three directions at the smallest curvature. thickness: "
     "chosen. "
     "damping: chosen"},
    {"jeans",
     {.density = 0.324,
      .k_warp = 1010,
      .k_weft = 205,
      .k_shear = 27,
      .bend = 7.8e-5,
      .damping = 0.003,
      .thickness = 0.66e-3,
      .compression = kGivesWay,
      .coupling = 0.022},
     "a stretch denim of 11 oz, 99 % cotton, 1 % spandex, measured by Wang, O'Brien and Ramamoorthi 2011 "
     "(Data-driven elastic models for cloth), as copied in a public code: density; stretch and coupling: its "
     "first row, c_11 205.4, c_22 1013.9, c_12 10.2 N/m (strained 226, 1056, 41 to 62); shear: half of c_33, "
     "53.4 N/m, read as that of the tensor's shear strain; bend: mean of its three directions at the "
     "smallest "
     "curvature. thickness: as denim's. damping: chosen"},
    {"leather",
     {.density = 0.50,
      .k_warp = 8000,
      .k_weft = 8000,
      .k_shear = 3100,
      .bend = 1e-4,
      .damping = 0.005,
      .thickness = 0.8e-3,
      .compression = kGivesWay},
     "garment leather; thickness: middle of 0.64 to 0.96 mm, sheep, Memon et al. 2021 (Materials 14, "
     "4553). density: chosen between light 0.3 and heavy leather 0.6 kg/m^2 (Unreal Engine "
     "documentation, Chaos cloth). stretch and shear: chosen, isotropic with E = 10 MPa and nu = 0.3. "
     "bend: chosen (bending length 27 mm), below E t^3/12 since the fibre layers slide. damping: chosen"},
    {"rubber",
     {.density = 0.95,
      .k_warp = 1500,
      .k_weft = 1500,
      .k_shear = 500,
      .bend = 1.7e-4,
      .damping = 0.005,
      .thickness = 1e-3,
      .compression = kGivesWay},
     "sheet of vulcanized natural rubber; MatWeb data sheet: shear modulus G = 0.5 MPa, density 950 "
     "kg/m^3 (uncompounded). thickness: chosen. Derived, incompressible: E = 3 G, stretch E t, shear G "
     "t, bend E t^3 / (12 (1 - 0.25)), rounded. damping: chosen"},
};

}  // namespace

std::span<const MaterialPreset> material_presets() { return kPresets; }

std::optional<Material> find_material_preset(std::string_view name) {
  const auto found = std::find_if(std::begin(kPresets), std::end(kPresets),
                                  [&](const MaterialPreset& preset) { return preset.name == name; });
  if (found == std::end(kPresets)) return std::nullopt;
  return found->material;
}

}  // namespace keydrape
