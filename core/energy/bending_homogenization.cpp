#include "core/energy/bending_homogenization.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/energy/bending_calibration.h"
#include "core/energy/quadratic_bending.h"

namespace keydrape {

namespace {

constexpr int kPatchRings = 16;    // radius of a patch, in edges
constexpr int kFreeDepth = 2;      // edges from a cut; less is held
constexpr int kCountedDepth = 3;   // ... from which a vertex counts, where the mesh is wide enough
constexpr int kFewestCounted = 9;  // one vertex of a grid is no mean: its neighbours differ from it
// Of directions that reached a vertex by two ways: curved panels, and the tips of cones.
constexpr double kMaxMismatch = 0.1;  // [rad]

// What cuts the patches out of the mesh, and the directions in them.
struct Patches {
  std::vector<int> patch;    // of each vertex; -1 in none
  std::vector<double> turn;  // of each vertex: direction of its first spoke in the patch's frame [rad]
  std::vector<int> depth;    // of each vertex: edges from the nearest cut or boundary
};

// Edges from the nearest of the vertices with start(i); fans.size() where there is no way.
template <class Start>
std::vector<int> rings_from(const std::vector<VertexFan>& fans, const Start& start) {
  const int n = static_cast<int>(fans.size());
  std::vector<int> rings(n, n), queue;
  for (int i = 0; i < n; ++i)
    if (start(i)) {
      rings[i] = 0;
      queue.push_back(i);
    }
  for (size_t q = 0; q < queue.size(); ++q)
    for (const auto& [j, direction] : fans[queue[q]].spokes)
      if (rings[j] == n) {
        rings[j] = rings[queue[q]] + 1;
        queue.push_back(j);
      }
  return rings;
}

// The direction of the first spoke of j in the frame in which that of i has the direction turn_i: both agree
// about the edge between them.
double carried(const std::vector<VertexFan>& fans, int i, double turn_i, int j, double direction_of_j) {
  return turn_i + direction_of_j + std::numbers::pi - fans[j].direction(i);
}

Patches cut_into_patches(const std::vector<VertexFan>& fans) {
  const int n = static_cast<int>(fans.size());
  Patches patches{std::vector<int>(n, -1), std::vector<double>(n, 0.0), {}};
  const std::vector<int> from_boundary = rings_from(fans, [&](int i) { return !fans[i].closed; });
  std::vector<int> deepest_first(n);
  std::iota(deepest_first.begin(), deepest_first.end(), 0);
  std::stable_sort(deepest_first.begin(), deepest_first.end(),
                   [&](int i, int j) { return from_boundary[i] > from_boundary[j]; });
  for (int center : deepest_first) {
    if (patches.patch[center] >= 0 || !fans[center].closed) continue;
    std::vector<int> queue{center};
    patches.patch[center] = center;
    size_t ring_begin = 0;
    for (int ring = 0; ring < kPatchRings; ++ring) {
      const size_t ring_end = queue.size();
      for (size_t q = ring_begin; q < ring_end; ++q) {
        const int i = queue[q];
        if (!fans[i].closed) continue;
        for (const auto& [j, direction] : fans[i].spokes) {
          if (patches.patch[j] >= 0) continue;
          patches.patch[j] = center;
          patches.turn[j] = carried(fans, i, patches.turn[i], j, direction);
          queue.push_back(j);
        }
      }
      ring_begin = ring_end;
    }
  }
  const auto is_cut = [&](int i) {
    if (!fans[i].closed) return true;
    return std::any_of(fans[i].spokes.begin(), fans[i].spokes.end(), [&](const VertexFan::Spoke& spoke) {
      if (patches.patch[spoke.vertex] != patches.patch[i]) return true;
      const double turn = carried(fans, i, patches.turn[i], spoke.vertex, spoke.direction);
      return std::abs(std::remainder(turn - patches.turn[spoke.vertex], 2 * std::numbers::pi)) > kMaxMismatch;
    });
  };
  patches.depth = rings_from(fans, is_cut);
  return patches;
}

// theta of a hinge that has the direction phi, in the curvatures of a cylinder that is bent along the
// direction a: theta = angles . (1, cos 2a, sin 2a). Any curvature is a sum of cylinders, so that the three
// angles are those of kxx = kyy = 1/2, of kxx = -kyy = 1/2 and of kxy = 1/2.
Eigen::RowVector3d cylinder_angles(const RestHinge& rest, double phi) {
  const CylinderAngle angle = CylinderAngle::of(rest);
  const double c = std::cos(2 * phi), s = std::sin(2 * phi);
  return {angle.p, c * angle.q - s * angle.r, s * angle.q + c * angle.r};
}

}  // namespace

std::optional<PlateRigidity> homogenized_rigidity(const std::vector<VertexFan>& fans,
                                                  const std::vector<Hinge>& hinges,
                                                  const std::vector<RestHinge>& rest_hinges,
                                                  const std::vector<double>& k) {
  assert(hinges.size() == rest_hinges.size() && hinges.size() == k.size());
  const Patches patches = cut_into_patches(fans);
  const int n = static_cast<int>(fans.size());
  const auto count_from = [&](int depth) {
    return std::count_if(patches.depth.begin(), patches.depth.end(), [&](int d) { return d >= depth; });
  };
  if (count_from(1) == 0) return std::nullopt;
  int counted_depth = kCountedDepth;
  while (counted_depth > 1 && count_from(counted_depth) < kFewestCounted) --counted_depth;

  std::vector<int> unknown(n, -1);  // vertices that are free
  int unknowns = 0;
  for (int i = 0; i < n; ++i)
    if (patches.depth[i] >= kFreeDepth) unknown[i] = unknowns++;

  // (B3): H z = b for the three curvatures at once.
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixX3d b = Eigen::MatrixX3d::Zero(unknowns, 3);
  const auto angles = [&](size_t e) {
    const auto [v0, v1, v2, v3] = hinges[e].vertices;
    return cylinder_angles(rest_hinges[e], patches.turn[v0] + fans[v0].direction(v1));
  };
  for (size_t e = 0; e < k.size(); ++e) {
    const Eigen::Vector4d L = flat_hinge_weights(rest_hinges[e]);
    for (int m = 0; m < 4; ++m) {
      const int row = unknown[hinges[e].vertices[m]];
      if (row < 0) continue;
      b.row(row) -= k[e] * L(m) * angles(e);
      for (int l = 0; l < 4; ++l)
        if (const int column = unknown[hinges[e].vertices[l]]; column >= 0 && column <= row)
          entries.emplace_back(row, column, k[e] * L(m) * L(l));
    }
  }
  Eigen::MatrixX3d z(unknowns, 3);
  if (unknowns > 0) {
    Eigen::SparseMatrix<double> H(unknowns, unknowns);
    H.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(H);
    z = factor.solve(b);
  }

  // Sums over the vertices that count, with half of each hinge at either end. Averaged over all directions,
  // curvatures are a mean and a deviator, which do not mix.
  double area = 0.0;
  Eigen::Array2d energy = Eigen::Array2d::Zero();  // twice, of a unit mean and a unit deviator
  Eigen::Array2d cylinder = energy,
                 bent = energy;  // integrals of curvature: of the cylinders, of these with z
  for (int i = 0; i < n; ++i)
    if (patches.depth[i] >= counted_depth) area += fans[i].area;
  for (size_t e = 0; e < k.size(); ++e) {
    const auto [v0, v1, v2, v3] = hinges[e].vertices;
    const double share =
        0.5 * (patches.depth[v0] >= counted_depth) + 0.5 * (patches.depth[v1] >= counted_depth);
    if (share == 0.0) continue;
    const double phi = patches.turn[v0] + fans[v0].direction(v1);
    const Eigen::Vector4d L = flat_hinge_weights(rest_hinges[e]);
    const Eigen::RowVector3d on_cylinder = cylinder_angles(rest_hinges[e], phi);
    Eigen::RowVector3d theta = on_cylinder;
    for (int m = 0; m < 4; ++m)
      if (const int row = unknown[hinges[e].vertices[m]]; row >= 0) theta += L(m) * z.row(row);
    const Eigen::Vector3d edge =
        rest_hinges[e].length * Eigen::Vector3d(1, -std::cos(2 * phi), -std::sin(2 * phi));
    energy += share * k[e] * Eigen::Array2d(theta(0) * theta(0), 0.5 * theta.tail<2>().squaredNorm());
    cylinder += share * Eigen::Array2d(on_cylinder(0) * edge(0), on_cylinder.tail<2>().dot(edge.tail<2>()));
    bent += share * Eigen::Array2d(theta(0) * edge(0), theta.tail<2>().dot(edge.tail<2>()));
  }
  const Eigen::Array2d rigidity = energy / area * (cylinder / bent).square();
  const double mean = rigidity(0), deviator = rigidity(1);
  assert(std::isfinite(mean) && std::isfinite(deviator));
  return PlateRigidity{mean + deviator, (mean - deviator) / (mean + deviator)};
}

}  // namespace keydrape
