#include "io/shot/keyframe_overlap.h"

#include <fmt/format.h>

#include "core/inspect/overlap.h"
#include "io/shot/overlap_text.h"

namespace keydrape {
namespace {

std::string place(const Vec3& p) { return fmt::format("({:.3g}, {:.3g}, {:.3g}) m", p.x(), p.y(), p.z()); }

constexpr const char* kOutcome =
    "; no cloth can take this shape, and the solve settles for the nearest that it can";

}  // namespace

void warn_of_overlaps(const Scene& scene, const ShotClock& clock, const ClothDescription& cloth,
                      const std::vector<ShotKeyframe>& keyframes, ShotWarnings& warnings) {
  int warned = -1;  // one frame of a track is enough
  for (size_t k = 0; k < keyframes.size(); ++k) {
    const ShotKeyframe& keyframe = keyframes[k];
    if (!keyframe.is_pose || keyframe.keyframe.target_id == warned) continue;
    const std::size_t before = warnings.size();
    const VecX& x = keyframe.keyframe.target;
    const auto at = [&](int v) -> Vec3 { return x.segment<3>(3 * v); };
    const auto warn = [&](const std::string& what) {
      warnings.push_back(fmt::format("{}: the target at frame {} {}{}", keyframe.source.where(),
                                     keyframe.frame, what, kOutcome));
    };
    const double time = clock.time_of_frame(keyframe.frame);
    std::vector<char> left_out = held_vertices(cloth, time);
    for (int v = 0; v < cloth.mesh.vertex_count(); ++v)
      if (keyframe.keyframe.vertex_weight[v] == 0.0) left_out[v] = 1;
    for (const BodyOverlap& overlap : overlaps_with_bodies(cloth, x, time, left_out))
      warn(fmt::format(
          "lies within the [[collider]] of line {}, or too near to it, with {} of its vertices and {} points "
          "between them, deepest by {:.3g} m {}{} at {}",
          scene.colliders[cloth.bodies[overlap.body].number].source.line, overlap.vertex_count,
          overlap.between_count, overlap.depth, overlap.deepest.count == 1 ? "at vertex " : "near vertex ",
          overlap.deepest.vertices[0], place(overlap.deepest.position(x))));
    if (cloth.contact.self) {
      const SelfOverlap overlap = overlap_with_itself(cloth, x, left_out);
      if (const auto& first = overlap.through.first)
        warn(fmt::format(
            "goes through itself in {} places, the first where the edge of vertices {} and {} passes through "
            "triangle {}, counted from 0, at {}",
            overlap.through.count, first->edge[0], first->edge[1], first->face,
            place(0.5 * (at(first->edge[0]) + at(first->edge[1])))));
      if (overlap.close.count > 0)
        warn(fmt::format("has layers nearer than {:.3g} m, the thickness, in {} places, {}, at {}",
                         surface_contact_law(cloth).barrier.thickness, overlap.close.count,
                         nearest_text(overlap.close, cloth.mesh.vertex_count()),
                         place(at(overlap.close.nearest->vertices[0]))));
    }
    for (const SurfaceOverlap& overlap : overlaps_with_surfaces(cloth, x, time, left_out)) {
      const int line = scene.colliders[cloth.surfaces[overlap.surface].number].source.line;
      if (overlap.cut_count > 0)
        warn(
            fmt::format("goes through the [[collider]] of line {} in {} places, the first near vertex {}, "
                        "counted from 0, at {}",
                        line, overlap.cut_count, overlap.cut_vertex, place(at(overlap.cut_vertex))));
      else
        warn(fmt::format("is nearer than {:.3g} m to the [[collider]] of line {} in {} places, {}",
                         body_contact_law(cloth).barrier.thickness, line, overlap.close.count,
                         nearest_text(overlap.close, cloth.mesh.vertex_count())));
    }
    const Overstretched stretched = find_overstretched(cloth, x, time);
    if (stretched.count > 0)
      warn(fmt::format(
          "stretches {} triangles to the strain limit of {:.3g} or beyond it, triangle {}, counted from 0, "
          "by {:.3g}",
          stretched.count, *cloth.material.strain_limit, stretched.triangle, stretched.stretch - 1));
    if (warnings.size() > before) warned = keyframe.keyframe.target_id;
  }
}

}  // namespace keydrape
