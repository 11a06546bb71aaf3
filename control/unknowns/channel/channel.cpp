#include "control/unknowns/channel/channel.h"

#include <cassert>

namespace keydrape {

VecX ChannelScale::values(const VecX& c) const {
  assert(c.size() == origin.size() && unit.size() == origin.size());
  const VecX change = unit.cwiseProduct(c);
  return is_logarithmic ? VecX(origin.array() * change.array().exp()) : VecX(origin + change);
}

}  // namespace keydrape
