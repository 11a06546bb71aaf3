#pragma once

#include <optional>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// [moving_frame], none where the scene has no such table. `bodies`: those that read_contact has made. Throws
// InputError for a collider that is not there, or that does not move, and as read_contact does for its files.
std::optional<MovingFrame> read_moving_frame(const Scene& scene, const ShotClock& clock,
                                             const std::vector<VolumeBody>& bodies);

// Warns where a frame that carries cloth along moves, and all pins stand still: it is torn between both.
void warn_of_pins_left_behind(const Scene& scene, const ClothDescription& cloth, ShotWarnings& warnings);

// The rigid motion that is nearest to points that move, in the sense of least squares: from where they are in
// the first sample to where they are in each (Umeyama 1991, without his scale). From sample to sample it goes
// straight, as a MotionTrack does: pins and the body itself move along to rounding; but where it turns they
// cut across its arc. Samples are `interval` apart [s], three points or more that do not all lie on a line.
RigidMotion nearest_rigid_motion(const std::vector<VecX>& samples, double interval);

}  // namespace keydrape
