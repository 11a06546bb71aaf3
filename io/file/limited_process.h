#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace keydrape {

struct ProcessLimits {
  double processor_seconds = 10;                    // rounded up to whole ones
  double wall_seconds = 100;                        // a stop for what hangs; a busy machine needs its time
  std::size_t memory_bytes = std::size_t{3} << 29;  // beyond what the caller has mapped [bytes]
  std::size_t answer_bytes = std::size_t{1} << 30;  // longest answer that is taken
};

enum class ProcessEnd {
  kAnswer,  // there is one
  kThrown,  // by the work
  kTime,    // beyond processor_seconds
  kHang,    // beyond wall_seconds
  kMemory,  // beyond memory_bytes or answer_bytes
  kCrash,   // by a signal, or without a word
};

// Either the answer or why there is none, as the end of a sentence ("... crashed (segmentation fault)").
struct ProcessAnswer {
  std::optional<std::string> bytes;
  std::string failure;
  ProcessEnd end = ProcessEnd::kAnswer;
  double processor_seconds = 0;  // that it took
};

// Runs `work` in a forked copy of this process, so that whatever it does to memory, time or itself ends with
// that copy: for libraries that cannot be trusted with damaged files. What `work` throws becomes the failure.
// It runs silent (stdout and stderr lead nowhere) and on one thread: only the caller's exists in the copy,
// so that `work` must not wait for another, and no other thread may hold a lock that it needs. Throws
// std::system_error where no process or pipe can be had.
ProcessAnswer run_limited(const std::function<std::string()>& work, const ProcessLimits& limits);

}  // namespace keydrape
