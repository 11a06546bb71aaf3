#include "core/energy/plate/vertex_bending.h"

#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>

#include "core/energy/family/element_set.h"
#include "core/energy/quadratic_bending.h"

namespace keydrape {

namespace {

// Angles of a triangle, and its parts in the cells of its corners (Meyer, Desbrun, Schroeder & Barr 2003,
// "Discrete differential-geometry operators for triangulated 2-manifolds"): of Voronoi, and a half and two
// quarters of one that is obtuse.
struct CellParts {
  Vec3 angle, area, voronoi;

  explicit CellParts(const RestCorners& p) {
    Vec3 cotangent, opposite;  // of the corners, and |edge|^2 opposite to them
    double twice_area = 0.0;
    for (int a = 0; a < 3; ++a) {
      const Vec2 u = p[(a + 1) % 3] - p[a], v = p[(a + 2) % 3] - p[a];
      twice_area = std::abs(u.x() * v.y() - u.y() * v.x());
      cotangent(a) = u.dot(v) / twice_area;
      opposite(a) = (u - v).squaredNorm();
      angle(a) = std::atan2(twice_area, u.dot(v));
    }
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      voronoi(a) = (cotangent(b) * opposite(b) + cotangent(c) * opposite(c)) / 8;
      const bool is_obtuse = cotangent.minCoeff() < 0.0;
      area(a) = is_obtuse ? twice_area / (cotangent(a) < 0.0 ? 4 : 8) : voronoi(a);
    }
  }
};

// The vertices of one spoke's hinge, seen from the vertex in the middle.
struct Spoke {
  std::array<int, 4> vertices;
  Eigen::Vector4d L;  // [1/m]
  double length;      // [m]
  int middle;         // which end of the edge it is: 0 or 1
};

// What is around one inner vertex.
struct Wheel {
  std::vector<Spoke> spokes;
  double area = 0.0;        // of its cell [m^2]
  double voronoi = 0.0;     // what it would be with the parts of obtuse triangles beyond them [m^2]
  double angle = 0.0;       // of all triangles [rad]
  bool is_closed = true;    // not on the boundary
  bool is_delaunay = true;  // the angles opposite to a spoke are no more than pi together

  // Whether the theorem (K4) speaks of it.
  bool is_plain() const {
    return is_delaunay && area <= 2 * voronoi && std::abs(angle - 2 * std::numbers::pi) < 1e-6;
  }
};

constexpr double kRounding = 1e-9;

// c_i of (K3): 1 by the theorem (K4) where that holds, else as much of it as leaves the wheel's own energy
// without negative directions.
double gauss_share(const Wheel& wheel) {
  if (!wheel.is_closed || wheel.spokes.empty()) return 0.0;
  if (wheel.is_plain()) return 1.0;
  std::map<int, int> number;
  for (const Spoke& spoke : wheel.spokes)
    for (int vertex : spoke.vertices) number.try_emplace(vertex, static_cast<int>(number.size()));
  const int n = static_cast<int>(number.size());
  Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
  for (const Spoke& spoke : wheel.spokes) {
    Eigen::VectorXd J = Eigen::VectorXd::Zero(n), d = Eigen::VectorXd::Zero(n);
    for (int a = 0; a < 4; ++a) J(number[spoke.vertices[a]]) += spoke.L(a);
    d(number[spoke.vertices[1 - spoke.middle]]) = 1.0;
    d(number[spoke.vertices[spoke.middle]]) = -1.0;
    r += 0.5 * spoke.length * J;
    K += (d * J.transpose() + J * d.transpose()) / (2 * spoke.length);
  }
  const Eigen::MatrixXd R = r * r.transpose() / wheel.area;
  const auto is_safe = [&](double share) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(R - share * K, Eigen::EigenvaluesOnly);
    return solver.eigenvalues()(0) >= -kRounding * R.trace();
  };
  double safe = 0.0, unsafe = 1.0;
  if (is_safe(unsafe)) return unsafe;
  for (int n_halvings = 0; n_halvings < 8; ++n_halvings) {
    const double middle = 0.5 * (safe + unsafe);
    (is_safe(middle) ? safe : unsafe) = middle;
  }
  return safe;
}

}  // namespace

