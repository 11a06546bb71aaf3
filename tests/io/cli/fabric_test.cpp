#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Fabrics of [cloth.material] beyond their plain numbers, through the program.
class CliFabricTest : public CliFolder {
 protected:
  std::string scene(const std::string& material) const {
    return shot_text() + "[cloth.material]\n" + material + "[wind]\nvelocity = [1, 2, 4]\n" + pin_text();
  }

  ProgramResult simulate(const std::string& material) const { return simulate_text(scene(material)); }
  ProgramResult simulate_text(const std::string& text) const {
    folder_.write("scene.toml", text);
    return run({"simulate", "scene.toml", "-o", "out", "--force"});
  }

  VecX positions(const std::string& material) const {
    const ProgramResult result = simulate(material);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_npy(folder_ / "out/positions.npy").values;
  }

  // "line 3 of warp.csv" and so on: what the program says of this curve.
  std::string refusal_of_curve(const std::string& curve) const {
    folder_.write("warp.csv", curve);
    const ProgramResult result = simulate("warp_curve = \"warp.csv\"\nweft_curve = \"warp.csv\"\n");
    EXPECT_EQ(result.exit_code, 3);
    const size_t at = result.err.find("warp.csv:");
    return at == std::string::npos ? result.err : result.err.substr(at, result.err.find('\n', at) - at);
  }
};

TEST_F(CliFabricTest, AStraightCurveIsTheStiffness) {
  folder_.write("warp.csv", "strain; tension\n0; 0\n0.1; 50\n0.3; 150\n");
  const VecX curve = positions("warp_curve = \"warp.csv\"\nweft_curve = \"warp.csv\"\nshear = 2\n");
  const VecX number = positions("stretch = [500, 500]\nshear = 2\n");
  ASSERT_EQ(curve.size(), number.size());
  EXPECT_LT((curve - number).lpNorm<Eigen::Infinity>(), 1e-6);
}

