// Cloth on bodies that collide as triangles: open plates without any thickness, at any speed, with friction.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "core/contact/body/shape/sphere.h"
#include "core/contact/pairs/intersection.h"
#include "core/contact/pairs/moving_mesh.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSurfaceDt = 0.01, kGravity = 9.81;

// A square sheet in the plane z = height, its middle on the z axis.
TriangleMesh level(int cells, double side, double height) {
  TriangleMesh mesh = square(cells, side);
  for (Vec3& p : mesh.positions) p += Vec3(-0.5 * side, -0.5 * side, height);
  return mesh;
}

TriangleMesh joined(const TriangleMesh& first, const TriangleMesh& second) {
  TriangleMesh mesh = first;
  const int n = first.vertex_count();
  mesh.positions.insert(mesh.positions.end(), second.positions.begin(), second.positions.end());
  for (const auto& [i, j, k] : second.triangles) mesh.triangles.push_back({i + n, j + n, k + n});
  return mesh;
}

std::shared_ptr<const MovingMesh> rigid(const TriangleMesh& mesh, RigidMotion motion = {}) {
  return std::make_shared<MovingMesh>(mesh.positions, mesh.triangles, std::move(motion));
}

RigidMotion flight(const Vec3& velocity) {
  return RigidMotion(
      {{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()}, {1.0, velocity, Eigen::Quaterniond::Identity()}});
}

State at_rest(const VecX& x) { return {x, VecX::Zero(x.size())}; }

// Where cloth and body go through each other, or cloth through itself.
int intersections(const TriangleMesh& cloth, const VecX& x, const MovingMesh& body, double time) {
  const VecX of_body = body.at(time);
  TriangleMesh both = cloth;
  both.positions.resize(cloth.vertex_count());
  const int n = cloth.vertex_count();
  for (const auto& [i, j, k] : body.triangles()) both.triangles.push_back({i + n, j + n, k + n});
  VecX all(x.size() + of_body.size());
  all << x, of_body;
  return find_intersections(both.triangles, all).count;
}

TEST(MovingMesh, GoesWithItsMotion) {
  const TriangleMesh mesh = level(1, 1.0, 0.0);
  const VecX x = stacked(mesh.positions);
  const RigidMotion turn({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                          {1.0, Vec3(1, 2, 3), Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Vec3::UnitZ()))}});
  const MovingMesh moving(mesh.positions, mesh.triangles, turn);
  EXPECT_FALSE(moving.is_static());
  const Vec3 expected = Eigen::AngleAxisd(0.5, Vec3::UnitZ()) * mesh.positions[2] + Vec3(1, 2, 3);
  EXPECT_LT((at(moving.at(1.0), 2) - expected).norm(), 1e-15);
  const MovingMesh bending(MotionTrack{{x, 3.0 * x}, 0.1}, mesh.triangles);
  EXPECT_LT((bending.at(0.05) - 2.0 * x).norm(), 1e-15);
  EXPECT_EQ(bending.at(7.0), 3.0 * x);
  EXPECT_TRUE(MovingMesh(mesh.positions, mesh.triangles).is_static());
}

