#include "core/cloth/material.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace keydrape {
namespace {

double bending_length(const Material& m) { return std::cbrt(m.bend / (m.density * 9.81)); }

void expect_within(double value, double low, double high, std::string_view what) {
  EXPECT_GE(value, low) << what;
  EXPECT_LE(value, high) << what;
}

TEST(Material, PresetsStandInTheirPromisedOrder) {
  const std::string_view names[] = {"cotton", "silk",  "denim",   "wool",
                                    "jersey", "jeans", "leather", "rubber"};
  ASSERT_EQ(material_presets().size(), std::size(names));
  for (std::size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(material_presets()[i].name, names[i]);
}

TEST(Material, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const MaterialPreset& preset : material_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
  }
}

// A slip in a unit (gf for N, mm for m, g for kg) is a factor of ten or more and leaves these ranges.
TEST(Material, NumbersAreThoseOfSheetsOnePutsOn) {
  for (const auto& [name, m, source] : material_presets()) {
    SCOPED_TRACE(std::string(name));
    expect_within(m.density, 0.03, 1.5, "density");
    const double least = m.coupling > 0.0 ? 80 : 300;  // of knits and stretch denim, which are measured
    expect_within(m.k_warp, least, 2e4, "k_warp");
    expect_within(m.k_weft, least, 2e4, "k_weft");
    expect_within(m.k_shear, 10, 5e3, "k_shear");
    expect_within(m.bend, 5e-7, 1e-3, "bend");
    expect_within(m.damping, 1e-4, 1e-2, "damping");
    expect_within(m.thickness, 1e-4, 2e-3, "thickness");
    expect_within(m.density / m.thickness, 200, 1300, "volume density");
    expect_within(bending_length(m), 0.01, 0.04, "bending length");
  }
}

TEST(Material, ShearsMoreEasilyThanItStretches) {
  for (const auto& [name, m, source] : material_presets()) {
    EXPECT_LT(m.k_shear, std::min(m.k_warp, m.k_weft)) << name;
  }
}

TEST(Material, EveryNumberHasASourceAndDampingIsSaidToBeChosen) {
  std::set<std::string_view> sources;
  for (const auto& [name, m, source] : material_presets()) {
    EXPECT_NE(source.find("damping: chosen"), std::string_view::npos) << name;
    for (const std::string_view key : {"density", "thickness", "stretch", "shear", "bend"}) {
      EXPECT_NE(source.find(key), std::string_view::npos) << name << ": " << key;
    }
    EXPECT_TRUE(sources.insert(source).second) << name;
  }
}

// The data sheet gives G and the density; the rest is the algebra of an incompressible sheet of 1 mm.
TEST(Material, RubberIsAnIsotropicIncompressibleSheet) {
  const double G = 0.5e6, t = 1e-3, E = 3 * G;
  const auto rubber = find_material_preset("rubber");
  ASSERT_TRUE(rubber);
  EXPECT_DOUBLE_EQ(rubber->k_warp, E * t);
  EXPECT_DOUBLE_EQ(rubber->k_weft, E * t);
  EXPECT_DOUBLE_EQ(rubber->k_shear, G * t);
  EXPECT_NEAR(rubber->bend, E * t * t * t / (12 * 0.75), 0.02 * rubber->bend);
}

TEST(Material, FindsEveryPresetByName) {
  for (const MaterialPreset& preset : material_presets()) {
    const auto found = find_material_preset(preset.name);
    ASSERT_TRUE(found) << preset.name;
    EXPECT_EQ(found->density, preset.material.density);
    EXPECT_EQ(found->bend, preset.material.bend);
  }
}

TEST(Material, UnknownNamesGiveNone) {
  for (const std::string_view name : {"", "Cotton", "cotton ", "cott", "lycra"}) {
    EXPECT_FALSE(find_material_preset(name)) << '"' << name << '"';
  }
}

}  // namespace
}  // namespace keydrape
