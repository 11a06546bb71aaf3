#include "core/contact/pairs/surface_contact.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contact/carried_share.h"
#include "core/contact/pairs/body_faces.h"
#include "core/contact/pairs/pair_positions.h"

namespace keydrape {

namespace {

constexpr size_t kGrain = 32;  // pairs a task
// Parts of so many pairs are made at a time, in parallel, and then added: all at once, the matrices of a pile
// of cloth are 100 MB, and memory is what one waits for.
constexpr size_t kParts = 1024;
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

// One step's view. Answers do not depend on what was asked before.
class Step final : public EnergyStep, public Limit {
 public:
  // `pairs` and the vectors of `start` outlive this.
  Step(const SurfacePairs& pairs, const StepStart& start);

  double value(const VecX& y) const override;   // infinity where a gap is closed
  double stored(const VecX& y) const override;  // the barrier's part of it
  void add_gradient(const VecX& y, VecX& gradient) const override;
  void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const override;
  void add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const override;

  const Limit* limit() const override { return this; }
  // Every gap stays above a tenth of what it is at y.
  double step_bound(const VecX& y, const VecX& dy, double enough) const override;
  // Takes what is near a body that moves along with it.
  void clear_way(VecX& y) const override;
  // Pairs with a closed gap, and 1 if the straight way from the start to y leads through something, with
  // bodies that go straight as well.
  int count_violations(const VecX& y) const override;
  void append_couplings(const VecX& y, std::vector<Edge>& edges) const override;

 private:
  // y with the bodies, how far that is from the start, and what touches there.
  struct Place {
    VecX y, x, move;
    TouchingFeatures pairs;
  };
  // The friction of all pairs that touch at the start.
  template <class Friction>
  std::vector<Friction> friction_of_start() const;
  // What the first feature of a pair, of its `first` first vertices, and the other one couple.
  void append_between(const std::array<int, 4>& vertices, int first, std::vector<Edge>& edges) const;
  const Place& at(const VecX& y) const;
  bool is_way_free(const VecX& y) const;
  // Lets vertices of the cloth go along with those that would run into them. Whether nothing does any more.
  bool make_free(const VecX& x, VecX& dx) const;
  // How far each vertex of the cloth goes with bodies that go by dx from x, (B13). (3n)
  VecX carried(const VecX& x, const VecX& dx) const;

  const SurfacePairs& pairs_;
  StepStart start_;
  std::unique_ptr<PairSearch> own_search_;  // where the start brings none
  PairSearch& search_;
  std::vector<char> held_;
  LeftOut out_;
  VecX x_start_, x_end_;  // the start, and with the bodies where they end
  FrictionLaw friction_law_;
  std::vector<PairFriction> friction_;
  std::vector<Edge> friction_couplings_;  // without repeats
  mutable Place place_;                   // the last that was asked for
};

Step::Step(const SurfacePairs& pairs, const StepStart& start)
    : pairs_(pairs),
      start_(start),
      own_search_(start.search ? nullptr : std::make_unique<PairSearch>()),
      search_(start.search ? *start.search : *own_search_),
      held_(pairs.held_at(start.time)),
      out_{held_, start.exempt},
      x_start_(pairs.with_bodies(start.x, start.time_before(1))),
      x_end_(pairs.with_bodies(start.x, start.time)),
      friction_law_{pairs.sliding_speed() * start.slip_time()} {
  if (!pairs.has_friction()) return;
  friction_ = friction_of_start<PairFriction>();
  for (const PairFriction& pair : friction_)
    for (const int first : {1, 2}) append_between(pair.vertices, first, friction_couplings_);
  std::sort(friction_couplings_.begin(), friction_couplings_.end());
  friction_couplings_.erase(std::unique(friction_couplings_.begin(), friction_couplings_.end()),
                            friction_couplings_.end());
}

template <class Friction>
std::vector<Friction> Step::friction_of_start() const {
  std::vector<Friction> friction;
  VecX expected;  // how far all go, bodies as well
  if (start_.is_linearized) {
    expected = x_end_ - x_start_;
    expected.head(start_.v.size()) += start_.dt * start_.v;
  }
  const auto add = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      const double mu = pairs_.law(pair.vertices).mu.at(start_.time);
      if (!(mu > 0.0 && pair.distance.squared() > pair.xi * pair.xi)) continue;
      friction.emplace_back(pair, gather(x_start_, pair.vertices), pair.distance, pairs_.barrier(pair), mu);
      if (expected.size() > 0) friction.back().linearize(gather(expected, pair.vertices), friction_law_);
    }
  };
  const TouchingFeatures touching = pairs_.touching(x_start_, out_, search_);
  add(touching.vertex_faces);
  add(touching.edge_edges);
  return friction;
}

