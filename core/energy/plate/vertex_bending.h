#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/energy/energy.h"
#include "core/mesh/rest_hinge.h"
#include "core/mesh/topology.h"

namespace keydrape {

// Bending at the vertices of cloth that is flat at rest, for deformations without much stretch: quadratic, as
// that of Wardetzky, Bergou, Harmon, Zorin & Grinspun 2007 ("Discrete quadratic curvature energies"), and of
// a plate whose Poisson ratio is 0 (core/energy/EQUATIONS.md (K1) to (K4)):
//   W = bend (sum_i |r_i|^2/(2 A_i) - sum_i c_i K_i) ,   r_i = sum_{hinges e that end at i} |e|/2 L_e x
// with L_e of quadratic_bending.h. r_i is the Laplacian of x over the cell A_i of a vertex, K_i the area of
// the polygon of gradients round it, its Gaussian curvature. Without K_i the ratio would be 1: a saddle would
// cost nothing, and narrow strips with free edges would bend up to three times as far.
//
// Energy of a cylinder over bend/2 kappa^2: 1 on any lattice and on alternating diagonals, 1.00 to 1.01 on
// jittered Delaunay meshes, 1.06 to 1.2 where diagonals are random, and no more at rest.
// Hinges make up to 2.3 of it, or 0.6, where all diagonals are parallel (core/measurements/bending.md). It
// couples vertices further apart than hinges do: factors are larger.
//
// The Hessian is constant and positive semidefinite. Without dissipation: a HingeBending with k = 0 adds it.
class VertexBending final : public Energy {
 public:
  // bend [N m] >= 0. rest_corners: as many as triangles, which are those of the topology, are oriented alike
  // and have positive areas.
  VertexBending(double bend, const std::vector<Triangle>& triangles,
                const std::vector<RestCorners>& rest_corners, const Topology& topology);

  std::string_view name() const override { return "vertex bending"; }
  bool is_elastic() const override { return true; }
  bool depends_on_start_x() const override { return false; }
  bool depends_on_start_v() const override { return false; }
  bool has_linearized_derivatives() const override { return true; }
  void add_stiffness_bound(StiffnessBound& bound) const override;
  void append_couplings(std::vector<Edge>& pairs) const override;
  void bind(const BlockPattern& pattern) override;
  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override;
  // What a vertex stores is shared out among its hinges.
  void for_each_stored(const VecX& x, double time,
                       const std::function<void(const StoredEnergy&)>& f) const override;

 private:
  class Step;

  // What one hinge adds, with J = L_e x and d = x_1 - x_0.
  struct BentEdge {
    std::array<int, 4> vertices;  // as in Hinge (core/mesh/topology.h)
    Eigen::Vector4d L;            // [1/m]
    double half_length;           // to r of both ends; 0 for one that counts by itself [m]
    double twist;                 // of d . J [N]
    double own;                   // of |J|^2/2 [N m]
  };
  struct Coupling {
    Edge vertices;  // the smaller first, or one twice
    double k;       // [N/m]
  };

  std::vector<Vec3> flows(const VecX& y) const;               // r_i of all vertices [m]
  double own_energy(const BentEdge& e, const VecX& y) const;  // what does not go by way of r [J]
  void couple();                                              // couplings_ of edges_ and stiffness_

  std::vector<BentEdge> edges_;
  std::vector<double> stiffness_;    // of each vertex, bend/A_i [N/m]
  std::vector<Coupling> couplings_;  // the upper triangle of d2W/dy2, times the identity
  std::vector<int> slots_;           // of couplings_ in the pattern
};

}  // namespace keydrape
