#include "core/contact/impulse/impact_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/contact/ccd/time_of_impact.h"
#include "core/contact/pairs/pair_positions.h"

namespace keydrape {

namespace {

// Two things that approach keep this share of their distance or thickness; nearly all of it where they are as
// near as kSmall already, so that rounding never decides.
constexpr double kKept = 0.1, kSmall = 1e-7, kKeptOfSmall = 0.99;
constexpr int kLooks = 8, kHalvings = 30;  // for the time at which a point enters a body
constexpr double kDeeper = 1e-9;           // what is in a body already goes no deeper than by this [m]
constexpr double kNoNormal = 1e-12;        // differences below this [m] have no direction

// How near things of this distance and thickness may come.  (Z5)
double least_distance(double d, double thickness) {
  return d > kSmall ? kKept * std::min(d, thickness) : kKeptOfSmall * d;
}

std::array<int, 4> vertices_of(const ContactSurface& surface, const VertexFacePair& pair) {
  const Triangle& t = surface.faces[pair.face];
  return {pair.vertex, t[0], t[1], t[2]};
}
std::array<int, 4> vertices_of(const ContactSurface& surface, const EdgeEdgePair& pair) {
  const Edge &a = surface.edges[pair.first], &b = surface.edges[pair.second];
  return {a[0], a[1], b[0], b[1]};
}

template <class Contact>
double impact_time(const Stencil<4>& from, const Stencil<4>& to, double least) {
  if constexpr (std::is_same_v<Contact, VertexFaceContact>)
    return vertex_face_time_of_impact({from, to}, least);
  else
    return edge_edge_time_of_impact({from, to}, least);
}

template <class Contact>
ImpactPoint point_of(const std::array<int, 4>& vertices, const Stencil<4>& x) {
  const StencilDistance distance = distance_of(Contact{}, x);
  ImpactPoint point;
  point.vertices = vertices;
  point.count = 4;
  point.weights = distance.weights();
  point.distance = distance.difference().norm();
  if (point.distance > kNoNormal) point.normal = distance.difference() / point.distance;
  return point;
}

}  // namespace

ImpactSearch::ImpactSearch(const SurfacePairs* surfaces, std::span<const ImpulseVolume> volumes, VecX x,
                           double begin, double end)
    : surfaces_(surfaces),
      volumes_(volumes),
      cloth_count_(static_cast<int>(x.size() / 3)),
      begin_(begin),
      end_(end) {
  assert(begin < end && x.allFinite());
  if (surfaces) {
    const VecX at_end = surfaces->with_bodies(x, end);
    bodies_end_ = at_end.tail(at_end.size() - x.size());
    held_ = surfaces->held_at(end);
    largest_thickness_ = surfaces->layers().contact.barrier.thickness;
    for (const MeshBody& body : surfaces->bodies())
      largest_thickness_ = std::max(largest_thickness_, body.law.contact.barrier.thickness);
    x_ = surfaces->with_bodies(x, begin);
  } else {
    x_ = std::move(x);
  }
  for (const ImpulseVolume& volume : volumes_) {
    const ColliderPose pose = volume.cloth->collider->at(begin);
    held_of_volume_.push_back(volume.cloth->held_at(end));
    std::vector<double> distance(volume.cloth->points.size());
    tbb::parallel_for(size_t{0}, distance.size(),
                      [&](size_t i) { distance[i] = pose.distance(volume.cloth->points[i].position(x_)); });
    distance_.push_back(std::move(distance));
  }
}

VecX ImpactSearch::with_bodies(const VecX& y) const {
  VecX all(x_.size());
  all << y, bodies_end_;
  return all;
}

VecX ImpactSearch::velocities(const VecX& v) const {
  VecX all(x_.size());
  all << v, (bodies_end_ - x_.tail(bodies_end_.size())) / duration();
  return all;
}

std::vector<int> ImpactSearch::nodes(const ImpactPoint& point) const {
  std::vector<int> nodes(point.vertices.begin(), point.vertices.begin() + point.count);
  if (point.volume >= 0) nodes.push_back(vertex_count() + point.volume);
  return nodes;
}

template <class Contact, class Pair>
void ImpactSearch::append_near_pairs(const std::vector<Pair>& pairs, std::vector<ImpactPoint>& near) const {
  for (const Pair& pair : pairs) {
    const std::array<int, 4> vertices = vertices_of(surfaces_->broad_phase().surface(), pair);
    if (!surfaces_->is_wanted(vertices, held_)) continue;
    const SurfaceLaw& law = surfaces_->law(vertices);
    const double thickness = law.contact.barrier.thickness;
    const Stencil<4> x = gather(x_, vertices);
    if (!(squared_distance_of(Contact{}, x) < thickness * thickness)) continue;
    ImpactPoint point = point_of<Contact>(vertices, x);
    if (point.normal.isZero(0.0)) continue;
    point.thickness = thickness;
    point.friction = law.mu.at(end_);
    near.push_back(point);
  }
}

std::vector<ImpactPoint> ImpactSearch::near() const {
  std::vector<ImpactPoint> near;
  if (surfaces_) {
    const CandidatePairs pairs =
        surfaces_->broad_phase().candidates(x_, x_, largest_thickness_, surfaces_->is_between_layers());
    append_near_pairs<VertexFaceContact>(pairs.vertex_faces, near);
    append_near_pairs<EdgeEdgeContact>(pairs.edge_edges, near);
  }
  for (int b = 0; b < volume_count(); ++b) {
    const CollidingCloth& cloth = *volumes_[b].cloth;
    const ColliderPose pose = cloth.collider->at(begin_);
    const double thickness = cloth.law.barrier.thickness;
    for (size_t i = 0; i < cloth.points.size(); ++i) {
      if (!(distance_[b][i] < thickness) || !CollidingCloth::is_free(cloth.points[i], held_of_volume_[b]))
        continue;
      const Vec3 p = cloth.points[i].position(x_);
      near.push_back(at_volume(b, cloth.points[i], pose.sample(p).gradient, p));
      near.back().distance = distance_[b][i];
    }
  }
  return near;
}

// `material`: where the body's material that is touched was at the begin.
ImpactPoint ImpactSearch::at_volume(int number, const SamplePoint& point, const Vec3& gradient,
                                    const Vec3& material) const {
  const CollidingCloth& cloth = *volumes_[number].cloth;
  ImpactPoint at;
  at.count = point.count;
  for (int c = 0; c < point.count; ++c) {
    at.vertices[c] = point.vertices[c];
    at.weights[c] = point.weights[c];
  }
  at.normal = gradient.normalized();
  at.drift = (cloth.collider->carry(begin_, end_, material).position - material) / duration();
  at.thickness = cloth.law.barrier.thickness;
  at.friction = volumes_[number].friction.at(end_);
  at.volume = number;
  return at;
}

template <class Contact, class Pair>
void ImpactSearch::append_pair_hits(const std::vector<Pair>& pairs, const VecX& y,
                                    const CannotTouch& cannot_touch, std::vector<ImpactPoint>& hits) const {
  const ContactSurface& surface = surfaces_->broad_phase().surface();
  std::vector<double> time(pairs.size(), kNoImpact);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, pairs.size(), 64), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) {
      const std::array<int, 4> vertices = vertices_of(surface, pairs[i]);
      if (!surfaces_->is_wanted(vertices, held_)) continue;
      if (cannot_touch && cannot_touch(vertices)) continue;
      const Stencil<4> x = gather(x_, vertices);
      const double d = std::sqrt(squared_distance_of(Contact{}, x));
      const double thickness = surfaces_->law(vertices).contact.barrier.thickness;
      time[i] = impact_time<Contact>(x, gather(y, vertices), least_distance(d, thickness));
    }
  });
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!(time[i] <= 1.0)) continue;
    const std::array<int, 4> vertices = vertices_of(surface, pairs[i]);
    const Stencil<4> from = gather(x_, vertices);
    const ImpactPoint before = point_of<Contact>(vertices, from);
    ImpactPoint hit = point_of<Contact>(vertices, from + time[i] * (gather(y, vertices) - from));
    if (hit.normal.isZero(0.0)) hit = before;
    hit.distance = before.distance;
    const SurfaceLaw& law = surfaces_->law(vertices);
    hit.thickness = law.contact.barrier.thickness;
    hit.friction = law.mu.at(end_);
    hits.push_back(hit);
  }
}

