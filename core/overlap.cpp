#include "core/overlap.h"

#include <algorithm>
#include <cassert>

#include "core/contact/self_contact.h"

namespace keydrape {

std::vector<char> held_vertices(const ClothDescription& cloth, double time) {
  std::vector<char> is_held(cloth.mesh.vertex_count(), 0);
  for (const HardPin& pin : cloth.pins)
    if (pin.free.isZero(0.0) && pin.begin_time <= time && time <= pin.end_time)
      for (const int v : pin.vertices) is_held[v] = 1;
  return is_held;
}

std::vector<BodyOverlap> overlaps_with_bodies(const ClothDescription& cloth, const VecX& x, double time,
                                              const std::vector<char>& left_out) {
  const double gap = body_contact_law(cloth).barrier.thickness;
  std::vector<BodyOverlap> found;
  for (size_t b = 0; b < cloth.bodies.size(); ++b) {
    const ColliderPose pose = cloth.bodies[b].collider->at(time);
    BodyOverlap overlap;
    overlap.body = b;
    for (const SamplePoint& point :
         sample_points(cloth.mesh.positions, cloth.mesh.triangles, cloth.bodies[b].point_spacing)) {
      const double depth = gap - pose.distance(point.position(x));
      if (depth < 0.0 || !CollidingCloth::is_free(point, left_out)) continue;
      const bool is_vertex = point.count == 1, had_vertex = overlap.vertex_count > 0;
      ++(is_vertex ? overlap.vertex_count : overlap.between_count);
      const bool outranks = is_vertex && !had_vertex, is_outranked = !is_vertex && had_vertex;
      if (outranks || (!is_outranked && depth > overlap.depth))
        overlap.deepest = point, overlap.depth = depth;
    }
    if (overlap.depth >= 0.0) found.push_back(overlap);
  }
  return found;
}

SelfOverlap overlap_with_itself(const ClothDescription& cloth, const VecX& x,
                                const std::vector<char>& left_out) {
  assert(cloth.contact.self);
  std::vector<int> kept;  // faces
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const Triangle& v = cloth.mesh.triangles[t];
    if (!left_out[v[0]] && !left_out[v[1]] && !left_out[v[2]]) kept.push_back(t);
  }
  TriangleMesh mesh = cloth.mesh;
  for (size_t k = 0; k < kept.size(); ++k) mesh.triangles[k] = cloth.mesh.triangles[kept[k]];
  mesh.triangles.resize(kept.size());
  SelfOverlap overlap;
  if (kept.empty()) return overlap;
  overlap.through = find_intersections(mesh.triangles, x);
  if (overlap.through.first) overlap.through.first->face = kept[overlap.through.first->face];
  if (overlap.through.count > 0) return overlap;
  const SelfContact contact(mesh, SelfContactOptions{{self_contact_law(cloth)}}, x);
  const VecX at_rest = VecX::Zero(x.size());
  overlap.close_count = SelfContactStep(contact, {1.0, 0.0, x, at_rest}).count_violations(x);
  return overlap;
}

}  // namespace keydrape
