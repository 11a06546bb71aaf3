#include "io/python/bindings/start.h"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "core/base/error.h"
#include "core/cloth/spring_fabric.h"
#include "core/inspect/overlap.h"
#include "io/shot/overlap_text.h"

namespace keydrape::python {
namespace {

constexpr const char* kRemedy = "move the body, or give another start";

void refuse_in_bodies(const ClothDescription& cloth, const VecX& x) {
  const auto overlaps = overlaps_with_bodies(cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const BodyOverlap& first = overlaps.front();
  throw InputError(fmt::format(
      "colliders[{}]: at the start {} vertices of the cloth and {} points between them are {}, deepest by "
      "{:.3g} m {} vertex {}; {}",
      cloth.bodies[first.body].number, first.vertex_count, first.between_count, too_near_text(first),
      first.depth, first.deepest.count == 1 ? "at" : "near", first.deepest.vertices[0], kRemedy));
}

void refuse_in_surfaces(const ClothDescription& cloth, const VecX& x) {
  const auto overlaps = overlaps_with_surfaces(cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const SurfaceOverlap& first = overlaps.front();
  const std::string where =
      fmt::format("colliders[{}]: at the start the cloth ", cloth.surfaces[first.surface].number);
  if (first.cut_count > 0)
    throw InputError(fmt::format("{}goes through this surface in {} places, the first near vertex {}; {}",
                                 where, first.cut_count, first.cut_vertex, kRemedy));
  throw InputError(fmt::format("{}is nearer to this surface than {:.3g} m in {} places, {}; {}", where,
                               body_contact_law(cloth).barrier.thickness, first.close.count,
                               nearest_text(first.close, cloth.mesh.vertex_count()), kRemedy));
}

void refuse_in_itself(const ClothDescription& cloth, const VecX& x) {
  const SelfOverlap overlap = overlap_with_itself(cloth, x, std::vector<char>(cloth.mesh.vertex_count(), 0));
  if (overlap.is_clean()) return;
  if (overlap.through.count == 0)
    throw InputError("contact.self_contact: at the start " +
                     close_text(overlap.close, cloth, "", "start", "springs"));
  const auto& first = *overlap.through.first;
  throw InputError(
      fmt::format("contact.self_contact: at the start the cloth goes through itself in {} places, the first "
                  "where the edge "
                  "of vertices {} and {} passes through triangle {}; pull the layers apart in start, or give "
                  "self_contact=False",
                  overlap.through.count, first.edge[0], first.edge[1], first.face));
}

}  // namespace

void refuse_start(const ClothDescription& cloth, const VecX& x) {
  if (const auto ends = spring_without_direction(cloth, x))
    throw InputError(fmt::format(
        "model: found \"springs\", and at the start vertices {} and {} are in one place, so that the "
        "spring between them has no direction; move one of them, or take \"sheet\"",
        (*ends)[0], (*ends)[1]));
  refuse_in_bodies(cloth, x);
  refuse_in_surfaces(cloth, x);
  if (cloth.contact.self) refuse_in_itself(cloth, x);
  const Overstretched found = find_overstretched(cloth, x, 0.0);
  if (found.count > 0)
    throw InputError(
        fmt::format("fabric.strain_limit: at the start {} triangles are stretched by {:.3g} or more, "
                    "triangle {} by {:.3g}; "
                    "give another start, or a higher limit",
                    found.count, *cloth.material.strain_limit, found.triangle, found.stretch - 1));
}

DrapeOptions drape_options(const SimulatorOptions& options) {
  DrapeOptions how;
  how.sliding_time = options.dt;
  how.newton = options.newton;
  how.newton.tolerance = DrapeOptions().newton.tolerance;
  return how;
}

VecX draped(const ClothDescription& cloth, const VecX& x, DrapeOptions& how) {
  const Model model = build_model(cloth);
  DrapeResult result = drape(model, x, how, [](const DrapeResult&) {
    const pybind11::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    return true;
  });
  if (result.has_failed())
    throw InputError(
        fmt::format("drape: found True, but this cloth cannot be followed to its rest: after {} rounds "
                    "longer ones still fail, {}; "
                    "expected cloth, pins and bodies that a step can be solved with",
                    result.rounds, reason(result.end)));
  if (!result.is_settled)
    throw InputError(fmt::format(
        "drape: found True, but this cloth does not come to rest: after {} rounds forces of {:.2g} of its "
        "weight are left, and vertex {} is {:.3g} m from where it was; expected pins, bodies or friction "
        "that hold it, and no wind or pressure in which it flutters",
        result.rounds, result.residual, result.farthest_vertex, result.farthest));
  how.longest_round = result.longest_round;
  return std::move(result.x);
}

}  // namespace keydrape::python
