#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/contact/self_contact.h"

namespace keydrape {

namespace {

constexpr size_t kGrain = 32;  // pairs a task

Stencil<4> gather(const VecX& x, const std::array<int, 4>& v) {
  Stencil<4> s;
  for (int a = 0; a < 4; ++a) s.col(a) = x.segment<3>(3 * v[a]);
  return s;
}

double squared_distance(const VertexFaceContact&, const Stencil<4>& x) {
  return vertex_face_distance(x).squared();
}
double squared_distance(const EdgeEdgeContact&, const Stencil<4>& x) {
  return edge_edge_distance(x).squared();
}

// The sum of value(pair, positions) over all pairs, in an order that does not depend on the number of
// threads.
template <class Pair, class Value>
double sum(const std::vector<Pair>& pairs, const VecX& y, const Value& value) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<size_t>(0, pairs.size(), 4 * kGrain), 0.0,
      [&](const auto& r, double total) {
        for (size_t i = r.begin(); i < r.end(); ++i) total += value(pairs[i], gather(y, pairs[i].vertices));
        return total;
      },
      std::plus<>());
}

// part(pair, positions) of every pair: computed in parallel, in the pairs' order.
template <class Part, class Pair, class Function>
std::vector<Part> parts(const std::vector<Pair>& pairs, const VecX& y, const Function& part) {
  std::vector<Part> all(pairs.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, pairs.size(), kGrain), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) all[i] = part(pairs[i], gather(y, pairs[i].vertices));
  });
  return all;
}

template <class Pair, class Function>
void add_vectors(const std::vector<Pair>& pairs, const VecX& y, const Function& part, VecX& out) {
  const std::vector<Stencil<4>> g = parts<Stencil<4>>(pairs, y, part);
  for (size_t i = 0; i < pairs.size(); ++i)
    for (int a = 0; a < 4; ++a) out.segment<3>(3 * pairs[i].vertices[a]) += g[i].col(a);
}

template <class Pair, class Function>
void add_matrices(const std::vector<Pair>& pairs, const VecX& y, const Function& part, BlockMatrix& out) {
  const std::vector<StencilHessian<4>> h = parts<StencilHessian<4>>(pairs, y, part);
  for (size_t i = 0; i < pairs.size(); ++i)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        out.block(out.pattern().slot(pairs[i].vertices[a], pairs[i].vertices[b])) +=
            h[i].template block<3, 3>(3 * a, 3 * b);
}

}  // namespace

SelfContactStep::SelfContactStep(const SelfContact& contact, const StepStart& start)
    : contact_(contact), friction_law_{contact.friction().speed * start.dt} {
  if (contact.friction().mu == 0.0) return;
  const Barrier& barrier = contact.law().barrier;
  const SelfContactPairs touching = contact.touching(start.x);
  const auto add = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      const Stencil<4> x = gather(start.x, pair.vertices);
      if (squared_distance(pair, x) > barrier.thickness * barrier.thickness)
        friction_.emplace_back(pair, x, barrier, contact.friction().mu);
    }
  };
  add(touching.vertex_faces);
  add(touching.edge_edges);
}

const SelfContactPairs& SelfContactStep::pairs(const VecX& y) const {
  if (last_y_.size() != y.size() || last_y_ != y) {
    last_pairs_ = contact_.touching(y);
    last_y_ = y;
  }
  return last_pairs_;
}

double SelfContactStep::stored(const VecX& y) const {
  const auto value = [&](const auto& pair, const Stencil<4>& x) {
    return pair.value(x, contact_.law().barrier);
  };
  return sum(pairs(y).vertex_faces, y, value) + sum(pairs(y).edge_edges, y, value);
}

double SelfContactStep::value(const VecX& y) const {
  return stored(y) + sum(friction_, y, [&](const PairFriction& pair, const Stencil<4>& x) {
           return pair.value(x, friction_law_);
         });
}

void SelfContactStep::add_gradient(const VecX& y, VecX& gradient) const {
  const auto force = [&](const auto& pair, const Stencil<4>& x) {
    return pair.gradient(x, contact_.law().barrier);
  };
  add_vectors(pairs(y).vertex_faces, y, force, gradient);
  add_vectors(pairs(y).edge_edges, y, force, gradient);
  add_vectors(
      friction_, y,
      [&](const PairFriction& pair, const Stencil<4>& x) { return pair.gradient(x, friction_law_); },
      gradient);
}

void SelfContactStep::add_hessian(const VecX& y, HessianKind kind, BlockMatrix& H) const {
  const Barrier& barrier = contact_.law().barrier;
  const auto hessian = [&](const auto& pair, const Stencil<4>& x) {
    return kind == HessianKind::kExact ? pair.hessian(x, barrier) : pair.hessian_psd(x, barrier);
  };
  add_matrices(pairs(y).vertex_faces, y, hessian, H);
  add_matrices(pairs(y).edge_edges, y, hessian, H);
  add_matrices(
      friction_, y,
      [&](const PairFriction& pair, const Stencil<4>& x) { return pair.hessian(x, friction_law_); }, H);
}

void SelfContactStep::add_start_derivative(const VecX& y, BlockMatrix& C) const {
  add_matrices(
      friction_, y,
      [&](const PairFriction& pair, const Stencil<4>& x) { return pair.start_derivative(x, friction_law_); },
      C);
}

std::vector<Edge> SelfContactStep::couplings(const VecX& y) const {
  std::vector<Edge> edges;
  const auto add = [&](const auto& all) {
    for (const auto& pair : all)
      for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b) edges.push_back({pair.vertices[a], pair.vertices[b]});
  };
  add(pairs(y).vertex_faces);
  add(pairs(y).edge_edges);
  add(friction_);
  return edges;
}

int SelfContactStep::count_violations(const VecX& y) const {
  const double xi = contact_.law().barrier.thickness;
  const auto count = [&](const auto& all) {
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& pair) {
      return !(squared_distance(pair, gather(y, pair.vertices)) > xi * xi);
    }));
  };
  return count(pairs(y).vertex_faces) + count(pairs(y).edge_edges);
}

}  // namespace keydrape
