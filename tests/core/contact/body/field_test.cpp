#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/shape/capsule.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/bodies.h"

// What every distance field promises: value, gradient and Hessian of one C2 function, the right sign, and
// balls that are free indeed.

namespace keydrape {
namespace {

struct FieldCase {
  std::string name;
  std::function<std::unique_ptr<const DistanceField>()> make;
  std::function<double(const Vec3&)> truth;  // signed distance of the shape that was asked for
  double tolerance;                          // by which the field may miss it within the band [m]
};

void PrintTo(const FieldCase& c, std::ostream* out) { *out << c.name; }

double segment_distance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

const test::Torus kThinTorus{0.5, 0.2};
constexpr double kFieldVoxel = 0.05, kFieldBand = 0.1;

std::unique_ptr<const DistanceField> level_set_field(const TriangleMesh& mesh) {
  return mesh_level_set(mesh.positions, mesh.triangles, {kFieldVoxel, kFieldBand}).field;
}

// Each field once: level sets take a while.
const DistanceField& field_of(const FieldCase& c) {
  static std::map<std::string, std::unique_ptr<const DistanceField>> made;
  auto& field = made[c.name];
  if (!field) field = c.make();
  return *field;
}

std::vector<FieldCase> field_cases() {
  const Capsule::Axis axis{Vec3(-0.3, -0.2, 0.1), Vec3(0.2, 0.4, 0)};
  const Vec3 normal(1, 2, -1);
  return {
      {"sphere", [] { return std::make_unique<Sphere>(Vec3(0.1, 0, 0), 0.5); },
       [](const Vec3& p) { return (p - Vec3(0.1, 0, 0)).norm() - 0.5; }, 1e-12},
      {"plane", [=] { return std::make_unique<HalfSpace>(Vec3(0, 0.1, 0), normal); },
       [=](const Vec3& p) { return normal.normalized().dot(p - Vec3(0, 0.1, 0)); }, 1e-12},
      {"capsule", [=] { return std::make_unique<Capsule>(axis, 0.3); },
       [=](const Vec3& p) { return segment_distance(p, axis.start, axis.end) - 0.3; }, 0.0017 * 0.3},
      {"box",
       [] {
         return std::make_unique<RoundedBox>(BoundingBox{-test::kHalfBox, test::kHalfBox}, 0.1);
       },
       [](const Vec3& p) { return test::box_distance(test::kHalfBox - Vec3::Constant(0.1), p) - 0.1; },
       0.0034 * 0.1},
      {"sphere_mesh", [] { return level_set_field(test::sphere_mesh(0.5, 5)); },
       [](const Vec3& p) { return p.norm() - 0.5; }, 0.01 * kFieldVoxel},
      {"torus_mesh", [] { return level_set_field(kThinTorus.mesh(192, 96)); },
       [](const Vec3& p) { return kThinTorus.distance(p); }, 0.15 * kFieldVoxel},
      {"box_mesh", [] { return level_set_field(test::box_mesh(test::kHalfBox)); },
       [](const Vec3& p) { return test::box_distance(test::kHalfBox, p); }, 0.4 * kFieldVoxel},
  };
}

class Field : public testing::TestWithParam<FieldCase> {
 protected:
  // Points of the band and of the C2 layer under the surface.
  std::vector<Vec3> band_points(const DistanceField& field, int count) {
    const double depth = std::min(0.8 * field.smooth_depth(), 0.05), reach = std::min(field.band(), 0.1);
    std::vector<Vec3> points;
    while (static_cast<int>(points.size()) < count) {
      const Vec3 p(side_(random_), side_(random_), side_(random_));
      const double d = field.distance(p);
      if (d > -depth && d < reach) points.push_back(p);
    }
    return points;
  }
  Vec3 direction() { return Vec3(side_(random_), side_(random_), side_(random_)).normalized(); }

