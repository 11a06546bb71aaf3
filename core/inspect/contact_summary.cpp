#include "core/inspect/contact_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "core/contact/pairs/pair_positions.h"

namespace keydrape {

namespace {

enum class PairKind { kBody, kVertexFace, kEdgeEdge };

void add(ContactSummary& summary, PairKind kind, std::initializer_list<int> members, double distance) {
  ++summary.pairs;
  summary.least_distance = std::min(summary.least_distance, distance);
  // A sum of well mixed words does not depend on the order (finaliser of splitmix64, Steele et al. 2014).
  std::uint64_t word = static_cast<std::uint64_t>(kind) + 1;
  for (const int member : members) {
    word = word * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(member) + 1;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    word ^= word >> 31;
  }
  summary.fingerprint += word;
}

// Calls on_body(body, point, position, pose) for every point within the range of a body's law,
// bodies counted from 0, and on_features(kind, pair, distance, positions) for every pair of features
// within that of theirs.
template <class OnBody, class OnFeatures>
void visit(const Model& model, const State& state, double time, PairSearch& search, const OnBody& on_body,
           const OnFeatures& on_features) {
  const VecX& x = state.x;
  int body = 0;
  for (const auto& volume : model.touchable().volumes) {
    const CollidingCloth& cloth = *volume;
    const ColliderPose pose = cloth.collider->at(time);
    const std::vector<char> held = cloth.held_at(time);
    for (size_t i = 0; i < cloth.points.size(); ++i) {
      if (!CollidingCloth::is_free(cloth.points[i], held)) continue;
      const Vec3 p = cloth.points[i].position(x);
      if (pose.distance(p) < cloth.law.range()) on_body(body, static_cast<int>(i), p, pose);
    }
    ++body;
  }
  if (!model.touchable().surfaces) return;
  const SurfacePairs& surfaces = *model.touchable().surfaces;
  const VecX all = surfaces.with_bodies(x, time);
  const std::vector<char> held = surfaces.held_at(time);
  const TouchingFeatures pairs = surfaces.touching(all, {held, state.exempt}, search);
  const auto visit_features = [&](PairKind kind, const auto& list) {
    for (const auto& pair : list) on_features(kind, pair.vertices, pair.distance, gather(all, pair.vertices));
  };
  visit_features(PairKind::kVertexFace, pairs.vertex_faces);
  visit_features(PairKind::kEdgeEdge, pairs.edge_edges);
}

}  // namespace

ContactSummary contact_summary(const Model& model, const State& state, double time, PairSearch& search) {
  ContactSummary summary;
  visit(
      model, state, time, search,
      [&](int body, int point, const Vec3& p, const ColliderPose& pose) {
        add(summary, PairKind::kBody, {body, point}, pose.distance(p));
      },
      [&](PairKind kind, const std::array<int, 4>& v, const StencilDistance& distance, const Stencil<4>&) {
        add(summary, kind, {v[0], v[1], v[2], v[3]}, std::sqrt(distance.squared()));
      });
  return summary;
}

double contact_energy(const Model& model, const State& state, double time, PairSearch& search) {
  const VecX rest = VecX::Zero(state.x.size());
  StepStart start{1.0, time, state.x, rest, &search};
  start.sliding_time = 1.0;  // at rest nothing slides, however long that is
  start.exempt = state.exempt;
  double sum = 0.0;
  for (const auto& energy : model.energies())
    if (energy->is_contact() && energy->is_elastic()) sum += energy->begin_step(start)->stored(state.x);
  return sum;
}

std::vector<TouchingPair> touching_pairs(const Model& model, const State& state, double time,
                                         PairSearch& search) {
  using With = TouchingPair::With;
  std::vector<TouchingPair> pairs;
  visit(
      model, state, time, search,
      [&](int, int, const Vec3& p, const ColliderPose& pose) {
        const DistanceSample sample = pose.sample(p);
        pairs.push_back({With::kBody, p, p - sample.distance * sample.gradient.normalized()});
      },
      [&](PairKind kind, const std::array<int, 4>& v, const StencilDistance& distance, const Stencil<4>& at) {
        const int first_count = kind == PairKind::kVertexFace ? 1 : 2;
        const Vec3 first = at.leftCols(first_count) * distance.weights().head(first_count);
        const Vec3 second = first - distance.difference();
        const SurfacePairs& surfaces = *model.touchable().surfaces;
        const bool is_first_body = surfaces.is_body(v[0]);
        const With with = is_first_body || surfaces.is_body(v[3]) ? With::kBody : With::kLayer;
        pairs.push_back({with, is_first_body ? second : first, is_first_body ? first : second});
      });
  return pairs;
}

}  // namespace keydrape
