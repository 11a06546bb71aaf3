#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/cloth/model.h"
#include "core/cloth/state.h"

namespace keydrape {

// Which parts of the cloth contact pushes at one time.
struct ContactSummary {
  // Points within the range of a body's barrier or penalty, and pairs of features within that of the cloth's
  // own. Passes, which have neither, push less of them: what is within the range that a barrier would have.
  int pairs = 0;
  // Among them, of the cloth's middle surface [m]; < 0 within a body.
  double least_distance = std::numeric_limits<double>::infinity();
  std::uint64_t fingerprint = 0;  // of the set: equal sets have the same
};

// Cloth with its bodies as at `time` [s]. Pairs that pins take out of contact do not count, nor those that do
// not collide since the shot began with them crossed.
// `search`: serves whoever asks of one step after the other.
ContactSummary contact_summary(const Model& model, const State& state, double time, PairSearch& search);

// What contact stores [J], likewise: what throws cloth off that begins too near.
double contact_energy(const Model& model, const State& state, double time, PairSearch& search);

// A pair that contact pushes apart, as the two points that are nearest to each other; their difference is the
// distance that the barrier sees, or of a point within a body, where a penalty leaves it, how deep it is.
struct TouchingPair {
  enum class With { kLayer, kBody };
  With with;      // what the cloth touches: itself, or a body
  Vec3 on_cloth;  // [m]
  Vec3 opposite;  // on the other layer or the body [m]
};

// All pairs that `contact_summary` counts, in an order that depends on positions and time alone.
std::vector<TouchingPair> touching_pairs(const Model& model, const State& state, double time,
                                         PairSearch& search);

}  // namespace keydrape
