#include "io/formats/vdb/vdb_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "io/file/file.h"

namespace keydrape {

ProcessLimits vdb_limits(const std::filesystem::path& path) {
  const std::uint64_t size = InputFile(path).size();
  if (size > kMaxVdbBytes) {
    throw InputError(
        fmt::format("{}: is longer than {:.1f} GiB; expected a level set that fits into memory; use "
                    "larger voxels",
                    path.string(), kMaxVdbBytes / double(1 << 30)));
  }
  const double seconds = std::clamp(1e-6 * static_cast<double>(size) * kVdbSecondsPerMegabyte,
                                    kLeastVdbSeconds, kMostVdbSeconds);
  return {.processor_seconds = seconds,
          .wall_seconds = kVdbPatience * seconds,
          .memory_bytes = kMaxVdbBytes,
          .answer_bytes = kMaxVdbAnswerBytes};
}

ProcessAnswer run_vdb_reader(const std::function<std::string()>& work, const ProcessLimits& limits,
                             std::string_view smaller) {
  ProcessAnswer answer = run_limited(work, limits);
  switch (answer.end) {
    case ProcessEnd::kAnswer:
    case ProcessEnd::kThrown:
      break;
    case ProcessEnd::kTime:
      answer.failure += fmt::format("; expected a level set that is read in that time; {}", smaller);
      break;
    case ProcessEnd::kMemory:
      answer.failure += fmt::format("; expected a level set that fits into that; {}", smaller);
      break;
    case ProcessEnd::kHang:
      answer.failure +=
          "; expected an answer by then; try again once the machine has less to do, or copy the file to a "
          "disk that is near";
      break;
    case ProcessEnd::kCrash:
      answer.failure += "; expected a whole .vdb file; export or copy it again";
      break;
  }
  return answer;
}

std::string vdb_nonsense() {
  return "is damaged: its reader returned nonsense; expected a whole .vdb file; export or copy it again";
}

}  // namespace keydrape