// A body may grow out of a point, in which nothing of it has an area or a length.
TEST(SurfaceContact, ABodyThatGrowsIsAsStiffAsTheGrownOne) {
  ClothDescription cloth = cloth_of(level(4, 0.2, 0.0), cotton(), Vec3::Zero());
  TriangleMesh plate = level(3, 0.1, -0.5 * body_contact_law(cloth).barrier.range());
  for (Vec3& p : plate.positions) p += Vec3(0.013, 0.021, 0.0);
  const VecX x = stacked(cloth.mesh.positions), grown = stacked(plate.positions);
  const auto touching_at_its_end = [&](const std::vector<VecX>& samples) {
    cloth.surfaces = {{std::make_shared<MovingMesh>(MotionTrack{samples, 1.0}, plate.triangles)}};
    const std::shared_ptr<const SurfacePairs> pairs = make_surface_pairs(cloth, x);
    PairSearch search;
    return pairs->touching(pairs->with_bodies(x, static_cast<double>(samples.size() - 1)), {}, search);
  };
  const TouchingFeatures whole = touching_at_its_end({grown});
  ASSERT_GT(whole.vertex_faces.size(), 10u);
  ASSERT_GT(whole.edge_edges.size(), 10u);
  for (const double size : {0.0, 0.01, 0.5}) {
    const TouchingFeatures near = touching_at_its_end({size * grown, 0.7 * grown, grown});
    ASSERT_EQ(near.vertex_faces.size(), whole.vertex_faces.size());
    ASSERT_EQ(near.edge_edges.size(), whole.edge_edges.size());
    for (size_t i = 0; i < near.vertex_faces.size(); ++i)
      EXPECT_EQ(near.vertex_faces[i].k, whole.vertex_faces[i].k) << size;
    for (size_t i = 0; i < near.edge_edges.size(); ++i) {
      EXPECT_EQ(near.edge_edges[i].k, whole.edge_edges[i].k) << size;
      EXPECT_EQ(near.edge_edges[i].mollifier.threshold, whole.edge_edges[i].mollifier.threshold) << size;
    }
  }
}

// Into a plate that is finer than the patch, and one that is much coarser.
TEST(SurfaceContact, NothingTunnelsThroughAThinPlate) {
  for (const int cells : {1, 13}) {
    for (const Vec3& axis : {Vec3(0, 0, 0), Vec3(1.2, 0.4, 0), Vec3(kPi / 2, 0, 0)}) {
      const Mat3 turn = Eigen::AngleAxisd(axis.norm(), axis.normalized()).toRotationMatrix();
      ClothDescription cloth = cloth_of(turned(level(4, 0.1, 0.0), turn), cotton(), Vec3::Zero());
      for (Vec3& p : cloth.mesh.positions) p += Vec3(0.013, 0.021, 3.0);
      const auto plate = rigid(level(cells, 1.0, 0.0));
      cloth.surfaces = {{plate}};
      cloth.contact.self = true;
      const Model model = build_model(cloth);
      State start = at_rest(stacked(cloth.mesh.positions));
      for (int i = 0; i < model.vertex_count(); ++i) start.v(3 * i + 2) = -1000.0;
      const Motion motion = run(model, options_of(kSurfaceDt), start, 20);
      int crossings = 0;
      double lowest = 1e300;
      for (const State& state : motion.states) {
        crossings += intersections(cloth.mesh, state.x, *plate, 0.0);
        for (int i = 0; i < model.vertex_count(); ++i) {
          crossings += at(state.x, i).z() <= 0.0 && at(state.x, i).cwiseAbs().maxCoeff() < 0.5;
          lowest = std::min(lowest, at(state.x, i).z());
        }
      }
      std::printf("1,000 m/s, turned by %.2f, plate of %d: %d unconverged, %d crossings, lowest %.2e m\n",
                  axis.norm(), 2 * cells * cells, motion.unconverged(), crossings, lowest);
      EXPECT_EQ(crossings, 0);
      EXPECT_EQ(motion.unconverged(), 0);
      EXPECT_LT(lowest, 0.01);  // it did get there
    }
  }
}

