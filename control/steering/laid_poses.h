#pragma once

#include <optional>

#include "control/goal/keyframe.h"
#include "control/steering/path_following.h"
#include "core/cloth/cloth.h"

// Poses for keyframes that want the cloth on a surface of another topology: which of its points each vertex
// comes to lie on. The nearest points of cloth that hangs elsewhere lead it into folds that are none of the
// surface's, and let it crumple where they are close together.

namespace keydrape {

// Where the cloth lies once its shape at rest has been laid onto the keyframe's surface: stiff at first, so
// that it keeps its shape as a whole, then drawn more and more, towards the points nearest to it and by those
// that it is nearest to (control/EQUATIONS.md (G4); Amberg, Romdhani & Vetter 2007). `like`: the cloth that
// it begins at, moved and turned to lie as near as it can [m] (3n). `time`: at which pins hold it [s].
// `observer`: told of the steps that this takes, as steps to the keyframe's state; may be empty. None: it
// could not be laid. Requires a surface.
std::optional<VecX> laid_pose(const ClothDescription& cloth, const Keyframe& keyframe, const VecX& like,
                              double time, const PathFollowing::TrialObserver& observer = {});

}  // namespace keydrape
