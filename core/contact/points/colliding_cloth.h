#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/contact/barrier.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/sample_points.h"
#include "core/linear/block_matrix.h"

namespace keydrape {

// How hard contact resists: W = kappa area b(phi^2), b of barrier.h; or as a spring that may be pressed in.
struct ContactLaw {
  Barrier barrier;
  double stiffness;  // kappa [J/m^2], > 0
  // W = kappa area/2 (min(phi - xi, 0)/d_hat)^2, with xi and d_hat of the barrier: finite everywhere. (Z12)
  bool is_penalty = false;

  double range() const { return is_penalty ? barrier.thickness : barrier.range(); }  // [m]; nothing beyond
  struct Numbers {
    double value, d1, d2;  // [J], [N], [N/m]
  };
  // W of a point of this area at phi, with its derivatives by phi. Requires phi below range(), and for a
  // barrier above its thickness.
  Numbers at(double phi, double area) const;
};

// A vertex that a pin holds for a while: in all directions, and it goes where the pin says, into a body if
// need be; or it slides.
struct HeldVertex {
  int vertex;
  double begin_time, end_time;  // holds at ends of steps in [begin_time, end_time] [s]
  bool slides = false;
};

// By vertex: whether it is held in all directions at that time, by the first in the list that holds it then;
// as long as it needs to be.
std::vector<char> held_vertices(const std::vector<HeldVertex>& held, double time);

// A body, and the points of the cloth that it holds off. Shared by the energies of one contact.
struct CollidingCloth {
  std::shared_ptr<const Collider> collider;
  std::vector<SamplePoint> points;
  std::vector<HeldVertex> held;
  ContactLaw law;

  std::vector<char> held_at(double time) const { return held_vertices(held, time); }
  // Points that any held vertex has a part in are not in contact.
  static bool is_free(const SamplePoint& point, const std::vector<char>& held);

  void append_couplings(std::vector<Edge>& pairs) const;
};

// Where the blocks of a point's vertices stand in a matrix.
class PointSlots {
 public:
  PointSlots() = default;
  PointSlots(const std::vector<SamplePoint>& points, const BlockPattern& pattern);

  // Adds weights_a weights_b K for all pairs of vertices a, b of a point, or for a <= b alone.
  void add(int point, const SamplePoint& p, const Mat3& K, BlockMatrix& matrix) const;
  void add_upper(int point, const SamplePoint& p, const Mat3& K, BlockMatrix& matrix) const;

 private:
  std::vector<std::array<int, 9>> slots_;
};

}  // namespace keydrape
