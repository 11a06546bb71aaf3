#pragma once

#include <filesystem>
#include <vector>

#include "io/shot/shot.h"

namespace keydrape {

// The equation of motion recomputed from what a run has written, its positions and forces, and nothing else.
// For every vertex, with a = (x_n+1 - 2 x_n + x_n-1)/h^2 taken from three samples of its position:
//
//   r = M a - M g - u + dE/dy (x_n+1)     (1)
//
// must vanish in the directions that no pin holds. Of the program under audit it uses the scene reader and
// the potentials' gradients; masses, gravity, pins, velocities and the sum are its own, and neither Newton
// nor the simulator takes part.
struct FrameAudit {
  int frame = 0;                  // the interval that begins there
  double residual = 0.0;          // largest |r| of its steps, over the cloth's weight
  double off_pins = 0.0;          // how far a held vertex is from where it is held [m]
  double positions_differ = 0.0;  // positions.npy against steps.npy at its end [m]
};

// Audits a folder of results: steps.npy, or positions.npy where a frame is one step; forces_steps.npy or
// forces.npy, or no forces. Throws InputError: a file is missing, damaged or of another shape.
std::vector<FrameAudit> audit(const Shot& shot, const std::filesystem::path& folder);

// Whether every frame has a residual of at most 1e-6, pins hold to 1e-9 m, and both files agree to the bit.
bool passes(const std::vector<FrameAudit>& frames);

}  // namespace keydrape
