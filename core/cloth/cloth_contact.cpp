#include "core/cloth/cloth_contact.h"

#include <algorithm>
#include <cassert>

#include "core/contact/impulse/impulse_contact.h"
#include "core/contact/pairs/start_crossings.h"
#include "core/contact/pairs/surface_contact.h"
#include "core/contact/points/collider_contact.h"
#include "core/contact/points/collider_friction.h"
#include "core/contact/simple/projection.h"
#include "core/contact/simple/velocity_filter.h"

namespace keydrape {

namespace {

void add_forces(const ClothDescription& cloth, ClothContact& contact) {
  for (size_t b = 0; b < cloth.bodies.size(); ++b) {
    const VolumeBody& body = cloth.bodies[b];
    const std::shared_ptr<const CollidingCloth>& points = contact.touchable.volumes[b];
    contact.energies.push_back(std::make_unique<ColliderContact>(points));
    if (body.friction.is_ever_above(0.0))
      contact.energies.push_back(
          std::make_unique<ColliderFriction>(points, body.friction, cloth.contact.sliding_speed));
  }
  if (contact.touchable.surfaces)
    contact.energies.push_back(std::make_unique<SurfaceContact>(contact.touchable.surfaces));
}

std::unique_ptr<StepFilter> impulses(const ClothDescription& cloth, const TouchableBodies& touchable) {
  std::vector<ImpulseVolume> volumes;
  for (size_t b = 0; b < cloth.bodies.size(); ++b)
    volumes.push_back({touchable.volumes[b], cloth.bodies[b].friction});
  const MembraneNumbers k = membrane_numbers(cloth.material);
  return std::make_unique<ImpulseContact>(
      touchable.surfaces, std::move(volumes),
      ImpulseOptions{cloth.contact.restitution, std::max(k.warp, k.weft)});
}

std::vector<TouchedBody> touched_bodies(const ClothDescription& cloth) {
  const double gap = body_contact_law(cloth).barrier.thickness;
  std::vector<TouchedBody> bodies;
  for (const VolumeBody& body : cloth.bodies) bodies.push_back({body.collider, gap, body.friction});
  return bodies;
}

}  // namespace

std::vector<HeldVertex> held_by_pins(const ClothDescription& cloth) {
  std::vector<HeldVertex> held;
  for (const HardPin& pin : cloth.pins)
    for (int v : pin.vertices) held.push_back({v, pin.begin_time, pin.end_time, !pin.free.isZero(0.0)});
  return held;
}

ClothContact make_contact(const ClothDescription& cloth) {
  const ContactMethod method = cloth.contact.method;
  assert(!is_of_bodies(method) || (!cloth.contact.self && cloth.surfaces.empty()));
  assert(method == ContactMethod::kBarrier || !cloth.contact.exempt_start);
  assert(!is_pass(method) || !cloth.material.strain_limit);
  ClothContact contact;
  for (const VolumeBody& body : cloth.bodies)
    contact.touchable.volumes.push_back(std::make_shared<const CollidingCloth>(CollidingCloth{
        body.collider, sample_points(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing),
        held_by_pins(cloth), body_contact_law(cloth)}));
  contact.touchable.surfaces = make_surface_pairs(cloth, stacked(cloth.mesh.positions));
  if (!contact.touchable.any()) return contact;
  switch (method) {
    case ContactMethod::kBarrier:
    case ContactMethod::kPenalty:
      add_forces(cloth, contact);
      break;
    case ContactMethod::kImpulses:
      contact.filter = impulses(cloth, contact.touchable);
      break;
    case ContactMethod::kProjection:
      contact.filter = std::make_unique<Projection>(touched_bodies(cloth));
      break;
    case ContactMethod::kFilter:
      contact.filter = std::make_unique<VelocityFilter>(touched_bodies(cloth));
      break;
    case ContactMethod::kConstraint:
      contact.resting = touched_bodies(cloth);
      break;
  }
  return contact;
}

ContactLaw body_contact_law(const ClothDescription& cloth) {
  const double d_hat =
      cloth.contact.activation.value_or(std::max(cloth.material.thickness, 0.05 * mean_side(cloth.mesh)));
  const double kappa =
      cloth.contact.stiffness.value_or(10 * cloth.material.density * kStandardGravity * d_hat);
  return {{cloth.contact.body_gap.value_or(0.5 * cloth.material.thickness), d_hat},
          kappa,
          cloth.contact.method == ContactMethod::kPenalty};
}

ContactLaw surface_contact_law(const ClothDescription& cloth) {
  ContactLaw law = body_contact_law(cloth);
  law.barrier.thickness *= 2;
  return law;
}

std::shared_ptr<const SurfacePairs> make_surface_pairs(const ClothDescription& cloth, const VecX& start) {
  if (!cloth.contact.self && cloth.surfaces.empty()) return nullptr;
  SurfaceOptions options{{surface_contact_law(cloth), cloth.contact.friction}};
  options.between_layers = cloth.contact.self;
  options.sliding_speed = cloth.contact.sliding_speed;
  for (const SurfaceBody& surface : cloth.surfaces)
    options.bodies.push_back({surface.mesh, {body_contact_law(cloth), surface.friction}});
  options.held = held_by_pins(cloth);
  return std::make_shared<const SurfacePairs>(cloth.mesh, std::move(options), start);
}

ExemptionsPointer start_exemptions(const ClothDescription& cloth, const VecX& x) {
  if (!cloth.contact.self || !cloth.contact.exempt_start) return nullptr;
  return exemptions_at_start(*make_surface_pairs(cloth, x), x);
}

}  // namespace keydrape