class VertexBending::Step final : public EnergyStep {
 public:
  explicit Step(const VertexBending& energy) : energy_(energy) {}

  double value(const VecX& y) const override {
    const std::vector<Vec3> r = energy_.flows(y);
    double W = 0.0;
    for (size_t i = 0; i < r.size(); ++i) W += 0.5 * energy_.stiffness_[i] * r[i].squaredNorm();
    for (const BentEdge& e : energy_.edges_) W += energy_.own_energy(e, y);
    return W;
  }

  void add_gradient(const VecX& y, VecX& gradient) const override {
    const std::vector<Vec3> r = energy_.flows(y);
    for (const BentEdge& e : energy_.edges_) {
      const auto [v0, v1, v2, v3] = e.vertices;
      const Stencil<4> x = gather<4>(y, e.vertices);
      const Vec3 J = x * e.L, d = x.col(1) - x.col(0);
      const Vec3 of_J = e.half_length * (energy_.stiffness_[v0] * r[v0] + energy_.stiffness_[v1] * r[v1]) +
                        e.twist * d + e.own * J;
      for (int a = 0; a < 4; ++a) gradient.segment<3>(3 * e.vertices[a]) += e.L(a) * of_J;
      gradient.segment<3>(3 * v0) -= e.twist * J;
      gradient.segment<3>(3 * v1) += e.twist * J;
    }
  }

  bool has_constant_hessian() const override { return true; }

  void add_hessian(const VecX&, const HessianForm&, BlockMatrix& H) const override {
    const int count = static_cast<int>(energy_.couplings_.size());
    tbb::parallel_for(tbb::blocked_range<int>(0, count, 1024), [&](const auto& range) {
      for (int i = range.begin(); i < range.end(); ++i)
        H.block(energy_.slots_[i]).diagonal().array() += energy_.couplings_[i].k;
    });
  }

  void add_parameter_derivative(const Parameter& p, const VecX& y, Eigen::MatrixXd& by) const override {
    if (p.kind != Parameter::kLogBend) return;
    VecX g = VecX::Zero(y.size());
    add_gradient(y, g);
    by.col(0) += g;
  }

 private:
  const VertexBending& energy_;
};

VertexBending::VertexBending(double bend, const std::vector<Triangle>& triangles,
                             const std::vector<RestCorners>& rest_corners, const Topology& topology) {
  std::vector<Wheel> wheels(topology.component_of_vertex.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    const CellParts parts(rest_corners[t]);
    for (int a = 0; a < 3; ++a) {
      wheels[triangles[t][a]].area += parts.area(a);
      wheels[triangles[t][a]].voronoi += parts.voronoi(a);
      wheels[triangles[t][a]].angle += parts.angle(a);
    }
  }
  for (const Edge& edge : topology.boundary_edges)
    for (int end : edge) wheels[end].is_closed = false;
  std::vector<double> lengths, areas;  // of edges, and of their two triangles
  for (const Hinge& hinge : topology.hinges) {
    const RestHinge rest = unfold(hinge, triangles, rest_corners);
    const Eigen::Vector4d L = flat_hinge_weights(rest);
    const auto cotangent = [&](const Vec2& p) {  // of the angle at p, opposite to the edge
      return (p.squaredNorm() - rest.length * p.x()) / (rest.length * std::abs(p.y()));
    };
    const bool is_delaunay = cotangent(rest.c) + cotangent(rest.d) >= -kRounding;
    for (int end : {0, 1}) {
      Wheel& wheel = wheels[hinge.vertices[end]];
      wheel.spokes.push_back({hinge.vertices, L, rest.length, end});
      wheel.is_delaunay = wheel.is_delaunay && is_delaunay;
    }
    edges_.push_back({hinge.vertices, L, 0.5 * rest.length, 0.0, 0.0});
    lengths.push_back(rest.length);
    areas.push_back(rest.area());
  }

  std::vector<double> share;
  share.reserve(wheels.size());
  for (const Wheel& wheel : wheels) share.push_back(gauss_share(wheel));
  for (size_t h = 0; h < edges_.size(); ++h) {
    BentEdge& e = edges_[h];
    const auto [v0, v1, v2, v3] = e.vertices;
    e.twist = -0.5 * bend * (share[v0] - share[v1]) / lengths[h];
    if (wheels[v0].is_closed || wheels[v1].is_closed) continue;
    e.half_length = 0.0;
    e.own = bend * lengths[h] * lengths[h] / areas[h];
  }
  for (const Wheel& wheel : wheels) stiffness_.push_back(wheel.area > 0.0 ? bend / wheel.area : 0.0);
  couple();
}

