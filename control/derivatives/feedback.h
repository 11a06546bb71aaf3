#pragma once

#include <optional>
#include <vector>

#include "control/derivatives/channel_derivatives.h"
#include "control/derivatives/linearized_trajectory.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// Control with feedback (control/EQUATIONS.md (F1) to (F4)). Cloth amplifies small changes of early
// forces a thousandfold: the map from forces to poses is badly conditioned, and its linearisation holds for
// tiny changes only. The map from w to poses, where the forces answer to where the cloth has come,
//   a_f = w_f - kp (x - x_ref) - kd (v - v_ref)     with x, v at the start of block f        (F1)
// is tame (a in m/s^2 here; the code holds w and the forces in the unknowns of ControlLayout). Both describe
// the same forces: w is a change of variables, for the sake of the optimiser alone. Where forces are dear the
// gains are small (F5): what feedback spends there no change of w would give back.
struct Feedback {
  double kp;                  // [1/s^2]
  double kd;                  // [1/s]
  double change_price = 0.0;  // of forces that change as fast as these answer, over that of forces (F5)

  // Critically damped, with a time constant of `blocks` blocks of forces: fast against the growth of
  // wrinkles, slow against the delay of one block that comes with holding forces.
  static Feedback for_blocks(double block_duration, double blocks = 3.0) {
    const double omega = 1.0 / (blocks * block_duration);
    return {omega * omega, 2.0 * omega, 0.0};
  }
  // Plain forces: w = z.
  static Feedback none() { return {0.0, 0.0, 0.0}; }
  bool is_none() const { return kp == 0.0 && kd == 0.0; }
};

// The unknowns that begin in a block -= K (dx, dv), for a run that is `off` the reference at its start.  (F2)
void subtract_feedback(const ControlLayout& layout, const Feedback& feedback, int block,
                       const StateVector& off, VecX& z);

// What a change w of the variables acts through. All that it refers to outlives whoever has it.
struct FeedbackMap {
  const ControlLayout& layout;
  Feedback feedback;
  const Face* face = nullptr;  // of bounds: forces that stand on it turn but do not grow (B2); null: none
  const ChannelDerivatives* channels = nullptr;     // whose unknowns come at the end of w; null: none
  SolveAccuracy accuracy = SolveAccuracy::kDouble;  // of the solves of the sweep
};

// What a change w of the variables does, to first order. Here and below, none: the derivatives of some step
// could not be had (LinearizedTrajectory::failure).  (F2), (C2)
struct FeedbackTangent {
  std::vector<StateVector> states;  // change of the states
  VecX z;                           // change of the forces' unknowns, feedback included
};
std::optional<FeedbackTangent> feedback_tangent(LinearizedTrajectory& trajectory, const FeedbackMap& map,
                                                const VecX& w);

// The transpose: from dJ/d(states) and dJ/dz to dJ/dw.  (F3), (F4), (C3), (C4)
std::optional<VecX> feedback_adjoint(LinearizedTrajectory& trajectory, const FeedbackMap& map,
                                     const std::vector<StateVector>& seeds, const VecX& z_bar);

}  // namespace keydrape
