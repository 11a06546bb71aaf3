#include "core/cloth/spring_fabric.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/energy/buckling_curve.h"

namespace keydrape {

namespace {

// Throws InputError for what springs along edges cannot have.
void check_springs(const ClothDescription& cloth) {
  const Material& m = cloth.material;
  const auto refuse = [](const std::string& what) {
    throw InputError("cloth of springs knows no " + what + "; take the model of a sheet, or leave it out");
  };
  if (m.strain_limit) refuse("strain limit");
  if (m.warp_curve || m.weft_curve || m.shear_curve) refuse("measured curves");
  if (m.shear_hysteresis > 0.0 || m.bend_hysteresis > 0.0) refuse("friction of threads");
  if (m.coupling > 0.0) refuse("coupling of its threads");
  if (cloth.bending) refuse("model of bending of its own");
  if (!cloth.creases.empty()) refuse("creases");
  if (!cloth.stretch_scale.is_constant() || cloth.stretch_scale.at(0.0) != Vec2(1, 1))
    refuse("stretch_scale");
}

// The share of a sheet's stiffness that springs across hinges have, where they bend.
constexpr double kBendingSpringShare = 0.1;
// A spring across a fold that is shut at rest lies beside the cloth, not along it. By A/l^2 it would hold the
// fold shut, which opens at the cost of bending alone, many times as stiffly as the fabric is, and with no
// length it is none at all: blown up, a cushion of 4 mm came to 22 mm with such springs round its rim, and to
// 110 mm as a sheet. There are none below this share of the length on flat cloth, where they would be a
// hundred times as stiff.
constexpr double kShutFold = 0.1;

// (M1): along each edge, as stiff as a sheet of this Young's modulus times thickness [N/m].
std::vector<Spring> edge_springs(const ClothDescription& cloth, const RestShape& rest,
                                 const std::vector<RestTriangle>& triangles, double modulus) {
  struct Sum {
    double stiffness = 0.0, length = 0.0;
    int triangles = 0;
  };
  std::map<Edge, Sum> sums;
  for (size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) {
      const int a = cloth.mesh.triangles[t][c], b = cloth.mesh.triangles[t][(c + 1) % 3];
      const double length = (rest.corners[t][(c + 1) % 3] - rest.corners[t][c]).norm();
      Sum& sum = sums[{std::min(a, b), std::max(a, b)}];
      sum.stiffness += modulus * triangles[t].area / (length * length);
      sum.length += length;
      ++sum.triangles;
    }
  std::vector<Spring> springs;
  springs.reserve(sums.size());
  for (const auto& [edge, sum] : sums)
    springs.push_back(
        {{edge[0], edge[1]}, sum.stiffness, sum.length / sum.triangles, cloth.material.damping});
  return springs;
}

// (M2): across each hinge that is not shut at rest, between the vertices beside it.
std::vector<Spring> hinge_springs(const ClothDescription& cloth, const Topology& topology,
                                  const RestShape& rest, double modulus) {
  std::vector<Spring> springs;
  for (size_t h = 0; h < topology.hinges.size(); ++h) {
    const Hinge& hinge = topology.hinges[h];
    const RestHinge flat = unfold(hinge, cloth.mesh.triangles, rest.corners);
    const double along = flat.c.x() - flat.d.x(), a = flat.c.y(), b = -flat.d.y();
    const double L = std::sqrt(along * along + a * a + b * b + 2.0 * a * b * std::cos(rest.hinge_angles[h]));
    if (!(L > kShutFold * (flat.c - flat.d).norm())) continue;
    springs.push_back({{hinge.vertices[2], hinge.vertices[3]},
                       modulus * flat.area() / (L * L),
                       L,
                       cloth.material.damping,
                       L});
  }
  return springs;
}

}  // namespace

SpringFabric spring_fabric(const ClothDescription& cloth, const Topology& topology, const RestShape& rest,
                           const std::vector<RestTriangle>& triangles) {
  check_springs(cloth);
  const Material& m = cloth.material;
  const double modulus = m.isotropic ? m.isotropic->young * m.thickness : 0.5 * (m.k_warp + m.k_weft);
  const bool bends = m.bend > 0.0 && !topology.hinges.empty();
  const double of_hinges = bends ? kBendingSpringShare * modulus : 0.0;
  SpringFabric fabric{edge_springs(cloth, rest, triangles, modulus - of_hinges), {}, nullptr};
  if (!bends) return fabric;
  fabric.across_hinges = hinge_springs(cloth, topology, rest, of_hinges);
  if (fabric.across_hinges.empty()) return fabric;
  double square = 0.0;
  for (const Spring& spring : fabric.across_hinges)
    square += spring.L * spring.L / static_cast<double>(fabric.across_hinges.size());
  const double ratio = 8.0 / 9.0 * m.bend / (of_hinges * square);  // (M3)
  fabric.bending = std::make_shared<const ConditionCurve>(buckling_curve(ratio));
  return fabric;
}

std::optional<Edge> spring_without_direction(const ClothDescription& cloth, const VecX& x) {
  if (cloth.model != ClothModel::kSprings) return std::nullopt;
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  if (const auto defect = find_mesh_defect(cloth.mesh, topology)) throw InputError(*defect);
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  std::vector<RestTriangle> triangles;
  for (const RestCorners& p : rest.corners) triangles.push_back(RestTriangle::from_corners(p[0], p[1], p[2]));
  const SpringFabric fabric = spring_fabric(cloth, topology, rest, triangles);
  for (const std::vector<Spring>* springs : {&fabric.along_edges, &fabric.across_hinges})
    for (const Spring& spring : *springs)
      if (x.segment<3>(3 * spring.vertices[0]) == x.segment<3>(3 * spring.vertices[1]))
        return spring.vertices;
  return std::nullopt;
}

}  // namespace keydrape