void VertexBending::couple() {
  std::vector<std::map<int, double>> rows(stiffness_.size());  // r_i = sum_j rows[i][j] x_j
  const auto add = [&](int a, int b, double k) {
    if (a <= b) couplings_.push_back({{a, b}, k});
  };
  for (const BentEdge& e : edges_) {
    for (int end : {e.vertices[0], e.vertices[1]})
      for (int a = 0; a < 4; ++a) rows[end][e.vertices[a]] += e.half_length * e.L(a);
    const Eigen::Vector4d d(-1, 1, 0, 0);
    const Eigen::Matrix4d k =
        e.twist * (d * e.L.transpose() + e.L * d.transpose()) + e.own * e.L * e.L.transpose();
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) add(e.vertices[a], e.vertices[b], k(a, b));
  }
  for (size_t i = 0; i < rows.size(); ++i)
    for (const auto& [a, w_a] : rows[i])
      for (const auto& [b, w_b] : rows[i]) add(a, b, stiffness_[i] * w_a * w_b);
  if (couplings_.empty()) return;

  std::stable_sort(couplings_.begin(), couplings_.end(),
                   [](const Coupling& one, const Coupling& other) { return one.vertices < other.vertices; });
  size_t last = 0;
  for (size_t c = 1; c < couplings_.size(); ++c)
    if (couplings_[c].vertices == couplings_[last].vertices)
      couplings_[last].k += couplings_[c].k;
    else
      couplings_[++last] = couplings_[c];
  couplings_.resize(last + 1);
}

std::vector<Vec3> VertexBending::flows(const VecX& y) const {
  std::vector<Vec3> r(stiffness_.size(), Vec3::Zero());
  for (const BentEdge& e : edges_) {
    const Vec3 flow = e.half_length * (gather<4>(y, e.vertices) * e.L);
    r[e.vertices[0]] += flow;
    r[e.vertices[1]] += flow;
  }
  return r;
}

double VertexBending::own_energy(const BentEdge& e, const VecX& y) const {
  const Stencil<4> x = gather<4>(y, e.vertices);
  const Vec3 J = x * e.L;
  return e.twist * (x.col(1) - x.col(0)).dot(J) + 0.5 * e.own * J.squaredNorm();
}

void VertexBending::add_stiffness_bound(StiffnessBound& bound) const {
  for (const auto& [vertices, k] : couplings_) bound.add(vertices, k);
}

void VertexBending::append_couplings(std::vector<Edge>& pairs) const {
  for (const Coupling& each : couplings_) pairs.push_back(each.vertices);
}

void VertexBending::bind(const BlockPattern& pattern) {
  slots_.clear();
  for (const auto& [vertices, k] : couplings_) slots_.push_back(pattern.slot(vertices[0], vertices[1]));
}

std::unique_ptr<EnergyStep> VertexBending::begin_step(const StepStart&) const {
  assert(slots_.size() == couplings_.size());
  return std::make_unique<Step>(*this);
}

void VertexBending::for_each_stored(const VecX& x, double,
                                    const std::function<void(const StoredEnergy&)>& f) const {
  std::vector<int> hinges(stiffness_.size(), 0);
  for (const BentEdge& e : edges_)
    for (int end : {e.vertices[0], e.vertices[1]}) ++hinges[end];
  const std::vector<Vec3> r = flows(x);
  for (const BentEdge& e : edges_) {
    double W = own_energy(e, x);
    for (int end : {e.vertices[0], e.vertices[1]})
      W += 0.5 * stiffness_[end] * r[end].squaredNorm() / hinges[end];
    f({e.vertices, W, 0.0});
  }
}

}  // namespace keydrape
