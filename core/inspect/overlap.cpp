#include "core/inspect/overlap.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/cloth/cloth_contact.h"
#include "core/contact/pairs/exemptions.h"
#include "core/contact/pairs/pair_positions.h"
#include "core/contact/pairs/surface_pairs.h"

namespace keydrape {

std::vector<char> held_vertices(const ClothDescription& cloth, double time) {
  std::vector<char> is_held = held_vertices(held_by_pins(cloth), time);
  is_held.resize(cloth.mesh.vertex_count(), 0);
  return is_held;
}

double least_distance(const ClothDescription& cloth, const ColliderPose& body) {
  const ContactMethod method = cloth.contact.method;
  const bool keeps_gap = method != ContactMethod::kPenalty && method != ContactMethod::kFilter;
  return keeps_gap ? body_contact_law(cloth).barrier.thickness : -body.smooth_depth();
}

std::vector<BodyOverlap> overlaps_with_bodies(const ClothDescription& cloth, const VecX& x, double time,
                                              const std::vector<char>& left_out,
                                              std::optional<double> least) {
  std::vector<BodyOverlap> found;
  for (size_t b = 0; b < cloth.bodies.size(); ++b) {
    const ColliderPose pose = cloth.bodies[b].collider->at(time);
    BodyOverlap overlap;
    overlap.body = b;
    overlap.least = least.value_or(least_distance(cloth, pose));
    for (const SamplePoint& point :
         sample_points(cloth.mesh.positions, cloth.mesh.triangles, cloth.bodies[b].point_spacing)) {
      const double depth = overlap.least - pose.distance(point.position(x));
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

namespace {

class CloseSearch {
 public:
  // `rest`: the cloth at rest (3n).
  CloseSearch(const SurfacePairs& contact, const VecX& x, const VecX& rest)
      : contact_(contact), x_(x), rest_(rest) {}

  ClosePairs find(std::span<const char> left_out) {
    PairSearch search;
    const TouchingFeatures near = contact_.touching(x_, {left_out}, search);
    for (const auto& pair : near.vertex_faces) add(pair, true);
    for (const auto& pair : near.edge_edges) add(pair, false);
    return found_;
  }

 private:
  template <class Pair>
  void add(const Pair& pair, bool is_vertex_face) {
    const double gap = contact_.law(pair.vertices).contact.barrier.thickness;
    const double distance = std::sqrt(pair.distance.squared());
    if (distance > (1.0 + kAtGap) * gap) return;
    ++found_.count;
    const bool is_layers =
        std::none_of(pair.vertices.begin(), pair.vertices.end(), [&](int v) { return contact_.is_body(v); });
    int rank = 0;
    if (is_layers) {
      const double at_rest = std::sqrt(distance_of(pair, gather(rest_, pair.vertices)).squared());
      rank = at_rest <= kOnePlace * gap ? 2 : at_rest <= (1.0 + kAtGap) * gap ? 1 : 0;
    }
    found_.seam_count += rank == 2;
    found_.small_count += rank == 1;
    if (found_.nearest && (rank < rank_ || (rank == rank_ && distance >= found_.nearest->distance))) return;
    found_.nearest = FeaturePair{pair.vertices, is_vertex_face, distance};
    rank_ = rank;
  }

  const SurfacePairs& contact_;
  const VecX &x_, &rest_;
  ClosePairs found_;
  int rank_ = 0;  // of the nearest
};

// The cloth's faces without those of which a vertex is left out, by their numbers.
std::vector<int> kept_faces(const TriangleMesh& mesh, const std::vector<char>& left_out) {
  std::vector<int> kept;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle& v = mesh.triangles[t];
    if (!left_out[v[0]] && !left_out[v[1]] && !left_out[v[2]]) kept.push_back(t);
  }
  return kept;
}

// The cloth's edges and the surface's that go through each other's faces.
void find_cuts(const std::vector<Triangle>& cloth, const MovingMesh& body, const VecX& x, double time,
               SurfaceOverlap& overlap) {
  const int n = static_cast<int>(x.size() / 3);
  std::vector<Triangle> both = cloth;
  for (const auto& [i, j, k] : body.triangles()) both.push_back({i + n, j + n, k + n});
  const VecX of_body = body.at(time);
  VecX all(x.size() + of_body.size());
  all << x, of_body;
  const Intersections through = find_intersections(both, all, n);
  overlap.cut_count = through.count;
  if (!through.first) return;
  const int of_edge = through.first->edge[0];
  overlap.cut_vertex = of_edge < n ? of_edge : both[through.first->face][0];
}

}  // namespace

std::vector<SurfaceOverlap> overlaps_with_surfaces(const ClothDescription& cloth, const VecX& x, double time,
                                                   const std::vector<char>& left_out) {
  std::vector<Triangle> kept;
  for (const int t : kept_faces(cloth.mesh, left_out)) kept.push_back(cloth.mesh.triangles[t]);
  const VecX rest = stacked(cloth.mesh.positions);
  std::vector<SurfaceOverlap> found;
  for (size_t s = 0; s < cloth.surfaces.size(); ++s) {
    SurfaceOverlap overlap;
    overlap.surface = s;
    find_cuts(kept, *cloth.surfaces[s].mesh, x, time, overlap);
    if (overlap.cut_count == 0) {
      SurfaceOptions options{{surface_contact_law(cloth)}};
      options.between_layers = false;
      options.bodies = {{cloth.surfaces[s].mesh, {body_contact_law(cloth)}}};
      const SurfacePairs contact(cloth.mesh, std::move(options), x);
      overlap.close = CloseSearch(contact, contact.with_bodies(x, time), rest).find(left_out);
    }
    if (overlap.cut_count > 0 || overlap.close.count > 0) found.push_back(overlap);
  }
  return found;
}

SelfOverlap overlap_with_itself(const ClothDescription& cloth, const VecX& x,
                                const std::vector<char>& left_out) {
  assert(cloth.contact.self);
  const std::vector<int> kept = kept_faces(cloth.mesh, left_out);
  TriangleMesh mesh = cloth.mesh;
  for (size_t k = 0; k < kept.size(); ++k) mesh.triangles[k] = cloth.mesh.triangles[kept[k]];
  mesh.triangles.resize(kept.size());
  SelfOverlap overlap;
  if (kept.empty()) return overlap;
  overlap.through = find_intersections(mesh.triangles, x);
  if (overlap.through.first) overlap.through.first->face = kept[overlap.through.first->face];
  if (overlap.through.count > 0) return overlap;
  const SurfacePairs contact(mesh, SurfaceOptions{{surface_contact_law(cloth)}}, x);
  overlap.close = CloseSearch(contact, x, stacked(cloth.mesh.positions)).find({});
  return overlap;
}

}  // namespace keydrape
