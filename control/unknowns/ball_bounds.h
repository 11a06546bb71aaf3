#pragma once

#include "core/base/types.h"

namespace keydrape {

// Bounds on the lengths of the vectors that z consists of: |z_k - center_k| <= radius_k, z_k the k-th triple
// of z (control/EQUATIONS.md (B1)). Each is a ball, so that the set is convex. What z has beyond the
// last of them is free.
struct BallBounds {
  VecX radius;    // > 0, one for each of the first triples of z
  VecX center{};  // three numbers for each of them; empty: zero

  int count() const { return static_cast<int>(radius.size()); }
  Vec3 center_of(int k) const {
    return center.size() > 0 ? Vec3(center.segment<3>(3 * k)) : Vec3(Vec3::Zero());
  }
  bool contain(const VecX& z) const;
  // Moves a range of triples, which begins with number `first`, to the nearest point within the bounds.
  void project(VecX& z, int first, int count) const;
  void project(VecX& z) const { project(z, 0, count()); }
  // Share of the first so many triples, 0 of none, that are to 1 % as long as they may be.
  double share_at_bound(const VecX& z, int first_count) const;
};

// The face of the bounds that a point stands on: the vectors that are as long as they may be and that the
// gradient there would make longer. Along it those vectors turn, but do not grow.  (B2)
class Face {
 public:
  Face(const BallBounds& bounds, const VecX& z, const VecX& gradient);

  int count() const { return count_; }  // vectors on their bound
  // v = D v for a range of triples.
  void project_tangent(VecX& v, int first, int count) const;
  void project_tangent(VecX& v) const { project_tangent(v, 0, static_cast<int>(curvature_.size())); }
  // out += Lambda v
  void add_curvature(const VecX& v, VecX& out) const;
  // Removes what pushes vectors beyond their bound from the gradient: zero at a minimum under the bounds.
  VecX projected(const VecX& gradient) const;

 private:
  VecX normal_;     // n_k, zero off the face
  VecX curvature_;  // lambda_k
  int count_ = 0;
};

}  // namespace keydrape
