#pragma once

#include <vector>

#include "control/search/observer.h"
#include "control/search/options.h"
#include "control/task/task.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"

// The [control] and [solver] tables as parts of a task and options of its search.

namespace keydrape {

// Throws InputError: no such group, weights that do not fit the mesh.
Pushing make_pushing(const scene::Control& control, const ShotClock& clock, const TriangleMesh& rest);
// Throws InputError: pins hold every vertex that forces may act on during the whole shot; more modes than
// vertices that they may act on.
void check_pushing(const scene::Control& control, const Task& task);

// Throws InputError: the gradient that is asked for does not exist, since the scene's steps are not
// solved and have a contact, a strain limit or a channel whose derivatives they do not have.
void check_differentiable(const Scene& scene, const Task& task, const Simulator& simulator);

// Throws InputError: a take of the scene's steps could not be gone on from, as files keep positions alone.
void check_resumable(const Scene& scene, const Simulator& simulator);

// How many substeps a frame are enough, where explicit steps are so many times longer than they bear.
int substeps_that_do(int substeps, double step_over_limit);

EffortPolicy make_effort(const scene::Control& control);

// Requires the scene's own task.
SearchOptions make_search_options(const Scene& scene, const ShotClock& clock, const Task& task);

// The frames of an interval range, and the other way round.
FrameRange frames_of(const IntervalRange& range, const FrameRange& shot);
IntervalRange intervals_of(const FrameRange& frames, const FrameRange& shot);
// The frame of a state of a part of the search, or in whose interval its step of that number runs.
int frame_of(const SearchPart& part, int state, const FrameRange& shot);

// The frame ranges that [control] asks to be solved one after the other: one of `window`, those of `windows`,
// each as long as it says, unless the shot is shorter, and beginning `overlap` frames before the end of the
// one before, the last up to half shorter, or as long and earlier; or none: the whole shot at once.
std::vector<FrameRange> control_windows(const scene::Control& control, const FrameRange& shot);

}  // namespace keydrape