void Step::append_between(const std::array<int, 4>& vertices, int first, std::vector<Edge>& edges) const {
  for (int a = 0; a < first; ++a)
    for (int b = first; b < 4; ++b)
      if (!pairs_.is_body(vertices[a]) && !pairs_.is_body(vertices[b]))
        edges.push_back({vertices[a], vertices[b]});
}

const Step::Place& Step::at(const VecX& y) const {
  if (place_.y.size() != y.size() || place_.y != y) {
    place_.x = x_end_;
    place_.x.head(y.size()) = y;
    place_.move = place_.x - x_start_;
    place_.pairs = pairs_.touching(place_.x, out_, search_);
    place_.y = y;
  }
  return place_;
}

double Step::stored(const VecX& y) const {
  const auto value = [&](const auto& pair, const Stencil<4>& x) {
    return pair.value(x, pair.distance, pairs_.barrier(pair));
  };
  const Place& place = at(y);
  return sum(place.pairs.vertex_faces, place.x, value) + sum(place.pairs.edge_edges, place.x, value);
}

double Step::value(const VecX& y) const {
  return stored(y) + sum(friction_, at(y).move, [&](const PairFriction& pair, const Stencil<4>& move) {
           return pair.value(move, friction_law_);
         });
}

void Step::add_gradient(const VecX& y, VecX& gradient) const {
  const auto force = [&](const auto& pair, const Stencil<4>& x) -> Stencil<4> {
    return pair.gradient(x, pair.distance, pairs_.barrier(pair));
  };
  const auto rub = [&](const PairFriction& pair, const Stencil<4>& move) {
    return pair.gradient(move, friction_law_);
  };
  const Place& place = at(y);
  add_vectors(place.pairs.vertex_faces, place.x, force, gradient);
  add_vectors(place.pairs.edge_edges, place.x, force, gradient);
  add_vectors(friction_, place.move, rub, gradient);
}

