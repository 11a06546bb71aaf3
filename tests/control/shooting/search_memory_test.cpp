// What a search says that it takes, and takes.

#include "control/shooting/search_memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "control/optimize/model_subspace.h"
#include "control/unknowns/channel/initial_velocity.h"
#include "tests/support/channel_run.h"

namespace keydrape {
namespace {

// Where a step's own matrices are large beside vectors, a share of them would be many vectors.
TEST(PlannedMemory, VectorsOfTheModelLeaveAStepItsMatrices) {
  const Model model = build_model(test::channel_sheet());
  const Simulator simulator(model, {});
  std::vector<int> blocks;
  for (int n = 0; n < test::kChannelSteps; ++n) blocks.push_back(n);
  const ControlLayout layout(blocks, {24}, model.vertex_mass());
  const auto plan = [&](double budget) {
    return plan_search_memory(simulator, layout, StoredMethod::kGaussNewton, 1, 10, {budget});
  };
  const double passing = passing_bytes(storage_costs(simulator, model.pattern(), simulator.cholesky()));
  const double with_image = sizeof(double) * (2.0 * layout.size() + 6.0 * model.vertex_count());
  ASSERT_GT(passing, 10.0 * with_image);
  const double least = plan(1e9).needed;
  EXPECT_EQ(plan(least).model_vectors, ModelSubspace::kLeastCapacity);
  for (const double budget :
       {least, least + 5.0 * with_image, least + 0.5 * passing, least + 5.0 * passing}) {
    const SearchMemory memory = plan(budget);
    EXPECT_GE(memory.derivatives, passing) << budget;
    EXPECT_LE(memory.trajectories + memory.vectors + memory.work_space + memory.of_derivatives(), budget);
  }
}

// Of steps with rounds a run has its forces, too.
TEST(WorkMemory, CountsStatesAndForcesOfARun) {
  constexpr std::size_t kVector = 3 * test::kChannelSide * test::kChannelSide * sizeof(double);
  for (const StepMethod method : {StepMethod::kConverged, StepMethod::kPrefactored}) {
    test::ChannelList channels;
    channels.push_back(
        std::make_unique<VertexThrow>(std::vector<int>{24}, ChannelSize{test::kChannelLength}));
    test::ChannelRun run(test::channel_sheet(), std::move(channels), std::vector<Keyframe>{},
                         test::ChannelRun::Options{.method = method});
    ShootingIterate at(run.problem(), VecX::Zero(run.problem().size()));
    ASSERT_TRUE(at.is_complete());
    const std::size_t vectors = 2 * (test::kChannelSteps + 1) + at.trajectory().forces.size(),
                      of_steps = at.sweeps().linearized().memory_bytes();
    EXPECT_EQ(at.trajectory().forces.empty(), method == StepMethod::kConverged);
    EXPECT_EQ(run.problem().work().trajectory_bytes, vectors * kVector + of_steps);
  }
}

}  // namespace
}  // namespace keydrape
