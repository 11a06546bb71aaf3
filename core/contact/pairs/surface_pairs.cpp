#include "core/contact/pairs/surface_pairs.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/stopwatch.h"
#include "core/contact/ccd/time_of_impact.h"
#include "core/contact/pairs/pair_positions.h"
#include "core/mesh/topology.h"

namespace keydrape {

namespace {

// Candidates are looked for this many ranges further off than needed, so that they serve while cloth moves
// by as much.
constexpr double kSkin = 1.0;
// Of a way longer than so many edges of the cloth, the part up to there is looked at first, and then parts so
// many times as long: long ways have many candidates, and seldom lead far. Those of a way that was as many
// times as long as the one asked for are too many to be kept.
constexpr double kNearEdges = 1.0, kLonger = 4.0;
// A pair is passed over where (G18) proves so many times the distance that is asked for: a margin far
// above all rounding.
constexpr double kMargin = 1.01;

// Appends the features of a mesh whose vertices begin at `offset`.
void append(const std::vector<Triangle>& triangles, int vertex_count, int offset, bool is_cloth,
            ContactSurface& surface) {
  const Topology topology = build_topology(triangles, vertex_count);
  for (int i = 0; i < vertex_count; ++i)
    if (topology.component_of_vertex[i] >= 0) surface.vertices.push_back(offset + i);
  for (const auto& [i, j] : topology.edges) surface.edges.push_back({offset + i, offset + j});
  for (const auto& [i, j, k] : triangles) surface.faces.push_back({offset + i, offset + j, offset + k});
  surface.is_cloth.resize(offset + vertex_count, is_cloth);
}

ContactSurface surface_of(const TriangleMesh& rest, const std::vector<MeshBody>& bodies) {
  ContactSurface surface;
  append(rest.triangles, rest.vertex_count(), 0, true, surface);
  for (const MeshBody& body : bodies)
    append(body.mesh->triangles(), body.mesh->vertex_count(), static_cast<int>(surface.is_cloth.size()),
           false, surface);
  return surface;
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

// How much nearer or further off a pair can be for these shifts of its vertices, (G18). [m]
template <class Contact>
double change_of_distance(const Stencil<4>& shift) {
  double largest = 0.0;
  for (int a = 0; a < kFirst<Contact>; ++a)
    for (int b = kFirst<Contact>; b < 4; ++b)
      largest = std::max(largest, (shift.col(a) - shift.col(b)).squaredNorm());
  return std::sqrt(largest);
}

// The distances of all pairs, in their order. [m]
template <class Contact>
std::vector<double> distances(const std::vector<Contact>& all, const VecX& x) {
  std::vector<double> d(all.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, all.size(), 256), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i)
      d[i] = std::sqrt(squared_distance_of(all[i], gather(x, all[i].vertices)));
  });
  return d;
}

// Those of `all` for which may_be_near(i) and that are nearer than range(pair), in their order.
template <class Contact, class MayBeNear, class Range>
std::vector<AtDistance<Contact>> within(const std::vector<Contact>& all, const VecX& x,
                                        const MayBeNear& may_be_near, const Range& range) {
  constexpr size_t kPart = 1024;
  std::vector<std::vector<AtDistance<Contact>>> parts((all.size() + kPart - 1) / kPart);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t part) {
    for (size_t i = part * kPart; i < std::min((part + 1) * kPart, all.size()); ++i) {
      if (!may_be_near(i)) continue;
      const Stencil<4> at = gather(x, all[i].vertices);
      const double reach = range(all[i]);
      if (squared_box_distance(at, kFirst<Contact>) >= reach * reach) continue;
      if (squared_distance_of(all[i], at) >= kMargin * reach * reach) continue;
      const StencilDistance distance = distance_of(all[i], at);
      if (distance.squared() < reach * reach) parts[part].push_back({all[i], distance});
    }
  });
  std::vector<AtDistance<Contact>> near;
  size_t count = 0;
  for (const auto& part : parts) count += part.size();
  near.reserve(count);
  for (const auto& part : parts) near.insert(near.end(), part.begin(), part.end());
  return near;
}

// The box of vertices `begin` to `end` of a pair on its way, grown by `margin`: as the broad phase makes it.
inline Box box_on_the_way(const Stencil<4>& from, const Stencil<4>& to, int begin, int end, double margin) {
  Box box;
  for (int a = begin; a < end; ++a)
    box.add(
        {from.col(a).cwiseMin(to.col(a)).array() - margin, from.col(a).cwiseMax(to.col(a)).array() + margin});
  return box;
}