// Such triangles take an axis of the scene instead, so that the run would depend on how the scene is turned.
TEST_F(CliFabricTest, AWarpAcrossTheClothIsWarnedOf) {
  const auto said = [&](const char* warp) {
    std::string text = scene("preset = \"denim\"\n");
    const std::string cloth = "[cloth]\n";
    text.insert(text.find(cloth) + cloth.size(), fmt::format("warp = {}\n", warp));
    folder_.write("scene.toml", text);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  std::array<bool, 3> warned{};
  const std::array<const char*, 3> axes{"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"};
  for (int k = 0; k < 3; ++k) warned[k] = said(axes[k]).find("stand across it") != std::string::npos;
  EXPECT_EQ(std::count(warned.begin(), warned.end(), true), 1) << "the sheet lies in one plane";
}

TEST_F(CliFabricTest, AWindThatDoesNothingIsWarnedOf) {
  const auto said = [&](const std::string& keys) {
    const ProgramResult result =
        simulate_text(shot_text() + pin_text() + "[wind]\nvelocity = [1, 2, 4]\n" + keys);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const size_t at = result.err.find("[wind]:");
    return at == std::string::npos ? "" : result.err.substr(at, result.err.find('\n', at) - at);
  };
  const std::string no_coefficient =
                        "[wind]: it has no effect with drag and lift of 0; expected one of them above 0, or "
                        "no [wind]",
                    no_air =
                        "[wind]: it has no effect with an air_density of 0; expected one above 0, or no "
                        "[wind]";
  EXPECT_EQ(said("drag = 0\n"), no_coefficient);
  const VecX idle = read_npy(folder_ / "out/positions.npy").values;
  EXPECT_EQ(said("drag = [[1001, 0], [1003, 0]]\nlift = 0\n"), no_coefficient);
  EXPECT_EQ(said("air_density = 0\n"), no_air);
  EXPECT_EQ(said("drag = 0\nlift = 0.3\n"), "");
  EXPECT_EQ(said("drag = [[1001, 0], [1003, 1]]\n"), "");
  EXPECT_EQ(simulate_text(shot_text() + pin_text()).exit_code, 0);
  EXPECT_EQ(read_npy(folder_ / "out/positions.npy").values, idle);
}

// Texture coordinates tell the warp: what the scene says beside them would be passed over.
TEST_F(CliFabricTest, AWarpBesideTextureCoordinatesIsRefused) {
  const auto said = [&](const Vec2& of_vertex_6) {
    std::string mesh;
    for (int v = 0; v < kVertices; ++v) {
      const Vec2 uv = v == kSide ? of_vertex_6 : Vec2(v % kSide, v / kSide);
      mesh += fmt::format("vt {} {}\n", uv.x(), uv.y());
    }
    mesh += std::regex_replace(sheet(), std::regex("f (\\d+) (\\d+) (\\d+)"), "f $1/$1 $2/$2 $3/$3");
    folder_.write("rest.obj", mesh);
    folder_.write("scene.toml", shot_text() + "warp = [1, 0, 0]\n" + pin_text());
    return run({"simulate", "scene.toml", "-o", "out", "--force"});
  };
  const ProgramResult mapped = said({0, 1}), partly = said({0, 0});
  EXPECT_EQ(mapped.exit_code, 3);
  EXPECT_TRUE(says(mapped.err, {"scene.toml:4:1: [cloth] warp: found one, which has no effect beside the "
                                "texture coordinates of ",
                                "leave it out"}))
      << mapped.err;
  EXPECT_EQ(partly.exit_code, 0) << partly.err;
  EXPECT_TRUE(says(partly.err, {"[cloth] warp: it holds for 1 of 50 triangles alone, the first of them "
                                "triangle 0, counted from 0"}))
      << partly.err;
}

TEST_F(CliFabricTest, EveryLawChangesTheCloth) {
  const VecX plain = positions("compression = 1\n");
  for (const char* material :
       {"compression = \"buckling\"\n", "compression = 0.01\n", "shear_hysteresis = 1\n",
        "bend_hysteresis = 1e-3\n",
        "kes = {emt = [5, 9], g = 0.7, hg2 = 1.1, b = 0.1, hb2 = 0.05, weight = 15, thickness = 0.4}\n",
        "model = \"isotropic\"\nyoung = 1e6\npoisson = 0.4\n"}) {
    const VecX other = positions(material);
    ASSERT_EQ(other.size(), plain.size());
    EXPECT_GT((other - plain).lpNorm<Eigen::Infinity>(), 1e-6) << material;
  }
}

TEST_F(CliFabricTest, CurvesAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal_of_curve("0 0\n0.01 3 4\n"),
            "warp.csv:2:8: a line of 3 words; expected two: strain tension; write one point of the curve in "
            "each line");
  EXPECT_EQ(refusal_of_curve("0.01 3\n"),
            "warp.csv:1:1: the curve begins at 0.01 3; expected 0 0; write the point at rest first; in "
            "compression cloth has a key of its own");
  EXPECT_EQ(refusal_of_curve("0 0\n0.02 3\n0.01 4\n"),
            "warp.csv:3:1: a strain of 0.01 after 0.02; expected more than in the line before; sort the "
            "points, and leave out repeats");
  EXPECT_EQ(refusal_of_curve("0 0\n0.01 3\n0.02 2\n"),
            "warp.csv:3:6: a tension of 2 after 3; expected no less than in the line before; take the curve "
            "as the fabric is loaded, and smooth out the noise");
  EXPECT_EQ(refusal_of_curve("0 0\n0.01 0\n"),
            "warp.csv:2:6: a tension of 0 after 0; expected more than at rest; take the curve as the fabric "
            "is loaded, and smooth out the noise");
  EXPECT_EQ(
      refusal_of_curve("0 0\n"),
      "warp.csv:2:1: one point alone; expected two or more, the first 0 0; write one point of the curve in "
      "each line");
  EXPECT_EQ(refusal_of_curve("0 0\n0.01 nan\n"),
            "warp.csv:2:6: 'nan' is not finite; expected a finite number; repair it where it comes from and "
            "export again");
  const std::string repeats =
      "; expected each 0, or from 1e-30 to 1e30; leave out points that all but repeat";
  EXPECT_EQ(refusal_of_curve("0 0\n1e-300 3\n"),
            "warp.csv:2:1: a point 1e-300 3, and a slope of 3e+300" + repeats);
  EXPECT_EQ(refusal_of_curve("0 0\n1e-5 1e28\n"),
            "warp.csv:2:1: a point 1e-05 1e+28, and a slope of 1e+33" + repeats);
}

