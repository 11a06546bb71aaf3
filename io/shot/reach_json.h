#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/shot/shot.h"

namespace keydrape {

// What `Shot::reach` says of keyframe k, as summary.json and `solve --dry-run --json` have it
// (io/OUTPUTS.md): what does not apply to its kind is left out.
nlohmann::ordered_json reach_json(const Shot& shot, std::size_t k);

// Its `strain`. A place is a vertex of `rest`, that which messages name.
nlohmann::ordered_json strain_json(const TriangleMesh& rest, const StrainFigures& strain);

}  // namespace keydrape
