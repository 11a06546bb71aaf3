#include "core/contact/self_contact.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/contact/ccd/time_of_impact.h"
#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/topology.h"

namespace keydrape {

namespace {

// A step may close this share of a gap, and no more.
constexpr double kClosing = 0.9;
// Candidates are looked for this many ranges further than needed, so that they serve while cloth moves by
// half of it.
constexpr double kSkin = 2.0;

Stencil<4> gather(const VecX& x, const std::array<int, 4>& v) {
  Stencil<4> s;
  for (int a = 0; a < 4; ++a) s.col(a) = x.segment<3>(3 * v[a]);
  return s;
}

ContactSurface surface_of(const TriangleMesh& rest) {
  ContactSurface surface;
  surface.vertices.resize(rest.vertex_count());
  for (int i = 0; i < rest.vertex_count(); ++i) surface.vertices[i] = i;
  surface.edges = build_topology(rest.triangles, rest.vertex_count()).edges;
  surface.faces = rest.triangles;
  surface.is_cloth.assign(rest.vertex_count(), 1);
  return surface;
}

double squared_distance(const VertexFaceContact&, const Stencil<4>& x) {
  return vertex_face_distance(x).squared();
}
double squared_distance(const EdgeEdgeContact&, const Stencil<4>& x) {
  return edge_edge_distance(x).squared();
}
double impact(const VertexFaceContact&, const StencilMotion& motion, double gap) {
  return vertex_face_time_of_impact(motion, gap);
}
double impact(const EdgeEdgeContact&, const StencilMotion& motion, double gap) {
  return edge_edge_time_of_impact(motion, gap);
}

// The distance of two bounding boxes, squared: a bound from below that costs little.
double squared_box_distance(const Stencil<4>& x, int first) {
  const Vec3 a_low = x.leftCols(first).rowwise().minCoeff(), a_high = x.leftCols(first).rowwise().maxCoeff();
  const Vec3 b_low = x.rightCols(4 - first).rowwise().minCoeff(),
             b_high = x.rightCols(4 - first).rowwise().maxCoeff();
  return (a_low - b_high).cwiseMax(b_low - a_high).cwiseMax(0.0).squaredNorm();
}

template <class Contact>
constexpr int kFirst = std::is_same_v<Contact, VertexFaceContact> ? 1 : 2;

// Those of `all` that are nearer than `range`, in their order.
template <class Contact, class Pair, class Make>
std::vector<Contact> within(const std::vector<Pair>& all, const VecX& y, double range, const Make& make) {
  std::vector<char> is_near(all.size(), 0);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, all.size(), 256), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) {
      const Contact contact = make(all[i]);
      const Stencil<4> x = gather(y, contact.vertices);
      is_near[i] = squared_box_distance(x, kFirst<Contact>) < range * range &&
                   squared_distance(contact, x) < range * range;
    }
  });
  std::vector<Contact> near;
  for (size_t i = 0; i < all.size(); ++i)
    if (is_near[i]) near.push_back(make(all[i]));
  return near;
}

// The first of the pairs' times of impact, at most 1.
template <class Contact, class Pair, class Make>
double first_impact(const std::vector<Pair>& pairs, const VecX& y, const VecX& dy, double xi,
                    const Make& make) {
  return tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, pairs.size(), 64), 1.0,
      [&](const auto& r, double bound) {
        for (size_t i = r.begin(); i < r.end(); ++i) {
          const Contact contact = make(pairs[i]);
          const Stencil<4> x = gather(y, contact.vertices);
          const double d = std::sqrt(squared_distance(contact, x));
          bound = std::min(
              bound, impact(contact, {x, x + gather(dy, contact.vertices)}, xi + (1 - kClosing) * (d - xi)));
        }
        return bound;
      },
      [](double a, double b) { return std::min(a, b); });
}

}  // namespace

SelfContact::SelfContact(const TriangleMesh& rest, const ContactLaw& law, const Friction& friction,
                         const VecX& start)
    : rest_(rest),
      law_(law),
      friction_(friction),
      vertex_area_(rest.vertex_count(), 0.0),
      broad_phase_(surface_of(rest), start) {
  std::map<Edge, double> area_of_edge;
  for (const Triangle& t : rest.triangles) {
    const Vec3 &a = rest.positions[t[0]], &b = rest.positions[t[1]], &c = rest.positions[t[2]];
    const double third = (b - a).cross(c - a).norm() / 6;
    for (int k = 0; k < 3; ++k) {
      vertex_area_[t[k]] += third;
      area_of_edge[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}] += third;
    }
  }
  for (const Edge& e : broad_phase_.surface().edges) edge_area_.push_back(area_of_edge.at(e));
}

VertexFaceContact SelfContact::contact(const VertexFacePair& pair) const {
  const Triangle& t = broad_phase_.surface().faces[pair.face];
  return {{pair.vertex, t[0], t[1], t[2]}, 0.5 * law_.stiffness * vertex_area_[pair.vertex]};
}

EdgeEdgeContact SelfContact::contact(const EdgeEdgePair& pair) const {
  const Edge &a = broad_phase_.surface().edges[pair.first], &b = broad_phase_.surface().edges[pair.second];
  Stencil<4> x;
  x << rest_.positions[a[0]], rest_.positions[a[1]], rest_.positions[b[0]], rest_.positions[b[1]];
  return {{a[0], a[1], b[0], b[1]},
          0.25 * law_.stiffness * (edge_area_[pair.first] + edge_area_[pair.second]),
          EdgeEdgeMollifier::from_rest(x)};
}

const CandidatePairs& SelfContact::candidates(const VecX& y) const {
  Candidates& c = candidates_;
  if (c.at.size() == y.size()) {
    double moved = 0.0;
    for (Eigen::Index i = 0; i < y.size(); i += 3)
      moved = std::max(moved, (y.segment<3>(i) - c.at.segment<3>(i)).squaredNorm());
    if (moved <= c.skin * c.skin) return c.pairs;
  }
  const double range = law_.barrier.range();
  c.at = y;
  c.skin = 0.5 * kSkin * range;
  c.pairs = broad_phase_.candidates(y, y, range + 2 * c.skin);
  return c.pairs;
}

SelfContactPairs SelfContact::touching(const VecX& y) const {
  const CandidatePairs& all = candidates(y);
  const double range = law_.barrier.range();
  const auto make = [this](const auto& pair) { return contact(pair); };
  return {within<VertexFaceContact>(all.vertex_faces, y, range, make),
          within<EdgeEdgeContact>(all.edge_edges, y, range, make)};
}

double SelfContact::step_bound(const VecX& y, const VecX& dy) const {
  const double xi = law_.barrier.thickness;
  const CandidatePairs pairs = broad_phase_.candidates(y, y + dy, law_.barrier.range());
  const auto make = [this](const auto& pair) { return contact(pair); };
  return std::min(first_impact<VertexFaceContact>(pairs.vertex_faces, y, dy, xi, make),
                  first_impact<EdgeEdgeContact>(pairs.edge_edges, y, dy, xi, make));
}

}  // namespace keydrape
