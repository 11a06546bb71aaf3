// Recomputes the equation of motion of a run from what it has written (audit.h).
//
//   keydrape_audit SCENE.toml DIR
//
// Prints a line for each frame. Exits with 1 if a frame does not pass, 2 on bad input.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tests/oracles/audit/audit.h"

int main(int argc, char** argv) {
  using namespace keydrape;
  if (argc != 3) {
    fmt::print(stderr, "usage: keydrape_audit SCENE.toml DIR\n");
    return 2;
  }
  try {
    const std::vector<FrameAudit> frames = audit(open_shot(read_scene(argv[1])), argv[2]);
    FrameAudit worst;
    for (const FrameAudit& f : frames) {
      fmt::print("frame {}: residual {:.1e} of the weight, {:.1e} m off pins, positions differ by {:.1e} m\n",
                 f.frame, f.residual, f.off_pins, f.positions_differ);
      if (f.residual >= worst.residual) worst = f;
    }
    fmt::print("{} frames, the worst is {}: {:.1e}; {}\n", frames.size(), worst.frame, worst.residual,
               passes(frames) ? "passed" : "FAILED");
    return passes(frames) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
