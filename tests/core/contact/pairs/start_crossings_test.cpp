// Cloth that begins through itself: what crosses does not collide until it has come apart, and then for good.

#include "core/contact/pairs/start_crossings.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "core/contact/pairs/pair_positions.h"
#include "core/inspect/overlap.h"
#include "core/step/drape.h"
#include "tests/support/crossed_sheets.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kCrossingDt = 1.0 / 100;
constexpr int kLiftSteps = 30;
constexpr double kLift = 0.09;

CrossedSheets sheets() { return crossed_sheets(kCrossingDt, kLiftSteps, kLift, cotton(0.01)); }

int crossing_count(const ClothDescription& cloth, const VecX& x) {
  return find_intersections(cloth.mesh.triangles, x).count;
}

// Of all pairs of the cloth that collide, the smallest distance beyond the pair's own gap. [m]
double least_room(const Model& model, const State& state) {
  PairSearch search;
  const SurfacePairs& surfaces = *model.touchable().surfaces;
  const TouchingFeatures near = surfaces.touching(state.x, {{}, state.exempt}, search);
  double least = 1e300;
  for (const auto& pair : near.vertex_faces)
    least = std::min(least, std::sqrt(pair.distance.squared()) - pair.xi);
  for (const auto& pair : near.edge_edges)
    least = std::min(least, std::sqrt(pair.distance.squared()) - pair.xi);
  return least;
}

// The edges and triangles that go through each other, as one number each.
std::set<std::array<int, 3>> crossings_of(const ClothDescription& cloth, const VecX& x) {
  std::set<std::array<int, 3>> all;
  for (const EdgeThroughFace& c : list_intersections(cloth.mesh.triangles, x))
    all.insert({c.edge[0], c.edge[1], c.face});
  return all;
}

// Whether every pair of features of a crossing's edge and triangle is exempt.
bool is_exempt(const Exemptions& exempt, const Edge& edge, const Triangle& t) {
  for (const int v : edge)
    if (!exempt.is_crossing({v, t[0], t[1], t[2]}, 1)) return false;
  for (int c = 0; c < 3; ++c)
    if (!exempt.is_crossing({edge[0], edge[1], t[c], t[(c + 1) % 3]}, 2)) return false;
  return true;
}

// Whether the edge has a vertex of one part and the triangle one of the other: an edge at the border of a
// part is drawn through by its vertex.
bool touches_both(const Exemptions& exempt, const Edge& edge, const Triangle& t) {
  const auto touches = [](const std::vector<int>& part, const auto& feature) {
    return std::any_of(feature.begin(), feature.end(),
                       [&](int v) { return std::binary_search(part.begin(), part.end(), v); });
  };
  return std::any_of(exempt.crossing().begin(), exempt.crossing().end(), [&](const CrossingParts& parts) {
    return (touches(parts.first, edge) && touches(parts.second, t)) ||
           (touches(parts.second, edge) && touches(parts.first, t));
  });
}

TEST(StartCrossings, ExemptWhatCrossesAndNoMore) {
  const CrossedSheets scene = sheets();
  ASSERT_TRUE(scene.start.exempt);
  const Exemptions& exempt = *scene.start.exempt;
  const auto crossings = list_intersections(scene.cloth.mesh.triangles, scene.start.x);
  ASSERT_GE(crossings.size(), 5u);
  ASSERT_EQ(exempt.crossing().size(), 1u);  // one curve
  for (const EdgeThroughFace& c : crossings)
    EXPECT_TRUE(is_exempt(exempt, c.edge, scene.cloth.mesh.triangles[c.face]));
  const CrossingParts& parts = exempt.crossing()[0];
  const int n = scene.cloth.mesh.vertex_count();
  EXPECT_LT(static_cast<int>(parts.first.size() + parts.second.size()), n);
  for (const int v : parts.first) EXPECT_EQ(v < scene.upper, parts.first[0] < scene.upper);
  for (const int v : parts.second) EXPECT_EQ(v < scene.upper, parts.second[0] < scene.upper);
  // The lower edge of the hanging sheet, which has to come back.
  const std::vector<int>& hanging = parts.first[0] < scene.upper ? parts.second : parts.first;
  for (int i = 0; i <= 4; ++i)
    EXPECT_TRUE(std::binary_search(hanging.begin(), hanging.end(), scene.upper + i));

  const Model model = build_model(scene.cloth);
  EXPECT_TRUE(std::isfinite(elastic_energy(model, scene.start, kCrossingDt, 0.0)));
  State refused = scene.start;
  refused.exempt = nullptr;
  EXPECT_FALSE(std::isfinite(elastic_energy(model, refused, kCrossingDt, 0.0)));
  EXPECT_GT(least_room(model, scene.start), 0.0);
}

