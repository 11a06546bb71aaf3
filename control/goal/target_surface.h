#pragma once

#include <vector>

#include "control/goal/nearest_on_cloth.h"
#include "core/base/types.h"
#include "core/contact/pairs/nearest_search.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// Where the vertices of the cloth have their nearest points on a surface, and what keeps them off it.
struct SurfaceMatch {
  VecX points;                   // [m] (3n)
  std::vector<Mat3> directions;  // P: orthogonal to the feature that holds the point (n)
};

// Normals of the vertices at x [m] (3n), each triangle counted by its area, and not normalised.
std::vector<Vec3> area_normals(const std::vector<Triangle>& triangles, const VecX& x);

// Whether a surface is meant as a whole, or cloth is to lie somewhere on it.
enum class SurfaceExtent { kPart, kWhole };
// It is meant as a whole where it has a border, and is hardly larger than the triangles of the cloth whose
// vertices all have weight (n) are at rest.
SurfaceExtent extent_for(const TriangleMesh& target, const TriangleMesh& rest, const VecX& weight);

// A target of another topology than the cloth: triangles, or points alone, such as a scan. Of each vertex of
// the cloth it finds the nearest point c and the feature of the surface around it (within a triangle, on an
// edge, a vertex), with the projector P onto the directions across that feature. With c and P held fixed,
//   1/2 |P (x - c)|^2     (K3)
// has the value, the gradient and the Hessian of half the squared distance from the surface: exactly, as long
// as the feature stays the nearest. Vertices slide along triangles (Chen & Medioni 1992) and stay at rims.
//
// That is one-sided: cloth which is crumpled on a part of the surface lies on it. Of one that is meant as a
// whole the border draws the cloth's, too, so that borders are compared both ways, as chamfer distances are
// (Barrow, Tenenbaum, Bolles & Wolf 1977; the mean in every vertex is ours): of those of its vertices s
// whose nearest point of the cloth, q_s = sum_i w_si x_i, is on the border of that,
//   x*_i = x_i + sum_s w_si (s - q_s) / sum_s w_si,   P_i = I     (K9)
// where the cloth reaches beyond, q_s is within it, and s draws nothing.
class TargetSurface {
 public:
  // `target`: with triangles, or without for points alone. `cloth`: the triangles of the cloth, whose vertex
  // normals tell which side of it is meant: triangles of the target turned away from there by more than
  // `max_angle` [rad] count only where there is no other. Requires points.
  TargetSurface(TriangleMesh target, std::vector<Triangle> cloth, double max_angle,
                SurfaceExtent extent = SurfaceExtent::kPart);

  const TriangleMesh& mesh() const { return target_; }  // [m]
  double max_angle() const { return max_angle_; }       // [rad]
  // Of the angle between two normals, from which on they count as turned away from each other.
  double least_cosine() const { return least_cosine_; }
  SurfaceExtent extent() const { return extent_; }
  // The same target for other cloth.
  TargetSurface for_cloth(std::vector<Triangle> cloth) const;

  // x: the cloth [m] (3n).
  SurfaceMatch match(const VecX& x) const;
  // Of the weight (n) that there is, the share of vertices whose nearest triangle of all, those that do not
  // count among them, is turned away. Points alone never are.
  double share_turned_away(const VecX& x, const VecX& weight) const;

 private:
  struct Hit {
    int item;      // triangle, or point
    Vec3 point;    // [m]
    Vec3 weights;  // of a triangle's vertices
  };

  Hit on_item(int item, const Vec3& p) const;
  Hit nearest(const Vec3& p, const Vec3& normal) const;
  Mat3 across(const Hit& hit) const;
  void draw_border(const VecX& x, SurfaceMatch& found) const;  // (K9)

  TriangleMesh target_;
  std::vector<Vec3> normals_;  // of its triangles; zero without area
  std::vector<Triangle> cloth_;
  double max_angle_, least_cosine_;
  SurfaceExtent extent_;
  std::vector<int> rim_;  // vertices of the target's border, ascending; empty unless all of it is meant
  ClothBorder border_;    // of the cloth, likewise
  NearestSearch search_;  // over triangles, or points
};

}  // namespace keydrape
