#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliStrainLimitTest : public CliFolder {
 protected:
  // Hung, soft and heavy: its weight stretches it by a quarter.
  double lowest_point(const std::string& limit) const {
    folder_.write(
        "scene.toml",
        shot_text() + "[cloth.material]\ndensity = 1\nstretch = [10, 10]\nshear = 2\n" + limit + pin_text());
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const VecX x = read_npy(folder_ / "out/positions.npy").values;
    double lowest = 0.0;
    for (Eigen::Index i = 1; i < x.size(); i += 3) lowest = std::min(lowest, x(i));
    return lowest;
  }
};

TEST_F(CliStrainLimitTest, HoldsTheClothTogether) {
  EXPECT_LT(lowest_point(""), -0.25 * 1.1);
  EXPECT_GT(lowest_point("strain_limit = 0.02\n"), -0.25 * 1.02);
}

TEST_F(CliStrainLimitTest, RefusesAFirstFrameBeyondIt) {
  // Rows are 5 cm apart: the last one is pulled out by 4 %, and its end by 24 %.
  folder_.write("start.obj", sheet([](double& x, double& y, double&) {
                  if (y < -0.24) y -= x > 0.24 ? 0.012 : 0.002;
                }));
  folder_.write("scene.toml",
                shot_text() + "initial = \"start.obj\"\n[cloth.material]\nstrain_limit = 0.2\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(
      result.err.find("scene.toml:7:1: [cloth.material] strain_limit: at the first frame 1 triangles are "
                      "stretched by 0.2 or more, triangle 49, counted from 0, by 0.2"),
      std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace keydrape
