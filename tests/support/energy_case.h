#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/energy/energy.h"
#include "tests/support/noise.h"

// Elements of every energy in states of all kinds, without their types: a suite over all of them is compiled
// once, and not once for each. Positions, velocities and forces of an element's K vertices are vectors (3K).
// Derivatives are judged by their order, which is free of scale and catches a lost term, not by a tolerance.

namespace keydrape::test {

constexpr double kDt = 0.01;
constexpr double kTime = 0.5;  // at the end of the step
constexpr double kOrder = 1.8;

// What a step knows: positions [m] and velocities [m/s] at its start and, of BDF2, a step before that.
struct Known {
  VecX x, v;
  VecX x_before{}, v_before{};  // empty: implicit Euler

  bool has_before() const { return x_before.size() > 0; }
};

enum class KnownState { kStart, kBefore };

// An element with what it shares. Which of its functions it has depends on its type, as do the concepts of
// core/energy/element.h, and is said by what stands above them; the others throw std::logic_error.
class AnyElement {
 public:
  virtual ~AnyElement() = default;

  virtual double value(const VecX& y, const Known& known) const = 0;             // [J]
  virtual VecX gradient(const VecX& y, const Known& known) const = 0;            // [N]
  virtual Eigen::MatrixXd hessian(const VecX& y, const Known& known) const = 0;  // [N/m]
  // A family of this element alone, named energy.
  virtual std::unique_ptr<Energy> family() const = 0;

  virtual bool has_tension() const = 0;  // one of each condition
  virtual std::vector<double> tension(const VecX& y, const Known& known) const = 0;
  virtual std::vector<double> tension_change(const VecX& y, const VecX& dy, const Known& known) const = 0;
  virtual Eigen::MatrixXd hessian_with_tension(const VecX& y, const Known& known,
                                               const std::vector<double>& sigma) const = 0;

  virtual bool has_memory() const = 0;  // cross_x
  virtual bool depends_on_start() const = 0;
  virtual bool has_velocity_memory() const = 0;  // cross_v
  virtual Eigen::MatrixXd cross_x(const VecX& y, const Known& known, KnownState by) const = 0;
  virtual Eigen::MatrixXd cross_v(const VecX& y, const Known& known, KnownState by) const = 0;

  virtual bool is_linearized() const = 0;  // linearized_cross_x
  virtual bool is_coupled() const = 0;     // false where the type knows of no coupling
  virtual Eigen::MatrixXd linearized_cross_x(const Known& known, const VecX& d) const = 0;

  virtual bool has_parameters() const = 0;  // gradient_by
  virtual Eigen::MatrixXd gradient_by(const Parameter& p, const VecX& y, const Known& known) const = 0;
  // The same element with p moved by d (p.size()), of those that EnergyCase::parameters has.
  virtual std::unique_ptr<const AnyElement> moved(const Parameter& p, const VecX& d) const = 0;
};

// An element in some state, gentle, wild or nearly degenerate.
struct EnergySample {
  std::shared_ptr<const AnyElement> element;
  VecX x, v, y;
  double reach = 1e-3;  // of the first difference [m]: small against the smallest length of the element

  Known start() const { return {x, v}; }
};

// What is true of all elements of a case.
struct EnergyTraits {
  bool is_objective = true;     // W is the same after any rigid motion
  bool rests = true;            // at EnergyCase::rest it is without force
  bool is_force_alone = false;  // W is linear
  // Of cross derivatives, relative to them; more where a force is linear in what the step knows: nothing but
  // rounding is left then, and a small difference.
  double cross_rounding = 1e-15;
  bool only_pulls = false;       // its tension is never negative
  double parameter_reach = 0.1;  // of the first difference by a parameter
};

struct EnergyCase {
  std::string name;
  EnergyTraits traits;
  std::function<std::shared_ptr<const AnyElement>(Rng&)> element;  // a random one
  VecX rest{};
  VecX start_at_rest;  // where it is at the start of the step, to be at rest at its end
  std::vector<Parameter> parameters;

  int vertex_count() const { return static_cast<int>(rest.size()) / 3; }
  std::vector<EnergySample> samples() const;
};

// Every energy without a limit.
std::vector<EnergyCase> energy_cases();

inline void PrintTo(const EnergyCase& c, std::ostream* out) { *out << c.name; }

// Mean order in which error(e) falls over five halvings of e; infinite where nothing but rounding is
// left of it.
template <class Error>
double mean_order(double reach, double rounding, const Error& error) {
  const double first = error(reach), last = error(reach / 32);
  if (last <= rounding) return std::numeric_limits<double>::infinity();
  return std::log2(first / last) / 5;
}

}  // namespace keydrape::test
