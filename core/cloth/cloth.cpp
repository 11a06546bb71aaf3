#include "core/cloth/cloth.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/cloth/cloth_contact.h"
#include "core/cloth/spring_fabric.h"
#include "core/energy/attachment.h"
#include "core/energy/buckling_curve.h"
#include "core/energy/calibration/bending_calibration.h"
#include "core/energy/carried_mass.h"
#include "core/energy/family/element_family.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/isotropic_membrane.h"
#include "core/energy/plate/vertex_bending.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/spring.h"
#include "core/energy/strain_limit.h"
#include "core/energy/stretch.h"
#include "core/pass/edge_limit.h"

namespace keydrape {

namespace {

using EnergyList = std::vector<std::unique_ptr<Energy>>;

// Adds a family unless it is empty.
template <Element E>
void add(EnergyList& energies, const char* name, std::vector<E> elements, typename E::Shared shared = {}) {
  if (!elements.empty())
    energies.push_back(std::make_unique<ElementFamily<E>>(name, std::move(elements), std::move(shared)));
}

// A hinge counts as flat at rest below this angle: OBJ files carry 6 digits, which bend a flat sheet
// by some 1e-5.
constexpr double kFlatAngle = 1e-3;  // [rad]

bool is_flat(const RestShape& rest) {
  return std::all_of(rest.hinge_angles.begin(), rest.hinge_angles.end(),
                     [](double angle) { return std::abs(angle) < kFlatAngle; });
}

VecX lumped_mass(const TriangleMesh& mesh, const std::vector<RestTriangle>& triangles, double density) {
  VecX mass = VecX::Zero(mesh.vertex_count());
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (int vertex : mesh.triangles[t]) mass(vertex) += density * triangles[t].area / 3.0;
  return mass;
}

// The strain limit begins to resist at this share of it.
constexpr double kOnsetOfLimit = 0.5;

// The fold that a mesh leaves to its triangles, over its mean edge: its triangles give way under six times
// the load at which it folds at its vertices (W11). Chosen by core/measurements/compression.md.
constexpr double kFoldOfEdge = 0.7;

// How warp or weft, of stiffness k, answers being pushed together; null: as being stretched.
std::shared_ptr<const ConditionCurve> compression_curve(const ClothDescription& cloth, double k) {
  const Compression& compression = cloth.material.compression;
  switch (compression.law) {
    case Compression::Law::kAsStretch:
      break;
    case Compression::Law::kSofter:
      return std::make_shared<const ConditionCurve>(softer_curve(compression.factor));
    case Compression::Law::kBuckling: {
      if (cloth.material.bend == 0.0) break;
      const double length = compression.fold_length.value_or(kFoldOfEdge * mean_side(cloth.mesh));
      return std::make_shared<const ConditionCurve>(
          buckling_curve(cloth.material.bend / (k * length * length)));
    }
  }
  return nullptr;
}

std::shared_ptr<const ConditionCurve> stretch_curve(const ClothDescription& cloth, double k,
                                                    const std::shared_ptr<const ConditionCurve>& stretched) {
  auto compressed = compression_curve(cloth, k);
  if (!stretched) return compressed;
  return std::make_shared<const ConditionCurve>(joined(std::move(compressed), *stretched));
}

// What a fabric creeps by under friction that would hold it: slow beside any motion that is seen, fast
// enough for Newton's H.
constexpr double kShearCreep = 0.01;  // [1/s]
constexpr double kBendCreep = 1.0;    // of its curvature [1/(m s)]

// By the warp, by the weft, and by the weight that it may have to hold (core/EQUATIONS.md (L5)). Halfway
// between onset and limit the first two add about 2.5 times the stiffness of the material and a third of its
// tension there. By these alone heavy cloth, which its own tension hardly holds, would end all but at the
// limit, where no search for the end of a step gets along.
Vec3 strain_limit_stiffness(const MembraneNumbers& k, double density, double size, double limit) {
  constexpr double kOfFabric = 0.1;
  const Vec2 fabric = kOfFabric * 0.5 * Vec2(k.warp, k.weft) * limit * limit;
  return {fabric(0), fabric(1), density * kStandardGravity * size * limit};
}

void add_membrane(const ClothDescription& cloth, const std::vector<RestTriangle>& rest,
                  EnergyList& energies) {
  const Material& m = cloth.material;
  const MembraneNumbers k = membrane_numbers(m);
  const double size = std::sqrt(std::accumulate(
      rest.begin(), rest.end(), 0.0, [](double area, const RestTriangle& t) { return area + t.area; }));
  const Vec3 limiting =
      m.strain_limit ? strain_limit_stiffness(k, m.density, size, *m.strain_limit) : Vec3::Zero();
  const double stored = m.isotropic ? 0.0 : 1.0;
  const Hysteresis rubbing{m.isotropic ? 0.0 : m.shear_hysteresis, kShearCreep};
  std::vector<IsotropicMembrane> isotropic;
  std::vector<Stretch> stretch;
  std::vector<Shear> shear;
  std::vector<StrainLimit> strain_limit;
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const Triangle& vertices = cloth.mesh.triangles[t];
    if (m.isotropic)  // plane stress
      isotropic.push_back({vertices, rest[t], k.shear, k.warp * m.isotropic->poisson});
    if (stored > 0.0 || m.damping > 0.0) {
      stretch.push_back({vertices, rest[t], k.warp, k.weft, m.damping, stored, m.coupling});
      if (k.shear > 0.0 || rubbing.tension > 0.0)
        shear.push_back({vertices, rest[t], k.shear, m.damping, stored, rubbing.tension > 0.0});
    }
    if (m.strain_limit)
      strain_limit.push_back({vertices, rest[t], limiting.sum(), 1 + kOnsetOfLimit * *m.strain_limit,
                              1 + *m.strain_limit, limiting / limiting.sum()});
  }
  add(energies, "isotropic membrane", std::move(isotropic), {cloth.stretch_scale});
  if (m.isotropic) {
    add(energies, "stretch dissipation", std::move(stretch), {cloth.stretch_scale});
    add(energies, "shear dissipation", std::move(shear));
  } else {
    add(energies, "stretch", std::move(stretch),
        {cloth.stretch_scale, stretch_curve(cloth, m.k_warp, m.warp_curve),
         stretch_curve(cloth, m.k_weft, m.weft_curve)});
    add(energies, "shear", std::move(shear), {m.shear_curve, rubbing});
  }
  add(energies, "strain limit", std::move(strain_limit), {cloth.stretch_scale});
}

// By edge, the number of its crease.
std::map<Edge, int> crease_of_edge(const ClothDescription& cloth, const Topology& topology) {
  std::map<Edge, int> crease;
  for (size_t c = 0; c < cloth.creases.size(); ++c)
    for (const Edge& edge : cloth.creases[c].edges) crease[edge] = static_cast<int>(c);
  std::map<Edge, int> unknown = crease;
  for (const Hinge& hinge : topology.hinges) unknown.erase(edge_of(hinge));
  if (!unknown.empty()) {
    const auto& [a, b] = unknown.begin()->first;
    throw InputError("crease: vertices " + std::to_string(a) + " and " + std::to_string(b) +
                     " are no edge with two triangles beside it");
  }
  return crease;
}

// Hinges that make cloth stiffer in one direction than in another by more than this are not taken unasked.
constexpr double kAlike = 1.25;

// spread: HingeStiffness::spread of what hinges would have.
BendingModel chosen_bending(const ClothDescription& cloth, const RestShape& rest, double spread) {
  const bool is_plain = is_flat(rest) && cloth.creases.empty();
  if (!cloth.bending) {
    if (!is_plain) return BendingModel::kHinge;
    return spread <= kAlike ? BendingModel::kQuadratic : BendingModel::kVertex;
  }
  if (*cloth.bending == BendingModel::kHinge || is_plain) return *cloth.bending;
  const std::string name = *cloth.bending == BendingModel::kVertex ? "vertex" : "quadratic";
  if (!is_flat(rest))
    throw InputError(name +
                     " bending needs cloth that is flat at rest, and this mesh is not; use hinge bending, or "
                     "take the rest shape from flat UV panels");
  throw InputError(name + " bending knows no creases; use hinge bending");
}

void add_bending(const ClothDescription& cloth, const Topology& topology, const RestShape& rest,
                 const std::vector<RestTriangle>& triangles, EnergyList& energies) {
  const Material& m = cloth.material;
  if ((m.bend == 0.0 && m.bend_hysteresis == 0.0) || topology.hinges.empty()) return;
  const std::map<Edge, int> creases = crease_of_edge(cloth, topology);
  const HingeStiffness unit = calibrated_hinge_stiffness(cloth.mesh.triangles, rest.corners, topology);
  const BendingModel model = chosen_bending(cloth, rest, unit.spread);
  const bool dissipates_alone = model != BendingModel::kHinge;
  std::vector<HingeBending> hinges;
  std::vector<QuadraticBending> quadratics;
  for (size_t h = 0; h < topology.hinges.size(); ++h) {
    const Hinge& hinge = topology.hinges[h];
    const auto found = creases.find(edge_of(hinge));
    const int crease = found == creases.end() ? -1 : found->second;
    const double k = m.bend * unit.k[h] * (crease < 0 ? 1.0 : cloth.creases[crease].stiffness);
    const RestHinge unfolded = unfold(hinge, cloth.mesh.triangles, rest.corners);
    if (model == BendingModel::kQuadratic)
      quadratics.push_back({hinge.vertices, flat_hinge_weights(unfolded), k});
    if (dissipates_alone && m.damping == 0.0 && m.bend_hysteresis == 0.0) continue;
    const double area_a = triangles[hinge.triangle_a].area, area_b = triangles[hinge.triangle_b].area;
    const double angle = (area_a + area_b) / unfolded.length;  // of unit curvature [m]
    hinges.push_back({hinge.vertices,
                      rest.hinge_angles[h],
                      dissipates_alone ? 0.0 : k,
                      m.damping * k,
                      {HingeBending::kWholeShare * area_a, HingeBending::kWholeShare * area_b},
                      {2.0 / 3.0 * unfolded.length * m.bend_hysteresis, kBendCreep * angle},  // (W12)
                      crease,
                      flat_hinge_weights(unfolded)});
  }
  add(energies, "quadratic bending", std::move(quadratics));
  if (model == BendingModel::kVertex && m.bend > 0.0)
    energies.push_back(std::make_unique<VertexBending>(m.bend, cloth.mesh.triangles, rest.corners, topology));
  HingeBending::Shared shared;
  for (const Crease& crease : cloth.creases) shared.creases.push_back(crease.angle);
  add(energies, dissipates_alone ? "bending dissipation" : "hinge bending", std::move(hinges),
      std::move(shared));
}

Grip attachments_of(const SoftPin& pin, int number) {
  assert(pin.weights.size() == pin.vertices.size());
  Grip grip{{}, {pin.motion, Mat3::Identity() - pin.free, pin.begin_time, pin.end_time, pin.strength}};
  for (size_t i = 0; i < pin.vertices.size(); ++i)
    if (pin.weights[i] > 0.0)
      grip.attachments.push_back(
          {{pin.vertices[i]}, static_cast<int>(i), pin.weights[i] * pin.stiffness, pin.damping, number});
  return grip;
}

void add_attachments(const ClothDescription& cloth, EnergyList& energies) {
  for (size_t number = 0; number < cloth.soft_pins.size(); ++number) {
    Grip pin = attachments_of(cloth.soft_pins[number], static_cast<int>(number));
    add(energies, "soft pin", std::move(pin.attachments), std::move(pin.shared));
  }
  if (cloth.grip) energies.push_back(std::make_unique<Hand>(cloth.grip));
}

}  // namespace

