#include "io/interrupt.h"

#include <csignal>

namespace keydrape {
namespace {

// The only globals: a signal handler can reach nothing else.
volatile std::sig_atomic_t requested = 0;
volatile std::sig_atomic_t checkpoint_wanted = 0;

void request(int signal) {
  if (requested && signal == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  requested = 1;
}

void want_checkpoint(int) { checkpoint_wanted = 1; }

}  // namespace

void catch_signals() {
  std::signal(SIGINT, request);
  std::signal(SIGTERM, request);
  std::signal(SIGUSR1, want_checkpoint);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupt_requested() { return requested != 0; }

bool checkpoint_requested() {
  if (checkpoint_wanted == 0) return false;
  checkpoint_wanted = 0;
  return true;
}

void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted{};
}

}  // namespace keydrape
