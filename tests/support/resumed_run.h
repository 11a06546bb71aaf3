#pragma once

#include <fmt/format.h>

#include "tests/support/cli_folder.h"

namespace keydrape {

// Runs that were broken off, beside one that was not.
class ResumedRun : public CliFolder {
 protected:
  ResumedRun() { folder_.write("half.obj", swung_sheet(0.15)); }

  // Two keyframes, and a search that is long enough to be broken off.
  void write_scene(const std::string& control, int budget) {
    folder_.write("scene.toml", shot_text() + pin_text() + first_keyframe_ +
                                    keyframe_text("tolerance = 1e-4\n") + "[control]\n" + control +
                                    fmt::format("max_forward_simulations = {}\n", budget));
  }

  static std::vector<std::string> solve_into(const std::string& folder) {
    return {"solve", "scene.toml", "-o", folder, "--resume", "--no-report", "--progress", "none"};
  }

  std::string first_keyframe_ = "[[keyframe]]\nframe = 1003\nmesh = \"half.obj\"\n";

  // A log of JSON lines without its times.
  std::string timeless(const std::string& name) const {
    std::string text;
    for (nlohmann::json line : read_json_lines(name)) {
      line.erase("time_s");
      text += line.dump() + "\n";
    }
    return text;
  }

  void expect_same_results(const std::string& there, const std::string& here) const {
    for (const char* name :
         {"forces.npy", "positions.npy", "steps.npy", "controlled.pc2", "uncontrolled.pc2"}) {
      EXPECT_FALSE(folder_.read(there + "/" + name).empty()) << name;
      EXPECT_TRUE(folder_.read(here + "/" + name) == folder_.read(there + "/" + name)) << name;
    }
    for (const char* name : {"convergence.jsonl", "steps.jsonl"})
      EXPECT_EQ(timeless(here + "/" + name), timeless(there + "/" + name));
    const nlohmann::json a = read_json(there + "/summary.json"), b = read_json(here + "/summary.json");
    for (const char* key : {"status", "keyframes", "effort"}) EXPECT_EQ(a[key], b[key]);
    EXPECT_EQ(a["work"]["forward_simulations"], b["work"]["forward_simulations"]);
  }
};

}  // namespace keydrape
