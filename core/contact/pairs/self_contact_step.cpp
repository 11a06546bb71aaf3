#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contact/pairs/pair_positions.h"
#include "core/contact/pairs/self_contact.h"

namespace keydrape {

namespace {

constexpr size_t kGrain = 32;  // pairs a task
// Parts of so many pairs are made at a time, in parallel, and then added: all at once, the matrices of a pile
// of cloth are 100 MB, and memory is what one waits for.
constexpr size_t kParts = 1024;
// Vertices this many travels of a body away from it begin the step where they are; nearer ones move with it,
// those nearer than the first number all the way (B2).
constexpr double kCarried = 1.5, kLeft = 3.0;
// Of a body's way within a step: each as long as this many edges of the cloth, or where that is
// not free, shorter.
constexpr double kPieceInEdges = 2.0;
constexpr int kMaxPieces = 64;
constexpr int kMaxPasses = 20;  // in which layers are taken along

// The sum of value(pair, positions) over all pairs, in an order that does not depend on the
// number of threads.
template <class Pair, class Value>
double sum(const std::vector<Pair>& pairs, const VecX& x, const Value& value) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<size_t>(0, pairs.size(), 4 * kGrain), 0.0,
      [&](const auto& r, double total) {
        for (size_t i = r.begin(); i < r.end(); ++i) total += value(pairs[i], gather(x, pairs[i].vertices));
        return total;
      },
      std::plus<>());
}

// Calls add(pair, part(pair, positions)) for every pair, in their order; the parts are made in parallel.
template <class Pair, class Function, class Add>
void for_each_part(const std::vector<Pair>& pairs, const VecX& x, const Function& part, const Add& add) {
  std::vector<decltype(part(pairs[0], gather(x, pairs[0].vertices)))> parts(std::min(pairs.size(), kParts));
  for (size_t first = 0; first < pairs.size(); first += kParts) {
    const size_t end = std::min(first + kParts, pairs.size());
    tbb::parallel_for(tbb::blocked_range<size_t>(first, end, kGrain), [&](const auto& r) {
      for (size_t i = r.begin(); i < r.end(); ++i)
        parts[i - first] = part(pairs[i], gather(x, pairs[i].vertices));
    });
    for (size_t i = first; i < end; ++i) add(pairs[i], parts[i - first]);
  }
}

// To the rows of `out`, and of its blocks below: vertices of bodies have none.
template <class Pair, class Function>
void add_vectors(const std::vector<Pair>& pairs, const VecX& x, const Function& part, VecX& out) {
  for_each_part(pairs, x, part, [&](const Pair& pair, const Stencil<4>& g) {
    for (int a = 0; a < 4; ++a)
      if (3 * pair.vertices[a] < out.size()) out.segment<3>(3 * pair.vertices[a]) += g.col(a);
  });
}

enum class Blocks { kUpper, kAll };

template <Blocks kBlocks, class Pair, class Function>
void add_matrices(const std::vector<Pair>& pairs, const VecX& x, const Function& part, BlockMatrix& out) {
  const BlockPattern& pattern = out.pattern();
  for_each_part(pairs, x, part, [&](const Pair& pair, const StencilHessian<4>& h) {
    for (int a = 0; a < 4; ++a) {
      const int row = pair.vertices[a];
      if (row >= pattern.rows()) continue;
      out.block(pattern.diagonal_slot(row)) += h.template block<3, 3>(3 * a, 3 * a);
      for (int b = 0; b < 4; ++b) {
        const int column = pair.vertices[b];
        if (column <= row || column >= pattern.rows()) continue;
        const int slot = pattern.slot(row, column);
        out.block(slot) += h.template block<3, 3>(3 * a, 3 * b);
        if constexpr (kBlocks == Blocks::kAll)
          out.block(pattern.transpose_slot(slot)) += h.template block<3, 3>(3 * b, 3 * a);
      }
    }
  });
}

}  // namespace

SelfContactStep::SelfContactStep(const SelfContact& contact, const StepStart& start)
    : contact_(contact),
      start_(start),
      held_(contact.held_at(start.time)),
      x_start_(contact.with_bodies(start.x, start.time - start.dt)),
      x_end_(contact.with_bodies(start.x, start.time)),
      friction_law_{contact.sliding_speed() * start.dt} {
  if (!contact.has_friction()) return;
  friction_ = friction_of_start<PairFriction>();
  for (const PairFriction& pair : friction_)
    for (const int first : {1, 2}) append_couplings(pair.vertices, first, friction_couplings_);
  std::sort(friction_couplings_.begin(), friction_couplings_.end());
  friction_couplings_.erase(std::unique(friction_couplings_.begin(), friction_couplings_.end()),
                            friction_couplings_.end());
}

