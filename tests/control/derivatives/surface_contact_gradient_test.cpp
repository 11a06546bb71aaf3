// The gradient of whole runs of cloth on bodies that collide as triangles, open, moving, deforming, with
// friction: order 1.95 and more, central differences to 1e-6, tangent against adjoint to 1e-10.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/bodies.h"
#include "tests/support/expect_exact.h"
#include "tests/support/gradient_run.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSurfaceDt = 1.0 / 60;
constexpr int kSurfaceSteps = 16;

struct SurfaceCase {
  std::string name;
  std::shared_ptr<const MovingMesh> body;
  double friction;
};

void PrintTo(const SurfaceCase& c, std::ostream* out) { *out << c.name; }

TriangleMesh plate(double height) {
  TriangleMesh mesh = distorted(square(5, 0.4), Vec2(0.4, 0.4), 0.1, 4);
  for (Vec3& p : mesh.positions) p += Vec3(-0.17, -0.22, height);
  return mesh;
}

std::shared_ptr<const MovingMesh> moving_plate() {
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 4; ++k) {
    const Vec3 turn = 0.1 * k * Vec3(0.4, -0.6, 1.5);
    keys.push_back({0.1 * k, 0.1 * k * Vec3(0.1, -0.05, 0.2),
                    Eigen::Quaterniond(Eigen::AngleAxisd(turn.norm(), turn.stableNormalized()))});
  }
  const TriangleMesh mesh = plate(-6e-3);
  return std::make_shared<MovingMesh>(mesh.positions, mesh.triangles, RigidMotion(keys));
}

// A plate in waves that run along it, while it is drawn out.
std::shared_ptr<const MovingMesh> waving_plate() {
  const TriangleMesh mesh = plate(-0.014);
  MotionTrack track{{}, 2 * kSurfaceDt};
  for (int s = 0; s <= 8; ++s) {
    VecX x = stacked(mesh.positions);
    for (int i = 0; i < mesh.vertex_count(); ++i)
      x.segment<3>(3 * i) +=
          Vec3(0.02 * s * x(3 * i), 0.003 * s, 0.008 * std::sin(12.0 * x(3 * i) + 0.5 * s));
    track.samples.push_back(x);
  }
  return std::make_shared<MovingMesh>(track, mesh.triangles);
}

// A ball that is squeezed, turns and rises.
std::shared_ptr<const MovingMesh> squeezed_ball() {
  const TriangleMesh mesh = sphere_mesh(0.15, 2);
  MotionTrack track{{}, 5 * kSurfaceDt};
  for (int s = 0; s <= 4; ++s) {
    const Mat3 turn = Eigen::AngleAxisd(0.1 * s, Vec3(0.6, 0, 0.8)).toRotationMatrix();
    const Vec3 shape(1 + 0.03 * s, 1 + 0.02 * s, 1 - 0.02 * s);
    VecX x(3 * mesh.vertex_count());
    for (int i = 0; i < mesh.vertex_count(); ++i)
      x.segment<3>(3 * i) =
          turn * shape.cwiseProduct(mesh.positions[i]) + Vec3(0, 0.005 * s, -0.156 + 0.015 * s);
    track.samples.push_back(x);
  }
  return std::make_shared<MovingMesh>(track, mesh.triangles);
}

class SurfaceContactRun : public testing::TestWithParam<SurfaceCase> {};

TEST_P(SurfaceContactRun, GradientIsExact) {
  TriangleMesh mesh = distorted(square(6, 0.3), Vec2(0.3, 0.3), 0.1, 5);
  for (Vec3& p : mesh.positions) p += Vec3(-0.15, -0.15, 4e-4 * std::sin(30 * p.x() + 20 * p.y()));
  ClothDescription cloth =
      cloth_of(mesh, {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4}, Vec3(0, 0, -kStandardGravity));
  cloth.surfaces = {{GetParam().body, GetParam().friction}};
  State start{stacked(mesh.positions), VecX(3 * mesh.vertex_count())};
  for (Eigen::Index i = 0; i < start.v.size(); ++i) start.v(i) = 0.05 * std::sin(2.0 * i);
  GradientRun run(cloth, start, kSurfaceDt, kSurfaceSteps);
  const Trajectory free = run.uncontrolled();
  ASSERT_EQ(free.first_failure(), kSurfaceSteps);
  int touching = 0;
  PairSearch search;
  for (int n = 0; n < kSurfaceSteps; ++n) {
    const SurfacePairs& surfaces = *run.model().touchable().surfaces;
    const TouchingFeatures pairs =
        surfaces.touching(surfaces.with_bodies(free.states[n + 1].x, (n + 1) * kSurfaceDt), {}, search);
    touching += pairs.vertex_faces.size() + pairs.edge_edges.size() > 0;
  }
  const DerivativeCheck check = run.check();
  test::expect_exact(GetParam().name, check, test::kWithContact,
                     ", steps in contact " + std::to_string(touching));
  EXPECT_GE(touching, kSurfaceSteps / 2);
}

INSTANTIATE_TEST_SUITE_P(Scenes, SurfaceContactRun,
                         testing::Values(SurfaceCase{"open_plate_moves_and_turns", moving_plate(), 0.3},
                                         SurfaceCase{"open_plate_waves", waving_plate(), 0.3},
                                         SurfaceCase{"ball_deforms", squeezed_ball(), 0.4}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace keydrape
