#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "io/wedge/element_state.h"
#include "io/wedge/wedge_plan.h"

namespace keydrape {

// Elements that run at the same time on this machine, each as a process of its own: `keydrape solve`, as
// anybody would start it, so that its bits are those of a single run.
struct PoolOptions {
  std::filesystem::path program;  // keydrape
  int jobs = 1;                   // at most at the same time
  int threads = 1;                // of each
  bool one_window = false;        // solve --one-window
  bool again = false;             // those that failed, too
  double memory_gb = 0;           // of all; of an element WedgeElement::memory_gb counts
};

enum class PoolEnd { kFinished, kInterrupted };

// Told when an element begins and when it has ended.
using PoolObserver = std::function<void(const WedgeElement&, const ElementOutcome&)>;

// Runs these elements (indices into the plan) in order, but those that another wedge has ended in the
// meantime; one that was begun goes on from its checkpoint. One whose files have changed since the wedge was
// made fails as bad input. No more run at once than `jobs` and `memory_gb` allow, but always one. Once an
// interrupt is requested every run is told (SIGTERM), writes its checkpoint and is waited for. A run whose
// wedge dies is told as well. Throws OutputError, std::system_error.
PoolEnd run_elements(const std::filesystem::path& wedge, const WedgePlan& plan,
                     const std::vector<int>& indices, const PoolOptions& options,
                     const PoolObserver& observer);

// Files that wedges which were killed have left torn, in elements that nobody runs now: in one that has ended
// nothing would remove them later. Throws OutputError.
void remove_torn_files(const std::filesystem::path& wedge, const WedgePlan& plan);

// How many run at once: `jobs`, or 0 for as many as there are processors for; and the threads of each, or 0
// for the processors that are there for each.
void divide_processors(int processors, int elements, PoolOptions& options);

}  // namespace keydrape
