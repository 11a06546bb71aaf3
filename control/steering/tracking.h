#pragma once

#include <optional>
#include <vector>

#include "control/derivatives/feedback.h"
#include "control/run/steering.h"
#include "control/run/trajectory.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// Steers along a predicted trajectory: the forces z of the prediction, and feedback on what it missed.
class Tracking final : public Steering {
 public:
  // States x_ref + change.x, likewise v, and forces z.
  struct Prediction {
    const Trajectory& reference;
    const std::vector<StateVector>& change;  // as many as the reference has states
    VecX z;
  };
  // `bounds`: of the forces, feedback included, or null. All that it is given refers to what outlives it.
  Tracking(const ControlLayout& layout, const Feedback& feedback, Prediction prediction,
           const BallBounds* bounds = nullptr);

  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far, feedback included

 private:
  const ControlLayout& layout_;
  Feedback feedback_;
  const Trajectory& reference_;
  const std::vector<StateVector>& change_;
  VecX z_;
  const BallBounds* bounds_;
  int block_ = -1;
};

}  // namespace keydrape