// Whether the broad phase would find the pair with this reach on its way from x to y. Asked of every
// candidate, so that it does not matter how many more there are.
template <class Contact>
bool comes_near(const Contact& pair, const VecX& x, const VecX& y, double reach) {
  const Stencil<4> from = gather(x, pair.vertices), to = gather(y, pair.vertices);
  return overlap(box_on_the_way(from, to, 0, kFirst<Contact>, 0.5 * reach),
                 box_on_the_way(from, to, kFirst<Contact>, 4, 0.5 * reach));
}

template <class Contact, class Least>
double time_of_impact(const Contact& pair, const VecX& x, const VecX& dx, const Least& least) {
  const Stencil<4> at = gather(x, pair.vertices);
  const double d = std::sqrt(distance_of(pair, at).squared());
  return impact(pair, {at, at + gather(dx, pair.vertices)}, least(pair, d));
}

// The first time at which a pair's distance has come down to least(pair, distance), at most 1.
// may_collide(i): false for pairs that do not count, or that are known not to.
template <class Contact, class MayCollide, class Least>
double first_impact(const std::vector<Contact>& pairs, const VecX& x, const VecX& dx,
                    const MayCollide& may_collide, const Least& least) {
  return tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, pairs.size(), 64), 1.0,
      [&](const auto& r, double bound) {
        for (size_t i = r.begin(); i < r.end(); ++i) {
          if (may_collide(i)) bound = std::min(bound, time_of_impact(pairs[i], x, dx, least));
        }
        return bound;
      },
      [](double a, double b) { return std::min(a, b); });
}

// The distance that a pair is to keep on its way, of d.
template <class Contact>
double least_distance(const Contact& pair, double d, double kept) {
  return pair.xi + kept * (d - pair.xi);
}

// Appends the vertices of those pairs whose distance comes down to least(pair, distance).
template <class Contact, class Wanted, class Least>
void append_colliding(const std::vector<Contact>& pairs, const VecX& x, const VecX& dx,
                      const Wanted& is_wanted, const Least& least,
                      std::vector<std::array<int, 4>>& colliding) {
  std::vector<char> collides(pairs.size(), 0);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, pairs.size(), 64), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i)
      collides[i] = is_wanted(pairs[i]) && time_of_impact(pairs[i], x, dx, least) <= 1.0;
  });
  for (size_t i = 0; i < pairs.size(); ++i)
    if (collides[i]) colliding.push_back(pairs[i].vertices);
}

}  // namespace

SurfacePairs::SurfacePairs(const TriangleMesh& rest, SurfaceOptions options, const VecX& start)
    : options_(std::move(options)),
      cloth_count_(rest.vertex_count()),
      largest_range_(options_.layers.contact.barrier.range()),
      broad_phase_(surface_of(rest, options_.bodies), with_bodies(start, 0.0)) {
  for (const Triangle& t : rest.triangles) {
    const auto corner = [&](int k) -> const Vec3& { return rest.positions[t[k]]; };
    face_area_.push_back(0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm());
  }
  for (const Edge& e : broad_phase_.surface().edges) {
    if (is_body(e[0])) break;  // the cloth's stand before those of bodies
    edge_.push_back(rest.positions[e[1]] - rest.positions[e[0]]);
    mean_edge_ += edge_.back().norm();
  }
  mean_edge_ /= static_cast<double>(edge_.size());
  for (size_t b = 0; b < options_.bodies.size(); ++b) {
    const MovingMesh& mesh = *options_.bodies[b].mesh;
    body_of_vertex_.insert(body_of_vertex_.end(), mesh.vertex_count(), static_cast<int>(b));
    largest_range_ = std::max(largest_range_, options_.bodies[b].law.contact.barrier.range());
    face_area_.insert(face_area_.end(), mesh.largest_areas().begin(), mesh.largest_areas().end());
    edge_.insert(edge_.end(), mesh.largest_edges().begin(), mesh.largest_edges().end());
  }
  vertex_area_.assign(cloth_count_ + body_of_vertex_.size(), 0.0);
  std::map<Edge, double> area_of_edge;
  for (size_t f = 0; f < face_area_.size(); ++f) {
    const Triangle& t = broad_phase_.surface().faces[f];
    for (int k = 0; k < 3; ++k) {
      vertex_area_[t[k]] += face_area_[f] / 3;
      area_of_edge[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}] += face_area_[f] / 3;
    }
  }
  for (const Edge& e : broad_phase_.surface().edges) edge_area_.push_back(area_of_edge.at(e));
}

bool SurfacePairs::has_friction() const {
  if (options_.between_layers && options_.layers.mu.is_ever_above(0.0)) return true;
  return std::any_of(options_.bodies.begin(), options_.bodies.end(),
                     [](const MeshBody& body) { return body.law.mu.is_ever_above(0.0); });
}

