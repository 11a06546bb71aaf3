#pragma once

#include <vector>

#include "core/energy/rest_hinge.h"
#include "core/topology.h"

namespace keydrape {

// The angle of a hinge on a cylinder of unit curvature that is bent along the direction t = (cos alpha, sin
// alpha) of the hinge's own frame, linear in the curvature: from z = (p . t)^2/2 interpolated on the two
// triangles,
//   theta(alpha) = p + q cos 2 alpha + r sin 2 alpha
struct CylinderAngle {
  double p, q, r;  // [rad m]

  static CylinderAngle of(const RestHinge& rest);
  double at(double alpha) const;
};

// The angular stiffness k_e of every hinge for the rigidity bend = 1 N m [J/rad^2 per N m]: the sheet that
// they make has PlateRigidity::bend() = 1, whatever the direction in which it is bent.
//
// What `bend` means. Moment per unit width = bend x curvature, as textile tests measure it, on the sheet as
// it comes to rest: its vertices do not stay on a cylinder, they ripple until the energy is least. Sheets of
// hinges have a Poisson ratio of their own, nu near -1/3 (-0.2 on some Delaunay meshes): a strip that is bent
// one way also bends the other way, to the same side. It is softest where it may, in a narrow strip with free
// edges (the cantilever test), and 1/(1 - nu^2) times as stiff where it may not: held to a cylinder, wide, or
// hard to stretch. `bend` is the mean of the two, and each is within 6 % of it. If every vertex is *held* on
// a cylinder, without the ripples, the energy is larger than bend/2 kappa^2 a unit area: 1.06 times on
// equilateral triangles, 1.2 on jittered Delaunay meshes, 1.3 to 1.42 on grids.
//
// The usual choice, 3 |e|^2/(A_a + A_b) (Grinspun et al. 2003), depends on the triangulation: with all
// vertices on a cylinder, a grid of right triangles is 3 times too stiff along the axes and up to 9 times in
// between, equilateral ones 3 times. Here k_e = s_e times that, s_e from a least-squares problem over all
// vertices and directions ((B1) and (B2) in bending_calibration.cpp), and scaled with (B3)
// (bending_homogenization.h). What is left, of a square of 40 x 40 cells bent along 0, 30 and 45 degrees with
// its border held: 1.06 to 1.09 on grids with alternating diagonals, 1.02 to 1.06 on a lattice turned in its
// border, 1.04 to 1.07 on a jittered one; 1.06 is right for nu = -1/3, 1.03 for -0.22. Grids with all
// diagonals parallel keep 60 % of difference between directions (vertices on the cylinder): no hinge
// stiffnesses make them isotropic. One scale serves the whole mesh: where triangles are of two kinds, one
// part is softer than the other. Boundary edges are no hinges, so a sheet is softer by what they would store:
// a share of h/L for cells h.
//
// Requires triangles oriented alike, with positive areas; rest_corners: as many as triangles. Returns as many
// as topology.hinges, all positive. 0.7 s for 10,000 vertices.
std::vector<double> calibrated_hinge_stiffness(const std::vector<Triangle>& triangles,
                                               const std::vector<RestCorners>& rest_corners,
                                               const Topology& topology);

// The usual choice [J/rad^2 per N m].
double nominal_hinge_stiffness(const RestHinge& rest);

}  // namespace keydrape
