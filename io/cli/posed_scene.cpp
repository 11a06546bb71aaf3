#include "io/cli/posed_scene.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "io/formats/read_cache.h"

namespace keydrape {
namespace {

std::optional<int> frame_of_keyframe(const Scene& scene, const std::filesystem::path& pose) {
  const auto whole = [](const std::filesystem::path& name) {  // an @ and what follows it included
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name));
  };
  for (const scene::Keyframe& keyframe : scene.keyframes)
    if (keyframe.mesh && whole(keyframe.mesh->value) == whole(pose)) return keyframe.frame;
  return {};
}

}  // namespace

PosedScene posed_scene(std::string_view command, const PoseArguments& arguments) {
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
    PosedScene posed{read_scene(arguments.scene)};
    posed.keyframe_frame = frame_of_keyframe(posed.scene, arguments.pose);
    posed.scene.keyframes.clear();
    posed.scene.tracks.clear();
    posed.scene.control = {};
    return posed;
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
  return {std::move(scene)};
}

int asked_frame(std::string_view command, const PoseArguments& arguments, const PosedScene& posed) {
  const FrameRange& frames = posed.scene.shot.frames;
  if (arguments.scene.empty()) return frames.first;
  if (!arguments.frame) {
    if (posed.keyframe_frame) return *posed.keyframe_frame;
    const auto choice = split_frame(arguments.pose);
    const int named = choice ? choice->frame_of(frames) : frames.last;
    return frames.contains(named) ? named : frames.last;
  }
  const int frame = *arguments.frame;
  if (frame >= frames.first && frame <= frames.last) return frame;
  throw InputError(fmt::format("{}: --frame: found {}; expected {}, the frames of {}", command, frame,
                               frames.text(), posed.scene.source.file));
}

}  // namespace keydrape