// Where a point, at phi from the body at the begin, comes too near to it on its way.
std::optional<ImpactPoint> ImpactSearch::volume_hit(int number, const SamplePoint& point, double phi,
                                                    const ColliderPose& after, const VecX& y) const {
  const CollidingCloth& cloth = *volumes_[number].cloth;
  const Collider& collider = *cloth.collider;
  const Vec3 from = point.position(x_), to = point.position(y);
  const double least = phi > 0.0 ? least_distance(phi, cloth.law.barrier.thickness) : phi - kDeeper;
  const bool ends_too_near = !(after.distance(to) >= least);
  if (!ends_too_near && !(phi > 0.0 && collider.count_met(begin_, end_, {&from, 1}, {&to, 1}) > 0))
    return std::nullopt;
  // A body that deforms would need a level set for every look.
  const bool is_rigid = std::isinf(collider.carry_range());
  if (!is_rigid) {
    const DistanceSample s = ends_too_near ? after.sample(to) : collider.at(begin_).sample(from);
    return at_volume(number, point, s.gradient, from);
  }
  const auto time = [&](double s) { return begin_ + s * duration(); };
  const auto at = [&](double s) -> Vec3 { return from + s * (to - from); };
  const auto is_too_near = [&](double s) { return !(collider.at(time(s)).distance(at(s)) >= least); };
  double free = 0.0, near = 1.0;
  for (int k = 1; k < kLooks; ++k) {
    const double s = static_cast<double>(k) / kLooks;
    if (is_too_near(s)) {
      near = s;
      break;
    }
    free = s;
  }
  // A glance that no look has seen: the way is judged where it begins.
  if (near == 1.0 && !ends_too_near) near = free = 0.0;
  for (int k = 0; k < kHalvings && near > free; ++k) {
    const double middle = 0.5 * (free + near);
    (is_too_near(middle) ? near : free) = middle;
  }
  const Vec3 p = at(near);
  return at_volume(number, point, collider.at(time(near)).sample(p).gradient,
                   collider.carry(time(near), begin_, p).position);
}

