#pragma once

#include "core/base/types.h"

namespace keydrape {

// The force on every vertex in step n [N] (3n), for a rollout. An interface, since control knows
// forces by block.
class ForceSchedule {
 public:
  virtual ~ForceSchedule() = default;
  virtual void force(int step, VecX& u) const = 0;
  // Where that step ended in the take that the forces are from; positions [m] (3n), or null: there is none. A
  // rollout keeps to the take for as long as its positions solve the steps.
  virtual const VecX* recorded_end(int) const { return nullptr; }
};

// No force at all.
class NoForces final : public ForceSchedule {
 public:
  void force(int, VecX& u) const override { u.setZero(); }
};

}  // namespace keydrape