// Forces that do work with the angle: a square of 1 m whose threads meet at 90 degrees less g stores what is
// below the curve up to there, g in radians.
TEST_F(CliFabricTest, AShearCurveIsOneOfTheAngle) {
  const double g = 0.5;
  folder_.write("rest.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  folder_.write("sheared.obj", fmt::format("v 0 0 0\nv 1 0 0\nv {0} {1} 0\nv {2} {1} 0\nf 1 2 3\nf 1 3 4\n",
                                           1.0 + std::sin(g), std::cos(g), std::sin(g)));
  const auto simulated = [&](const std::string& curve) {
    folder_.write("shear.csv", curve);
    return simulate_text(
        "[shot]\nframes = \"1-2\"\n[cloth]\nrest = \"rest.obj\"\ninitial = \"sheared.obj\"\nwarp = [1, 0, "
        "0]\n"
        "[cloth.material]\nshear_curve = \"shear.csv\"\n[[pin]]\nvertices = [0, 1, 2, 3]\n");
  };
  std::string straight;
  for (int k = 0; k <= 20; ++k) straight += fmt::format("{} {}\n", 0.05 * k, 0.5 * k);
  const ProgramResult result = simulated(straight);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(read_json_lines("out/steps.jsonl").front()["elastic_J"].get<double>(), 0.5 * 10.0 * g * g,
              1e-4);
  const ProgramResult degrees = simulated("0 0\n10 3\n");
  EXPECT_EQ(degrees.exit_code, 3);
  EXPECT_TRUE(says(degrees.err, {"shear.csv:2:1: a shear angle of 10; expected one in radians, up to 1.5; "}))
      << degrees.err;
  const ProgramResult alike = simulated("0 0\n0.001 3\n1.4995 10\n1.4995000000000003 10\n");
  EXPECT_EQ(alike.exit_code, 3);
  EXPECT_TRUE(says(alike.err, {"shear.csv:4:1: a point 1.4995", "leave out points that all but repeat"}))
      << alike.err;
}

// A power that rises so late that the curve's pieces would fall before it.
TEST_F(CliFabricTest, ATestersCurveDoesNotFall) {
  const auto of_sheet = [&](const std::string& sheet) {
    return simulate("kes = {emt = [5, 9], " + sheet + "}\n");
  };
  const auto refused = [&](const std::string& sheet, const std::string& message) {
    const ProgramResult result = of_sheet(sheet);
    EXPECT_EQ(result.exit_code, 3) << sheet;
    EXPECT_TRUE(says(result.err, {"[cloth.material.kes] " + message + ": nearer to "})) << result.err;
  };
  refused("lt = 0.6, initial = 0.595", "initial: found 0.595; expected at most 0.5909, with lt = 0.6");
  refused("lt = 1, initial = 1", "initial: found 1; expected at most 0.9999, with lt = 1");
  refused("lt = [0.6, 0.16]", "lt: found 0.16; expected at least 0.1689, with initial = 0.15");
  refused("lt = 0.1", "lt: found 0.1; expected at least 0.1689, with initial = 0.15");
  refused("lt = 0.02, initial = 0.012", "lt: found 0.02; expected at least 0.034, with initial = 0.012");
  for (const char* sheet :
       {"lt = 0.6, initial = 0.5909", "lt = [0.6, 0.1689]", "lt = 0.034, initial = 0.012"})
    EXPECT_EQ(of_sheet(sheet).exit_code, 0) << sheet;
}