MembraneNumbers membrane_numbers(const Material& m) {
  if (!m.isotropic) return {m.k_warp, m.k_weft, m.k_shear};
  const double E = m.isotropic->young * m.thickness, nu = m.isotropic->poisson;
  return {E / (1.0 - nu * nu), E / (1.0 - nu * nu), E / (2.0 * (1.0 + nu))};
}

Grip grip_of(const SoftPin& pin) {
  assert(pin.damping == 0.0);
  return attachments_of(pin, 0);
}

ClothDescription minimised(const ClothDescription& cloth) {
  ClothDescription same = cloth;
  if (is_pass(cloth.contact.method)) same.contact.method = ContactMethod::kBarrier;
  same.edge_limit.reset();
  return same;
}

Overstretched find_overstretched(const ClothDescription& cloth, const VecX& x, double time) {
  Overstretched found;
  if (!cloth.material.strain_limit) return found;
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const RestCorners& p = rest.corners[t];
    const double stretch =
        largest_stretch(RestTriangle::from_corners(p[0], p[1], p[2]), cloth.stretch_scale.at(time),
                        gather<3>(x, cloth.mesh.triangles[t]));
    if (stretch < 1 + *cloth.material.strain_limit) continue;
    ++found.count;
    if (stretch <= found.stretch) continue;
    found.triangle = t;
    found.stretch = stretch;
  }
  return found;
}

