#include "io/cli/posed_scene.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "io/formats/read_cache.h"

namespace keydrape {

Scene posed_scene(std::string_view command, const PoseArguments& arguments) {
  if (arguments.scene.empty() == arguments.mesh.empty())
    throw InputError(fmt::format(
        "{}: expected either --mesh REST, the cloth at rest, or --scene SCENE.toml, which names it and "
        "its fabric, pins and bodies; give one of them",
        command));
  if (!arguments.scene.empty()) {
    if (arguments.meters_per_unit)
      throw InputError(
          fmt::format("{}: --meters-per-unit is of --mesh; expected [shot] meters_per_unit of the scene to "
                      "say it; leave it out",
                      command));
    Scene scene = read_scene(arguments.scene);
    scene.keyframes.clear();
    scene.tracks.clear();
    scene.control = {};
    return scene;
  }
  if (arguments.frame)
    throw InputError(fmt::format(
        "{}: --frame is of a scene, whose pins and bodies move; leave it out, or give --scene", command));
  Scene scene;
  scene.source.file = arguments.mesh.string();
  scene.shot.name = arguments.mesh.stem().string();
  scene.shot.frames = {1, 2};
  scene.shot.meters_per_unit = arguments.meters_per_unit.value_or(1.0);
  scene.cloth.rest = {std::filesystem::absolute(arguments.mesh), {arguments.mesh.string(), 0, 0, false}};
  return scene;
}

int asked_frame(std::string_view command, const PoseArguments& arguments, const Scene& scene) {
  const FrameRange& frames = scene.shot.frames;
  if (arguments.scene.empty()) return frames.first;
  if (!arguments.frame) {
    const auto choice = split_frame(arguments.pose);
    const int named = choice ? choice->frame_of(frames) : frames.last;
    return frames.contains(named) ? named : frames.last;
  }
  const int frame = *arguments.frame;
  if (frame >= frames.first && frame <= frames.last) return frame;
  throw InputError(fmt::format("{}: --frame: found {}; expected {}, the frames of {}", command, frame,
                               frames.text(), scene.source.file));
}

}  // namespace keydrape
