#pragma once

#include "io/cache/mesh_cache.h"

namespace keydrape {

// From one unit and one pair of axes into another.
class SpaceChange {
 public:
  SpaceChange(const Space& from, const Space& to);

  bool is_identity() const { return scale_ == 1.0 && turn_ == Turn::kNone; }
  // A length: times this.
  double scale() const { return scale_; }

  Vec3 turned(const Vec3& v) const;
  // Vectors (3n) whose unit is SI are turned, positions scaled as well.
  void turn(VecX& vectors) const;
  void turn_and_scale(VecX& vectors) const;

  void apply(const std::vector<FieldHeader>& fields, CacheFrame& frame) const;

 private:
  enum class Turn { kNone, kYUpToZUp, kZUpToYUp };

  double scale_;
  Turn turn_;
};

}  // namespace keydrape
