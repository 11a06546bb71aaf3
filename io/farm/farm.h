#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/wedge/wedge_plan.h"

// The elements of a wedge as jobs of a farm. A job runs `keydrape wedge DIR --element N`, so that what it
// leaves is what a run here would leave; the folder is on a disk that all nodes see.

namespace keydrape {

struct FarmRequest {
  std::filesystem::path program;  // as the nodes see it
  int threads = 1;                // of a job
  std::vector<int> indices;       // into the plan, ascending, not empty
  bool again = false;             // they failed before
  // "slurm", "slurm OPTION..." with options of sbatch, or a command of another queue with {script} in it,
  // which is run once for each element.
  std::string queue;
};

// What a queue was given; DIR/farm/jobs.json.
struct FarmSubmission {
  bool is_slurm = false;
  std::vector<std::string> answers;  // of Slurm the numbers of the jobs, else what the command's stdout was
};

// Throws InputError: no queue that `submit` knows, or Slurm on a machine without its sbatch.
void refuse_unknown_queue(const std::string& queue);

// Throws InputError where Slurm still has an element of the wedge, of whatever number: its job would run in
// the folder of the wedge that replaces it. OutputError as queue_states.
void refuse_queued_elements(const std::filesystem::path& wedge);

// Writes DIR/farm/array.sbatch, or a script for each element, and hands it to the queue. With
// [control.windows] Slurm gets an array for each window, each element of which waits for the same element of
// the one before. Each job that the queue takes is written down at once, so that those before a refusal are
// known. Throws InputError: a queue without {script}, elements that are in the queue already; OutputError:
// the queue's own refusal, an answer of sbatch's that is no number.
FarmSubmission submit(const std::filesystem::path& wedge, const WedgePlan& plan, const FarmRequest& request);

std::vector<FarmSubmission> read_submissions(const std::filesystem::path& wedge);

// What Slurm says of elements that it still has: number, "PENDING", "RUNNING" ... Without any submission, or
// once it has forgotten them: empty. Throws OutputError where Slurm cannot be asked.
std::map<int, std::string> queue_states(const std::filesystem::path& wedge);

// Takes all that is left of the wedge out of Slurm's queue, and returns its jobs' numbers; what runs is told
// to stop and writes its checkpoint. Throws InputError where nothing was submitted, or to another queue.
std::vector<std::string> cancel(const std::filesystem::path& wedge);

}  // namespace keydrape
