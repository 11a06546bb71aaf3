#include "examples/generator/skirt.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <numeric>

#include "examples/generator/curve.h"
#include "examples/generator/restore_lengths.h"

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr double kLength = 0.55;                                  // [m] along the cloth
constexpr double kRing = kLength / (kSkirtSheet.line_count - 1);  // [m]
constexpr double kWaistRadius = 0.12;                             // [m]
constexpr double kSinOpening = 0.5;  // sine of the cone's half angle: laid flat, the skirt is half an annulus
constexpr double kWaistHeight = 1.0;  // [m]
constexpr int kGoreCount = 4;
constexpr int kGoreCells = kSkirtSheet.point_count / kGoreCount;
constexpr double kGoreSpacing = 0.65;  // [m] from one gore's middle line to the next in the texture

double azimuth(int point) { return 2 * pi * point / kSkirtSheet.point_count; }

// Unit vector at `polar` [rad] from straight down, turned by `azimuth` [rad] round Y from +Z towards +X.
Vec3 ruling(double polar, double azimuth) {
  return {std::sin(polar) * std::sin(azimuth), -std::cos(polar), std::sin(polar) * std::cos(azimuth)};
}

// How the lower skirt hangs off the waist.
struct Sweep {
  double polar;  // [rad] mean angle of its meridians against its axis
  double fold_count;
  double fold_fade;  // the folds' amplitude towards `lift_azimuth`, where the skirt is drawn smooth, over the
                     // amplitude on the other side
  double lift;       // [rad] by which its axis leans out of the vertical ..
  double lift_azimuth;  // [rad] .. towards here, measured from the wearer's front
  double twist;         // [rad] by which the folds run ahead of the waist
};

// Directions of the lower skirt's meridians: a generalised cone, a closed curve on the unit sphere cut into
// equal arcs. `fold_angle`: the folds' largest amplitude [rad].
std::vector<Vec3> swept_rulings(const Sweep& sweep, double fold_angle) {
  const int fine = 64 * kSkirtSheet.point_count;
  std::vector<Vec3> curve;
  std::vector<double> arc{0};
  for (int i = 0; i <= fine; ++i) {
    const double phi = 2 * pi * i / fine;
    const double toward_lift = 0.5 + 0.5 * std::cos(phi + sweep.twist - sweep.lift_azimuth);
    const double amplitude = fold_angle * (1 + toward_lift * (sweep.fold_fade - 1));
    curve.push_back(ruling(sweep.polar + amplitude * std::cos(sweep.fold_count * phi), phi));
    if (i > 0) arc.push_back(arc.back() + (curve[i] - curve[i - 1]).norm());
  }
  const Vec3 lift_axis = Vec3::UnitY().cross(ruling(pi / 2, sweep.lift_azimuth));
  const Mat3 turn =
      (Eigen::AngleAxisd(-sweep.lift, lift_axis) * Eigen::AngleAxisd(sweep.twist, Vec3::UnitY()))
          .toRotationMatrix();
  std::vector<Vec3> rulings;
  int i = 0;
  for (int point = 0; point < kSkirtSheet.point_count; ++point) {
    while (arc[i + 1] <= arc.back() * point / kSkirtSheet.point_count) ++i;
    rulings.push_back(turn * curve[i]);
  }
  return rulings;
}

std::vector<Vec3> round_skirt() {
  const double opening = std::asin(kSinOpening);
  std::vector<Vec3> positions;
  for (int line = 0; line < kSkirtSheet.line_count; ++line) {
    for (int point = 0; point < kSkirtSheet.point_count; ++point) {
      const double apex_distance = kWaistRadius / kSinOpening + kRing * line;
      positions.push_back(apex_distance * ruling(opening, azimuth(point)) +
                          Vec3(0, kWaistHeight + kWaistRadius / std::tan(opening), 0));
    }
  }
  return positions;
}

// The waist's motion: a short swing back, then a turn, the hips swaying towards the turn.
Eigen::Isometry3d waist_motion(double frame) {
  const double back = -20 * pi / 180, forward = 80 * pi / 180, sway = 0.04;
  const double turn = back * ease(frame, 1001, 1013) + forward * ease(frame, 1011, 1037);
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.translate(Vec3(sway * (ease(frame, 1009, 1025) - ease(frame, 1025, 1043)), 0, 0));
  motion.rotate(Eigen::AngleAxisd(turn, Vec3::UnitY()));
  return motion;
}

