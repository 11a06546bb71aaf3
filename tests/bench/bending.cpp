#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/calibration/bending_calibration.h"
#include "core/energy/family/element_set.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/plate/vertex_bending.h"
#include "tests/bench/benchmarks.h"
#include "tests/support/bodies.h"
#include "tests/support/lattice.h"

namespace keydrape::bench {
namespace {

constexpr double kPi = std::numbers::pi;

// Cells round about, over a rectangle.
using Mesher = std::function<TriangleMesh(int across, int along, const Vec2& size)>;

Mesher turned_by(double degrees, double jitter) {
  return [=](int across, int along, const Vec2& size) {
    return test::turned_sheet(across, along, size, degrees * kPi / 180, jitter);
  };
}

// What a smooth surface has: integrals of (k1 + k2)^2 and of k1 k2.
struct Curved {
  double mean, gauss;

  // Of a plate of this Poisson ratio, D the moment over curvature where it is held across. [J per N m]
  double energy(double D, double nu) const { return 0.5 * D * (mean - 2 * (1 - nu) * gauss); }
};

// Its triangles side by side, each in a plane of its own.
std::vector<RestCorners> corners_of(const TriangleMesh& mesh) {
  std::vector<RestCorners> corners;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 u = mesh.positions[b] - mesh.positions[a], v = mesh.positions[c] - mesh.positions[a];
    const double length = u.norm(), along = u.dot(v) / length;
    corners.push_back({Vec2(0, 0), Vec2(length, 0), Vec2(along, std::sqrt(v.squaredNorm() - along * along))});
  }
  return corners;
}

struct Energies {
  double usual, hinge, vertex;
};

// With bend 1 of cloth whose triangles have the lengths of `rest`, and which is flat at rest.
Energies energies_of(const TriangleMesh& rest, const VecX& bent) {
  const Topology topology = build_topology(rest.triangles, rest.vertex_count());
  const std::vector<RestCorners> corners = corners_of(rest);
  const std::vector<double> k = calibrated_hinge_stiffness(rest.triangles, corners, topology).k;
  const VecX still = VecX::Zero(bent.size());
  Energies energies{0.0, 0.0, 0.0};
  for (size_t h = 0; h < k.size(); ++h) {
    const HingeBending hinge{topology.hinges[h].vertices, 0.0, 1.0, 0.0};
    const Stencil<4> x = gather<4>(bent, hinge.vertices);
    const double of_one = hinge.value(x, hinge.start({}, {1.0, 0.0, bent, still}, {x, x}));
    energies.hinge += k[h] * of_one;
    energies.usual +=
        nominal_hinge_stiffness(unfold(topology.hinges[h], rest.triangles, corners)) / 3 * of_one;
  }
  VertexBending vertex(1.0, rest.triangles, corners, topology);
  std::vector<Edge> pairs;
  vertex.append_couplings(pairs);
  const BlockPattern pattern(rest.vertex_count(), pairs);
  vertex.bind(pattern);
  energies.vertex = vertex.begin_step({1.0, 0.0, bent, still})->value(bent);
  return energies;
}

using Rows = std::vector<std::vector<nlohmann::ordered_json>>;

// nu: the Poisson ratio that vertices have in the case.
void add_row(Rows& rows, const std::string& name, const std::string& mesh_name, const TriangleMesh& mesh,
             const VecX& bent, const Curved& exact, double nu = 0.0) {
  const Energies e = energies_of(mesh, bent);
  rows.push_back({name, mesh_name, mesh.vertex_count(), e.usual / exact.energy(1.0, -1.0 / 3),
                  e.hinge / exact.energy(18.0 / 17, -1.0 / 3), e.vertex / exact.energy(1.0, nu)});
}

VecX mapped(const TriangleMesh& mesh, const std::function<Vec3(const Vec3&)>& map) {
  VecX x = stacked(mesh.positions);
  for (int i = 0; i < mesh.vertex_count(); ++i) x.segment<3>(3 * i) = map(mesh.positions[i]);
  return x;
}

void add_half_cylinder(Rows& rows, const std::string& mesh_name, const Mesher& make, int n) {
  const double R = 0.0325, height = 0.122;
  const TriangleMesh mesh = make(n, static_cast<int>(n * height / (kPi * R)), Vec2(kPi * R, height));
  const VecX bent = mapped(
      mesh, [&](const Vec3& p) { return Vec3(R * std::cos(p.x() / R), p.y(), R * std::sin(p.x() / R)); });
  add_row(rows, "half cylinder", mesh_name, mesh, bent, {kPi * height / R, 0.0});
}

// The tangents of a helix, from half of them on to one and a half of their length, from a flat ring.
void add_helix(Rows& rows, const std::string& mesh_name, const Mesher& make, int n) {
  const double R = 0.02, rise = 0.1 / (2 * kPi), a = std::hypot(R, rise), begin = 5.0, angle = 0.5;
  const double width = 1.25 * begin * R;  // of a unit of angle, in the middle [m]
  TriangleMesh mesh = make(n, n, Vec2(angle * width, 0.5 * begin * a));
  const auto angle_of = [&](const Vec3& p) { return p.x() / width; };
  const auto along = [&](const Vec3& p) { return begin + p.y() / a; };
  const VecX bent = mapped(mesh, [&](const Vec3& p) {
    const double t = angle_of(p), y = along(p);
    return Vec3(R * (std::cos(t) - y * std::sin(t)), R * (std::sin(t) + y * std::cos(t)), rise * (t + y));
  });
  for (Vec3& p : mesh.positions) {
    const double t = R / a * angle_of(p), y = along(p);
    p = Vec3(a * a / R * std::cos(t) - y * a * std::sin(t), a * a / R * std::sin(t) + y * a * std::cos(t), 0);
  }
  // Curvature rise/(R y a) at y a along the tangent, of an area y R a dt dy.
  const double slope = rise / R;
  add_row(rows, "helix", mesh_name, mesh, bent, {slope * slope * R / a * angle * std::log(1.5), 0.0});
}

// Of its own metric, so that the Gaussian curvature that vertices see is 0: they feel the mean one alone.
void add_half_torus(Rows& rows, const std::string& mesh_name, const Mesher& make, int n) {
  const double R = 0.03, r = 0.015, turn = 1.5;
  TriangleMesh mesh = make(n, n, Vec2(turn * R, kPi * r));
  for (Vec3& p : mesh.positions) {
    const double u = p.x() / R, w = p.y() / r;
    p = Vec3((R + r * std::cos(w)) * std::cos(u), (R + r * std::cos(w)) * std::sin(u), r * std::sin(w));
  }
  Curved exact{0.0, 0.0};
  constexpr int kPieces = 20000;
  for (int k = 0; k < kPieces; ++k) {
    const double w = kPi * (k + 0.5) / kPieces, round = R + r * std::cos(w), other = std::cos(w) / round;
    const double area = turn * round * r * kPi / kPieces;
    exact.mean += (1 / r + other) * (1 / r + other) * area;
    exact.gauss += other / r * area;
  }
  add_row(rows, "half torus", mesh_name, mesh, stacked(mesh.positions), exact, 1.0);
}

void add_sphere(Rows& rows, int levels) {
  const TriangleMesh mesh = test::sphere_mesh(1.0, levels);
  add_row(rows, "sphere", "geodesic", mesh, stacked(mesh.positions), {16 * kPi, 4 * kPi}, 1.0);
}

// A fold has no energy that does not grow with 1/h: over that of a hinge with its angle, 2 sin(angle/2).
void add_vee(Rows& rows, const std::string& mesh_name, const Mesher& make, int n) {
  const TriangleMesh mesh = make(n, n, Vec2(1, 1));
  for (double degrees : {45.0, 90.0, 170.0}) {
    const double half = degrees * kPi / 360, J = 2 * std::sin(half);
    const VecX bent = mapped(mesh, [&](const Vec3& p) {
      const double d = p.x() - 0.5;
      return Vec3(d * std::cos(half), p.y(), std::abs(d) * std::sin(half));
    });
    const Energies e = energies_of(mesh, bent);
    const double of_one = 0.5 * J * J * n;
    rows.push_back({"vee, " + std::to_string(static_cast<int>(degrees)) + " degrees", mesh_name,
                    mesh.vertex_count(), e.usual / of_one, e.hinge / of_one, e.vertex / of_one});
  }
}

}  // namespace

