#pragma once

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {

// Scenes that are simulated for where their cloth ends, or refused.
class SimulatedScene : public CliFolder {
 protected:
  // At the last of the six frames of shot_text() [m].
  VecX end_of(const std::string& scene) {
    folder_.write("scene.toml", scene);
    const ProgramResult result =
        run({"simulate", "scene.toml", "-o", "out", "--force", "--progress", "none"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const VecX all = read_npy(folder_ / "out/positions.npy").values;
    return all.tail(all.size() / 6);
  }
  std::string refusal_of(const std::string& scene) {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--dry-run"});
    EXPECT_EQ(result.exit_code, 3);
    return result.err;
  }
};

}  // namespace keydrape
