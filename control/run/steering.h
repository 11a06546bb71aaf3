#pragma once

#include <optional>

#include "control/run/force_schedule.h"
#include "control/run/trajectory.h"

namespace keydrape {

// Forces chosen on the way, from the state that the cloth has come to.
class Steering {
 public:
  virtual ~Steering() = default;
  // The force on every vertex in step n, which starts at `state` [N] (3n). Called once for each
  // step, in order.
  virtual void steer(int step, const State& state, VecX& u) = 0;
  // Where that step is expected to end, if that is known; positions [m] (3n). Called after steer().
  virtual std::optional<VecX> expected(int) const { return std::nullopt; }
  // As ForceSchedule::recorded_end.
  virtual const VecX* recorded_end(int) const { return nullptr; }
};

// Given forces, wherever the cloth goes.
class OpenLoop final : public Steering {
 public:
  // `forces` outlives this.
  explicit OpenLoop(const ForceSchedule& forces) : forces_(forces) {}

  void steer(int step, const State&, VecX& u) override { forces_.force(step, u); }
  std::optional<VecX> expected(int step) const override {
    const VecX* end = forces_.recorded_end(step);
    return end ? std::optional<VecX>(*end) : std::nullopt;
  }
  const VecX* recorded_end(int step) const override { return forces_.recorded_end(step); }

 private:
  const ForceSchedule& forces_;
};

// Given forces, along a run that is expected to be close: where a step has several solutions, the
// one found there.
class ForcesAlong final : public Steering {
 public:
  // Both arguments outlive it; `reference` has every step.
  ForcesAlong(const ForceSchedule& forces, const Trajectory& reference)
      : forces_(forces), reference_(reference) {}

  void steer(int step, const State&, VecX& u) override { forces_.force(step, u); }
  std::optional<VecX> expected(int step) const override { return reference_.states[step + 1].x; }
  const VecX* recorded_end(int step) const override { return forces_.recorded_end(step); }

 private:
  const ForceSchedule& forces_;
  const Trajectory& reference_;
};

}  // namespace keydrape