VecX SurfacePairs::with_bodies(const VecX& y, double time) const {
  if (options_.bodies.empty()) return y;
  Eigen::Index size = y.size();
  for (const MeshBody& body : options_.bodies) size += 3 * body.mesh->vertex_count();
  VecX x(size);
  x.head(y.size()) = y;
  Eigen::Index begin = y.size();
  for (const MeshBody& body : options_.bodies) {
    const VecX of_body = body.mesh->at(time);
    x.segment(begin, of_body.size()) = of_body;
    begin += of_body.size();
  }
  return x;
}

bool SurfacePairs::has_body(const std::array<int, 4>& vertices) const {
  return std::any_of(vertices.begin(), vertices.end(), [this](int v) { return is_body(v); });
}

std::vector<Triangle> SurfacePairs::cloth_triangles() const {
  std::vector<Triangle> triangles;
  for (const Triangle& t : broad_phase_.surface().faces)
    if (!is_body(t[0])) triangles.push_back(t);
  return triangles;
}

void SurfacePairs::append_couplings(std::vector<Edge>& pairs) const {
  for (const Edge& e : broad_phase_.surface().edges)
    if (!is_body(e[0])) pairs.push_back(e);
}

std::vector<char> SurfacePairs::held_at(double time) const {
  std::vector<char> held = held_vertices(options_.held, time);
  if (!held.empty()) held.resize(cloth_count_, 0);
  return held;
}

const SurfaceLaw& SurfacePairs::law(const std::array<int, 4>& vertices) const {
  const int last = *std::max_element(vertices.begin(), vertices.end());
  return is_body(last) ? options_.bodies[body_of_vertex_[last - cloth_count_]].law : options_.layers;
}

// Half of the area that a patch on a patch has; large features of bodies count for no more than the cloth's
// that they touch.
VertexFaceContact SurfacePairs::contact(const VertexFacePair& pair) const {
  const Triangle& t = broad_phase_.surface().faces[pair.face];
  const std::array<int, 4> vertices{pair.vertex, t[0], t[1], t[2]};
  const ContactLaw& of_pair = law(vertices).contact;
  const double area = is_body(pair.vertex) ? std::min(vertex_area_[pair.vertex], face_area_[pair.face])
                                           : vertex_area_[pair.vertex];
  return {vertices, 0.5 * of_pair.stiffness * area, of_pair.barrier.thickness};
}

EdgeEdgeContact SurfacePairs::contact(const EdgeEdgePair& pair) const {
  const Edge &a = broad_phase_.surface().edges[pair.first], &b = broad_phase_.surface().edges[pair.second];
  const std::array<int, 4> vertices{a[0], a[1], b[0], b[1]};
  const ContactLaw& of_pair = law(vertices).contact;
  double area_a = edge_area_[pair.first], area_b = edge_area_[pair.second];
  if (is_body(a[0])) area_a = std::min(area_a, area_b);
  if (is_body(b[0])) area_b = std::min(area_a, area_b);
  Stencil<4> at_rest;
  at_rest << Vec3::Zero(), edge_[pair.first], Vec3::Zero(), edge_[pair.second];
  return {vertices, 0.25 * of_pair.stiffness * (area_a + area_b), EdgeEdgeMollifier::from_rest(at_rest),
          of_pair.barrier.thickness};
}

bool SurfacePairs::is_wanted(const std::array<int, 4>& vertices, std::span<const char> held) const {
  if (held.empty() || !has_body(vertices)) return true;
  return std::none_of(vertices.begin(), vertices.end(), [&](int v) { return !is_body(v) && held[v]; });
}

template <class Contact, class Pair>
std::vector<Contact> SurfacePairs::contacts(const std::vector<Pair>& pairs) const {
  std::vector<Contact> made(pairs.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, pairs.size(), 256), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) made[i] = contact(pairs[i]);
  });
  return made;
}

