#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/types.h"
#include "core/energy/parameter.h"
#include "core/linear/block_matrix.h"

namespace keydrape {

// What a step knows before anything has moved. The vectors outlive whatever is built from them.
struct StepStart {
  double dt;      // [s]
  double time;    // at the end of the step, counted from the shot's first frame [s]
  const VecX& x;  // positions  [m]    (3n)
  const VecX& v;  // velocities [m/s]  (3n)
};

// One family of elements during one step: W(y; x, v) as a function of the end positions y alone.
// Gradients and Hessians are exact (law 7). Sums run in an order that does not depend on the
// number of threads.
class EnergyStep {
 public:
  virtual ~EnergyStep() = default;

  virtual double value(const VecX& y) const = 0;                       // [J]
  virtual void add_gradient(const VecX& y, VecX& gradient) const = 0;  // [N]

  // Whether d2W/dy2 is the same for every y.
  virtual bool has_constant_hessian() const = 0;
  // Adds the upper triangle of d2W/dy2 [N/m].
  // `tension` empty: the exact Hessian. Otherwise the tension of each condition, sigma = dW/dc, stands there
  // as an unknown of its own in place of its value at y (core/EQUATIONS.md (9) to (11)).
  virtual void add_hessian(const VecX& y, std::span<const double> tension, BlockMatrix& H) const = 0;

  // Tensions at y, and their linear prediction at y + dy.   tension: Energy::condition_count()
  virtual void tensions(const VecX& y, std::span<double> tension) const = 0;
  virtual void predict_tensions(const VecX& y, const VecX& dy, std::span<double> tension) const = 0;
  // Replaces tensions by the nearest for which add_hessian is positive semidefinite: H becomes H_psd.
  virtual void project_tensions(std::span<double> tension) const = 0;

  // The share of dy, from 0 to 1, that may be gone from y so that W stays finite all the way.
  // Requires W(y) finite.
  virtual double step_bound(const VecX&, const VecX&) const { return 1.0; }
  // Moves y, the positions at the start of the step, to where W is finite, should it not be: bodies have
  // moved. Looks at their motion in this many pieces, >= 1: the more, the less of y is moved.
  virtual void start_with(VecX& y, int pieces) const { (void)y, (void)pieces; }
  // In how many places W(y) is infinite.
  virtual int count_violations(const VecX&) const { return 0; }
  // In how many places something that moves may have come upon the cloth on its straight way from the start
  // of the step to y: W may well be finite there, beyond it.
  virtual int count_met(const VecX&) const { return 0; }

  // Adds C = d2W/dy dx and D = d2W/dy dv (row: y, column: x or v), both triangles. [N/m], [N s/m]
  virtual void add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const = 0;

  // Adds d2W/dy dp (3n x p.size()), nothing where W does not depend on p. [N] over the unit of p
  virtual void add_parameter_derivative(const Parameter&, const VecX& /*y*/, Eigen::MatrixXd& /*by*/) const {}
};

// What one element of the fabric stores.
struct StoredEnergy {
  std::span<const int> vertices;  // of a triangle, or of a Hinge (core/mesh/topology.h)
  double energy;                  // [J]
  double area;                    // of the triangle at rest [m^2]; 0 of a hinge
};

// A family of elements of one kind: what never changes during a shot.
class Energy {
 public:
  virtual ~Energy() = default;

  virtual std::string_view name() const = 0;
  virtual int element_count() const = 0;
  virtual bool is_elastic() const = 0;          // stores energy, as against wind
  virtual int condition_count() const = 0;      // conditions with a tension, over all elements
  virtual bool depends_on_start_x() const = 0;  // C is not zero
  virtual bool depends_on_start_v() const = 0;  // D is not zero
  virtual bool is_contact() const { return false; }

  // Appends the pairs of vertices that the Hessian couples.
  virtual void append_couplings(std::vector<Edge>& pairs) const = 0;
  // Looks up where each element's blocks stand. Called once, before any step; `pattern` outlives this.
  virtual void bind(const BlockPattern& pattern) = 0;

  virtual std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const = 0;

  // Calls f for every element, in order, if the fabric itself stores this energy: springs, pins, barriers
  // and wind have none of it. At positions x [m] (3n); `time` [s] matters where the cloth grows.
  virtual void for_each_stored(const VecX& /*x*/, double /*time*/,
                               const std::function<void(const StoredEnergy&)>& /*f*/) const {}
};

}  // namespace keydrape