TEST(SurfaceContact, NothingTunnelsThroughPinnedCloth) {
  const TriangleMesh held_sheet = level(6, 0.5, 0.0);
  ClothDescription cloth =
      cloth_of(joined(held_sheet, level(3, 0.1, 0.3)), cotton(0.002), Vec3(0, 0, -kGravity));
  cloth.contact.self = true;
  State start = at_rest(stacked(cloth.mesh.positions));
  cloth.pins = {held(start.x, vertices_where(held_sheet, [](const Vec3& p) {
                       return std::max(std::abs(p.x()), std::abs(p.y())) > 0.249;
                     }))};
  const int first = held_sheet.vertex_count();
  for (int i = first; i < cloth.mesh.vertex_count(); ++i) {
    start.x(3 * i) += 0.017;
    start.x(3 * i + 1) += 0.009;
    start.v(3 * i + 2) = -1000.0;
  }
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kSurfaceDt), start, 12);
  int through = 0;
  double lowest = 1e300;
  for (const State& state : motion.states) {
    through += find_intersections(cloth.mesh.triangles, state.x).count;
    lowest = std::min(lowest, state.x.minCoeff());
  }
  const double end = motion.back().x.tail(3 * (model.vertex_count() - first)).reshaped(3, 16).row(2).mean();
  std::printf(
      "1,000 m/s into pinned cloth: %d unconverged, %d intersections, lowest %.3f m, ends at %.3f m\n",
      motion.unconverged(), through, lowest, end);
  EXPECT_EQ(through, 0);
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_GT(end, 0.0);  // it was thrown back
}

// A plate that moves 10 cm a step meets a sheet that hangs 4 cm ahead of it.
TEST(SurfaceContact, FastPlatePushesHungCloth) {
  constexpr double kSpeed = 10.0;
  TriangleMesh mesh = square(10, 0.6);  // hangs along y
  for (Vec3& p : mesh.positions) p += Vec3(-0.3, -0.6, 0.04);
  ClothDescription cloth = cloth_of(mesh, cotton(0.002), Vec3(0, -kGravity, 0));
  const VecX x = stacked(mesh.positions);
  cloth.pins = {held(x, {110, 120})};
  cloth.contact.self = true;
  TriangleMesh square_plate = level(3, 0.3, 0.0);
  for (Vec3& p : square_plate.positions) p.y() -= 0.35;
  const auto plate = rigid(square_plate, flight(Vec3(0, 0, kSpeed)));
  cloth.surfaces = {{plate, 0.3}};
  const Motion motion = run(build_model(cloth), options_of(kSurfaceDt), at_rest(x), 3);
  int through = 0, passed = 0;
  for (size_t n = 0; n < motion.states.size(); ++n) {
    through += intersections(mesh, motion.states[n].x, *plate, kSurfaceDt * n);
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      const Vec3 p = at(motion.states[n].x, i);
      const bool was_ahead = std::abs(at(x, i).x()) < 0.13 && std::abs(at(x, i).y() + 0.35) < 0.13;
      const bool is_beside = std::abs(p.x()) > 0.15 || std::abs(p.y() + 0.35) > 0.15;
      passed += was_ahead && !is_beside && p.z() <= kSpeed * kSurfaceDt * n;
    }
  }
  std::printf(
      "plate at 10 m/s: %d unconverged, %d intersections, %d passed, middle at %.3f m, plate at %.3f m\n",
      motion.unconverged(), through, passed, at(motion.back().x, 49).z(), 3 * kSpeed * kSurfaceDt);
  EXPECT_GT(at(motion.back().x, 49).z(), 3 * kSpeed * kSurfaceDt);
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_EQ(through, 0);
  EXPECT_EQ(passed, 0);
}