TEST(StartCrossings, AreNoneOfCleanCloth) {
  CrossedSheets scene = sheets();
  for (int i = scene.upper; i < scene.cloth.mesh.vertex_count(); ++i) scene.start.x(3 * i + 2) += 0.2;
  EXPECT_EQ(crossing_count(scene.cloth, scene.start.x), 0);
  EXPECT_EQ(start_exemptions(scene.cloth, scene.start.x), nullptr);
}

TEST(StartCrossings, SheetsComeApartAndThenCollide) {
  const CrossedSheets scene = sheets();
  const Model model = build_model(scene.cloth);
  const Motion motion = run(model, options_of(kCrossingDt), scene.start, 2 * kLiftSteps);
  ASSERT_EQ(motion.unconverged(), 0);
  const auto first = crossings_of(scene.cloth, scene.start.x);
  int apart = -1, touching = 0;
  double least = 1e300;
  for (size_t n = 0; n < motion.states.size(); ++n) {
    const State& state = motion.states[n];
    const auto crossings = crossings_of(scene.cloth, state.x);
    const bool is_left = state.exempt && !state.exempt->crossing().empty();
    // Nothing crosses but what is exempt, and what has come apart stays so.
    for (const auto& [a, b, f] : crossings)
      EXPECT_TRUE(is_left && touches_both(*state.exempt, {a, b}, scene.cloth.mesh.triangles[f])) << n;
    if (!is_left && apart < 0) apart = static_cast<int>(n);
    EXPECT_TRUE(apart < 0 || !is_left);
    EXPECT_EQ(is_left, !crossings.empty());
    if (is_left) continue;
    PairSearch search;
    const TouchingFeatures near = model.touchable().surfaces->touching(state.x, {{}, state.exempt}, search);
    touching += !near.vertex_faces.empty() || !near.edge_edges.empty();
    least = std::min(least, least_room(model, state));
  }
  std::printf("%zu crossings, apart at step %d of %d, touching in %d states, least room %.2e m\n",
              first.size(), apart, 2 * kLiftSteps, touching, least);
  EXPECT_GT(apart, 5);
  EXPECT_LT(apart, kLiftSteps + 1);
  EXPECT_GE(touching, 10);
  EXPECT_EQ(motion.back().exempt, nullptr);  // the whole gap everywhere
  // The hanging sheet has come back as far as it went, and now lies on the other.
  double lowest = 1e300;
  for (int i = scene.upper; i < model.vertex_count(); ++i)
    lowest = std::min(lowest, motion.back().x(3 * i + 2));
  EXPECT_LT(lowest, 0.02);
}

