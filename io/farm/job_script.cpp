#include "io/farm/job_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace keydrape {
namespace {

// Beside memory_gb there are the program, the cloth and files: io/measurements/farm.md has what was used.
constexpr double kMemoryFactor = 1.2, kMemoryBeside = 1.0;  // [1], [GB]

std::string numbers_of(const WedgePlan& plan, const FarmRequest& request) {
  std::string text;
  for (std::size_t k = 0; k < request.indices.size();) {
    std::size_t end = k + 1;
    while (end < request.indices.size() && request.indices[end] == request.indices[end - 1] + 1) ++end;
    const auto number = [&](std::size_t at) {
      return plan.elements[static_cast<std::size_t>(request.indices[at])].number;
    };
    text += fmt::format("{}{}", text.empty() ? "" : ",", number(k));
    if (end > k + 1) text += fmt::format("-{}", number(end - 1));
    k = end;
  }
  return text;
}

long long megabytes(const WedgePlan& plan, const FarmRequest& request) {
  double most = 0;
  for (const int index : request.indices)
    most = std::max(most, plan.elements[static_cast<std::size_t>(index)].memory_gb);
  // memory_gb has no bound of its own: an int ends at 2 million GB, beyond which a cast is undefined.
  return std::llround(std::ceil(1000 * (kMemoryFactor * most + kMemoryBeside)));
}

std::string command(const std::filesystem::path& wedge, const FarmRequest& request, std::string_view number) {
  return fmt::format("{} wedge {} --element {} --threads {}{}", shell_word(request.program.string()),
                     shell_word(wedge.string()), number, request.threads, request.again ? " --again" : "");
}

// Around the run: passes SIGTERM on, even one that comes as it starts, and waits for the run, which writes
// its checkpoint then. A signal breaks a wait off: it is begun anew, even where the run has ended meanwhile.
// A run that is told before it can hear of it ends by the signal, with nothing lost: it is to go on, too.
constexpr std::string_view kTrapEarly = "early=0 told=0\ntrap 'early=1' TERM INT\n";
constexpr std::string_view kWait = R"( &
run=$! heard=1
trap 'told=1 heard=1; kill -TERM "$run" 2>/dev/null' TERM INT
if ((early)); then told=1; kill -TERM "$run" 2>/dev/null; fi
while ((heard)); do
  heard=0
  wait "$run"
  code=$?
done
if ((told && code == 143)); then code=75; fi
)";

// What sbatch reads of a line of its own as one word, whatever the scene is called.
std::string job_name(const std::filesystem::path& scene) {
  std::string name = "keydrape-" + scene.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
  return name;
}

}  // namespace

std::string slurm_script(const std::filesystem::path& wedge, const WedgePlan& plan,
                         const FarmRequest& request, bool one_window) {
  std::string script = fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array={}\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --mem={}M\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --signal=B:TERM@60\n"
      "#SBATCH --output=/dev/null\n"
      "# Written by keydrape wedge --submit. Options of sbatch on the command line come before these.\n"
      "exec >> {}\"/$SLURM_ARRAY_TASK_ID.log\" 2>&1\n",
      job_name(plan.scene), numbers_of(plan, request), request.threads, megabytes(plan, request),
      shell_word((wedge / "farm").string()));
  script += kTrapEarly;
  script += command(wedge, request, "\"$SLURM_ARRAY_TASK_ID\"") + (one_window ? " --one-window" : "");
  script += kWait;
  script +=
      "# Told to stop before the limit: the same job once more, from the checkpoint. One that was cancelled "
      "runs\n"
      "# no more, and one that makes room is requeued by Slurm.\n"
      "job=\"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
      "if ((code == 75 && told)); then\n"
      "  if [[ $(squeue -h -o %T -j \"$job\") == RUNNING ]]; then scontrol requeue \"$job\"; fi\n"
      "  exit 75\n"
      "fi\n";
  if (one_window) script += "if ((code == 75)); then exit 0; fi  # the next window is the next job's\n";
  script += "if ((code == 4)); then exit 0; fi  # done, but a keyframe was missed\nexit \"$code\"\n";
  return script;
}

std::string element_script(const std::filesystem::path& wedge, const WedgeElement& element,
                           const FarmRequest& request) {
  const std::string log = (wedge / "farm" / fmt::format("{}.log", element.number)).string();
  return fmt::format(
      "#!/bin/bash\n# Written by keydrape wedge --submit.\nexec >> {} 2>&1\n{}{}{}exit \"$code\"\n",
      shell_word(log), kTrapEarly, command(wedge, request, fmt::format("{}", element.number)), kWait);
}

}  // namespace keydrape