Model build_model(const ClothDescription& cloth) {
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  if (const auto defect = find_mesh_defect(cloth.mesh, topology)) throw InputError(*defect);
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  std::vector<RestTriangle> triangles;
  for (const RestCorners& p : rest.corners) triangles.push_back(RestTriangle::from_corners(p[0], p[1], p[2]));

  EnergyList energies;
  if (cloth.model == ClothModel::kSprings) {
    SpringFabric fabric = spring_fabric(cloth, topology, rest, triangles);
    add(energies, "edge springs", std::move(fabric.along_edges));
    add(energies, "bending springs", std::move(fabric.across_hinges), {std::move(fabric.bending)});
  } else {
    add_membrane(cloth, triangles, energies);
    add_bending(cloth, topology, rest, triangles, energies);
  }
  if (cloth.pressure) {
    std::vector<Pressure> pressure;
    for (const Triangle& t : cloth.mesh.triangles) pressure.push_back({t});
    add(energies, "pressure", std::move(pressure), *cloth.pressure);
  }
  if (cloth.wind) {
    std::vector<Wind> wind;
    for (const Triangle& t : cloth.mesh.triangles) wind.push_back({t});
    Wind::Shared air = *cloth.wind;
    if (cloth.frame) air.frame = std::make_shared<const MovingFrame>(*cloth.frame);
    add(energies, "wind", std::move(wind), std::move(air));
  }
  const VecX mass = lumped_mass(cloth.mesh, triangles, cloth.material.density);
  if (cloth.frame) {
    std::vector<CarriedMass> carried;
    carried.reserve(static_cast<std::size_t>(cloth.mesh.vertex_count()));
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) carried.push_back({{i}, mass(i)});
    add(energies, "moving frame", std::move(carried), CarriedMass::Shared{*cloth.frame});
  }
  add_attachments(cloth, energies);
  std::vector<Spring> springs;
  for (const SpringSpec& s : cloth.springs)
    springs.push_back({s.vertices, s.stiffness, s.rest_length, s.damping});
  add(energies, "spring", std::move(springs));
  ClothContact contact = make_contact(cloth);
  std::move(contact.energies.begin(), contact.energies.end(), std::back_inserter(energies));
  std::vector<std::unique_ptr<StepFilter>> filters;
  assert(!cloth.edge_limit || !cloth.material.strain_limit);
  if (cloth.edge_limit)
    filters.push_back(
        std::make_unique<EdgeLimit>(limited_edges(cloth.mesh, rest), *cloth.edge_limit, cloth.stretch_scale));
  if (contact.filter) filters.push_back(std::move(contact.filter));
  return Model(mass, std::move(energies), cloth.pins, cloth.gravity, std::move(contact.touchable),
               std::move(filters), std::move(contact.resting));
}

}  // namespace keydrape
