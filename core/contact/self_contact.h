#pragma once

#include <vector>

#include "core/contact/broad_phase.h"
#include "core/contact/colliding_cloth.h"
#include "core/contact/pair_friction.h"
#include "core/energy/energy.h"
#include "core/mesh.h"
#include "core/solve/block_matrix.h"

namespace keydrape {

// Pairs of features of the cloth that may touch.
struct SelfContactPairs {
  std::vector<VertexFaceContact> vertex_faces;
  std::vector<EdgeEdgeContact> edge_edges;
};

// Cloth against itself (core/contact/README.md, (G8) and (B7)):
//   W(y) = sum of kappa A b(D) over vertex-face and of kappa A m b(D) over edge-edge pairs that share no
//   vertex
// A is half the rest area of the vertex, a quarter of that of both edges together: a patch on a patch counts
// about once. Const, but for a cache of candidates: not for two threads at a time.
class SelfContact {
 public:
  // `start`: positions at the beginning of the shot (3n); the trees of the broad phase are shaped by them.
  SelfContact(const TriangleMesh& rest, const ContactLaw& law, const Friction& friction, const VecX& start);

  const ContactLaw& law() const { return law_; }
  const Friction& friction() const { return friction_; }

  // All pairs nearer than the barrier's range at y, ascending.
  SelfContactPairs touching(const VecX& y) const;
  // The share of dy, at most 1, on which every gap stays above a tenth of what it is at y.
  double step_bound(const VecX& y, const VecX& dy) const;

 private:
  // Candidates that hold every pair in range at any y no vertex of which is further than `skin` from where it
  // was.
  struct Candidates {
    VecX at;
    double skin = -1.0;
    CandidatePairs pairs;
  };

  VertexFaceContact contact(const VertexFacePair& pair) const;
  EdgeEdgeContact contact(const EdgeEdgePair& pair) const;
  const CandidatePairs& candidates(const VecX& y) const;

  TriangleMesh rest_;
  ContactLaw law_;
  Friction friction_;
  std::vector<double> vertex_area_, edge_area_;  // [m^2]
  BroadPhase broad_phase_;
  mutable Candidates candidates_;
};

// One step's view: values and derivatives at y of the barrier and of the friction of the pairs that touch at
// the start, (B7) and (B8). Results do not depend on what was asked before.
class SelfContactStep {
 public:
  // `contact` outlives this. Pairs with a closed gap at the start have no friction: the step fails anyway.
  SelfContactStep(const SelfContact& contact, const StepStart& start);

  double value(const VecX& y) const;  // [J], infinity where a gap is closed
  double stored(const VecX& y) const;  // the barrier's part of it [J]
  void add_gradient(const VecX& y, VecX& gradient) const;
  // Exact, or projected to positive semidefinite. Adds both triangles. Requires a pattern with couplings(y).
  enum class HessianKind { kExact, kPsd };
  void add_hessian(const VecX& y, HessianKind kind, BlockMatrix& H) const;
  // Adds d2W/dy dx (row y, column x), both triangles, likewise.
  void add_start_derivative(const VecX& y, BlockMatrix& C) const;
  // Pairs of vertices that the Hessian at y, or friction, couples.
  std::vector<Edge> couplings(const VecX& y) const;
  double step_bound(const VecX& y, const VecX& dy) const { return contact_.step_bound(y, dy); }
  int count_violations(const VecX& y) const;  // pairs with a closed gap

 private:
  const SelfContactPairs& pairs(const VecX& y) const;

  const SelfContact& contact_;
  FrictionLaw friction_law_;
  std::vector<PairFriction> friction_;
  mutable VecX last_y_;
  mutable SelfContactPairs last_pairs_;
};

}  // namespace keydrape
