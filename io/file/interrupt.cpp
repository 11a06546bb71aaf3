#include "io/file/interrupt.h"

#include <atomic>
#include <csignal>

namespace keydrape {
namespace {

// The only globals: a signal handler can reach nothing else. Atomic, as a handler runs on any thread of the
// process, and volatile orders nothing between threads.
std::atomic<bool> requested = false;
std::atomic<bool> checkpoint_wanted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // else a handler could wait for itself

void request(int signal) {
  if (requested && signal == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  requested = true;
}

void want_checkpoint(int) { checkpoint_wanted = true; }

}  // namespace

void catch_signals() {
  std::signal(SIGINT, request);
  std::signal(SIGTERM, request);
  std::signal(SIGUSR1, want_checkpoint);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupt_requested() { return requested; }

bool checkpoint_requested() { return checkpoint_wanted.exchange(false); }

void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted{};
}

}  // namespace keydrape