TEST(StartCrossings, AreTheSameBitsOnAnyNumberOfThreads) {
  std::vector<std::vector<VecX>> runs;
  for (const int threads : {1, 2}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const CrossedSheets scene = sheets();
    const Model model = build_model(scene.cloth);
    const Motion motion = run(model, options_of(kCrossingDt), scene.start, 2 * kLiftSteps);
    runs.emplace_back();
    for (const State& state : motion.states) runs.back().push_back(state.x);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

// A band that crosses itself like the letter alpha; its ends are drawn apart.
TEST(StartCrossings, ABandThatCrossesItselfComesApart) {
  constexpr int kAlong = 40, kAcross = 3, kPulled = 40, kSteps = 60;
  constexpr double kLength = 0.6, kWidth = 0.045, kDrawn = 0.08;
  constexpr double kHeading = 2.1, kBent = 0.25;  // of the tails [rad]; the bent share of each half
  TriangleMesh mesh = sheet(kAlong, kAcross, Vec2(kLength, kWidth));
  ClothDescription cloth = cloth_of(mesh, cotton(0.01), Vec3::Zero());
  VecX x = stacked(mesh.positions);
  const double radius = kBent * kLength / kHeading;
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    const double s = mesh.positions[i].x() / kLength - 0.5, side = s < 0 ? -1 : 1;
    const double bent = std::min(std::abs(s), kBent) * kHeading / kBent;
    const double tail = (std::abs(s) - std::min(std::abs(s), kBent)) * kLength;
    const Vec2 p =
        radius * Vec2(std::sin(bent), 1 - std::cos(bent)) + tail * Vec2(std::cos(bent), std::sin(bent));
    x.segment<3>(3 * i) = Vec3(side * p.x() + 0.003 * s, mesh.positions[i].y() + 0.01 * s, p.y() + 0.002 * s);
  }
  const auto hand = [&](double end, double way) {
    HardPin pin = held(x, vertices_where(mesh, [end](const Vec3& p) { return p.x() == end; }));
    const VecX first = pin.motion.samples[0];
    pin.motion.sample_interval = kCrossingDt;
    for (int k = 1; k <= kPulled; ++k) {
      VecX moved = first;
      for (Eigen::Index i = 0; i < moved.size(); i += 3) moved(i) += way * k / kPulled;
      pin.motion.samples.push_back(moved);
    }
    return pin;
  };
  cloth.pins = {hand(0.0, -kDrawn), hand(kLength, kDrawn)};
  cloth.contact.self = true;
  cloth.contact.exempt_start = true;
  ASSERT_GT(crossing_count(cloth, x), 0);
  const State start{x, VecX::Zero(x.size()), start_exemptions(cloth, x)};
  ASSERT_TRUE(start.exempt);
  const Motion motion = run(build_model(cloth), options_of(kCrossingDt), start, kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  int left = 0;
  for (const State& state : motion.states) {
    const bool is_left = state.exempt && !state.exempt->crossing().empty();
    EXPECT_EQ(is_left, crossing_count(cloth, state.x) > 0);
    left += is_left;
  }
  std::printf("%d crossings along %zu curves, apart after %d steps\n", crossing_count(cloth, x),
              start.exempt->crossing().size(), left);
  EXPECT_GT(left, 2);
  EXPECT_EQ(crossing_count(cloth, motion.back().x), 0);
}

// Layers nearer than the gap push each other apart and never pass through each other.
TEST(StartCrossings, LayersThatBeginTooNearTakeTheirGap) {
  TriangleMesh mesh = square(5, 0.2);
  const int n = mesh.vertex_count();
  const Material material = cotton(0.01);
  for (int i = 0; i < n; ++i)
    mesh.positions.push_back(mesh.positions[i] +
                             Vec3(0.011, 0.007, (i % 2 ? 0.5 : 0.01) * material.thickness));
  for (Triangle t : std::vector<Triangle>(mesh.triangles)) {
    for (int& v : t) v += n;
    mesh.triangles.push_back(t);
  }
  ClothDescription cloth = cloth_of(mesh, material, Vec3::Zero());
  cloth.contact.self = true;
  cloth.contact.exempt_start = true;
  const VecX x = stacked(mesh.positions);
  ASSERT_EQ(crossing_count(cloth, x), 0);
  const ExemptionsPointer exempt = start_exemptions(cloth, x);
  ASSERT_TRUE(exempt);
  EXPECT_TRUE(exempt->crossing().empty());
  EXPECT_GT(exempt->near_pair_count(), 50);
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kCrossingDt), {x, VecX::Zero(x.size()), exempt}, 60);
  ASSERT_EQ(motion.unconverged(), 0);
  int last = exempt->near_pair_count();
  for (const State& state : motion.states) {
    EXPECT_EQ(crossing_count(cloth, state.x), 0);
    EXPECT_GT(least_room(model, state), 0.0);
    const int near = state.exempt ? state.exempt->near_pair_count() : 0;
    EXPECT_LE(near, last);
    last = near;
  }
  std::printf("%d near pairs at the start, %d at the end\n", exempt->near_pair_count(), last);
  EXPECT_EQ(last, 0);
}

