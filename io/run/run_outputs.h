#pragma once

#include <string>

#include "io/run/run_cache.h"
#include "io/run/run_folder.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// The files of a run that hold cloth and forces. All throw OutputError; each file appears whole or
// not at all.

namespace keydrape {

// name.pc2: one sample a frame, in the user's units.
void write_pc2(const Shot& shot, const Trajectory& trajectory, const std::filesystem::path& path);
// uncontrolled.pc2, the cloth that a result is compared with, if [output] asks for PC2.
void write_uncontrolled(const Scene& scene, const Shot& shot, const Trajectory& trajectory,
                        const RunFolder& folder);

// The caches that [output] asks for, `name` being "controlled" or "simulated": name.pc2, name.mdd, name.glb,
// name.usda (with velocity, miss and force), name.pvd and name_vtp/ (and acceleration, energy_density),
// ply/name.####.ply (miss, force), positions.npy [m], obj/SHOT.####.obj. What the fields mean: run_cache.h.
void write_cloth(const Scene& scene, const Run& run, const RunFolder& folder, std::string_view name);

// steps.npy [m] (steps + 1, n, 3), of the steps that converged: what a take is repeated along. Not asked for:
// removes the one that an earlier start of this run has left.
void write_every_step(bool is_asked_for, const Shot& shot, const Trajectory& trajectory,
                      const RunFolder& folder);

// steps.jsonl
void write_steps_log(const Shot& shot, const Trajectory& trajectory, const RunFolder& folder);

// forces.npy [N] (frames, n, 3): entry f is the mean force on each vertex over the frame interval that starts
// at frame f, so that the last one is zero. Where forces change within a frame ([control] hold = "step")
// forces_steps.npy (steps, n, 3) holds those of every step as well.
void write_forces(const Scene& scene, const Shot& shot, const ForceSchedule& forces, const RunFolder& folder);

}  // namespace keydrape
