#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "io/report/run.h"

namespace keydrape {

// In which keys the scenes of the runs differ: a list of {"key", "values", "default"}, by name. "values" has
// for each run what its scene says, as TOML, or null where it leaves the key out; "default" is what then
// holds, or null. Of files the names count, not what is in them.
nlohmann::json scene_comparison_json(const std::vector<ReportRun>& runs);

// What a run's scene says for a key, as TOML; null where it leaves it out.
nlohmann::json written_value(const ReportRun& run, const std::string& key);

}  // namespace keydrape
