#include "core/base/bounding_box.h"

namespace keydrape {

bool BoundingBox::is_empty() const { return (low.array() > high.array()).any(); }

Vec3 BoundingBox::center() const { return 0.5 * (low + high); }

void BoundingBox::add(const Vec3& p) {
  low = low.cwiseMin(p);
  high = high.cwiseMax(p);
}

}  // namespace keydrape