void Step::add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const {
  const auto hessian = [&](const auto& pair, const Stencil<4>& x) {
    const Barrier barrier = pairs_.barrier(pair);
    return form.kind == HessianKind::kExact ? pair.hessian(x, pair.distance, barrier)
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

void Step::add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix&) const {
  if (friction_.empty()) return;
  const auto rub = [&](const PairFrictionByStart& pair, const Stencil<4>& move) {
    return pair.start_derivative(move, friction_law_);
  };
  add_matrices<Blocks::kAll>(friction_of_start<PairFrictionByStart>(), at(y).move, rub, C);
}

void Step::append_couplings(const VecX& y, std::vector<Edge>& edges) const {
  edges.insert(edges.end(), friction_couplings_.begin(), friction_couplings_.end());
  const TouchingFeatures& pairs = at(y).pairs;
  for (const auto& pair : pairs.vertex_faces) append_between(pair.vertices, 1, edges);
  for (const auto& pair : pairs.edge_edges) append_between(pair.vertices, 2, edges);
}

double Step::step_bound(const VecX& y, const VecX& dy, double enough) const {
  VecX x = x_end_, dx = VecX::Zero(x_end_.size());
  x.head(y.size()) = y;
  dx.head(y.size()) = enough * dy;
  return enough * pairs_.step_bound(x, dx, out_, search_);
}

VecX Step::carried(const VecX& x, const VecX& dx) const {
  const Eigen::Index size = start_.x.size();
  const double travel = longest_way(dx, size);
  VecX ways = VecX::Zero(size);
  if (travel == 0.0) return ways;
  std::vector<double> nearest(size / 3, std::numeric_limits<double>::infinity());
  const auto carry = [&](int vertex, double gap, const Vec3& way) {
    if (gap >= nearest[vertex]) return;
    nearest[vertex] = gap;
    ways.segment<3>(3 * vertex) = share_carried(gap, travel) * way;
  };
  const auto carry_by = [&](const auto& pairs) {
    for (const auto& pair : pairs) {
      const StencilDistance& distance = pair.distance;
      Vec3 way = Vec3::Zero();
      double of_body = 0.0;  // 1 or -1
      for (int a = 0; a < 4; ++a) {
        if (!pairs_.is_body(pair.vertices[a])) continue;
        way += distance.weights()(a) * dx.segment<3>(3 * pair.vertices[a]);
        of_body += distance.weights()(a);
      }
      for (const int v : pair.vertices)
        if (!pairs_.is_body(v))
          carry(v, std::sqrt(distance.squared()) - pairs_.barrier(pair).range(), way / of_body);
    }
  };
  const TouchingFeatures near = pairs_.near_bodies(x, pairs_.largest_range(), out_);
  carry_by(near.vertex_faces);
  carry_by(near.edge_edges);
  // Further off the point nearest to a vertex stands for all pairs: millions, round a limb that swings.
  const BodyFaces faces(pairs_, x);
  const double reach = pairs_.largest_range() + kLeftTravels * travel;
  tbb::parallel_for(tbb::blocked_range<int>(0, static_cast<int>(size / 3), kGrain), [&](const auto& range) {
    for (int v = range.begin(); v < range.end(); ++v) {
      if (!held_.empty() && held_[v]) continue;
      if (const auto point = faces.nearest(x.segment<3>(3 * v), reach))
        carry(v, point->distance - point->range, point->gather(dx));
    }
  });
  return ways;
}

bool Step::make_free(const VecX& x, VecX& dx) const {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const std::vector<std::array<int, 4>> colliding = pairs_.colliding(x, dx, out_, search_);
    if (colliding.empty()) return true;
    for (const std::array<int, 4>& pair : colliding) {
      Vec3 longest = Vec3::Zero();
      for (const int v : pair)
        if (dx.segment<3>(3 * v).squaredNorm() > longest.squaredNorm()) longest = dx.segment<3>(3 * v);
      for (const int v : pair)
        if (!pairs_.is_body(v) && (held_.empty() || !held_[v])) dx.segment<3>(3 * v) = longest;
    }
  }
  return false;
}

void Step::clear_way(VecX& y) const {
  VecX whole = x_end_ - x_start_;
  whole.head(y.size()) = y - start_.x;
  if (whole.isZero(0.0)) return;
  const double travel = longest_way(whole, y.size());
  const double first =
      std::clamp(std::ceil(travel / (kPieceInEdges * pairs_.mean_edge())), 1.0, 1.0 * kMaxPieces);
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

bool Step::is_way_free(const VecX& y) const {
  VecX way = x_end_ - x_start_;
  way.head(y.size()) = y - start_.x;
  return way.isZero(0.0) || pairs_.step_bound(x_start_, way, out_, search_, 0.0) == 1.0;
}

int Step::count_violations(const VecX& y) const {
  const auto count = [&](const auto& all) {
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& pair) {
      return !(pair.distance.squared() > pair.xi * pair.xi);
    }));
  };
  return count(at(y).pairs.vertex_faces) + count(at(y).pairs.edge_edges) + !is_way_free(y);
}

}  // namespace

std::unique_ptr<EnergyStep> SurfaceContact::begin_step(const StepStart& start) const {
  return std::make_unique<Step>(*pairs_, start);
}

}  // namespace keydrape
