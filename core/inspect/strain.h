#pragma once

#include <array>
#include <vector>

#include "core/base/types.h"
#include "core/cloth/cloth.h"
#include "core/energy/membrane.h"

namespace keydrape {

// A strain, and the triangle that has it; -1: none does.
struct StrainPlace {
  double strain = 0.0;
  int triangle = -1;
};

// Against stretch, along the softer of both threads [N/m].
double membrane_stiffness(const Material& material);

// How a shape strains the cloth: as shares of lengths at rest, shear as an angle. Over all triangles that are
// asked of; 99 % of their area at rest is strained by no more than what ends in _99.
struct StrainFigures {
  double area = 0.0;             // of the triangles asked of, at rest [m^2]; 0: there are none
  StrainPlace stretch, squeeze;  // largest in any direction, longer and shorter, >= 0  (P1)
  double stretch_99 = 0.0, squeeze_99 = 0.0;
  StrainPlace warp, weft;  // largest along the threads, by size; < 0: shorter  (P2)
  StrainPlace shear;       // largest between the threads [rad], >= 0  (P2)
  double limit = 0.0;      // beyond which cloth hardly goes, see StrainMeter
  double felt_99 = 0.0;    // of what the fabric feels of it (StrainMeter)
  double beyond = 0.0;     // share of the area on which that is beyond the limit
};

// What StrainMap holds of each vertex, in the order of its columns: the strains of StrainFigures, and what
// the fabric feels (StrainMeter).
inline constexpr std::array<const char*, 6> kStrainColumns = {"stretch", "squeeze",   "warp",
                                                              "weft",    "shear_rad", "felt"};
// Of every vertex the largest, by size, among the triangles around it (n, 6).
using StrainMap = Eigen::Matrix<double, Eigen::Dynamic, kStrainColumns.size(), Eigen::RowMajor>;

// Measures how shapes strain a cloth (core/EQUATIONS.md (P1) to (P4)).
class StrainMeter {
 public:
  // Throws as build_rest_shape does. `cloth` outlives this.
  explicit StrainMeter(const ClothDescription& cloth);

  // The strain that cloth hardly goes beyond: its strain limit; without one 5 %, or what its own weight
  // stretches it by if that is more.  (P3)
  //
  // What the fabric feels of a shape is the larger of stretch and squeeze, with the shear between the threads
  // by as much less as it is softer against it, where it has no strain limit (P7). Where the fabric gives way
  // under compression, squeeze stands for folds between the vertices, and is not felt but where nothing is
  // bent: there cloth would fold, and no force keeps it from that (P8).
  double limit() const { return limit_; }

  // At positions x [m] (3n) and the given time [s], of the triangles with no vertex of which `left_out` is
  // not 0 (n).
  StrainFigures at(const VecX& x, double time, const std::vector<char>& left_out) const;
  // At positions x [m] (3n) and the given time [s], of all triangles.
  StrainMap map(const VecX& x, double time) const;
  // The largest stretch of a thread, or in any direction of cloth without threads; at positions x [m] (3n)
  // and the given time [s]. What is not longer than at rest is none.
  StrainPlace longest_thread(const VecX& x, double time) const;
  // The vertices of the triangles that are strained beyond the limit: not 0 (n).
  std::vector<char> vertices_beyond(const VecX& x, double time) const;

 private:
  struct TriangleStrain {
    double stretch, squeeze, warp, weft, shear, felt;
  };
  struct Neighbour {
    int triangle;
    Edge edge;     // that both have
    double angle;  // at which it is folded there, in the rest mesh [rad]
  };
  TriangleStrain of_triangle(int triangle, const VecX& x, const Vec2& scale) const;
  bool is_unbent(int triangle, const VecX& x) const;

  const ClothDescription& cloth_;
  std::vector<RestTriangle> rest_;
  double limit_;
  double shear_share_;  // of the shear that is felt
  bool feels_squeeze_;
  std::vector<std::vector<Neighbour>> neighbours_;  // of each triangle
};

}  // namespace keydrape