// The round skirt's meridians bent from their direction at the waist into that of the swept cone.
std::vector<Vec3> bent_skirt(const Sweep& sweep, double fold_angle) {
  const double opening = std::asin(kSinOpening);
  const double waistband = kRing, swept = 0.25;  // [m] along the cloth
  const std::vector<Vec3> rulings = swept_rulings(sweep, fold_angle);
  std::vector<Vec3> shape = round_skirt();
  for (int line = 2; line < kSkirtSheet.line_count; ++line) {
    const double t = ease(kRing * (line - 0.5), waistband, swept);
    for (int point = 0; point < kSkirtSheet.point_count; ++point) {
      const Vec3 direction = (1 - t) * ruling(opening, azimuth(point)) + t * rulings[point];
      shape[kSkirtSheet.vertex(line, point)] =
          shape[kSkirtSheet.vertex(line - 1, point)] + kRing * direction.normalized();
    }
  }
  return shape;
}

double hem_length(const std::vector<Vec3>& shape) {
  double length = 0;
  const int hem = kSkirtSheet.line_count - 1;
  for (int point = 0; point < kSkirtSheet.point_count; ++point) {
    length += (shape[kSkirtSheet.vertex(hem, point + 1)] - shape[kSkirtSheet.vertex(hem, point)]).norm();
  }
  return length;
}

// Folds as deep as it takes to use up the hem's length; what the sculpting stretches elsewhere
// is then mended.
std::vector<Vec3> swept_skirt(const Sweep& sweep, double frame) {
  const std::vector<Vec3> round = round_skirt();
  double shallow = 0, deep = 0.5;  // [rad]
  for (int i = 0; i < 40; ++i) {
    const double middle = (shallow + deep) / 2;
    (hem_length(bent_skirt(sweep, middle)) < hem_length(round) ? shallow : deep) = middle;
  }
  std::vector<Vec3> shape = restore_lengths(bent_skirt(sweep, deep), edges(kSkirtSheet, round),
                                            {.pinned_count = kSkirtPinnedCount, .diagonal_weight = 0.1});
  for (Vec3& x : shape) x = waist_motion(frame) * x;
  return shape;
}

}  // namespace

TriangleMesh skirt_rest() {
  TriangleMesh mesh;
  mesh.positions = round_skirt();
  mesh.triangles = triangles(kSkirtSheet);
  mesh.groups["waistband"].resize(kSkirtPinnedCount);
  std::iota(mesh.groups["waistband"].begin(), mesh.groups["waistband"].end(), 0);

  const int gore_points = kGoreCells + 1;
  for (int gore = 0; gore < kGoreCount; ++gore) {
    for (int line = 0; line < kSkirtSheet.line_count; ++line) {
      for (int point = 0; point < gore_points; ++point) {
        const double angle = kSinOpening * azimuth(point) - kSinOpening * pi / kGoreCount;
        const double apex_distance = kWaistRadius / kSinOpening + kRing * line;
        mesh.uvs.emplace_back(gore * kGoreSpacing + apex_distance * std::sin(angle),
                              -apex_distance * std::cos(angle));
      }
    }
  }
  for (const auto& corners : triangle_corners(kSkirtSheet)) {
    const int gore = std::min({corners[0].point, corners[1].point, corners[2].point}) / kGoreCells;
    Triangle uv_triangle;
    for (int c = 0; c < 3; ++c) {
      uv_triangle[c] = (gore * kSkirtSheet.line_count + corners[c].line) * gore_points + corners[c].point -
                       gore * kGoreCells;
    }
    mesh.uv_triangles.push_back(uv_triangle);
  }
  return mesh;
}

std::vector<Vec3> skirt_waistband(double frame) {
  std::vector<Vec3> positions = round_skirt();
  positions.resize(kSkirtPinnedCount);
  for (Vec3& x : positions) x = waist_motion(frame) * x;
  return positions;
}

std::vector<Vec3> skirt_sweeping(double frame) {
  return swept_skirt(
      {.polar = 0.4, .fold_count = 6, .fold_fade = 0.2, .lift = 0.36, .lift_azimuth = pi / 2, .twist = -0.25},
      frame);
}

std::vector<Vec3> skirt_settling(double frame) {
  return swept_skirt(
      {.polar = 0.3, .fold_count = 7, .fold_fade = 0.6, .lift = 0.2, .lift_azimuth = -pi / 4, .twist = 0.3},
      frame);
}

std::vector<double> skirt_weights() {
  std::vector<double> weights;
  for (int line = 0; line < kSkirtSheet.line_count; ++line) {
    weights.insert(weights.end(), kSkirtSheet.point_count, ease(kRing * line, 0.1, 0.25));
  }
  return weights;
}

}  // namespace keydrape::examples
