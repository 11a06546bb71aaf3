#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/contact/pairs/broad_phase.h"
#include "core/contact/pairs/moving_mesh.h"
#include "core/contact/pairs/pair_friction.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/energy/energy.h"
#include "core/linear/block_matrix.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// A pair, with its distance at the positions where it was found.
template <class Contact>
struct AtDistance : Contact {
  StencilDistance distance;
};

// Pairs of features that touch.
struct SelfContactPairs {
  std::vector<AtDistance<VertexFaceContact>> vertex_faces;
  std::vector<AtDistance<EdgeEdgeContact>> edge_edges;
};

// How two surfaces keep apart, and how they rub.
struct SurfaceLaw {
  ContactLaw contact;
  double mu = 0.0;  // coefficient of friction, >= 0
};

// A body whose triangles cloth touches.
struct SurfaceBody {
  std::shared_ptr<const MovingMesh> mesh;
  SurfaceLaw law;
};

// What collides as triangles.
struct SelfContactOptions {
  SurfaceLaw layers;            // of the cloth on itself
  bool between_layers = true;   // whether it collides with itself
  double sliding_speed = 3e-4;  // up to which friction sticks [m/s], > 0
  std::vector<SurfaceBody> bodies{};
  std::vector<HeldVertex> held{};  // may be in bodies: pairs of a body with any of them are none
};

// The cloth's triangles against themselves and against those of bodies
// (core/contact/EQUATIONS.md (G8) and (B7)):
//   W(y) = sum of kappa A b(D) over vertex-face pairs
//        + sum of kappa A m b(D) over edge-edge pairs that share no vertex
// over one array of vertices: the cloth's n, then those of the bodies, which go where they have to. A pair is
// two features of cloth, or one of cloth and one of a body. Const, but for a cache of candidates: not for two
// threads at a time.
class SelfContact {
 public:
  // `start`: positions of the cloth at the beginning of the shot (3n); trees of the broad phase are
  // shaped by them.
  SelfContact(const TriangleMesh& rest, SelfContactOptions options, const VecX& start);

  int cloth_vertex_count() const { return cloth_count_; }
  bool has_friction() const;
  double sliding_speed() const { return options_.sliding_speed; }
  double largest_range() const { return largest_range_; }  // of all barriers [m]
  double mean_edge() const { return mean_edge_; }          // of the cloth at rest [m]

  // The whole array: y, then the bodies at `time`.
  VecX with_bodies(const VecX& y, double time) const;
  // The edges of the cloth: the model's pattern has them, and a step adds what is between features only.
  void append_couplings(std::vector<Edge>& pairs) const;
  std::vector<char> held_at(double time) const;                     // by vertex of the cloth
  const SurfaceLaw& law(const std::array<int, 4>& vertices) const;  // of a pair
  bool is_body(int vertex) const { return vertex >= cloth_count_; }

  // All pairs nearer than their barrier's range, ascending.   x: the whole array
  SelfContactPairs touching(const VecX& x, std::span<const char> held = {}) const;
  // All pairs of cloth and a body nearer than `reach` [m].
  SelfContactPairs near_bodies(const VecX& x, double reach, std::span<const char> held) const;
  static constexpr double kKept = 0.1;  // of a gap, whatever a step does
  // The share of dx, at most 1, on which every gap stays above `kept` (in [0, 1)) of what it is at x.
  double step_bound(const VecX& x, const VecX& dx, std::span<const char> held = {},
                    double kept = kKept) const;
  double search_seconds() const { return search_seconds_; }  // spent on looking for candidates, so far [s]
  // The vertices of every pair whose gap does not stay above kKept of what it is at x on the way to x + dx.
  std::vector<std::array<int, 4>> colliding(const VecX& x, const VecX& dx, std::span<const char> held) const;

 private:
  // Holds every pair that comes into range while each coordinate stays between `low` and `high`, with its
  // distance at `x`, from which follows where it cannot touch (G18).
  struct Candidates {
    VecX low, high, x;
    std::vector<VertexFaceContact> vertex_faces;
    std::vector<EdgeEdgeContact> edge_edges;
    std::vector<double> vertex_face_distance, edge_edge_distance;  // [m]
  };

