#pragma once

#include <vector>

#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

// The distance of a surface from the centres of all bricks of a grid, stored or not: what a level set knows
// beyond its band, inside and outside.
//
// A voxel next to the surface is projected on it, v - phi grad phi; each centre takes the nearest of these
// points from the 27 bricks around it, and hands it on to its neighbours in eight sweeps, twice (vector
// distance transform: Danielsson 1980).
class FarField {
 public:
  // Of the distances in `bricks`. Requires a voxel next to the surface.
  explicit FarField(const BrickGrid& bricks);

  struct Value {
    double distance;  // [m], negative inside
    Vec3 gradient;    // of length 1
  };
  // Anywhere. Between the centres: trilinear. Off their lattice: from the nearest point known.
  Value at(const Vec3& p) const;

  // No point of the surface is nearer to p than this [m], >= 0.
  double free_radius(const Vec3& p) const;

  std::size_t memory_bytes() const { return centers_.size() * sizeof(centers_[0]); }

 private:
  struct Center {
    Eigen::Vector3f nearest;  // point of the surface [m]
    float distance;           // from it to the centre [m], negative inside
  };

  Vec3 position(const Index3& brick) const;
  std::size_t index(const Index3& brick) const;
  // Takes `point` for the brick's nearest where it is nearer than the one known.
  void offer(const Index3& brick, const Eigen::Vector3f& point);
  void collect_surface(const BrickGrid& bricks);
  void sweep(const Index3& direction);

  Vec3 first_;   // centre of brick (0, 0, 0)
  double side_;  // of a brick [m]
  Index3 size_;
  std::vector<Center> centers_;
};

// Replaces values at half_width and beyond, of which only the sign is known, by those of the far field, not
// less than half_width. For grids that come with a narrow band; mesh_distances knows them all.
void fill_beyond_band(BrickGrid& bricks);

}  // namespace keydrape
