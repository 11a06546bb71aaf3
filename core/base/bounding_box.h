#pragma once

#include <limits>

#include "core/base/types.h"

namespace keydrape {

// An axis-aligned box; components may be infinite.
struct BoundingBox {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());  // as it stands: holds nothing
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  bool is_empty() const;
  Vec3 center() const;
  void add(const Vec3& p);
};

}  // namespace keydrape