template <class Friction>
std::vector<Friction> SelfContactStep::friction_of_start() const {
  std::vector<Friction> friction;
  const auto add = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      const SurfaceLaw& law = contact_.law(pair.vertices);
      const Barrier& barrier = law.contact.barrier;
      if (law.mu > 0.0 && pair.distance.squared() > barrier.thickness * barrier.thickness)
        friction.emplace_back(pair, gather(x_start_, pair.vertices), pair.distance, barrier, law.mu);
    }
  };
  const SelfContactPairs touching = contact_.touching(x_start_, held_);
  add(touching.vertex_faces);
  add(touching.edge_edges);
  return friction;
}

void SelfContactStep::append_couplings(const std::array<int, 4>& vertices, int first,
                                       std::vector<Edge>& edges) const {
  for (int a = 0; a < first; ++a)
    for (int b = first; b < 4; ++b)
      if (!contact_.is_body(vertices[a]) && !contact_.is_body(vertices[b]))
        edges.push_back({vertices[a], vertices[b]});
}

const SelfContactStep::Place& SelfContactStep::at(const VecX& y) const {
  if (place_.y.size() != y.size() || place_.y != y) {
    place_.x = x_end_;
    place_.x.head(y.size()) = y;
    place_.move = place_.x - x_start_;
    place_.pairs = contact_.touching(place_.x, held_);
    place_.y = y;
  }
  return place_;
}

double SelfContactStep::stored(const VecX& y) const {
  const auto value = [&](const auto& pair, const Stencil<4>& x) {
    return pair.value(x, pair.distance, contact_.law(pair.vertices).contact.barrier);
  };
  const Place& place = at(y);
  return sum(place.pairs.vertex_faces, place.x, value) + sum(place.pairs.edge_edges, place.x, value);
}

double SelfContactStep::value(const VecX& y) const {
  return stored(y) + sum(friction_, at(y).move, [&](const PairFriction& pair, const Stencil<4>& move) {
           return pair.value(move, friction_law_);
         });
}

void SelfContactStep::add_gradient(const VecX& y, VecX& gradient) const {
  const auto force = [&](const auto& pair, const Stencil<4>& x) -> Stencil<4> {
    return pair.gradient(x, pair.distance, contact_.law(pair.vertices).contact.barrier);
  };
  const auto rub = [&](const PairFriction& pair, const Stencil<4>& move) {
    return pair.gradient(move, friction_law_);
  };
  const Place& place = at(y);
  add_vectors(place.pairs.vertex_faces, place.x, force, gradient);
  add_vectors(place.pairs.edge_edges, place.x, force, gradient);
  add_vectors(friction_, place.move, rub, gradient);
}

void SelfContactStep::add_hessian(const VecX& y, HessianKind kind, BlockMatrix& H) const {
  const auto hessian = [&](const auto& pair, const Stencil<4>& x) {
    const Barrier& barrier = contact_.law(pair.vertices).contact.barrier;
    return kind == HessianKind::kExact ? pair.hessian(x, pair.distance, barrier)
                                       : pair.hessian_psd(x, pair.distance, barrier);
  };
  const auto rub = [&](const PairFriction& pair, const Stencil<4>& move) {
    return pair.hessian(move, friction_law_);
  };
  const Place& place = at(y);
  add_matrices<Blocks::kUpper>(place.pairs.vertex_faces, place.x, hessian, H);
  add_matrices<Blocks::kUpper>(place.pairs.edge_edges, place.x, hessian, H);
  add_matrices<Blocks::kUpper>(friction_, place.move, rub, H);
}

void SelfContactStep::add_start_derivative(const VecX& y, BlockMatrix& C) const {
  if (friction_.empty()) return;
  const auto rub = [&](const PairFrictionByStart& pair, const Stencil<4>& move) {
    return pair.start_derivative(move, friction_law_);
  };
  add_matrices<Blocks::kAll>(friction_of_start<PairFrictionByStart>(), at(y).move, rub, C);
}

