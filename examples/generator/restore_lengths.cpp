#include "examples/generator/restore_lengths.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "core/mesh/mesh.h"

namespace keydrape::examples {

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Row block i of the result times d is d_i minus the mean of its neighbours. (3n x 3n)
SparseMatrix umbrella(const std::vector<SheetEdge>& edges, int vertex_count) {
  std::vector<int> valence(vertex_count, 0);
  for (const SheetEdge& edge : edges) {
    for (int i : edge.vertices) ++valence[i];
  }
  Triplets triplets;
  for (int i = 0; i < 3 * vertex_count; ++i) triplets.emplace_back(i, i, 1.0);
  for (const SheetEdge& edge : edges) {
    const auto [i, j] = edge.vertices;
    for (int axis = 0; axis < 3; ++axis) {
      triplets.emplace_back(3 * i + axis, 3 * j + axis, -1.0 / valence[i]);
      triplets.emplace_back(3 * j + axis, 3 * i + axis, -1.0 / valence[j]);
    }
  }
  SparseMatrix result(3 * vertex_count, 3 * vertex_count);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

// Weighted strains of all edges, and their derivative by x.
struct Strains {
  VecX values;
  SparseMatrix jacobian;
};

Strains weighted_strains(const std::vector<SheetEdge>& edges, const VecX& x, double diagonal_weight) {
  const int edge_count = static_cast<int>(edges.size());
  Strains strains{VecX(edge_count), SparseMatrix(edge_count, x.size())};
  Triplets triplets;
  for (int e = 0; e < edge_count; ++e) {
    const auto [i, j] = edges[e].vertices;
    const double root_weight = edges[e].diagonal ? std::sqrt(diagonal_weight) : 1.0;
    const Vec3 span = x.segment<3>(3 * j) - x.segment<3>(3 * i);
    const Vec3 slope = root_weight / edges[e].length * span.normalized();
    strains.values[e] = root_weight * (span.norm() / edges[e].length - 1);
    for (int axis = 0; axis < 3; ++axis) {
      triplets.emplace_back(e, 3 * i + axis, -slope[axis]);
      triplets.emplace_back(e, 3 * j + axis, slope[axis]);
    }
  }
  strains.jacobian.setFromTriplets(triplets.begin(), triplets.end());
  return strains;
}

double mean_length(const std::vector<SheetEdge>& edges) {
  double sum = 0;
  for (const SheetEdge& edge : edges) sum += edge.length;
  return sum / static_cast<double>(edges.size());
}

}  // namespace

std::vector<Vec3> restore_lengths(const std::vector<Vec3>& sculpted, const std::vector<SheetEdge>& edges,
                                  const RestoreOptions& options) {
  assert(options.iteration_count >= 2 && options.smoothness_end <= options.smoothness_start);
  const int n = static_cast<int>(sculpted.size());
  const int pinned = 3 * options.pinned_count, free = 3 * n - pinned;
  const VecX start = stacked(sculpted);
  const double L_0 = mean_length(edges);
  const SparseMatrix roughness = umbrella(edges, n).rightCols(free) / L_0;
  SparseMatrix closeness(free, free);
  closeness.setIdentity();
  const SparseMatrix regularizer =
      roughness.transpose() * roughness + options.closeness / (L_0 * L_0) * closeness;

  VecX d = VecX::Zero(free);
  for (int k = 0; k < options.iteration_count; ++k) {
    const double progress = static_cast<double>(k) / (options.iteration_count - 1);
    const double mu =
        options.smoothness_start * std::pow(options.smoothness_end / options.smoothness_start, progress);
    VecX x = start;
    x.tail(free) += d;
    const Strains strains = weighted_strains(edges, x, options.diagonal_weight);
    const SparseMatrix J = strains.jacobian.rightCols(free);
    const Eigen::SimplicialLDLT<SparseMatrix> normal_equations(J.transpose() * J + mu * regularizer);
    if (normal_equations.info() != Eigen::Success) throw std::runtime_error("restore_lengths: singular");
    d -= normal_equations.solve(J.transpose() * strains.values + mu * (regularizer * d));
  }

  std::vector<Vec3> result = sculpted;
  for (int i = options.pinned_count; i < n; ++i) result[i] += d.segment<3>(3 * i - pinned);
  return result;
}

}  // namespace keydrape::examples
