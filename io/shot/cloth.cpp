#include "io/shot/cloth.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cloth/cloth.h"
#include "core/mesh/topology.h"
#include "io/file/short_number.h"
#include "io/shot/contact.h"
#include "io/shot/material.h"
#include "io/shot/moving_frame.h"
#include "io/shot/pins.h"

namespace keydrape {
VecX read_initial(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings) {
  if (!scene.cloth.initial.mesh) return stacked(rest.positions);
  const scene::FilePath& file = *scene.cloth.initial.mesh;
  const VecX initial = read_pose(scene, file, "[cloth] initial", rest, warnings);
  TriangleMesh posed = rest;
  for (int i = 0; i < rest.vertex_count(); ++i) posed.positions[i] = initial.segment<3>(3 * i);
  if (const auto defect = find_mesh_defect(posed, build_topology(posed.triangles, posed.vertex_count()))) {
    throw InputError(
        fmt::format("{}: [cloth] initial: {}: {}", file.source.where(), file.value.string(), *defect));
  }
  return initial;
}

ClothDescription describe_cloth(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                const VecX& initial, ShotWarnings& warnings) {
  const int first = clock.frames.first;
  const double fps = clock.fps;
  ClothDescription cloth;
  cloth.mesh = rest;
  cloth.rest.source = scene.cloth.rest_shape;
  cloth.rest.meters_per_uv = scene.cloth.meters_per_uv;
  cloth.rest.warp = scene.cloth.warp;
  cloth.material = read_material(scene.cloth.material);
  cloth.stretch_scale = scene.cloth.material.stretch_scale.over_time(first, fps);
  cloth.bending = scene.cloth.bending;
  cloth.gravity = scene.shot.gravity.over_time(first, fps);
  if (scene.wind.source.line > 0) {
    cloth.wind =
        Wind::Shared{scene.wind.velocity.over_time(first, fps), scene.wind.air_density.over_time(first, fps),
                     scene.wind.drag.over_time(first, fps), scene.wind.lift.over_time(first, fps)};
  }
  ShotPins pins = read_pins(scene, clock, rest, initial, warnings);
  cloth.pins = std::move(pins.hard);
  cloth.soft_pins = std::move(pins.soft);
  cloth.springs = make_springs(scene, rest, initial);
  read_contact(scene, clock, cloth, warnings);
  cloth.frame = read_moving_frame(scene, clock, cloth.bodies);
  return cloth;
}

void check_start_stretch(const Scene& scene, const ClothDescription& cloth, const VecX& initial) {
  const Overstretched found = find_overstretched(cloth, initial, 0.0);
  if (found.count == 0) return;
  throw InputError(fmt::format(
      "{}: [cloth.material] strain_limit: at the first frame {} triangles are stretched by {} or "
      "more, triangle {}, counted from 0, by {}; change [cloth] initial, stretch_scale or the limit",
      scene.cloth.material.source.where(), found.count, short_number(*cloth.material.strain_limit),
      found.triangle, short_number(found.stretch - 1)));
}

std::unique_ptr<Model> make_model(const Scene& scene, const ClothDescription& cloth) {
  try {
    return std::make_unique<Model>(build_model(cloth));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: [cloth]: {}: {}", scene.cloth.source.where(),
                                 scene.cloth.rest.value.string(), error.what()));
  }
}

}  // namespace keydrape
