#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliNewSlowTest = CliFolder;

TEST_F(CliNewSlowTest, EveryTemplateReachesItsKeyframe) {
  for (const std::string name : {"flag", "skirt", "cape"}) {
    ASSERT_EQ(run({"new", name, "--template", name}).exit_code, 0);
    const ProgramResult result = run({"solve", name + "/shot.toml", "--no-report"});
    EXPECT_EQ(result.exit_code, 0) << name << "\n" << result.err;
    const nlohmann::json keyframe = read_json(name + "/shot_out/latest/summary.json")["keyframes"][0];
    EXPECT_LT(keyframe["rms_m"], 0.15 * keyframe["uncontrolled_rms_m"].get<double>()) << name;
  }
}

}  // namespace
}  // namespace keydrape
