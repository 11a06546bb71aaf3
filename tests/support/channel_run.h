#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "control/shooting/derivative_check.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "control/unknowns/channel/cloth_channels.h"
#include "core/cloth/cloth.h"

// A small sheet with channels among its unknowns, as the tests of channels need it.

namespace keydrape::test {

inline constexpr int kChannelSide = 7, kChannelSteps = 16;
inline constexpr double kChannelDt = 1.0 / 60;
inline constexpr double kChannelLength = 0.7;  // size of channels [m]

// A slightly wavy square sheet, so that no direction is special, hung by two corners.
inline ClothDescription channel_sheet() {
  ClothDescription cloth;
  const double cell = 0.5 / (kChannelSide - 1);
  for (int j = 0; j < kChannelSide; ++j)
    for (int i = 0; i < kChannelSide; ++i)
      cloth.mesh.positions.emplace_back(i * cell, -j * cell,
                                        0.02 * std::sin(9.0 * i * cell + 4.0 * j * cell));
  for (int j = 0; j + 1 < kChannelSide; ++j)
    for (int i = 0; i + 1 < kChannelSide; ++i) {
      const int a = j * kChannelSide + i, b = a + 1, c = a + kChannelSide, d = c + 1;
      cloth.mesh.triangles.push_back({a, c, b});
      cloth.mesh.triangles.push_back({b, c, d});
    }
  cloth.material = {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};
  const std::vector<int> corners{0, kChannelSide - 1};
  VecX x(6);
  x << cloth.mesh.positions[corners[0]], cloth.mesh.positions[corners[1]];
  cloth.pins = {{corners, {{x}, 1.0}}};
  return cloth;
}

using ChannelList = std::vector<std::unique_ptr<Channel>>;

// A knot every `interval` steps.
inline StepKnots channel_knots(int interval, CourseStart start) {
  return StepKnots({kChannelSteps, interval, kChannelDt, start});
}

inline void add_material(ClothDescription& cloth, ChannelList& channels) {
  using enum MaterialNumber;
  channels.push_back(std::make_unique<MaterialChannel>(
      std::vector{kDensity, kWarp, kWeft, kShear, kBend, kDamping}, cloth.material));
}

// Adds one number at a time: a wrong one would be small beside the others.
inline auto one_number(MaterialNumber number) {
  return [number](ClothDescription& cloth, ChannelList& channels) {
    channels.push_back(std::make_unique<MaterialChannel>(std::vector{number}, cloth.material));
  };
}

class ChannelRun {
 public:
  struct Options {
    bool forces = false;  // that may push as well: on every vertex but the first, held over two steps
    double effort = 1e-4;
    double newton_tolerance = 1e-14;  // taken to be the rounding error of the residual
    StepMethod method = StepMethod::kConverged;
    bool is_draped = false;  // at the start, and drapes anew as channels change it
  };
  // `keyframes`: empty for two made up, in the middle and at the end, the first with velocities.
  ChannelRun(const ClothDescription& cloth, ChannelList channels, std::vector<Keyframe> keyframes,
             const Options& options)
      : model_(build_model(cloth)),
        simulator_(model_, simulator_options(options)),
        start_{start_of(cloth, options), VecX::Zero(3 * model_.vertex_count())},
        channels_(std::move(channels), cloth, start_, simulator_.options(),
                  options.is_draped ? std::optional(DrapeOptions{}) : std::nullopt) {
    std::vector<int> blocks(kChannelSteps), active;
    for (int n = 0; n < kChannelSteps; ++n) blocks[n] = n / 2;
    for (int i = 1; options.forces && i < model_.vertex_count(); ++i) active.push_back(i);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass());
    layout_->append_channels(channels_.size());
    if (keyframes.empty()) keyframes = made_up_keyframes();
    objective_ =
        std::make_unique<Objective>(ObjectiveOptions{0.7, options.effort, 0.0, 0.0}, std::move(keyframes),
                                    *layout_, 2 * kChannelDt, std::vector<Objective::EdgeLength>{});
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30,
                                                 ShootingOptions{.channels = &channels_});
  }

  const Channels& channels() const { return channels_; }
  const ControlLayout& layout() const { return *layout_; }
  const State& start() const { return start_; }
  const Simulator& simulator() const { return simulator_; }
  ShootingProblem& problem() { return *problem_; }

 private:
  static SimulatorOptions simulator_options(const Options& of) {
    SimulatorOptions options;
    options.dt = kChannelDt;
    options.newton.tolerance = of.newton_tolerance;
    options.method = of.method;
    return options;
  }

  VecX start_of(const ClothDescription& cloth, const Options& options) const {
    const VecX rest = stacked(cloth.mesh.positions);
    return options.is_draped ? drape(model_, rest, {}).x : rest;
  }

  std::vector<Keyframe> made_up_keyframes() const {
    const int n = model_.vertex_count();
    Keyframe half{kChannelSteps / 2, start_.x, VecX::Ones(n), 0.7, 0.1, VecX::Constant(3 * n, 0.2)};
    Keyframe end{kChannelSteps, start_.x, VecX::LinSpaced(n, 0.0, 1.0), 1.0, 0.0, {}};
    for (int i = 0; i < n; ++i) end.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.2 * start_.x(3 * i));
    return {half, end};
  }

  Model model_;
  Simulator simulator_;
  State start_;
  Channels channels_;
  std::unique_ptr<ControlLayout> layout_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

// Products with the Gauss-Newton matrix, whose sweeps have feedback, are symmetric to 1e-10.
inline void expect_feedback_transposes(ChannelRun& run) {
  ShootingProblem& problem = run.problem();
  ShootingIterate at(problem, VecX::Constant(problem.size(), 1e-2));
  ASSERT_TRUE(at.is_complete());
  const VecX v = VecX::LinSpaced(problem.size(), -1.0, 0.7), w = VecX::LinSpaced(problem.size(), 0.3, -0.8);
  const double vAw = v.dot(at.gauss_newton_product(w)), wAv = w.dot(at.gauss_newton_product(v));
  EXPECT_NEAR(vAw, wAv, 1e-10 * std::abs(vAw));
}

}  // namespace keydrape::test