// Its coupling is one of threads, which no isotropic sheet and no spring has. Nor do springs have a Poisson's
// ratio to be chosen.
TEST_F(CliFabricTest, APresetWithCouplingMayBeSprings) {
  const auto simulated = [&](const std::string& poisson) {
    std::string text = scene("preset = \"jersey\"\nmodel = \"isotropic\"\nyoung = 1e6\n" + poisson);
    const std::string cloth = "[cloth]\n";
    text.insert(text.find(cloth) + cloth.size(), "model = \"springs\"\n");
    folder_.write("scene.toml", text);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_FALSE(says(simulated(""), {"poisson"}));
  const VecX without = read_npy(folder_ / "out/positions.npy").values;
  EXPECT_TRUE(says(simulated("poisson = 0.4\n"), {"[cloth.material] poisson: found 0.4, without effect"}));
  EXPECT_EQ(read_npy(folder_ / "out/positions.npy").values, without);
}

// A fold that is shut at the first frame; what springs cannot have is told with its place, too.
TEST_F(CliFabricTest, SpringsBeginWithADirection) {
  folder_.write("rest.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  folder_.write("shut.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 1 0 0\nf 1 2 3\nf 1 3 4\n");
  const std::string cloth = "[shot]\nframes = \"1-3\"\n[cloth]\nrest = \"rest.obj\"\nmodel = \"springs\"\n";
  const ProgramResult shut = simulate_text(cloth + "initial = \"shut.obj\"\n");
  EXPECT_EQ(shut.exit_code, 3);
  EXPECT_TRUE(says(shut.err, {"scene.toml:3:1: [cloth] initial: vertices 3 and 1 are in one place"}))
      << shut.err;
  const ProgramResult limited = simulate_text(cloth + "material = {strain_limit = 0.1}\n");
  EXPECT_EQ(limited.exit_code, 3);
  EXPECT_TRUE(says(limited.err, {"scene.toml:3:1: [cloth]: ", "cloth of springs knows no strain limit"}))
      << limited.err;
}

TEST_F(CliFabricTest, BucklingNeedsABend) {
  const ProgramResult result = simulate("compression = \"buckling\"\nbend = 0\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("[cloth.material] compression: \"buckling\" with a bend of 0"), std::string::npos)
      << result.err;
  const ProgramResult fold = simulate("fold_length = 0.02\nbend = 0\n");
  EXPECT_EQ(fold.exit_code, 3);
  EXPECT_NE(fold.err.find("[cloth.material] fold_length: found 0.02 with a bend of 0"), std::string::npos)
      << fold.err;
  const ProgramResult tiny = simulate("bend = 1e-323\n");
  EXPECT_EQ(tiny.exit_code, 3);
  EXPECT_NE(tiny.err.find("below 1e-30, which no shot can mean"), std::string::npos) << tiny.err;
}

// Of threads that are stretched far: what is advised is never refused beside what the scene has.
TEST_F(CliFabricTest, WarningsOfStretchAdviseWhatTheSceneTakes) {
  folder_.write("long.obj", sheet([](double&, double& y, double&) { y *= 1.2; }));
  const auto advice = [&](const std::string& cloth, const std::string& solver) {
    folder_.write("scene.toml", shot_text("") + "initial = \"long.obj\"\n" + cloth + pin_text() + solver);
    const ProgramResult other = run({"simulate", "scene.toml", "-o", "other", "--force"});
    EXPECT_EQ(other.exit_code, 0) << other.err;
    const std::size_t at = other.err.find("pull hard there; ");
    return at == std::string::npos ? other.err
                                   : other.err.substr(at + 17, other.err.find('\n', at) - at - 17);
  };
  EXPECT_EQ(advice("", ""), "raise stretch in [cloth.material], or forbid it by strain_limit");
  EXPECT_EQ(advice("model = \"springs\"\n", ""), "raise stretch in [cloth.material]");
  EXPECT_EQ(advice("", "[solver]\nintegrator = \"prefactored\"\n"), "raise stretch in [cloth.material]");
  EXPECT_EQ(advice("[cloth.material]\nmodel = \"isotropic\"\nyoung = 1e5\npoisson = 0.3\n", ""),
            "raise young in [cloth.material], or forbid it by strain_limit");
}

}  // namespace
}  // namespace keydrape
