#pragma once

#include <optional>
#include <string_view>

#include "io/cli/commands.h"
#include "io/scene/scene.h"

namespace keydrape {

// What a pose is judged by.
struct PosedScene {
  Scene scene;                          // without its targets
  std::optional<int> keyframe_frame{};  // of the first keyframe that asked for this pose; absent: none did
};

// The scene's cloth, bodies and pins; or cotton of the mesh, with nothing around it. `command`: for messages.
// Throws InputError as read_scene does, and unless the arguments name one of the two.
PosedScene posed_scene(std::string_view command, const PoseArguments& arguments);

// The frame at which pins and bodies stand, among the scene's: that of --frame, else of the keyframe that
// asks for the pose, else the one that the pose names behind its @ if it is among them, else the last;
// without a scene the first. Throws InputError for another one of --frame.
int asked_frame(std::string_view command, const PoseArguments& arguments, const PosedScene& posed);

}  // namespace keydrape
