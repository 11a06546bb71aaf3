#include "core/energy/calibration/bending_calibration.h"

#include <Eigen/SparseCore>
#include <cmath>
#include <numbers>

#include "core/energy/calibration/bending_homogenization.h"
#include "core/energy/calibration/vertex_fan.h"

namespace keydrape {

// Half of a hinge's energy belongs to each end of its edge. With phi the direction of the edge seen from
// vertex i and A_i a third of the areas around it, the energy of a unit cylinder is right in the
// direction a where
//   Q_i(a) = 1/2 sum_{hinges e that end at i} k_e theta_e(a - phi)^2 = A_i ,   k_e = s_e k_e,nominal     (B1)
// Both sides are trigonometric polynomials of the frequencies 0, 2 and 4: five equations a vertex. Single
// vertices can rarely satisfy them (a degree of 4 beside one of 8 on a grid), neighbourhoods can: the
// energy too much or too little is spread over the neighbours, kSpreads times, before it counts. With S
// for the spreading,
//   min_s  sum_i mean_a ( S (Q - A) )_i^2 / (S A)_i + kRegularisation sum_e A_e (s_e - 1/3)^2 ,
//          s >= kSmallest                                                                            (B2)
// Boundary vertices miss hinges and demand nothing. Without spreading, jittered Delaunay meshes were left
// with 8 % instead of 1.5 %; with three spreads 0.8 %, for s twice as uneven.
//
// (B2) makes the directions alike. How stiff the sheet is follows afterwards, from (B3), for any positive s.
// The minimum is therefore approached by a fixed number of steps: s is off by 2 % after 100, 0.7 % after 200,
// 0.2 % after 400 (root mean square, distorted grid of 10,000 vertices).

namespace {

constexpr int kSpreads = 2;
constexpr double kRegularisation = 1e-2;
constexpr double kUsual = 1.0 / 3;  // exact for equilateral triangles, and for the axes of grids
constexpr double kSmallest = 0.1;
constexpr int kSteps = 300;
constexpr int kPowerIterations = 20;

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Coefficients of 1, cos 2a, sin 2a, cos 4a, sin 4a, times the root mean squares of these: |.|^2 is
// the mean square.
using Polynomial = Eigen::Matrix<double, 5, 1>;

// theta(a - phi)^2
Polynomial squared(const CylinderAngle& angle, double phi) {
  const double c = std::cos(2 * phi), s = std::sin(2 * phi);
  const double p = angle.p, q = c * angle.q - s * angle.r, r = s * angle.q + c * angle.r;
  Polynomial f;
  f << p * p + 0.5 * (q * q + r * r), 2 * p * q, 2 * p * r, 0.5 * (q * q - r * r), q * r;
  f.tail<4>() *= std::numbers::sqrt2 / 2;
  return f;
}

// S: half of a vertex's polynomial stays, half goes to its neighbours in equal parts, turned into their
// tangent planes. Conserves the sum of the means.
Sparse spreading(const std::vector<VertexFan>& fans) {
  Triplets entries;
  for (int i = 0; i < static_cast<int>(fans.size()); ++i) {
    for (int m = 0; m < 5; ++m) entries.emplace_back(5 * i + m, 5 * i + m, 0.5);
    const double share = 0.5 / static_cast<double>(fans[i].spokes.size());
    for (const auto& [j, direction] : fans[i].spokes) {
      entries.emplace_back(5 * j, 5 * i, share);
      const double turn = fans[j].direction(i) - direction - std::numbers::pi;
      for (int frequency : {2, 4}) {
        const double c = share * std::cos(frequency * turn), s = share * std::sin(frequency * turn);
        const int row = 5 * j + frequency - 1, column = 5 * i + frequency - 1;
        entries.emplace_back(row, column, c);
        entries.emplace_back(row, column + 1, -s);
        entries.emplace_back(row + 1, column, s);
        entries.emplace_back(row + 1, column + 1, c);
      }
    }
  }
  Sparse S(5 * fans.size(), 5 * fans.size());
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

// (B2): half its gradient, and its minimum.
struct Isotropy {
  Sparse R;      // Q = R s
  Sparse S;      // S
  VecX A;        // what Q should be: A_i, 0, 0, 0, 0
  VecX weight;   // 1 / (S A)
  VecX e_areas;  // A_e

  // For each s_e its own part of the Hessian, without spreading. Meshes with slender triangles need it: with
  // e_areas instead, s was off by 17 % after 200 steps on a distorted grid, with this by 0.7 %.
  VecX metric() const { return R.cwiseAbs2().transpose() * weight + kRegularisation * e_areas; }

  VecX gradient(const VecX& s) const {
    VecX r = R * s - A;
    for (int n = 0; n < kSpreads; ++n) r = S * r;
    r = weight.cwiseProduct(r);
    for (int n = 0; n < kSpreads; ++n) r = S.transpose() * r;
    return R.transpose() * r + kRegularisation * e_areas.cwiseProduct((s.array() - kUsual).matrix());
  }

  // The largest eigenvalue of the Hessian over the metric, by the power method. It begins with areas, so that
  // it does not know in which order the vertices are numbered.
  double steepest(const VecX& metric) const {
    const VecX g0 = gradient(VecX::Zero(e_areas.size()));
    VecX z = e_areas / e_areas.maxCoeff();
    double largest = 0.0;
    for (int n = 0; n < kPowerIterations; ++n) {
      const VecX Hz = (gradient(z) - g0).cwiseQuotient(metric);
      largest = Hz.norm() / z.norm();
      z = Hz.normalized();
    }
    return largest;
  }

  // Projected gradients with Nesterov's acceleration, restarted where it overshoots.
  VecX minimum() const {
    const VecX m = metric();
    const double step = 1 / (1.1 * steepest(m));
    VecX s = VecX::Constant(e_areas.size(), kUsual), ahead = s;
    double t = 1.0;
    for (int n = 0; n < kSteps; ++n) {
      const VecX next = (ahead - step * gradient(ahead).cwiseQuotient(m)).cwiseMax(kSmallest);
      const VecX change = next - s;
      if (change.dot(ahead - next) > 0) t = 1.0;
      const double t_next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
      ahead = next + ((t - 1) / t_next) * change;
      t = t_next;
      s = next;
    }
    return s;
  }
};

}  // namespace

CylinderAngle CylinderAngle::of(const RestHinge& rest) {
  // theta = g_c - g_d ,  g_c = ((c . t)^2 - t_x^2 l c_x) / (2 c_y): a quadratic form in t
  Mat2 m = rest.c * rest.c.transpose() / (2 * rest.c.y()) - rest.d * rest.d.transpose() / (2 * rest.d.y());
  m(0, 0) -= 0.5 * rest.length * (rest.c.x() / rest.c.y() - rest.d.x() / rest.d.y());
  return {0.5 * (m(0, 0) + m(1, 1)), 0.5 * (m(0, 0) - m(1, 1)), m(0, 1)};
}

double CylinderAngle::at(double alpha) const { return p + q * std::cos(2 * alpha) + r * std::sin(2 * alpha); }

double nominal_hinge_stiffness(const RestHinge& rest) { return 3 * rest.length * rest.length / rest.area(); }

HingeStiffness calibrated_hinge_stiffness(const std::vector<Triangle>& triangles,
                                          const std::vector<RestCorners>& rest_corners,
                                          const Topology& topology) {
  if (topology.hinges.empty()) return {};
  const int hinge_count = static_cast<int>(topology.hinges.size());
  const std::vector<VertexFan> fans = lay_out_fans(triangles, rest_corners);
  const int rows = 5 * static_cast<int>(fans.size());

  Isotropy isotropy{Sparse(rows, hinge_count), spreading(fans), VecX::Zero(rows), VecX::Zero(rows),
                    VecX(hinge_count)};
  for (size_t i = 0; i < fans.size(); ++i)
    if (fans[i].closed) isotropy.A(5 * i) = fans[i].area;
  VecX spread_A = isotropy.A;
  for (int n = 0; n < kSpreads; ++n) spread_A = isotropy.S * spread_A;
  for (size_t i = 0; i < fans.size(); ++i)
    if (spread_A(5 * i) > 0) isotropy.weight.segment<5>(5 * i).setConstant(1 / spread_A(5 * i));

  std::vector<double> k(hinge_count);
  std::vector<RestHinge> rest_hinges;
  Triplets entries;
  for (int e = 0; e < hinge_count; ++e) {
    const RestHinge rest = unfold(topology.hinges[e], triangles, rest_corners);
    rest_hinges.push_back(rest);
    k[e] = nominal_hinge_stiffness(rest);
    isotropy.e_areas(e) = rest.area();
    const auto [v0, v1, v2, v3] = topology.hinges[e].vertices;
    for (const auto& [i, other] : {Edge{v0, v1}, Edge{v1, v0}}) {
      if (!fans[i].closed) continue;
      const Polynomial f = 0.5 * k[e] * squared(CylinderAngle::of(rest), fans[i].direction(other));
      for (int m = 0; m < 5; ++m) entries.emplace_back(5 * i + m, e, f(m));
    }
  }
  isotropy.R.setFromTriplets(entries.begin(), entries.end());

  const VecX s = isotropy.minimum();
  for (int e = 0; e < hinge_count; ++e) k[e] *= s(e);
  const auto plate = homogenized_rigidity(fans, topology.hinges, rest_hinges, k);
  if (!plate) return {std::move(k)};
  for (double& k_e : k) k_e /= plate->bend();
  return {std::move(k), plate->spread};
}

}  // namespace keydrape