std::vector<Edge> SelfContactStep::couplings(const VecX& y) const {
  std::vector<Edge> edges = friction_couplings_;
  const SelfContactPairs& pairs = at(y).pairs;
  for (const auto& pair : pairs.vertex_faces) append_couplings(pair.vertices, 1, edges);
  for (const auto& pair : pairs.edge_edges) append_couplings(pair.vertices, 2, edges);
  return edges;
}

double SelfContactStep::step_bound(const VecX& y, const VecX& dy) const {
  VecX x = x_end_, dx = VecX::Zero(x_end_.size());
  x.head(y.size()) = y;
  dx.head(y.size()) = dy;
  return contact_.step_bound(x, dx, held_);
}

VecX SelfContactStep::carried(const VecX& x, const VecX& dx) const {
  const Eigen::Index size = start_.x.size();
  const double travel = longest_way(dx, size);
  VecX ways = VecX::Zero(size);
  std::vector<double> nearest(size / 3, std::numeric_limits<double>::infinity());
  const auto carry = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      const StencilDistance& distance = pair.distance;
      const double gap = std::sqrt(distance.squared()) - contact_.law(pair.vertices).contact.barrier.range();
      Vec3 way = Vec3::Zero();
      double of_body = 0.0;  // 1 or -1
      for (int a = 0; a < 4; ++a) {
        if (!contact_.is_body(pair.vertices[a])) continue;
        way += distance.weights()(a) * dx.segment<3>(3 * pair.vertices[a]);
        of_body += distance.weights()(a);
      }
      const double share = std::clamp((kLeft * travel - gap) / ((kLeft - kCarried) * travel), 0.0, 1.0);
      for (const int v : pair.vertices) {
        if (contact_.is_body(v) || gap >= nearest[v]) continue;
        nearest[v] = gap;
        ways.segment<3>(3 * v) = share / of_body * way;
      }
    }
  };
  if (travel == 0.0) return ways;
  const SelfContactPairs near = contact_.near_bodies(x, contact_.largest_range() + kLeft * travel, held_);
  carry(near.vertex_faces);
  carry(near.edge_edges);
  return ways;
}

bool SelfContactStep::make_free(const VecX& x, VecX& dx) const {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const std::vector<std::array<int, 4>> colliding = contact_.colliding(x, dx, held_);
    if (colliding.empty()) return true;
    for (const std::array<int, 4>& pair : colliding) {
      Vec3 longest = Vec3::Zero();
      for (const int v : pair)
        if (dx.segment<3>(3 * v).squaredNorm() > longest.squaredNorm()) longest = dx.segment<3>(3 * v);
      for (const int v : pair)
        if (!contact_.is_body(v) && (held_.empty() || !held_[v])) dx.segment<3>(3 * v) = longest;
    }
  }
  return false;
}

void SelfContactStep::start_with(VecX& y) const {
  VecX whole = x_end_ - x_start_;
  whole.head(y.size()) = y - start_.x;
  if (whole.isZero(0.0)) return;
  const double travel = longest_way(whole, y.size());
  const double first =
      std::clamp(std::ceil(travel / (kPieceInEdges * contact_.mean_edge())), 1.0, 1.0 * kMaxPieces);
  for (int pieces = static_cast<int>(first); pieces <= kMaxPieces; pieces *= 2) {
    VecX x = x_start_;
    const VecX piece = whole / pieces;
    bool is_free = true;
    for (int k = 0; k < pieces && is_free; ++k) {
      VecX way = piece;
      way.head(y.size()) += carried(x, piece);
      is_free = make_free(x, way);
      x += way;
    }
    if (!is_free) continue;
    y = x.head(y.size());
    return;
  }
}

bool SelfContactStep::is_way_free(const VecX& y) const {
  VecX way = x_end_ - x_start_;
  way.head(y.size()) = y - start_.x;
  return way.isZero(0.0) || contact_.step_bound(x_start_, way, held_, 0.0) == 1.0;
}

int SelfContactStep::count_violations(const VecX& y) const {
  const auto count = [&](const auto& all) {
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& pair) {
      const double xi = contact_.law(pair.vertices).contact.barrier.thickness;
      return !(pair.distance.squared() > xi * xi);
    }));
  };
  return count(at(y).pairs.vertex_faces) + count(at(y).pairs.edge_edges) + !is_way_free(y);
}

}  // namespace keydrape
