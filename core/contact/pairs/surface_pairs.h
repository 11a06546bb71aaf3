#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/animated.h"
#include "core/contact/pairs/broad_phase.h"
#include "core/contact/pairs/exemptions.h"
#include "core/contact/pairs/moving_mesh.h"
#include "core/contact/pairs/pair_friction.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// A pair, with its distance at the positions where it was found.
template <class Contact>
struct AtDistance : Contact {
  StencilDistance distance;
};

// Pairs of features that touch.
struct TouchingFeatures {
  std::vector<AtDistance<VertexFaceContact>> vertex_faces;
  std::vector<AtDistance<EdgeEdgeContact>> edge_edges;
};

// How two surfaces keep apart, and how they rub.
struct SurfaceLaw {
  ContactLaw contact;
  Animated<double> mu{0.0};  // coefficient of friction in time, >= 0
};

// A body whose triangles cloth touches.
struct MeshBody {
  std::shared_ptr<const MovingMesh> mesh;
  SurfaceLaw law;
};

// What collides as triangles.
struct SurfaceOptions {
  SurfaceLaw layers;            // of the cloth on itself
  bool between_layers = true;   // whether it collides with itself
  double sliding_speed = 3e-4;  // up to which friction sticks [m/s], > 0
  std::vector<MeshBody> bodies{};
  std::vector<HeldVertex> held{};  // may be in bodies: pairs of a body with any of them are none
};

// Which pairs do not count.
struct LeftOut {
  std::span<const char> held{};  // by vertex of the cloth: pairs of a body with any of them; empty: none
  ExemptionsPointer exempt{};    // of the cloth with itself
};

class SurfacePairs;

// What a search for pairs that may touch has found, so that it serves while cloth moves by little: every pair
// that comes into range while each coordinate stays between `low` and `high`, with its distance at `x`, from
// which follows where it cannot touch (G18). Answers do not depend on it. For one thread at a time.
struct PairSearch {
  const SurfacePairs* of = nullptr;  // what was asked last, and outlives this; null: nothing
  ExemptionsPointer exempt;          // with which
  VecX low, high, x;
  double way = 0.0;  // the longest of a vertex that was asked for then [m]
  std::vector<VertexFaceContact> vertex_faces;
  std::vector<EdgeEdgeContact> edge_edges;
  std::vector<double> vertex_face_distance, edge_edge_distance;  // [m]
  double seconds = 0.0;                                          // spent on searches, so far [s]
};

// Which of the cloth's triangles are near each other or those of bodies, over one array of vertices: the
// cloth's n, then those of the bodies, which go where they have to. A pair is two features of cloth, or one
// of cloth and one of a body. Immutable.
class SurfacePairs {
 public:
  // `start`: positions of the cloth at the beginning of the shot (3n); trees of the broad phase are
  // shaped by them.
  SurfacePairs(const TriangleMesh& rest, SurfaceOptions options, const VecX& start);

  bool has_friction() const;  // at some time
  double sliding_speed() const { return options_.sliding_speed; }
  double largest_range() const { return largest_range_; }  // of all barriers [m]
  double mean_edge() const { return mean_edge_; }          // of the cloth at rest [m]

  // The whole array: y, then the bodies at `time`.
  VecX with_bodies(const VecX& y, double time) const;
  // The edges of the cloth: the model's pattern has them, and a step adds what is between features only.
  void append_couplings(std::vector<Edge>& pairs) const;
  std::vector<char> held_at(double time) const;                     // by vertex of the cloth
  const SurfaceLaw& law(const std::array<int, 4>& vertices) const;  // of a pair
  const SurfaceLaw& layers() const { return options_.layers; }      // of the cloth on itself
  // With the pair's own gap.
  template <class Contact>
  Barrier barrier(const Contact& pair) const {
    return {pair.xi, law(pair.vertices).contact.barrier.activation};
  }
  bool is_body(int vertex) const { return vertex >= cloth_count_; }
  bool has_body(const std::array<int, 4>& vertices) const;
  // Whether a pair counts: those of a body with a vertex that is held do not.
  bool is_wanted(const std::array<int, 4>& vertices, std::span<const char> held) const;
  bool is_between_layers() const { return options_.between_layers; }
  const BroadPhase& broad_phase() const { return broad_phase_; }
  // The bodies, in the order in which their vertices stand behind the cloth's.
  const std::vector<MeshBody>& bodies() const { return options_.bodies; }
  int body_of(int vertex) const { return body_of_vertex_[vertex - cloth_count_]; }
  std::vector<Triangle> cloth_triangles() const;

  // All pairs nearer than their barrier's range, ascending.   x: the whole array
  TouchingFeatures touching(const VecX& x, const LeftOut& out, PairSearch& search) const;
  // All pairs of cloth and a body nearer than `reach` [m].
  TouchingFeatures near_bodies(const VecX& x, double reach, const LeftOut& out) const;
  static constexpr double kKept = 0.1;  // of a gap, whatever a step does
  // The share of dx, at most 1, on which every gap stays above `kept` (in [0, 1)) of what it is at x.
  double step_bound(const VecX& x, const VecX& dx, const LeftOut& out, PairSearch& search,
                    double kept = kKept) const;
  // The vertices of every pair whose gap does not stay above kKept of what it is at x on the way to x + dx.
  std::vector<std::array<int, 4>> colliding(const VecX& x, const VecX& dx, const LeftOut& out,
                                            PairSearch& search) const;

 private:
  VertexFaceContact contact(const VertexFacePair& pair) const;
  EdgeEdgeContact contact(const EdgeEdgePair& pair) const;
  template <class Contact, class Pair>
  std::vector<Contact> contacts(const std::vector<Pair>& pairs) const;
  // For the way from x to y: makes the search anew where what it found does not serve.
  void look_for_candidates(const VecX& x, const VecX& y, const ExemptionsPointer& exempt,
                           PairSearch& search) const;
  // As step_bound(), without looking at the first part of a long way first.
  double bound_of_way(const VecX& x, const VecX& dx, const LeftOut& out, PairSearch& search,
                      double kept) const;

  SurfaceOptions options_;
  int cloth_count_;
  std::vector<int> body_of_vertex_;  // of the array's vertices behind the cloth's: place in options_.bodies
  double largest_range_, mean_edge_ = 0.0;
  BroadPhase broad_phase_;
  // Of the cloth at rest, of bodies at their largest (MovingMesh).
  std::vector<double> vertex_area_, edge_area_, face_area_;  // [m^2]
  std::vector<Vec3> edge_;                                   // from its first vertex to its second [m]
};

}  // namespace keydrape
