#pragma once

#include <vector>

#include "core/mesh/rest_hinge.h"
#include "core/mesh/topology.h"

namespace keydrape {

// The angle of a hinge on a cylinder of unit curvature that is bent along the direction t = (cos alpha,
// sin alpha) of the hinge's own frame, linear in the curvature: from z = (p . t)^2/2 interpolated on
// the two triangles,
//   theta(alpha) = p + q cos 2 alpha + r sin 2 alpha
struct CylinderAngle {
  double p, q, r;  // [rad m]

  static CylinderAngle of(const RestHinge& rest);
  double at(double alpha) const;
};

struct HingeStiffness {
  std::vector<double> k;  // of every hinge [J/rad^2 per N m]
  double spread = 1.0;    // PlateRigidity::spread of what they make; 1 where nothing tells
};

// The angular stiffness k_e of every hinge [J/rad^2 per N m] that gives a sheet bend = 1 N m:
// PlateRigidity::bend() of what the hinges make (bending_homogenization.h).
//
// What `bend` means: moment per unit width over curvature, of the sheet as it comes to rest. Its vertices do
// not stay on a cylinder, they ripple until the energy is least. Besides, hinges have a Poisson ratio of
// their own, nu near -1/3 (-0.2 on some Delaunay meshes): what is bent one way also bends across, to the same
// side. A narrow strip with free edges (the cantilever test) does so, and is softest; cloth that cannot,
// being held, wide or hard to stretch, is 1/(1 - nu^2) times as stiff. `bend` is the mean of the two, each
// within 6 % of it.
//
// The usual choice, 3 |e|^2/(A_a + A_b) (Grinspun et al. 2003), depends on the triangulation. Here k_e = s_e
// times that, s_e from a least-squares problem over all vertices and directions ((B1) and (B2) in
// bending_calibration.cpp), then scaled with (B3).
//
// Energy of a cylinder over bend/2 kappa^2, over directions; at rest 1.06 is right (1.03 on
// the turned lattice):
//   mesh                        usual choice    here, every vertex held    here, at rest
//   equilateral triangles       3               1.06                       1.06
//   alternating diagonals       3 to 4.5        1.39 to 1.42               1.06 to 1.09
//   lattice turned in a border                  1.32 to 1.35               1.02 to 1.06
//   jittered Delaunay                           1.19 to 1.23               1.04 to 1.07
//   jittered, random diagonals  3.7 to 6.8      1.37 to 1.54
//   all diagonals parallel                      0.57 to 2.3                0.57 to 2.3
// Grids with all diagonals parallel are softest along their axes; no hinge stiffnesses make them isotropic.
// Bending at vertices is (vertex_bending.h).
//
// The heavy elastica on a strip four times as long as wide, error of drop over reach: alternating diagonals
// -0.8 to -6.4 % at L/40, +0.5 to -4.3 % at L/80, largest where it bends most (Gamma = 10) and hardly
// stretches; turned lattice -1.3 to -5.6 %, jittered Delaunay -0.5 to +4.9 %, both at L/40.
//
// One scale serves the whole mesh: where one part has other triangles than the rest, it is softer or
// stiffer. Boundary edges are no hinges, so a sheet is softer by what they would store: up to a share of h/L
// for cells h.
//
// Requires triangles oriented alike, with positive areas; rest_corners: as many as triangles. Returns as
// many k as topology.hinges, all positive. 0.6 to 1 s for 10,000 vertices.
HingeStiffness calibrated_hinge_stiffness(const std::vector<Triangle>& triangles,
                                          const std::vector<RestCorners>& rest_corners,
                                          const Topology& topology);

// The usual choice [J/rad^2 per N m].
double nominal_hinge_stiffness(const RestHinge& rest);

}  // namespace keydrape
