#include "io/perform/search_memory_text.h"

#include <fmt/format.h>

#include <array>

#include "control/search/search.h"
#include "core/base/error.h"
#include "io/file/short_number.h"

namespace keydrape {

namespace {

constexpr double kRoundUp = 1.005;  // three digits are then never too few

std::string gigabytes(double bytes) { return fmt::format("{} GB", short_number(bytes / kBytesPerGb)); }

// Words with a size, where there is any.
std::string if_any(const char* words, double bytes) {
  return bytes > 0.0 ? fmt::format(fmt::runtime(words), gigabytes(bytes)) : "";
}

}  // namespace

SearchMemory search_memory(const Scene& scene, const PreparedTask& prepared, const SearchOptions& options) {
  const SearchMemory memory = plan_search_memory(prepared, options, kBytesPerGb * scene.solver.scratch_gb);
  if (memory.fits()) return memory;
  throw InputError(fmt::format(
      "{}: [solver] memory_gb: found {:g}; expected at least {} for this shot: {} of states, {} of the "
      "optimiser's vectors{} and {} of a time step's matrices; or fewer unknowns (hold = \"frame\", "
      "knots_every, modes){}",
      scene.source.file, scene.solver.memory_gb, short_number(kRoundUp * memory.needed / kBytesPerGb),
      gigabytes(memory.trajectories), gigabytes(memory.vectors),
      if_any(", {} of derivatives by channels, of every step", memory.channels),
      gigabytes(memory.needed - memory.trajectories - memory.vectors - memory.channels),
      memory.channels > 0.0 ? " or fewer channels or steps" : ""));
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
  return fmt::format("{} of states, {} of vectors{}, {} of work space, {} of derivatives: {}{}{}",
                     gigabytes(memory.trajectories), gigabytes(memory.vectors), pairs,
                     gigabytes(memory.work_space), gigabytes(memory.of_derivatives()),
                     if_any("{} by channels, ", memory.channels), describe(memory.plan.counts), file);
}

}  // namespace keydrape
