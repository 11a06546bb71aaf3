#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/energy/parameter.h"
#include "core/energy/step_start.h"
#include "core/linear/block_matrix.h"
#include "core/linear/stiffness_bound.h"

namespace keydrape {

enum class HessianKind { kExact, kPsd };

// Which Hessian is meant.
struct HessianForm {
  // Empty: the exact one. Otherwise the tension of each condition, sigma = dW/dc, stands there as an unknown
  // of its own in place of its value at y (core/EQUATIONS.md (9) to (11)).
  std::span<const double> tension{};
  // Of what has no tensions: exact, or the positive semidefinite part.
  HessianKind kind = HessianKind::kExact;
};

// The tensions sigma = dW/dc of energies that are sums of functions of scalar conditions c(y), in one step;
// `tension` has Energy::condition_count() of them.
class Tensions {
 public:
  virtual void at(const VecX& y, std::span<double> tension) const = 0;
  // Those at y + dy, predicted from y: linearly, or exactly where that would miss them.
  virtual void predict(const VecX& y, const VecX& dy, std::span<double> tension) const = 0;
  // Replaces tensions by the nearest for which the Hessian at y is positive semidefinite: H becomes H_psd.
  virtual void project(const VecX& y, std::span<double> tension) const = 0;

 protected:
  ~Tensions() = default;
};

// What cloth must not pass, in one step: W is infinite there. Bodies, other triangles, a limit of strain.
class Limit {
 public:
  // The share of dy, at most `enough` in (0, 1], that may be gone from y so that W stays finite all the way.
  // Requires W(y) finite.
  virtual double step_bound(const VecX& y, const VecX& dy, double enough) const = 0;
  // In how many places W(y) is infinite. Where triangles collide, one more if the straight way from the start
  // of the step to y is not free: W may well be finite there.
  virtual int count_violations(const VecX& y) const = 0;
  // In how many places something that moves may have come upon the cloth on its straight way from the start
  // of the step to y: W may well be finite there, beyond it.
  virtual int count_met(const VecX&) const { return 0; }

  // The two halves of a first guess. Moves y, the positions at the start of the step, to where W is finite,
  // should it not be: bodies have moved. Looks at their motion in this many pieces, >= 1: the more, the less
  // of y is moved.
  virtual void leave(VecX& y, int pieces) const { (void)y, (void)pieces; }
  // Then, with held vertices where they belong: takes what is in the way along, so that the way from the
  // start to y is free; y as it is where that does not help.
  virtual void clear_way(VecX& y) const { (void)y; }

  // Appends the pairs of vertices that the Hessian at y couples, with repeats: those beyond
  // Energy::append_couplings.
  virtual void append_couplings(const VecX& y, std::vector<Edge>& pairs) const { (void)y, (void)pairs; }

 protected:
  ~Limit() = default;
};

// One family of elements during one step: W(y; x, v) as a function of the end positions y alone.
// Gradients and Hessians are exact (law 7). Sums run in an order that does not depend on the
// number of threads. For one thread at a time.
class EnergyStep {
 public:
  virtual ~EnergyStep() = default;

  virtual double value(const VecX& y) const = 0;                       // [J]
  virtual double stored(const VecX& y) const { return value(y); }      // of it, what friction has no part in
  virtual void add_gradient(const VecX& y, VecX& gradient) const = 0;  // [N]

  // Whether d2W/dy2 is the same for every y.
  virtual bool has_constant_hessian() const { return false; }
  // Adds the upper triangle of d2W/dy2 [N/m].
  virtual void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const = 0;
  // Adds C = d2W/dy dx and D = d2W/dy dv (row: y, column: x or v), both triangles, by the state at the start
  // of the step. [N/m], [N s/m]
  virtual void add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const {
    (void)y, (void)C, (void)D;
  }
  // The same by the state a step before that, where the step knows one.
  virtual void add_before_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const {
    (void)y, (void)C, (void)D;
  }
  // What stands in place of C and D where the step is linearised, one of implicit Euler that goes the way d
  // (core/EQUATIONS.md (J4)). [N/m], [N s/m]  Requires Energy::has_linearized_derivatives().
  virtual void add_linearized_derivatives(const VecX& d, BlockMatrix& C, BlockMatrix& D) const {
    (void)d, (void)C, (void)D;
  }
  // Adds d2W/dy dp (3n x p.size()), nothing where W does not depend on p. [N] over the unit of p
  virtual void add_parameter_derivative(const Parameter&, const VecX& /*y*/, Eigen::MatrixXd& /*by*/) const {}

  virtual const Tensions* tensions() const { return nullptr; }  // null: there are no conditions
  virtual const Limit* limit() const { return nullptr; }        // null: W is finite everywhere
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
  virtual bool is_elastic() const = 0;               // stores energy, as against wind
  virtual int condition_count() const { return 0; }  // conditions with a tension, over all elements
  virtual bool depends_on_start_x() const = 0;       // C is not zero
  virtual bool depends_on_start_v() const = 0;       // D is not zero
  virtual bool has_linearized_derivatives() const { return false; }  // a linearised step of it has them
  virtual bool is_contact() const { return false; }  // its forces are those of contact, friction included
  virtual bool is_limited() const { return is_contact(); }  // it is about what W is infinite of: a Limit
  // Adds what bounds d2W/dy2 for all y, or nearly so; nothing where no bound is known.
  virtual void add_stiffness_bound(StiffnessBound& /*bound*/) const {}
  virtual bool bound_depends_on_time() const { return false; }
  // Whether the Hessian couples what touches, which is known of a step's y alone: its blocks are then added
  // to a pattern that has Limit::append_couplings as well, behind those of all other energies.
  virtual bool couples_what_touches() const { return false; }

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