Table bench_bending(const BenchOptions& options) {
  Table table{
      "bending",
      {"Energy of surfaces whose vertices are held on them over that of the smooth plate, after the cases "
       "of Better Bending (Chen et al. 2026); free borders count in it.",
       "usual: hinges with |e|^2/(A_a + A_b); hinge: calibrated; each against a plate of its own Poisson "
       "ratio.",
       "vee: over bend |2 sin(angle/2)|^2/(2 h) a length."},
      {"case", "mesh", "vertices", "usual", "hinge", "vertex"},
      {}};
  const std::pair<const char*, Mesher> meshes[] = {{"parallel diagonals", test::lattice},
                                                   {"alternating diagonals", test::sheet},
                                                   {"turned by 30 degrees", turned_by(30, 0.0)},
                                                   {"jittered Delaunay", turned_by(0, 0.25)}};
  const std::vector<int> sides = options.quick ? std::vector{8} : std::vector{12, 24, 48};
  for (const auto& add : {add_half_cylinder, add_helix, add_half_torus})
    for (const auto& [name, make] : meshes)
      for (int n : sides) add(table.rows, name, make, n);
  for (int levels : options.quick ? std::vector{2} : std::vector{2, 3, 4}) add_sphere(table.rows, levels);
  for (int n : sides) add_vee(table.rows, "alternating diagonals", test::sheet, n);
  return table;
}

}  // namespace keydrape::bench
