#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace keydrape {

struct ProcessLimits {
  double seconds = 10;                              // of wall clock, and of processor time
  std::size_t memory_bytes = std::size_t{3} << 29;  // beyond what the caller has mapped [bytes]
  std::size_t answer_bytes = std::size_t{1} << 30;  // longest answer that is taken
};

// Either the answer or why there is none, as the end of a sentence ("... crashed (segmentation fault)").
struct ProcessAnswer {
  std::optional<std::string> bytes;
  std::string failure;
};

// Runs `work` in a forked copy of this process, so that whatever it does to memory, time or itself ends with
// that copy: for libraries that cannot be trusted with damaged files. What `work` throws becomes the failure.
// It runs silent (stdout and stderr lead nowhere) and on one thread: only the caller's exists in the copy,
// so that `work` must not wait for another, and no other thread may hold a lock that it needs. Throws
// std::system_error where no process or pipe can be had.
ProcessAnswer run_limited(const std::function<std::string()>& work, const ProcessLimits& limits);

}  // namespace keydrape
