#pragma once

#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/mesh/topology.h"

namespace keydrape {

// Fewer unknowns than one triple for each block and pushed vertex: y = B z, B = N (x) Phi (x) I, N in time
// and Phi in space (control/EQUATIONS.md (5)). Its parts are optional; without any, y = z.

// Uniform cubic B-splines over blocks, evaluated in the blocks' middles: N. They are positive and sum to 1.
class TimeSpline {
 public:
  static constexpr int kSupport = 4;  // functions that act in a block

  // A knot every `blocks_per_span` blocks, or a little more often where they do not divide the
  // number of blocks.
  TimeSpline(int block_count, int blocks_per_span);

  int function_count() const { return span_count_ + kSupport - 1; }
  double blocks_per_span() const { return static_cast<double>(block_count_) / span_count_; }
  int first_function(int block) const;  // that acts in a block; the others follow
  Eigen::Vector4d weights(int block) const;

 private:
  double position(int block) const;  // of the block's middle, in spans

  int block_count_;
  int span_count_;
};

// What the control forces must not do to the cloth as a whole.
enum class NetForce {
  kFree,
  kZeroImpulse,  // sum over vertices and blocks of m a is zero
  kZero,         // sum over vertices of m a is zero in every block
};

struct ControlBasis {
  std::optional<TimeSpline> spline;
  Eigen::MatrixXd modes;  // Phi: (pushed vertices, modes), orthonormal columns; empty: every vertex by itself
  NetForce net = NetForce::kFree;
};

// An edge between two pushed vertices, counted among the pushed, and its rest length [m].
struct PushedEdge {
  int a, b;
  double length;
};

// The `mode_count` smoothest fields on the pushed vertices: eigenvectors of the lowest eigenvalues of
//   sum over edges |y_a - y_b|^2 / length^2
// which is what smooth_space punishes. Orthonormal columns, by subspace iteration. Requires 1 <= mode_count
// <= vertex_count. Deterministic.
Eigen::MatrixXd smooth_modes(int vertex_count, const std::vector<PushedEdge>& edges, int mode_count);

}  // namespace keydrape
