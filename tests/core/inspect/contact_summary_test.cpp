#include "core/inspect/contact_summary.h"

#include <gtest/gtest.h>

#include "core/cloth/cloth.h"
#include "core/contact/body/shape/half_space.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

constexpr int kLayerCells = 4;
constexpr double kThickness = 1e-3, kActivation = 5e-3;

// Two equal squares, the upper one half a cell aside, over the plane z = 0.
struct Layers {
  ClothDescription cloth;
  VecX x;

  Layers(double lower, double upper) {
    cloth.mesh = test::square(kLayerCells, 0.4);
    const int n = cloth.mesh.vertex_count();
    for (int i = 0; i < n; ++i) {
      cloth.mesh.positions.push_back(cloth.mesh.positions[i] + Vec3(0.05, 0.05, upper));
      cloth.mesh.positions[i].z() = lower;
    }
    for (Triangle t : std::vector<Triangle>(cloth.mesh.triangles)) {
      for (int& v : t) v += n;
      cloth.mesh.triangles.push_back(t);
    }
    cloth.material = {0.2, 500, 500, 50, 1e-4, 0.01, kThickness};
    cloth.contact.activation = kActivation;
    cloth.contact.self = true;
    cloth.bodies = {
        {std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitZ()))}};
    x = stacked(cloth.mesh.positions);
  }
  std::vector<TouchingPair> pairs() const {
    PairSearch search;
    return touching_pairs(build_model(cloth), {x, {}}, 0.0, search);
  }
  ContactSummary summary() const {
    PairSearch search;
    return contact_summary(build_model(cloth), {x, {}}, 0.0, search);
  }
};

TEST(ContactSummaryTest, NothingInRange) {
  const ContactSummary summary = Layers(0.1, 0.2).summary();
  EXPECT_EQ(summary.pairs, 0);
  EXPECT_TRUE(std::isinf(summary.least_distance));
  EXPECT_EQ(summary.fingerprint, 0u);
}

// As the law says (G6); none of it beyond the range.
TEST(ContactSummaryTest, EnergyIsWhatContactStores) {
  const auto energy = [](const Layers& layers) {
    PairSearch search;
    return contact_energy(build_model(layers.cloth), {layers.x, {}}, 0.0, search);
  };
  EXPECT_EQ(energy(Layers(0.1, 0.2)), 0.0);
  const Layers near(2e-3, 0.2);
  PairSearch search;
  const State state{near.x, VecX::Zero(near.x.size())};
  const Model model = build_model(near.cloth);
  EXPECT_GT(energy(near), 0.0);
  EXPECT_NEAR(energy(near), elastic_energy(model, state, 0.01, 0.0, &search), 1e-12 * energy(near));
}

TEST(ContactSummaryTest, CountsPointsNearABody) {
  const Layers layers(2e-3, 0.2);
  EXPECT_EQ(layers.summary().pairs, (kLayerCells + 1) * (kLayerCells + 1));
  EXPECT_NEAR(layers.summary().least_distance, 2e-3, 1e-12);
}

// A penalty pushes within the gap, and not beyond.
TEST(ContactSummaryTest, CountsWhatAPenaltyPushes) {
  for (const auto& [height, count] : {std::pair{2e-3, 0}, {2e-4, (kLayerCells + 1) * (kLayerCells + 1)}}) {
    Layers layers(height, 0.2);
    layers.cloth.contact.method = ContactMethod::kPenalty;
    layers.cloth.contact.self = false;
    EXPECT_EQ(layers.summary().pairs, count) << height;
  }
}

TEST(ContactSummaryTest, CountsPairsOfLayers) {
  const ContactSummary summary = Layers(0.1, 0.103).summary();
  EXPECT_GT(summary.pairs, (kLayerCells + 1) * (kLayerCells + 1));
  EXPECT_NEAR(summary.least_distance, 3e-3, 1e-12);
}

TEST(TouchingPairsTest, OfABodyReachFromTheClothToItsSurface) {
  const std::vector<TouchingPair> pairs = Layers(2e-3, 0.2).pairs();
  ASSERT_EQ(static_cast<int>(pairs.size()), (kLayerCells + 1) * (kLayerCells + 1));
  for (const TouchingPair& pair : pairs) {
    EXPECT_EQ(pair.with, TouchingPair::With::kBody);
    EXPECT_NEAR(pair.on_cloth.z(), 2e-3, 1e-15);
    EXPECT_LE((pair.opposite - Vec3(pair.on_cloth.x(), pair.on_cloth.y(), 0.0)).norm(), 1e-15);
  }
}

TEST(TouchingPairsTest, OfLayersReachFromOneToTheOther) {
  const Layers layers(0.1, 0.103);
  const std::vector<TouchingPair> pairs = layers.pairs();
  ASSERT_EQ(static_cast<int>(pairs.size()), layers.summary().pairs);
  for (const TouchingPair& pair : pairs) {
    EXPECT_EQ(pair.with, TouchingPair::With::kLayer);
    EXPECT_GE((pair.on_cloth - pair.opposite).norm(), 3e-3 - 1e-12);
    EXPECT_NEAR(std::abs(pair.on_cloth.z() - pair.opposite.z()), 3e-3, 1e-12);
    for (const Vec3& p : {pair.on_cloth, pair.opposite})
      EXPECT_LE(std::min(std::abs(p.z() - 0.1), std::abs(p.z() - 0.103)), 1e-12);
  }
}

TEST(TouchingPairsTest, OfABodyOfTrianglesTellTheClothFromIt) {
  Layers layers(0.1, 0.2);
  layers.cloth.bodies.clear();
  layers.cloth.contact.self = false;
  const std::vector<Vec3> corners = {{-1, -1, 0.097}, {1, -1, 0.097}, {0, 2, 0.097}, {0.1, 0.1, 0.096}};
  layers.cloth.surfaces = {
      {std::make_shared<MovingMesh>(corners, std::vector<Triangle>{{0, 1, 3}, {1, 2, 3}, {2, 0, 3}})}};
  const std::vector<TouchingPair> pairs = layers.pairs();
  ASSERT_GT(pairs.size(), 0u);
  for (const TouchingPair& pair : pairs) {
    EXPECT_EQ(pair.with, TouchingPair::With::kBody);
    EXPECT_NEAR(pair.on_cloth.z(), 0.1, 1e-12);
    EXPECT_LE(pair.opposite.z(), 0.097 + 1e-12);
  }
}

TEST(ContactSummaryTest, HeldVerticesDoNotCount) {
  Layers layers(2e-3, 0.2);
  layers.cloth.pins = {{{0, 1}, {{VecX(layers.x.head(6))}, 1.0}}};
  EXPECT_EQ(layers.summary().pairs, (kLayerCells + 1) * (kLayerCells + 1) - 2);
}

TEST(ContactSummaryTest, FingerprintsTellSetsApart) {
  const Layers layers(2e-3, 0.006);
  const std::uint64_t all = layers.summary().fingerprint;
  Layers moved = layers;
  moved.x.array() += 1e-5;
  EXPECT_EQ(moved.summary().fingerprint, all) << "the same pairs";
  for (const int vertex : {0, 7, 24, 30}) {
    moved = layers;
    moved.x(3 * vertex + 2) += 0.02;
    EXPECT_NE(moved.summary().fingerprint, all) << vertex;
  }
}

}  // namespace
}  // namespace keydrape