void ImpactSearch::append_volume_hits(int number, const VecX& y, std::vector<ImpactPoint>& hits) const {
  const CollidingCloth& cloth = *volumes_[number].cloth;
  const ColliderPose before = cloth.collider->at(begin_), after = cloth.collider->at(end_);
  BoundingBox region;
  for (int i = 0; i < cloth_count_; ++i) {
    region.add(x_.segment<3>(3 * i));
    region.add(y.segment<3>(3 * i));
  }
  const double travel = cloth.collider->travel_bound(begin_, end_, region);
  const double thickness = cloth.law.barrier.thickness;
  std::vector<std::optional<ImpactPoint>> found(cloth.points.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, found.size(), 64), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) {
      const SamplePoint& point = cloth.points[i];
      if (!CollidingCloth::is_free(point, held_of_volume_[number])) continue;
      const Vec3 p = point.position(x_);
      const double way = (point.position(y) - p).norm() + travel;
      if (distance_[number][i] > thickness && before.free_radius(p, kKept * thickness) > way) continue;
      found[i] = volume_hit(number, point, distance_[number][i], after, y);
      if (found[i]) found[i]->distance = distance_[number][i];
    }
  });
  for (const std::optional<ImpactPoint>& hit : found)
    if (hit) hits.push_back(*hit);
}

std::vector<ImpactPoint> ImpactSearch::hits(const VecX& y, const CannotTouch& cannot_touch) const {
  assert(y.size() == x_.size());
  std::vector<ImpactPoint> hits;
  if (surfaces_) {
    const CandidatePairs pairs = surfaces_->broad_phase().candidates(x_, y, kKept * largest_thickness_,
                                                                     surfaces_->is_between_layers());
    append_pair_hits<VertexFaceContact>(pairs.vertex_faces, y, cannot_touch, hits);
    append_pair_hits<EdgeEdgeContact>(pairs.edge_edges, y, cannot_touch, hits);
  }
  for (int b = 0; b < volume_count(); ++b) append_volume_hits(b, y, hits);
  return hits;
}

}  // namespace keydrape
