#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace keydrape {

// What came of a coarser version of the shot that was searched first (coarse_to_fine).
struct LevelOutcome {
  struct Miss {
    int frame;
    double rms, max;  // [m]
  };

  int vertices = 0;
  int substeps = 0;
  std::string end;  // why its search ended, in words
  std::vector<Miss>
      misses;  // one a keyframe, frames of tracks included; none: not even its first run was finished
  int forward_simulations = 0;
  int adjoint_sweeps = 0;
  int tangent_sweeps = 0;
  long newton_iterations = 0;
  long factorizations = 0;
  long time_steps = 0;
  double time_s = 0.0;  // wall-clock time
};

// As summary.json and checkpoint.json have them. levels_of throws nlohmann::json::exception.
nlohmann::ordered_json levels_json(const std::vector<LevelOutcome>& levels);
std::vector<LevelOutcome> levels_of(const nlohmann::ordered_json& json);

}  // namespace keydrape