  VertexFaceContact contact(const VertexFacePair& pair) const;
  EdgeEdgeContact contact(const EdgeEdgePair& pair) const;
  bool is_wanted(const std::array<int, 4>& vertices, std::span<const char> held) const;
  template <class Contact, class Pair>
  std::vector<Contact> contacts(const std::vector<Pair>& pairs) const;
  const Candidates& candidates(const VecX& x, const VecX& y) const;  // for the way from x to y
  // As step_bound(), without looking at the first part of a long way first.
  double bound_of_way(const VecX& x, const VecX& dx, std::span<const char> held, double kept) const;
  double least_distance(const std::array<int, 4>& vertices, double distance, double kept) const;

  SelfContactOptions options_;
  int cloth_count_;
  std::vector<int> body_of_vertex_;  // of the array's vertices behind the cloth's: place in options_.bodies
  double largest_range_, mean_edge_ = 0.0;
  VecX reference_;  // the array at rest, bodies as they are at the shot's first frame
  BroadPhase broad_phase_;
  std::vector<double> vertex_area_, edge_area_, face_area_;  // [m^2]
  mutable Candidates candidates_;
  mutable double search_seconds_ = 0.0;
};

// One step's view: values and derivatives at y (3n, the cloth alone) of the barrier and of the friction of
// the pairs that touch at the start, (B7) and (B8). Results do not depend on what was asked before.
class SelfContactStep {
 public:
  // `contact` and the vectors of `start` outlive this. Pairs with a closed gap at the start have no friction:
  // the step fails anyway.
  SelfContactStep(const SelfContact& contact, const StepStart& start);

  double value(const VecX& y) const;   // [J], infinity where a gap is closed
  double stored(const VecX& y) const;  // the barrier's part of it [J]
  void add_gradient(const VecX& y, VecX& gradient) const;
  // Exact, or projected to positive semidefinite. Adds blocks on and above the diagonal. Requires a pattern
  // with the edges of the cloth and couplings(y).
  enum class HessianKind { kExact, kPsd };
  void add_hessian(const VecX& y, HessianKind kind, BlockMatrix& H) const;
  // Adds d2W/dy dx (row y, column x) to all blocks, likewise.
  void add_start_derivative(const VecX& y, BlockMatrix& C) const;
  // Pairs of vertices that the Hessian at y, or friction, couples, beside the edges of the
  // cloth; with repeats.
  std::vector<Edge> couplings(const VecX& y) const;
  // The share of dy, at most 1, on which every gap stays above a tenth of what it is at y.
  double step_bound(const VecX& y, const VecX& dy) const;

  // Takes what is near a body that moves along with it, so that the way from the start to y is free; y as it
  // is where that does not help.
  void start_with(VecX& y) const;
  // Pairs with a closed gap, and 1 if the straight way from the start to y leads through something, with
  // bodies that go straight as well.
  int count_violations(const VecX& y) const;

 private:
  // y with the bodies, how far that is from the start, and what touches there.
  struct Place {
    VecX y, x, move;
    SelfContactPairs pairs;
  };
  // The friction of all pairs that touch at the start.
  template <class Friction>
  std::vector<Friction> friction_of_start() const;
  // What the first feature of a pair, of its `first` first vertices, and the other one couple.
  void append_couplings(const std::array<int, 4>& vertices, int first, std::vector<Edge>& edges) const;
  const Place& at(const VecX& y) const;
  bool is_way_free(const VecX& y) const;
  // Lets vertices of the cloth go along with those that would run into them. Whether nothing does any more.
  bool make_free(const VecX& x, VecX& dx) const;
  // How far each vertex of the cloth goes with bodies that go by dx from x, (B13). (3n)
  VecX carried(const VecX& x, const VecX& dx) const;

  const SelfContact& contact_;
  StepStart start_;
  std::vector<char> held_;
  VecX x_start_, x_end_;  // the start, and with the bodies where they end
  FrictionLaw friction_law_;
  std::vector<PairFriction> friction_;
  std::vector<Edge> friction_couplings_;  // without repeats
  mutable Place place_;
};

}  // namespace keydrape