// A body that moves 10 cm a step meets two layers, 3 cm apart: neither it nor the first goes
// through the second.
TEST(SurfaceContact, FastBodyKeepsLayersInOrder) {
  const TriangleMesh sheet = level(10, 0.5, 0.0);
  TriangleMesh upper = sheet;
  for (Vec3& p : upper.positions) p += Vec3(0.011, 0.007, 0.03);
  const TriangleMesh mesh = joined(sheet, upper);
  const VecX x = stacked(mesh.positions);
  TriangleMesh ball = sphere_mesh(0.1, 2);
  for (Vec3& p : ball.positions) p.z() -= 0.15;
  const auto pushed_by = [&](const auto& set) {
    ClothDescription cloth = cloth_of(mesh, cotton(0.002), Vec3::Zero());
    cloth.contact.self = true;
    cloth.pins = {held(x, {0, 10, 110, 120, 121, 131, 231, 241})};
    set(cloth);
    const Motion motion = run(build_model(cloth), options_of(kSurfaceDt), at_rest(x), 3);
    int through = 0;
    for (const State& state : motion.states) through += find_intersections(mesh.triangles, state.x).count;
    const double lower = at(motion.back().x, 60).z(), higher = at(motion.back().x, 181).z();
    std::printf("10 m/s under two layers: %d unconverged, %d intersections, layers at %.3f and %.3f m\n",
                motion.unconverged(), through, lower, higher);
    EXPECT_EQ(motion.unconverged(), 0);
    EXPECT_EQ(through, 0);
    EXPECT_GT(lower, 0.24);
    EXPECT_GT(higher, lower);
  };
  const RigidMotion upwards = flight(Vec3(0, 0, 10.0));
  for (const TriangleMesh& body : {level(4, 0.2, -0.05), ball})
    pushed_by([&](ClothDescription& cloth) { cloth.surfaces = {{rigid(body, upwards), 0.3}}; });
  pushed_by([&](ClothDescription& cloth) {
    auto volume = std::make_unique<Sphere>(Vec3(0, 0, -0.15), 0.1);
    cloth.bodies = {{std::make_shared<RigidCollider>(std::move(volume), upwards), 0.3, 0.01}};
  });
}

// How far a patch slides within 2 s on a plate of slope 0.5; the body's own coefficient counts.
double slide_on_plate(double mu) {
  const double cosine = 1 / std::hypot(1.0, 0.5);
  ClothDescription cloth = cloth_of(level(3, 0.1, 0.0), cotton(), Vec3(0, 0, -kGravity * cosine));
  cloth.contact.friction = 0.1;
  cloth.surfaces = {{rigid(level(7, 2.5, 0.0)), mu}};
  for (Vec3& p : cloth.mesh.positions) p += Vec3(0.017, 0.043, 0.9 * body_contact_law(cloth).barrier.range());
  const State still = at_rest(stacked(cloth.mesh.positions));
  const VecX settled = run(build_model(cloth), options_of(kSurfaceDt), still, 50).back().x;
  cloth.gravity = Vec3(kGravity * cosine * Vec3(0.5, 0, -1));
  const Motion motion = run(build_model(cloth), options_of(kSurfaceDt), at_rest(settled), 200);
  EXPECT_EQ(motion.unconverged(), 0);
  return (motion.back().x - settled).reshaped(3, 16).row(0).mean();
}

TEST(SurfaceContact, PatchOnATiltedPlateObeysCoulomb) {
  const double slides = slide_on_plate(0.45), sticks = slide_on_plate(0.51);
  std::printf("slides %.4f m at 0.45, %.2e m at 0.51\n", slides, sticks);
  EXPECT_NEAR(slides, 0.877, 0.03 * 0.877);
  EXPECT_LT(std::abs(sticks), 1e-3);
}

// What pins hold goes through a body, and so do the triangles beside it.
TEST(SurfaceContact, HeldVerticesMayBeInABody) {
  ClothDescription cloth = cloth_of(level(4, 0.2, 0.0), cotton(), Vec3(0, 0, -kGravity));
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, vertices_where(cloth.mesh, [](const Vec3& p) { return p.x() < 0.01; }))};
  TriangleMesh wall =
      turned(level(1, 0.4, 0.0), Eigen::AngleAxisd(kPi / 2, Vec3::UnitY()).toRotationMatrix());
  for (Vec3& p : wall.positions) p.x() -= 0.025;
  cloth.surfaces = {{rigid(wall)}};
  EXPECT_EQ(run(build_model(cloth), options_of(kSurfaceDt), at_rest(x), 5).unconverged(), 0);
  cloth.pins.clear();
  EXPECT_EQ(run(build_model(cloth), options_of(kSurfaceDt), at_rest(x), 1).reports[0].end,
            NewtonEnd::kBlocked);
}

}  // namespace
}  // namespace keydrape
