#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/animated.h"
#include "core/cloth/material.h"
#include "core/cloth/model.h"
#include "core/constraint/hard_pin.h"
#include "core/contact/pairs/surface_pairs.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/energy/hand/hand.h"
#include "core/energy/load/pressure.h"
#include "core/energy/load/wind.h"
#include "core/mesh/rest_shape.h"

namespace keydrape {

enum class BendingModel { kHinge, kQuadratic, kVertex };

// What the fabric is made of.
enum class ClothModel {
  kSheet,    // triangles and hinges
  kSprings,  // springs along its edges and across its hinges (core/step/EQUATIONS.md (M1) to (M3))
};

// Vertices drawn to moving points by springs.
struct SoftPin {
  std::vector<int> vertices;                  // ascending
  std::vector<double> weights;                // in [0, 1], one a vertex; multiply the stiffness
  MotionTrack motion;                         // in the order of `vertices`
  Mat3 free = Mat3::Zero();                   // as in HardPin
  double stiffness = 0.0;                     // of each vertex at weight 1 [N/m]
  double damping = 0.0;                       // [s]
  double begin_time = 0.0, end_time = 1e300;  // [s]
  Animated<double> strength{1.0};             // multiplies the stiffness in time, >= 0
};

// A fold that the cloth has at rest: inner edges, and the angle between the triangles beside them.
struct Crease {
  std::vector<Edge> edges;      // each with the smaller vertex first
  Animated<double> angle{0.0};  // [rad], as in hinge_angle.h, above -pi and below pi
  double stiffness = 1.0;       // over that of other edges, > 0
};

struct SpringSpec {
  Edge vertices;
  double stiffness;    // [N/m]
  double rest_length;  // [m]
  double damping;      // [s]
};

// A body that the cloth lies on.
struct VolumeBody {
  std::shared_ptr<const Collider> collider;
  Animated<double> friction{0.0};  // coefficient between the body and the cloth, >= 0
  // Between the points of the rest mesh that are held off [m]; infinite: the vertices alone (sample_points.h)
  double point_spacing = std::numeric_limits<double>::infinity();
  int number = 0;  // of all bodies, for messages
};

// A body whose triangles the cloth touches, from both sides: an open or thin one, or one that
// deforms and rubs.
struct SurfaceBody {
  std::shared_ptr<const MovingMesh> mesh;
  Animated<double> friction{0.0};  // coefficient between the body and the cloth, >= 0
  int number = 0;                  // of all bodies, for messages
};

// How contact is held apart.
enum class ContactMethod {
  kBarrier,     // by barriers that no step passes: exact, with an exact gradient
  kImpulses,    // behind the step, by impulses and rigid zones (core/contact/impulse)
  kProjection,  // behind the step, vertices that are in bodies are put on them
  kFilter,      // behind the step, vertices in bodies lose the speed at which they go in
  kPenalty,     // by springs that may be pressed in, of bodies: exact, with an exact gradient
  kConstraint,  // in a linearised step, vertices are held on bodies until they would have to be pulled
};
// Whether a step is corrected once it has been taken, or held while it is: steps that minimise cannot, and
// beside a strain limit it may not, which would be gone past unawares.
inline bool is_pass(ContactMethod method) {
  return method != ContactMethod::kBarrier && method != ContactMethod::kPenalty;
}
// Whether bodies are known as distances alone, and the cloth does not know itself.
inline bool is_of_bodies(ContactMethod method) {
  return method != ContactMethod::kBarrier && method != ContactMethod::kImpulses;
}

struct ContactOptions {
  ContactMethod method = ContactMethod::kBarrier;
  double restitution = 0.0;  // of kImpulses, in [0, 1]
  // Smallest distance of the cloth's middle surface from a body, xi [m]; by default half the
  // material's thickness.
  std::optional<double> body_gap;
  // How much wider than the smallest the gap is where contact begins to push, d_hat [m]. Default: the
  // material's thickness, or a twentieth of the mean length of an edge if that is more.
  std::optional<double> activation;
  // kappa [J/m^2]. Default: ten times density g d_hat, so that cloth of one layer rests at about
  // 0.9 of d_hat.
  std::optional<double> stiffness;
  bool self = false;  // whether the cloth collides with itself
  // Whether cloth that starts through itself, or with layers nearer than its gap, does not collide there
  // until it has come apart (start_crossings.h); else such a start is none.
  bool exempt_start = false;
  Animated<double> friction{0.0};  // coefficient of the cloth on itself, >= 0
  double sliding_speed = 3e-4;     // up to which friction sticks [m/s], > 0
};

// Everything from which `build_model` makes cloth.
struct ClothDescription {
  TriangleMesh mesh;  // positions at rest
  RestOptions rest;
  Material material;
  ClothModel model = ClothModel::kSheet;
  Animated<Vec2> stretch_scale{Vec2(1, 1)};  // b_u, b_v: unstretched length over rest length, warp and weft
  // Default: hinge where one is curved or creased at rest; elsewhere quadratic, or vertex where hinges would
  // be stiffer in one direction than in another (core/decisions/0074-bent-at-vertices.md).
  std::optional<BendingModel> bending;
  Animated<Vec3> gravity{Vec3(0, -kStandardGravity, 0)};  // [m/s^2]
  std::optional<Wind::Shared> wind;
  std::optional<Pressure::Shared> pressure;  // along the normals of the triangles
  std::optional<MovingFrame> frame;          // of whose motion cloth and air feel a part only
  std::vector<HardPin> pins;
  std::vector<SoftPin> soft_pins;
  std::shared_ptr<const Grip> grip;  // what a hand holds meanwhile (core/energy/hand/hand.h); null: no hand
  std::vector<SpringSpec> springs;
  std::vector<Crease> creases;  // where edges are in several, the last counts
  std::vector<VolumeBody> bodies;
  std::vector<SurfaceBody> surfaces;
  ContactOptions contact;
  // By which share of their length at rest edges may be longer behind a step; none: by any
  // (core/pass/edge_limit.h). Not beside a strain limit.
  std::optional<double> edge_limit;
};

// Stiffnesses of warp, weft and shear [N/m], of what dissipates too.
struct MembraneNumbers {
  double warp, weft, shear;
};
MembraneNumbers membrane_numbers(const Material& material);

// What holds vertices as this soft pin does. Requires one without damping.
Grip grip_of(const SoftPin& pin);

// The same cloth where it is not stepped but brought to rest, which minimises: with contact by barriers where
// it is by passes, and edges of any length.
ClothDescription minimised(const ClothDescription& cloth);

// A triangle whose larger principal stretch is at the limit of the material or beyond it.
struct Overstretched {
  int count = 0;         // of such triangles
  int triangle = -1;     // the one that is stretched most
  double stretch = 0.0;  // of that one, 1 at rest
};
// At positions x [m] (3n) and the given time [s]. Throws as build_rest_shape.
Overstretched find_overstretched(const ClothDescription& cloth, const VecX& x, double time);

// The numbers that `build_model` takes where the description leaves them open.
ContactLaw body_contact_law(const ClothDescription& cloth);
// Between two layers of the cloth: twice the gap from a body.
ContactLaw surface_contact_law(const ClothDescription& cloth);
// What collides as triangles, null for nothing. `start`: as SurfacePairs.
std::shared_ptr<const SurfacePairs> make_surface_pairs(const ClothDescription& cloth, const VecX& start);

// What begins through each other in cloth that starts at x [m] (3n), of State; null where nothing does, or
// where it is not exempt.
ExemptionsPointer start_exemptions(const ClothDescription& cloth, const VecX& x);

// Mass is lumped: a third of each triangle's to each of its vertices.
// Requires neither contact.self nor surfaces where contact is of bodies alone, and no exempt_start but with
// the barrier. Throws InputError naming the vertex, edge or triangle if the mesh cannot be cloth
// (find_mesh_defect), if quadratic or vertex bending is asked for where the cloth is not flat at rest, if it
// is made of springs and has what they cannot have, or as build_rest_shape does. Requires vertex numbers of
// pins and springs in range, and material numbers that are finite and positive (those of bend, shear and
// damping may be zero).
Model build_model(const ClothDescription& cloth);

}  // namespace keydrape
