#pragma once

#include <string>
#include <vector>

#include "control/run/state_vector.h"
#include "control/unknowns/channel/step_knots.h"
#include "core/cloth/cloth.h"
#include "core/cloth/state.h"
#include "core/step/parameter_derivatives.h"
#include "core/step/step_problem.h"

namespace keydrape {

// Between the numbers p of a channel, in SI units, and its unknowns c, which have no unit
// (control/EQUATIONS.md (C5)): p_j = origin_j + unit_j c_j, or log p_j = log origin_j + unit_j c_j. c = 0
// stands for the scene as it is. Derivatives of a channel are by p, or by log p where it is logarithmic.
struct ChannelScale {
  VecX origin;
  VecX unit;  // as many: d(p or log p)/dc. A change by it costs as much effort as a mean acceleration of g_0
  bool is_logarithmic = false;

  int size() const { return static_cast<int>(origin.size()); }
  VecX values(const VecX& c) const;  // p
  // Whether there can be cloth of these: what a search tries may be 0 or infinite, in double precision.
  bool are_possible(const VecX& p) const;
};

// What the unit of a channel is made of.
struct ChannelSize {
  double length;       // l: the cloth's size [m], > 0
  double scale = 1.0;  // multiplies the unit: how much cheaper a change is, > 0
};

// How a step depends on a channel by one vector q that it feels of it (control/EQUATIONS.md (C1)): q
// is the sum of share times row of p, and there is one column for each of its numbers.
struct StepSensitivity {
  std::vector<KnotShare> shares;
  Eigen::MatrixXd R;    // -(dr/dq + H Y): what acts like a force on the free directions (3n x width)
  Eigen::MatrixXd Y{};  // dy/dq of the directions that pins hold; no columns: none is moved
};
// How many columns the R and the Y of all sensitivities of a step have together, at most.
struct SensitivityColumns {
  int R = 0, Y = 0;
};

// Numbers of the scene, other than forces, that a search may choose: where the cloth starts, the air, what it
// is made of. Its values p lie row by row: `rows` times as many numbers as it has components. An interface,
// since a scene mixes them.
class Channel {
 public:
  explicit Channel(ChannelScale scale) : scale_(std::move(scale)) {}
  virtual ~Channel() = default;

  const ChannelScale& scale() const { return scale_; }
  int size() const { return scale_.size(); }
  void start_from(VecX origin) {
    scale_.origin = std::move(origin);
  }                                                         // as many values, > 0 where logarithmic
  virtual std::string kind() const = 0;                     // as in the scene file
  virtual std::vector<std::string> components() const = 0;  // names of the numbers of a row, with their unit

  // Puts the values into a scene that is otherwise as it was when the channel was made.
  virtual void apply(const VecX& p, ClothDescription& cloth, State& start) const = 0;
  virtual bool changes_cloth() const = 0;  // so that steps depend on it; or the start alone

  // Change of the start under a change of the values, and the transpose. p_bar: dJ/dp, added to.
  virtual void add_start_change(const VecX&, StateVector&) const {}
  virtual void add_start_transposed(const StateVector&, VecX&) const {}

  // What its rows belong to: knots in time, vertices, or nothing in particular (null, both).
  virtual const StepKnots* knots() const { return nullptr; }
  virtual const std::vector<int>* vertices() const { return nullptr; }
  // How step n depends on it at its solution, with everything in the scene as its problem has it; none where
  // it feels nothing. n = -1: a round of the drape that the cloth starts from, which ends as step 0 begins.
  virtual std::vector<StepSensitivity> sensitivities(int, const StepSolution&) const { return {}; }
  // How large these are, beforehand. `knows_before`: of steps that know a state before their start (BDF2).
  virtual SensitivityColumns columns(bool /*knows_before*/) const { return {}; }

 private:
  ChannelScale scale_;
};

}  // namespace keydrape
