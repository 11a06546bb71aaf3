#include "io/cli/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "control/optimize/optimizer.h"
#include "core/base/error.h"
#include "io/shot/control.h"
#include "io/shot/window.h"

namespace keydrape {

namespace {

SearchMethod method_of(const scene::Control& control) {
  if (control.method == scene::ControlMethod::kLbfgs) return SearchMethod::kLbfgs;
  return control.max_acceleration ? SearchMethod::kBoundedGaussNewton : SearchMethod::kGaussNewton;
}

constexpr double kRoundUp = 1.005;  // three digits are then never too few

std::string gigabytes(double bytes) { return fmt::format("{:.3g} GB", bytes / kBytesPerGb); }

}  // namespace

SearchMemory search_memory(const Scene& scene, const Shot& shot) {
  double budget = static_cast<double>(memory_budget_bytes(scene.solver));
  // In windows: the longest, beside the states of the whole shot.
  std::unique_ptr<const ControlLayout> of_window;
  const std::vector<FrameRange> windows = control_windows(scene.control, shot.clock.frames);
  if (!windows.empty()) {
    const FrameRange longest = *std::max_element(
        windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.count() < b.count(); });
    of_window = open_control_layout(scene, shot.clock, shot.rest(), shot.model(), longest);
    budget -= 2.0 * sizeof(double) * static_cast<double>(shot.start().x.size()) * (shot.clock.step_count() + 1);
  }
  const SearchMemory memory = plan_search_memory(
      shot.simulator(), of_window ? *of_window : shot.layout(), method_of(scene.control),
      OptimizerOptions().memory_pairs, std::max(0.0, budget), kBytesPerGb * scene.solver.scratch_gb);
  if (memory.fits()) return memory;
  throw InputError(fmt::format(
      "{}: [solver] memory_gb: found {:g}; expected at least {:.3g} for this shot: {} of states, {} of the "
      "optimiser's vectors and {} of a time step's matrices; or fewer unknowns (hold = \"frame\", "
      "knots_every, modes)",
      scene.source.file, scene.solver.memory_gb, kRoundUp * memory.needed / kBytesPerGb,
      gigabytes(memory.trajectories), gigabytes(memory.vectors),
      gigabytes(memory.needed - memory.trajectories - memory.vectors)));
}

std::string describe(const StorageCounts& counts) {
  static constexpr std::array<const char*, kStepStorageCount> kWhat = {
      "nothing of {} step{}", "matrices of {} step{}", "{} step{} in the scratch file",
      "factors of {} step{} in single precision", "factors of {} step{} in double precision"};
  std::string text;
  for (size_t s = counts.size(); s-- > 0;)
    if (counts[s] > 0)
      text += (text.empty() ? "" : ", ") +
              fmt::format(fmt::runtime(kWhat[s]), counts[s], counts[s] == 1 ? "" : "s");
  return text;
}

std::string describe(const SearchMemory& memory) {
  const std::string pairs = memory.memory_pairs > 0 ? fmt::format(" ({} pairs)", memory.memory_pairs) : "";
  const std::string file =
      memory.plan.file_bytes > 0 ? fmt::format(" ({} of disk)", gigabytes(memory.plan.file_bytes)) : "";
  return fmt::format("{} of states, {} of vectors{}, {} of work space, {} of derivatives: {}{}",
                     gigabytes(memory.trajectories), gigabytes(memory.vectors), pairs,
                     gigabytes(memory.work_space), gigabytes(memory.plan.bytes), describe(memory.plan.counts),
                     file);
}

}  // namespace keydrape
