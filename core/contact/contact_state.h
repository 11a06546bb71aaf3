#pragma once

#include <cstdint>
#include <limits>

#include "core/model.h"

namespace keydrape {

// Which parts of the cloth contact pushes at one time.
struct ContactState {
  int pairs =
      0;  // points within the range of a body's barrier, and pairs of features within that of the cloth's own
  double least_distance =
      std::numeric_limits<double>::infinity();  // among them, of the cloth's middle surface [m]
  std::uint64_t fingerprint = 0;                // of the set: equal sets have the same
};

// Cloth at x [m] (3n) with its bodies as at `time` [s]. Pairs that pins take out of contact do not count.
ContactState contact_state(const Model& model, const VecX& x, double time);

}  // namespace keydrape
