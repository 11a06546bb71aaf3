#pragma once

#include <memory>
#include <utility>

#include "control/run/force_schedule.h"

namespace keydrape {

// Forces from a later step on.
class LaterForces final : public ForceSchedule {
 public:
  LaterForces(std::shared_ptr<const ForceSchedule> forces, int first_step)
      : forces_(std::move(forces)), first_step_(first_step) {}
  void force(int step, VecX& u) const override { forces_->force(first_step_ + step, u); }
  const VecX* recorded_end(int step) const override { return forces_->recorded_end(first_step_ + step); }

 private:
  std::shared_ptr<const ForceSchedule> forces_;
  int first_step_;
};

}  // namespace keydrape
