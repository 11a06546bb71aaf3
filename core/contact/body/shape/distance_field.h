#pragma once

#include "core/base/bounding_box.h"
#include "core/base/types.h"

// What cloth needs to know of a body. Equations (S..): core/contact/EQUATIONS.md.

namespace keydrape {

// A distance and its derivatives with respect to the point.
struct DistanceSample {
  double distance;  // [m], negative inside of the body
  Vec3 gradient;    // points away from the body; of length 1 or near it
  Mat3 hessian;     // [1/m], symmetric
};

// The signed distance phi of a body in the body's own frame.
//
// Where -smooth_depth() < phi <= band() it is one C2 function, and `sample` gives that very function's value,
// gradient and Hessian. Elsewhere the sign is right, the value sensible and the gradient leads out of the
// body, but phi may have kinks (medial axis) and jumps (at the end of a level set's band). Contact therefore
// acts in the band alone.
class DistanceField {
 public:
  virtual ~DistanceField() = default;

  // Requires a finite point, as the next two.
  virtual DistanceSample sample(const Vec3& p) const = 0;
  // sample(p).distance, but cheaper.
  virtual double distance(const Vec3& p) const = 0;

  // A radius r >= 0 such that phi > level in the open ball of radius r round p; 0 where phi(p) <= level. A
  // step shorter than this cannot bring p nearer to the body than `level` [m],
  // -smooth_depth() < level < band().
  virtual double free_radius(const Vec3& p, double level) const = 0;

  // Holds the body: phi > 0 outside.
  virtual BoundingBox bounds() const = 0;

  // [m]; infinite for closed forms.
  virtual double band() const = 0;
  // How far inside of the surface phi is still C2 [m], > 0.
  virtual double smooth_depth() const = 0;
};

}  // namespace keydrape
