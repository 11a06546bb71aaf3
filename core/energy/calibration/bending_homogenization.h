#pragma once

#include <optional>
#include <vector>

#include "core/energy/calibration/vertex_fan.h"
#include "core/mesh/rest_hinge.h"

namespace keydrape {

// The isotropic plate that a hinged sheet is on average, over all directions and over many cells. It stores
//   W = D/2 (kxx^2 + kyy^2 + 2 nu kxx kyy + 2 (1 - nu) kxy^2)   [J/m^2]   for curvatures k [1/m]
struct PlateRigidity {
  double D;       // moment per unit width over curvature, where the other curvatures are held at 0 [N m]
  double nu;      // the Poisson ratio: a strip bent to kxx takes kyy = -nu kxx if nothing hinders it
  double spread;  // energy of a cylinder in its stiffest direction over that in its softest, >= 1

  // The same moment over curvature of a narrow strip with free edges [N m].
  double strip() const { return D * (1 - nu * nu); }

  // What Material::bend means (bending_calibration.h).
  double bend() const { return 0.5 * (D + strip()); }
};

// The plate that a sheet of hinges with the angular stiffnesses k [J/rad^2] is, once every vertex has moved
// along the normal to where it stores least: the sheet ripples from vertex to vertex.
//   min_z  1/2 sum_e k_e (theta_e + L_e z)^2                                                             (B3)
// with theta_e of the three uniform curvatures and L_e = flat_hinge_weights(). The mesh is cut into patches
// in which directions agree; vertices next to the cuts and to the boundary are held, those three edges and
// more away count, and their energy is that of the curvature that they have taken. One sparse factorisation,
// 15 ms for 10,000 vertices.
//
// Square grids of n x n cells with alternating diagonals, bend(): within 0.6 % of the limit from n = 8 on; 3
// % for 6, where hardly a vertex is free. Smaller ones cannot show their ripples: 1.26 times the limit for
// 5, 1.4 times for 2.
//
// fans: of the same triangles, which are oriented alike; as many rest_hinges and k > 0 as hinges. Empty if
// the mesh has no inner vertex.
std::optional<PlateRigidity> homogenized_rigidity(const std::vector<VertexFan>& fans,
                                                  const std::vector<Hinge>& hinges,
                                                  const std::vector<RestHinge>& rest_hinges,
                                                  const std::vector<double>& k);

}  // namespace keydrape
