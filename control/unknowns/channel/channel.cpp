#include "control/unknowns/channel/channel.h"

#include <cassert>

namespace keydrape {

VecX ChannelScale::values(const VecX& c) const {
  assert(c.size() == origin.size() && unit.size() == origin.size());
  const VecX change = unit.cwiseProduct(c);
  return is_logarithmic ? VecX(origin.array() * change.array().exp()) : VecX(origin + change);
}

bool ChannelScale::are_possible(const VecX& p) const {
  constexpr double kMost = 1e30;  // and the least is one over it, in SI units: products of them stay finite
  if (!p.allFinite()) return false;
  return !is_logarithmic || ((p.array() > 1.0 / kMost).all() && (p.array() < kMost).all());
}

}  // namespace keydrape
