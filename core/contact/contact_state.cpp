#include "core/contact/contact_state.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/contact/collider_contact.h"
#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/energy/element_family.h"

namespace keydrape {

namespace {

enum class PairKind { kBody, kVertexFace, kEdgeEdge };

void add(ContactState& state, PairKind kind, std::initializer_list<int> members, double distance) {
  ++state.pairs;
  state.least_distance = std::min(state.least_distance, distance);
  // A sum of well mixed words does not depend on the order (finaliser of splitmix64, Steele et al. 2014).
  std::uint64_t word = static_cast<std::uint64_t>(kind) + 1;
  for (const int member : members) {
    word = word * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(member) + 1;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    word ^= word >> 31;
  }
  state.fingerprint += word;
}

void add_body(ContactState& state, const CollidingCloth& cloth, int body, const VecX& x, double time) {
  const ColliderPose pose = cloth.collider->at(time);
  const std::vector<char> held = cloth.held_at(time);
  for (size_t i = 0; i < cloth.points.size(); ++i) {
    if (!CollidingCloth::is_free(cloth.points[i], held)) continue;
    const double phi = pose.distance(cloth.points[i].position(x));
    if (phi < cloth.law.barrier.range()) add(state, PairKind::kBody, {body, static_cast<int>(i)}, phi);
  }
}

}  // namespace

ContactState contact_state(const Model& model, const VecX& x, double time) {
  ContactState state;
  int body = 0;
  for (const auto& energy : model.energies())
    if (const auto* contact = dynamic_cast<const ColliderContact*>(energy.get()))
      add_body(state, contact->cloth(), body++, x, time);
  if (!model.self_contact()) return state;
  const SelfContact& contact = *model.self_contact();
  const VecX all = contact.with_bodies(x, time);
  const SelfContactPairs pairs = contact.touching(all, contact.held_at(time));
  for (const VertexFaceContact& pair : pairs.vertex_faces) {
    const auto& v = pair.vertices;
    const double d = std::sqrt(vertex_face_distance(gather<4>(all, v)).squared());
    add(state, PairKind::kVertexFace, {v[0], v[1], v[2], v[3]}, d);
  }
  for (const EdgeEdgeContact& pair : pairs.edge_edges) {
    const auto& v = pair.vertices;
    const double d = std::sqrt(edge_edge_distance(gather<4>(all, v)).squared());
    add(state, PairKind::kEdgeEdge, {v[0], v[1], v[2], v[3]}, d);
  }
  return state;
}

}  // namespace keydrape