void SurfacePairs::look_for_candidates(const VecX& x, const VecX& y, const ExemptionsPointer& exempt,
                                       PairSearch& search) const {
  const auto holds = [&search](const VecX& z) {
    return (search.low.array() <= z.array()).all() && (z.array() <= search.high.array()).all();
  };
  const double way = longest_way(y - x);
  const bool is_narrow = search.way <= kLonger * std::max(way, kNearEdges * mean_edge_);
  if (search.of == this && search.exempt == exempt && is_narrow && holds(x) && holds(y)) return;
  const TimedScope timed(search.seconds);
  const double skin = kSkin * largest_range_;
  search.of = this;
  search.exempt = exempt;
  search.low = x.cwiseMin(y).array() - skin;
  search.high = x.cwiseMax(y).array() + skin;
  search.x = x;
  search.way = way;
  const CandidatePairs found =
      broad_phase_.candidates(search.low, search.high, largest_range_, options_.between_layers);
  search.vertex_faces = contacts<VertexFaceContact>(found.vertex_faces);
  search.edge_edges = contacts<EdgeEdgeContact>(found.edge_edges);
  if (exempt) exempt->apply(1, search.vertex_faces);
  if (exempt) exempt->apply(2, search.edge_edges);
  search.vertex_face_distance = distances(search.vertex_faces, x);
  search.edge_edge_distance = distances(search.edge_edges, x);
}

TouchingFeatures SurfacePairs::touching(const VecX& x, const LeftOut& out, PairSearch& search) const {
  look_for_candidates(x, x, out.exempt, search);
  const VecX shift = x - search.x;
  const auto range = [this](const auto& pair) { return barrier(pair).range(); };
  const auto near = [&]<class Contact>(const std::vector<Contact>& pairs,
                                       const std::vector<double>& distance) {
    const auto may_be_near = [&](size_t i) {
      const double change = change_of_distance<Contact>(gather(shift, pairs[i].vertices));
      return distance[i] - change < kMargin * range(pairs[i]) && is_wanted(pairs[i].vertices, out.held);
    };
    return within(pairs, x, may_be_near, range);
  };
  return {near(search.vertex_faces, search.vertex_face_distance),
          near(search.edge_edges, search.edge_edge_distance)};
}

TouchingFeatures SurfacePairs::near_bodies(const VecX& x, double reach, const LeftOut& out) const {
  const CandidatePairs all = broad_phase_.candidates(x, x, reach, false);
  const auto range = [&](const auto&) { return reach; };
  const auto near = [&](const auto& pairs) {
    return within(
        pairs, x, [&](size_t i) { return is_wanted(pairs[i].vertices, out.held); }, range);
  };
  return {near(contacts<VertexFaceContact>(all.vertex_faces)),
          near(contacts<EdgeEdgeContact>(all.edge_edges))};
}

double SurfacePairs::step_bound(const VecX& x, const VecX& dx, const LeftOut& out, PairSearch& search,
                                double kept) const {
  const double longest = longest_way(dx);
  for (double part = kNearEdges * mean_edge_; part < longest; part *= kLonger) {
    const double share = part / longest;
    const double bound = bound_of_way(x, share * dx, out, search, kept);
    if (bound < 1.0) return share * bound;
  }
  return bound_of_way(x, dx, out, search, kept);
}

double SurfacePairs::bound_of_way(const VecX& x, const VecX& dx, const LeftOut& out, PairSearch& search,
                                  double kept) const {
  const VecX y = x + dx;
  look_for_candidates(x, y, out.exempt, search);
  const VecX shift_x = x - search.x, shift_y = y - search.x;
  const auto least = [&](const auto& pair, double d) { return least_distance(pair, d, kept); };
  const auto bound = [&]<class Contact>(const std::vector<Contact>& pairs,
                                        const std::vector<double>& distance) {
    // Along a straight way the shifts are largest at one of its ends.
    const auto may_collide = [&](size_t i) {
      const std::array<int, 4>& vertices = pairs[i].vertices;
      const double at_x = change_of_distance<Contact>(gather(shift_x, vertices));
      const double at_y = change_of_distance<Contact>(gather(shift_y, vertices));
      return distance[i] - std::max(at_x, at_y) < kMargin * least(pairs[i], distance[i] + at_x) &&
             comes_near(pairs[i], x, y, largest_range_) && is_wanted(vertices, out.held);
    };
    return first_impact(pairs, x, dx, may_collide, least);
  };
  return std::min(bound(search.vertex_faces, search.vertex_face_distance),
                  bound(search.edge_edges, search.edge_edge_distance));
}

std::vector<std::array<int, 4>> SurfacePairs::colliding(const VecX& x, const VecX& dx, const LeftOut& out,
                                                        PairSearch& search) const {
  const VecX y = x + dx;
  look_for_candidates(x, y, out.exempt, search);
  const auto wanted = [&](const auto& pair) {
    return comes_near(pair, x, y, largest_range_) && is_wanted(pair.vertices, out.held);
  };
  const auto least = [&](const auto& pair, double d) { return least_distance(pair, d, kKept); };
  std::vector<std::array<int, 4>> all;
  append_colliding(search.vertex_faces, x, dx, wanted, least, all);
  append_colliding(search.edge_edges, x, dx, wanted, least, all);
  return all;
}

}  // namespace keydrape
