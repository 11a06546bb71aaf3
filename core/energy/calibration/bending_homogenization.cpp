#include "core/energy/calibration/bending_homogenization.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "core/energy/calibration/bending_calibration.h"
#include "core/energy/calibration/flat_patches.h"
#include "core/energy/quadratic_bending.h"

namespace keydrape {

namespace {

constexpr int kFreeDepth = 2;      // edges from a cut; less is held
constexpr int kCountedDepth = 3;   // ... from which a vertex counts, where the mesh is wide enough
constexpr int kFewestCounted = 9;  // one vertex of a grid is no mean: its neighbours differ from it

// A hinge in the frame of its patch. Any curvature is a sum of cylinders. In the one that is bent along the
// direction a, theta = cylinder . (1, cos 2a, sin 2a): the three angles are those of kxx = kyy = 1/2, of
// kxx = -kyy = 1/2 and of kxy = 1/2.
struct PatchHinge {
  std::array<int, 4> vertices;
  Eigen::Vector4d L;             // [1/m]
  double k;                      // [J/rad^2]
  Eigen::RowVector3d cylinder;   // [rad m]
  Eigen::RowVector3d curvature;  // what a unit of theta adds to the integrals of the three curvatures [m]
};

// Its direction as both ends know it: on curved cloth they differ a little, and neither comes first.
double direction_in_patch(const Hinge& hinge, const std::vector<VertexFan>& fans,
                          const FlatPatches& patches) {
  const auto [v0, v1, v2, v3] = hinge.vertices;
  const double one = patches.turn[v0] + fans[v0].direction(v1);
  const double other = patches.turn[v1] + fans[v1].direction(v0) + std::numbers::pi;
  if (patches.patch[v0] != patches.patch[v1]) return one;
  return one + 0.5 * std::remainder(other - one, 2 * std::numbers::pi);
}

PatchHinge in_patch(const Hinge& hinge, const RestHinge& rest, double k, double direction) {
  const CylinderAngle angle = CylinderAngle::of(rest);
  const double c = std::cos(2 * direction), s = std::sin(2 * direction);
  return {hinge.vertices,
          flat_hinge_weights(rest),
          k,
          {angle.p, c * angle.q - s * angle.r, s * angle.q + c * angle.r},
          {rest.length, -c * rest.length, -s * rest.length}};
}

// (B3): z of all vertices for the three curvatures. Held vertices keep 0.
Eigen::MatrixX3d ripples(const std::vector<PatchHinge>& hinges, const std::vector<int>& depth) {
  const int n = static_cast<int>(depth.size());
  std::vector<int> unknown(n, -1);
  int unknowns = 0;
  for (int i = 0; i < n; ++i)
    if (depth[i] >= kFreeDepth) unknown[i] = unknowns++;
  Eigen::MatrixX3d z = Eigen::MatrixX3d::Zero(n, 3);
  if (unknowns == 0) return z;

  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixX3d b = Eigen::MatrixX3d::Zero(unknowns, 3);
  for (const PatchHinge& hinge : hinges)
    for (int m = 0; m < 4; ++m) {
      const int row = unknown[hinge.vertices[m]];
      if (row < 0) continue;
      b.row(row) -= hinge.k * hinge.L(m) * hinge.cylinder;
      for (int l = 0; l < 4; ++l)
        if (const int column = unknown[hinge.vertices[l]]; column >= 0 && column <= row)
          entries.emplace_back(row, column, hinge.k * hinge.L(m) * hinge.L(l));
    }
  Eigen::SparseMatrix<double> H(unknowns, unknowns);  // lower triangle
  H.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(H);
  const Eigen::MatrixX3d free = factor.solve(b);
  for (int i = 0; i < n; ++i)
    if (unknown[i] >= 0) z.row(i) = free.row(unknown[i]);
  return z;
}

// What the vertices of a patch that count take, in its frame: of curvature (1, cos 2a, sin 2a)/2.
struct OfPatch {
  double area = 0.0;                                       // [m^2]
  Eigen::Matrix3d twice_energy = Eigen::Matrix3d::Zero();  // a quadratic form in that [N m^3]
};

// PlateRigidity::spread, of a patch.
double spread_of(const Eigen::Matrix3d& twice_energy) {
  constexpr int kDirections = 36;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (int n = 0; n < kDirections; ++n) {
    const double a = n * std::numbers::pi / kDirections;
    const Eigen::Vector3d cylinder(1, std::cos(2 * a), std::sin(2 * a));
    const double energy = cylinder.dot(twice_energy * cylinder);
    least = std::min(least, energy);
    most = std::max(most, energy);
  }
  return most / least;
}

}  // namespace

std::optional<PlateRigidity> homogenized_rigidity(const std::vector<VertexFan>& fans,
                                                  const std::vector<Hinge>& hinges,
                                                  const std::vector<RestHinge>& rest_hinges,
                                                  const std::vector<double>& k) {
  assert(hinges.size() == rest_hinges.size() && hinges.size() == k.size());
  const FlatPatches patches = cut_into_flat_patches(fans);
  const std::vector<int>& depth = patches.depth;
  const auto count_from = [&](int least) {
    return std::count_if(depth.begin(), depth.end(), [&](int d) { return d >= least; });
  };
  if (count_from(1) == 0) return std::nullopt;
  int counted_depth = kCountedDepth;
  while (counted_depth > 1 && count_from(counted_depth) < kFewestCounted) --counted_depth;

  std::vector<PatchHinge> in_patches;
  for (size_t e = 0; e < k.size(); ++e)
    in_patches.push_back(
        in_patch(hinges[e], rest_hinges[e], k[e], direction_in_patch(hinges[e], fans, patches)));
  const Eigen::MatrixX3d z = ripples(in_patches, depth);

  // Sums over the vertices that count, with half of each hinge at either end. Averaged over all directions,
  // curvatures are a mean and a deviator, which do not mix. Where the held vertices suppress ripples the
  // sheet is stiffer, and the rest takes more than its share of curvature: its energy is divided by the
  // square of that.
  using MeanAndDeviator = Eigen::Array2d;
  MeanAndDeviator twice_energy(0, 0), asked(0, 0), taken(0, 0);  // integrals [N m^3], [m^2], [m^2]
  double area = 0.0;
  std::map<int, OfPatch> of_patch;
  for (size_t i = 0; i < fans.size(); ++i)
    if (depth[i] >= counted_depth) {
      area += fans[i].area;
      of_patch[patches.patch[i]].area += fans[i].area;
    }
  for (const PatchHinge& hinge : in_patches) {
    const auto [v0, v1, v2, v3] = hinge.vertices;
    const double share = 0.5 * (depth[v0] >= counted_depth) + 0.5 * (depth[v1] >= counted_depth);
    Eigen::RowVector3d theta = hinge.cylinder;
    for (int m = 0; m < 4; ++m) theta += hinge.L(m) * z.row(hinge.vertices[m]);
    const auto product = [&](const Eigen::RowVector3d& a, const Eigen::RowVector3d& b) {
      return MeanAndDeviator(a(0) * b(0), 0.5 * a.tail<2>().dot(b.tail<2>()));
    };
    twice_energy += share * hinge.k * product(theta, theta);
    for (int end : {v0, v1})
      if (depth[end] >= counted_depth)
        of_patch[patches.patch[end]].twice_energy += 0.5 * hinge.k * theta.transpose() * theta;
    asked += share * product(hinge.cylinder, hinge.curvature);
    taken += share * product(theta, hinge.curvature);
  }
  const MeanAndDeviator rigidity = twice_energy / area * (asked / taken).square();
  assert(rigidity.isFinite().all() && rigidity.minCoeff() > 0.0);
  double spread = 0.0;
  for (const auto& [center, sums] : of_patch) spread += sums.area / area * spread_of(sums.twice_energy);
  return PlateRigidity{rigidity.sum(), (rigidity(0) - rigidity(1)) / rigidity.sum(), spread};
}

}  // namespace keydrape
