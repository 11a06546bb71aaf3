#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/derivative_check.h"
#include "core/cloth/cloth.h"

// Whole runs of cloth under control, as the tests of their gradient need them.

namespace keydrape::test {

// Every third vertex is left without forces; forces are held over two steps; keyframes stand in the middle
// and at the end, with velocities, weights and smoothness that single nothing out.
class GradientRun {
 public:
  GradientRun(const ClothDescription& cloth, const State& start, double dt, int step_count,
              StepMethod method = StepMethod::kConverged, ExplicitScheme scheme = ExplicitScheme::kSymplectic)
      : model_(build_model(cloth)),
        simulator_(model_, options(dt, method, scheme)),
        start_(start),
        step_count_(step_count) {
    std::vector<int> blocks(step_count), active;
    for (int n = 0; n < step_count; ++n) blocks[n] = n / 2;
    for (int i = 0; i < model_.vertex_count(); ++i)
      if (i % 3 != 0) active.push_back(i);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass());
    objective_ = std::make_unique<Objective>(ObjectiveOptions{0.7, 1e-4, 1.0, 0.0}, keyframes(), *layout_,
                                             2 * dt, std::vector<Objective::EdgeLength>{});
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30);
  }

  const Model& model() const { return model_; }
  Trajectory uncontrolled() const { return rollout(simulator_, start_, NoForces(), step_count_); }
  DerivativeCheck check(const DerivativeCheckOptions& options = {}) {
    return check_derivatives(*problem_, options);
  }

 private:
  static SimulatorOptions options(double dt, StepMethod method, ExplicitScheme scheme) {
    SimulatorOptions options;
    options.scheme = scheme;
    options.method = method;
    options.dt = dt;
    options.newton.tolerance = 1e-14;  // taken to be the rounding error of the residual
    return options;
  }

  std::vector<Keyframe> keyframes() const {
    const int n = model_.vertex_count();
    Keyframe half{step_count_ / 2, start_.x, VecX::Ones(n), 0.7, 0.1, VecX::Constant(3 * n, 0.2)};
    Keyframe end{step_count_, start_.x, VecX::LinSpaced(n, 0.0, 1.0), 1.0, 0.0, {}};
    for (int i = 0; i < n; ++i) end.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.2 * start_.x(3 * i));
    return {half, end};
  }

  Model model_;
  Simulator simulator_;
  State start_;
  int step_count_;
  std::unique_ptr<ControlLayout> layout_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

}  // namespace keydrape::test
