// The gradient of whole runs of cloth that touches itself and rubs: order 1.95 and more (1.90 where pairs
// come and go), central differences to 1e-6, tangent against adjoint to 1e-10. Nothing is frozen.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/expect_exact.h"
#include "tests/support/gradient_run.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kLayerDt = 1.0 / 60;
const Material kCloth{0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};

struct LayerCase {
  std::string name;
  ClothDescription cloth;
  State start;
  int steps;
  double least_order;
};

void PrintTo(const LayerCase& c, std::ostream* out) { *out << c.name; }

// A small sheet that lies on a larger one, which its border holds; gravity pulls it along with a
// slope of 0.5.
LayerCase layers(const std::string& name, double mu) {
  LayerCase c{name, {}, {}, 16, 1.95};
  TriangleMesh mesh = distorted(square(6, 0.5), Vec2(0.5, 0.5), 0.1, 1);
  const TriangleMesh upper = distorted(square(4, 0.2), Vec2(0.2, 0.2), 0.1, 2);
  const std::vector<int> border = vertices_where(
      mesh, [](const Vec3& p) { return std::min(p.x(), p.y()) == 0.0 || std::max(p.x(), p.y()) == 0.5; });
  const int below = mesh.vertex_count();
  for (const Vec3& p : upper.positions) mesh.positions.push_back(p + Vec3(0.131, 0.147, 0.0));
  for (const auto& [i, j, k] : upper.triangles) mesh.triangles.push_back({i + below, j + below, k + below});
  c.cloth = cloth_of(mesh, kCloth, kStandardGravity * Vec3(std::sin(0.4636), 0, -std::cos(0.4636)));
  c.cloth.contact.self = true;
  c.cloth.contact.friction = mu;
  c.start.x = stacked(mesh.positions);
  c.cloth.pins = {held(c.start.x, border)};
  const double gap = 0.9 * surface_contact_law(c.cloth).barrier.range();
  c.start.v = VecX::Zero(c.start.x.size());
  for (int i = below; i < mesh.vertex_count(); ++i) {
    c.start.x(3 * i + 2) += gap + 2e-4 * std::sin(5.0 * i);
    c.start.v.segment<3>(3 * i) = Vec3(0.05 * std::sin(2.0 * i), 0.03, -0.02);
  }
  return c;
}

// A sheet wrung by its ends.
LayerCase wrung(const std::string& name, double mu) {
  constexpr int kCells = 8, kSteps = 24;
  constexpr double kSide = 0.4, kTurn = 1.7;  // of each end, one way and the other [rad]
  LayerCase c{name, {}, {}, kSteps, 1.90};
  const TriangleMesh mesh = distorted(square(kCells, kSide), Vec2(kSide, kSide), 0.1, 3);
  c.cloth = cloth_of(mesh, kCloth, Vec3(0, 0, -kStandardGravity));
  c.cloth.contact.self = true;
  c.cloth.contact.friction = mu;
  c.start.x = stacked(mesh.positions);
  c.start.v = VecX::Zero(c.start.x.size());
  for (const double end : {0.0, kSide}) {
    const auto vertices = vertices_where(mesh, [end](const Vec3& p) { return p.x() == end; });
    HardPin pin = held(c.start.x, vertices);
    const VecX first = pin.motion.samples[0];
    pin.motion.sample_interval = kLayerDt;
    for (int n = 1; n <= kSteps; ++n) {
      const double angle = (end == 0.0 ? -kTurn : kTurn) * n / kSteps;
      VecX x = first;
      for (size_t k = 0; k < vertices.size(); ++k) {
        const double r = first(3 * k + 1) - 0.5 * kSide;
        x.segment<3>(3 * k) = Vec3(end + (end == 0.0 ? 1 : -1) * 0.06 * n / kSteps,
                                   0.5 * kSide + r * std::cos(angle), r * std::sin(angle));
      }
      pin.motion.samples.push_back(x);
    }
    c.cloth.pins.push_back(std::move(pin));
  }
  return c;
}

std::vector<LayerCase> layer_cases() {
  return {layers("layers_without_friction", 0.0), layers("layers_stick", 0.8), layers("layers_slide", 0.2),
          wrung("wrung_without_friction", 0.0), wrung("wrung_with_friction", 0.4)};
}

class LayerContactRun : public testing::TestWithParam<LayerCase> {};

TEST_P(LayerContactRun, GradientIsExact) {
  const LayerCase& c = GetParam();
  GradientRun run(c.cloth, c.start, kLayerDt, c.steps);
  const Trajectory free = run.uncontrolled();
  ASSERT_EQ(free.first_failure(), c.steps);
  int touching = 0;
  size_t most = 0;
  PairSearch search;
  for (int n = 0; n < c.steps; ++n) {
    const TouchingFeatures pairs =
        run.model().touchable().surfaces->touching(free.states[n + 1].x, {}, search);
    const size_t count = pairs.vertex_faces.size() + pairs.edge_edges.size();
    touching += count > 0;
    most = std::max(most, count);
  }
  const DerivativeCheck check = run.check();
  test::ExactWithin within = test::kWithContact;
  within.least_order = c.least_order;
  test::expect_exact(
      c.name, check, within,
      ", steps in contact " + std::to_string(touching) + ", pairs up to " + std::to_string(most));
  EXPECT_GE(touching, 4);
}

INSTANTIATE_TEST_SUITE_P(Scenes, LayerContactRun, testing::ValuesIn(layer_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace keydrape
