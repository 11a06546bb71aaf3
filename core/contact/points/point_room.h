#pragma once

#include <vector>

#include "core/contact/body/collider.h"
#include "core/contact/body/sample_points.h"

namespace keydrape {

// Consecutive sample points [first, end) of one vertex, edge or triangle: they lie between its vertices.
struct PointPatch {
  int first, end;
};
inline constexpr int kPatchesPerTask = 64;
std::vector<PointPatch> point_patches(const std::vector<SamplePoint>& points);

// An open ball of which a body is known to stay out.
struct FreeBall {
  Vec3 center;
  double radius;  // [m], 0: nothing is known

  bool holds(const Vec3& p) const { return (p - center).squaredNorm() < radius * radius; }
};

// The ball round the middle of the patch's vertices at y (3n) [m] in which phi > level, and the distance from
// there to the farthest of them.
struct PatchBall {
  FreeBall ball;
  double reach;  // [m]
};
// `any`: a point of the patch.
PatchBall free_ball(const SamplePoint& any, const ColliderPose& pose, double level, const VecX& y);

// Tells of most sample points that they lie beyond a body's `level`, without asking the body: a step moves
// cloth by little, and most of it is farther away than that. A ball is measured once for each patch where the
// cloth is at first, and for each point of those that it does not hold with room to spare; later positions
// are compared with the balls. Costs a look at each vertex of a far patch where each of its points had to be
// looked up in a level set. Skips nothing that is not beyond `level` (S1).
class PointRoom {
 public:
  // `points` and `patches` outlive this. Requires a finite y, and -pose.smooth_depth() < level < pose.band().
  PointRoom(const std::vector<SamplePoint>& points, const std::vector<PointPatch>& patches,
            const ColliderPose& pose, double level, const VecX& y);

  // Calls body(i, p) for the points i of a patch that may lie at phi <= level, p being where they are at y.
  template <class Body>
  void for_each_near(int patch, const VecX& y, const Body& body) const {
    if (holds(patch, y)) return;
    for (int i = patches_[patch].first; i < patches_[patch].end; ++i) {
      const Vec3 p = points_[i].position(y);
      const FreeBall* own = own_ball(patch, i);
      if (own == nullptr || !own->holds(p)) body(i, p);
    }
  }

  // Calls body(i, p, d) for those that may come there on their way from p, at y, to p + d, at y + dy.
  template <class Body>
  void for_each_near_on_way(int patch, const VecX& y, const VecX& dy, const Body& body) const {
    if (holds(patch, y) && holds(patch, y, dy)) return;
    for (int i = patches_[patch].first; i < patches_[patch].end; ++i) {
      const Vec3 p = points_[i].position(y), d = points_[i].position(dy);
      const FreeBall* own = own_ball(patch, i);
      if (own == nullptr || !own->holds(p) || !own->holds(p + d)) body(i, p, d);
    }
  }

 private:
  const SamplePoint& any(int patch) const { return points_[patches_[patch].first]; }
  // Whether the patch's ball holds all of its vertices, and with them its points.
  bool holds(int patch, const VecX& y) const;
  bool holds(int patch, const VecX& y, const VecX& dy) const;
  const FreeBall* own_ball(int patch, int i) const {
    return first_own_[patch] < 0 ? nullptr : &own_[first_own_[patch] + i - patches_[patch].first];
  }

  const std::vector<SamplePoint>& points_;
  const std::vector<PointPatch>& patches_;
  std::vector<FreeBall> balls_;  // of patches
  std::vector<int> first_own_;   // of a patch, in own_; -1: it has none
  std::vector<FreeBall> own_;    // of points
};

}  // namespace keydrape
