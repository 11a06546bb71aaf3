#pragma once

#include <map>
#include <vector>

#include "core/contact/impulse/impact_search.h"

namespace keydrape {

// Which nodes move as one (Provot 1997; Bridson et al. 2002, section 7.5): vertices of the cloth and of
// bodies, and bodies that are distances. Zones only grow.
class ImpactZones {
 public:
  explicit ImpactZones(int node_count);

  // Returns whether they were apart.
  bool unite(int a, int b);
  // Zones of two nodes or more, ascending by their first node, nodes ascending.
  std::vector<std::vector<int>> zones() const;

 private:
  int root(int node) const;

  std::vector<int> parent_;
};

// How the zones move the vertices from where a piece of a step begins.
struct ZoneMoves {
  VecX y;  // of the whole array at the end of the piece [m]
  // By node: the number of a zone in which no distance shrinks, -1 elsewhere. Pairs within need no test.
  std::vector<int> rigid_zone;
  // Zones that are to go several ways at once: bodies and pins disagree.
  int conflicts = 0;
};

// Every zone moves rigidly, with the momentum and the angular momentum of its velocities v (Z6), or as the
// body or the held vertices in it do, or as vertices that slide let it (Z8); all else goes from x to x + h v.
// v is of the whole array.
ZoneMoves move_zones(const ImpactSearch& search, const FilteredStep& step,
                     const std::vector<std::vector<int>>& zones, const VecX& v);

// The velocities v_G + w x (x - x_G) with the momentum and angular momentum of v over these vertices: their
// least energy of motion. Where they lie on one line w has no part along it.  (Z6)
struct RigidVelocities {
  Vec3 center;           // x_G [m]
  Vec3 linear, angular;  // v_G [m/s], w [rad/s]
  Vec3 at(const Vec3& x) const { return linear + angular.cross(x - center); }
};
RigidVelocities rigid_velocities(const std::vector<int>& vertices, const VecX& vertex_mass, const VecX& x,
                                 const VecX& v);

}  // namespace keydrape
