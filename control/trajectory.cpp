#include "control/trajectory.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace keydrape {

int Trajectory::first_failure() const {
  const auto failed =
      std::find_if(reports.begin(), reports.end(), [](const StepReport& report) { return !report.converged(); });
  return static_cast<int>(failed - reports.begin());
}

namespace {

class OpenLoop final : public Steering {
 public:
  explicit OpenLoop(const ForceSchedule& forces) : forces_(forces) {}
  void steer(int step, const State&, VecX& u) override { forces_.force(step, u); }

 private:
  const ForceSchedule& forces_;
};

}  // namespace

Trajectory rollout(const Simulator& simulator, const State& start, const ForceSchedule& forces, int step_count,
                   const StepObserver& observer) {
  OpenLoop steering(forces);
  return rollout(simulator, start, steering, step_count, observer);
}

Trajectory rollout(const Simulator& simulator, const State& start, Steering& steering, int step_count,
                   const StepObserver& observer) {
  using Clock = std::chrono::steady_clock;
  assert(step_count >= 0);
  Trajectory trajectory;
  trajectory.states.reserve(step_count + 1);
  trajectory.states.push_back(start);
  std::unique_ptr<SingleFactor> factor;
  VecX u(start.x.size());
  for (int n = 0; n < step_count; ++n) {
    const Clock::time_point begin = Clock::now();
    steering.steer(n, trajectory.back(), u);
    const std::optional<VecX> expected = steering.expected(n);
    StepResult result =
        simulator.step(n, trajectory.back(), u, {factor.get(), expected ? &*expected : nullptr});
    trajectory.states.push_back(std::move(result.next));
    trajectory.reports.push_back(result.report);
    trajectory.seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    const bool go_on = !observer || observer(n, result.report);
    if (!result.report.converged() || !go_on) break;
    if (result.factor) factor = std::move(result.factor);
  }
  return trajectory;
}

}  // namespace keydrape