  std::mt19937_64 random_{3};
  std::uniform_real_distribution<double> side_{-1.0, 1.0};
};

// A C2 function with Lipschitz second derivatives: the remainder of second order is of third order, on smooth
// stretches as well as across the faces of voxels and bricks and the seams of the closed forms.
TEST_P(Field, TaylorRemaindersHaveTheirOrder) {
  const DistanceField* field = &field_of(GetParam());
  double first[2] = {0, 0}, second[2] = {0, 0};  // sums of remainders at step e and e/2
  const double e = 0.01;
  for (const Vec3& p : band_points(*field, 2000)) {
    const Vec3 d = direction();
    const DistanceSample s = field->sample(p);
    for (int half = 0; half < 2; ++half) {
      const Vec3 step = e / (1 << half) * d;
      const double linear = field->distance(p + step) - s.distance - s.gradient.dot(step);
      first[half] += std::abs(linear);
      second[half] += std::abs(linear - 0.5 * step.dot(s.hessian * step));
    }
  }
  if (GetParam().name == "plane") {
    EXPECT_LT(first[0], 2000 * 1e-14);
    return;
  }
  EXPECT_GT(std::log2(first[0] / first[1]), 1.95);
  EXPECT_GT(std::log2(second[0] / second[1]), 2.8);
}

// At every single point, and at voxel faces in particular: a term that jumps somewhere cannot hide in a mean.
TEST_P(Field, HessiansAreContinuousAndMatchTheGradient) {
  const DistanceField* field = &field_of(GetParam());
  std::vector<Vec3> points = band_points(*field, 500);
  for (std::size_t i = 0; i < 250; ++i)  // on a face of a voxel
    points[i](i % 3) = kFieldVoxel * std::round(points[i](i % 3) / kFieldVoxel);
  const double e = 1e-6;
  double largest = 0;
  for (const Vec3& p : points) largest = std::max(largest, field->sample(p).hessian.norm());
  for (const Vec3& p : points) {
    const Vec3 d = direction();
    const DistanceSample s = field->sample(p), after = field->sample(p + e * d),
                         before = field->sample(p - e * d);
    EXPECT_LT(((after.gradient - before.gradient) / (2 * e) - s.hessian * d).norm(), 1e-3 * (1 + largest));
    EXPECT_LT((after.hessian - before.hessian).norm(), 1e-3 * (1 + largest));
    EXPECT_EQ(s.hessian, Mat3(s.hessian.transpose()));
    EXPECT_EQ(s.distance, field->distance(p));
  }
}

TEST_P(Field, DistanceAndSignAreRightEverywhere) {
  const DistanceField* field = &field_of(GetParam());
  // Where the sign may differ: the rounding.
  const double blur = std::isfinite(field->band()) ? 0.5 * kFieldVoxel : 0.1;
  double worst = 0;
  for (int i = 0; i < 50000; ++i) {
    const Vec3 p = 1.5 * Vec3(side_(random_), side_(random_), side_(random_));
    const double truth = GetParam().truth(p), found = field->distance(p);
    if (truth >= 0 && truth < std::min(field->band(), 0.5)) worst = std::max(worst, std::abs(found - truth));
    if (std::abs(truth) > blur) {
      EXPECT_EQ(truth < 0, found < 0) << p.transpose();
    }
    if (truth > field->band() + kFieldVoxel) {
      EXPECT_GE(found, field->band());
    }
  }
  EXPECT_LT(worst, GetParam().tolerance);
}

TEST_P(Field, FreeBallsAreFree) {
  const DistanceField* field = &field_of(GetParam());
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = 1.5 * Vec3(side_(random_), side_(random_), side_(random_));
    const double level = 0.02, radius = field->free_radius(p, level);
    if (field->distance(p) <= level) {
      EXPECT_EQ(radius, 0);
      continue;
    }
    if (field->distance(p) > level + kFieldVoxel) {
      EXPECT_GT(radius, 0);
    }
    for (int k = 0; k < 20; ++k) EXPECT_GT(field->distance(p + 0.999 * radius * direction()), level - 1e-12);
  }
}

// Along the gradient a point inside comes out, from however deep.
TEST_P(Field, GradientsLeadOutOfTheBody) {
  const DistanceField* field = &field_of(GetParam());
  for (int i = 0; i < 2000; ++i) {
    Vec3 p = 0.7 * Vec3(side_(random_), side_(random_), side_(random_));
    if (GetParam().truth(p) >= 0) continue;
    for (int step = 0; step < 200 && field->distance(p) < 0; ++step) {
      const Vec3 g = field->sample(p).gradient;
      p += std::max(0.01, -0.5 * field->distance(p)) * g.normalized();
    }
    EXPECT_GE(field->distance(p), 0) << p.transpose();
  }
}

TEST_P(Field, BoundsHoldTheBody) {
  const DistanceField* field = &field_of(GetParam());
  const BoundingBox box = field->bounds();
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = 1.5 * Vec3(side_(random_), side_(random_), side_(random_));
    if (((p - box.low).array() < 0).any() || ((box.high - p).array() < 0).any()) {
      EXPECT_GT(field->distance(p), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collider, Field, testing::ValuesIn(field_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Capsule, OfNoLengthIsASphere) {
  const Capsule capsule({Vec3(1, 2, 3), Vec3(1, 2, 3)}, 0.5);
  const Sphere sphere(Vec3(1, 2, 3), 0.5);
  for (const Vec3& p : {Vec3(1.7, 2, 3), Vec3(1.1, 2.6, 2.9), Vec3(1, 2, 3.01)}) {
    EXPECT_NEAR(capsule.distance(p), sphere.distance(p), 1e-14);
    EXPECT_LT((capsule.sample(p).hessian - sphere.sample(p).hessian).norm(), 1e-10);
  }
  EXPECT_EQ(capsule.distance(Vec3(1, 2, 3)), -0.5);
}

TEST(RoundedBox, FacesStandWhereTheyStood) {
  const RoundedBox box({-test::kHalfBox, test::kHalfBox}, 0.02);
  EXPECT_NEAR(box.distance(Vec3(0.6, 0.1, -0.2)), 0.1, 1e-15);
  EXPECT_NEAR(box.distance(Vec3(0.1, -0.35, 0.1)), 0.05, 1e-15);
  const double cut = box.distance(test::kHalfBox);  // a corner loses (sqrt(3) - 1) radius
  EXPECT_NEAR(cut, (std::sqrt(3.0) - 1) * 0.02, 1e-12);
}

// Cloth that is pressed in must feel it at every depth: also where the rounding of the edges ends.
TEST(RoundedBox, FacesPushAsHardAtEveryDepth) {
  const double radius = 0.02;
  const RoundedBox box({-test::kHalfBox, test::kHalfBox}, radius);
  for (double depth = -radius; depth < 3 * radius; depth += 0.04 * radius) {
    const Vec3 p(0.1, test::kHalfBox.y() - depth, 0.1);
    const DistanceSample at = box.sample(p);
    EXPECT_NEAR(at.distance, -depth, 1e-15);
    EXPECT_NEAR(box.distance(p), -depth, 1e-15);
    EXPECT_LE((at.gradient - Vec3::UnitY()).norm(), 1e-14) << depth;
    EXPECT_LE(at.hessian.norm() * radius, 1e-12) << depth;
  }
}

// Of a body that is small beside how far contact reaches.
TEST(UsualVoxel, IsAShareOfTheBodyOrOfTheBand) {
  EXPECT_EQ(usual_voxel(1.0, 0.01), 1.0 / 64);
  EXPECT_EQ(usual_voxel(0.003, 0.005), 0.005 / 16);
}

}  // namespace
}  // namespace keydrape