TEST(StartCrossings, GapsGrowInHalvingsAndNeverShrink) {
  const Barrier barrier{1e-3, 1e-3};
  EXPECT_EQ(first_gap(barrier, 0.0), std::nullopt);
  EXPECT_EQ(first_gap(barrier, 1e-10), std::nullopt);
  for (const double d : {3e-9, 1e-6, 0.4e-3, 0.9e-3, 1.0e-3, 1.7e-3, 2.0e-3}) {
    const std::optional<double> xi = first_gap(barrier, d);
    ASSERT_TRUE(xi);
    EXPECT_LT(*xi, d);
    EXPECT_GE(*xi, 0.25 * std::min(d, barrier.thickness));
    EXPECT_EQ(std::exp2(std::round(std::log2(barrier.thickness / *xi))), barrier.thickness / *xi);
    EXPECT_EQ(next_gap(barrier, *xi, *xi + 0.1e-3), *xi);  // still pushed
    EXPECT_EQ(next_gap(barrier, *xi, barrier.range()), barrier.thickness);
  }
  EXPECT_EQ(next_gap(barrier, 0.25e-3, 1.6e-3), 0.5e-3);  // beyond its range: nothing pushes
  const Barrier thin{0.0, 1e-3};
  EXPECT_EQ(first_gap(thin, 0.0), std::nullopt);
  EXPECT_EQ(first_gap(thin, 1e-9), 0.0);
  EXPECT_EQ(next_gap(thin, 0.0, 1e-3), 0.0);
}

// Two panels along a seam that is not welded, of cloth without any gap.
TEST(StartCrossings, WhatIsInOnePlaceDoesNotCollideWithoutAGapEither) {
  TriangleMesh mesh = square(4, 0.2);
  const int n = mesh.vertex_count();
  for (int i = 0; i < n; ++i) mesh.positions.push_back(mesh.positions[i] + Vec3(0.2, 0, 0));
  for (Triangle t : std::vector<Triangle>(mesh.triangles)) {
    for (int& v : t) v += n;
    mesh.triangles.push_back(t);
  }
  ClothDescription cloth = cloth_of(mesh, cotton(0.01), Vec3::Zero());
  cloth.contact.self = true;
  cloth.contact.exempt_start = true;
  cloth.contact.body_gap = 0.0;
  const VecX x = stacked(mesh.positions);
  const ExemptionsPointer exempt = start_exemptions(cloth, x);
  ASSERT_TRUE(exempt);
  EXPECT_TRUE(exempt->crossing().empty());
  EXPECT_GT(exempt->near_pair_count(), 5);
  const Model model = build_model(cloth);
  const VecX still = VecX::Zero(x.size());
  EXPECT_TRUE(std::isfinite(elastic_energy(model, {x, still, exempt}, kCrossingDt, 0.0)));
  EXPECT_FALSE(std::isfinite(elastic_energy(model, {x, still, nullptr}, kCrossingDt, 0.0)));
  VecX apart = x;
  for (int i = n; i < model.vertex_count(); ++i) apart(3 * i + 2) += 0.01;
  EXPECT_EQ(model.exemptions_after(exempt, apart), nullptr);
}

TEST(StartCrossings, DrapeCarriesThemOn) {
  CrossedSheets scene = sheets();
  scene.cloth.pins[1] = held(scene.start.x, scene.cloth.pins[1].vertices);  // the hand rests
  const Model model = build_model(scene.cloth);
  DrapeOptions options;
  options.exempt = scene.start.exempt;
  const DrapeResult result = drape(model, scene.start.x, options);
  EXPECT_TRUE(result.is_settled);
  EXPECT_GT(crossing_count(scene.cloth, result.x), 0);
  ASSERT_TRUE(result.exempt);
  EXPECT_EQ(result.exempt->crossing().size(), 1u);
  DrapeOptions none;
  EXPECT_FALSE(drape(model, scene.start.x, none).is_settled);
}

}  // namespace
}  // namespace keydrape
