#include "io/shot_start.h"

#include <fmt/format.h>

#include <array>

#include "core/contact/self_contact.h"
#include "core/error.h"
#include "core/overlap.h"
#include "core/repair.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const scene::Collider& collider, const std::string& what) {
  throw InputError(fmt::format("{}: [[collider]]: {}", collider.source.where(), what));
}

std::string place(const SamplePoint& point) {
  const std::array<int, 3>& v = point.vertices;
  return point.count == 2 ? fmt::format("on edge ({}, {})", v[0], v[1])
                          : fmt::format("in the triangle ({}, {}, {})", v[0], v[1], v[2]);
}

void refuse_start_in_bodies(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const double gap = body_contact_law(cloth).barrier.thickness;
  const std::vector<BodyOverlap> overlaps = overlaps_with_bodies(cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const BodyOverlap& first = overlaps.front();
  const scene::Collider& collider = scene.colliders[cloth.bodies[first.body].number];
  if (first.vertex_count > 0)
    refuse(
        collider,
        fmt::format(
            "at the first frame {} vertices of the cloth are inside of this body or nearer to it than "
            "{:.3g} m, vertex {} by {:.3g} m; move the cloth ([cloth] initial) or the body, or set repair = "
            "true under [contact]",
            first.vertex_count, gap, first.deepest.vertices[0], first.depth));
  refuse(
      collider,
      fmt::format(
          "at the first frame this body reaches through the cloth, or nearer to it than {:.3g} m, at {} "
          "points between its vertices, by {:.3g} m {}; move the cloth ([cloth] initial) or the body, or set "
          "repair = true under [contact]",
          gap, first.between_count, first.depth, place(first.deepest)));
}

void refuse_start_in_itself(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::string where =
      fmt::format("{}: [contact] self: at the first frame ", scene.contact->source.where());
  const SelfOverlap overlap = overlap_with_itself(cloth, x, std::vector<char>(cloth.mesh.vertex_count(), 0));
  const Intersections& through = overlap.through;
  if (through.count > 0)
    throw InputError(fmt::format(
        "{}the cloth goes through itself in {} places, the first where the edge of vertices {} and {} passes "
        "through triangle {}, counted from 0; pull the layers apart in [cloth] initial, or set repair = true "
        "or self = "
        "false",
        where, through.count, through.first->edge[0], through.first->edge[1], through.first->face));
  if (overlap.close_count > 0)
    throw InputError(fmt::format(
        "{}layers of the cloth are nearer than its thickness of {:.3g} m in {} places; pull them apart in "
        "[cloth] initial, make thickness smaller, or set repair = true",
        where, self_contact_law(cloth).barrier.thickness, overlap.close_count));
}

// In how many places triangles are nearer than they may be.
int count_too_close(const ClothDescription& cloth, const VecX& x) {
  const VecX at_rest = VecX::Zero(x.size());
  const auto contact = make_self_contact(cloth, x);
  return SelfContactStep(*contact, {1.0, 0.0, x, at_rest}).count_violations(x);
}

// Triangles of held vertices may be in a body.
void refuse_start_in_surfaces(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::vector<char> is_held = held_vertices(cloth, 0.0);
  std::vector<Triangle> free;
  for (const Triangle& t : cloth.mesh.triangles)
    if (!is_held[t[0]] && !is_held[t[1]] && !is_held[t[2]]) free.push_back(t);
  for (const ClothSurface& surface : cloth.surfaces) {
    const int n = cloth.mesh.vertex_count();
    std::vector<Triangle> both = free;
    for (const auto& [i, j, k] : surface.mesh->triangles()) both.push_back({i + n, j + n, k + n});
    const VecX of_body = surface.mesh->at(0.0);
    VecX all(x.size() + of_body.size());
    all << x, of_body;
    const Intersections through = find_intersections(both, all, n);
    if (through.count > 0) {
      const EdgeThroughFace& first = *through.first;
      const bool is_cloth = first.edge[0] < n;
      const int vertex = is_cloth ? first.edge[0] : both[first.face][0];
      refuse(
          scene.colliders[surface.number],
          fmt::format("at the first frame the cloth goes through this body in {} places, the first near the "
                      "cloth's vertex {}, counted from 0; move the cloth ([cloth] initial) or the body",
                      through.count, vertex));
    }
    ClothDescription alone = cloth;
    alone.contact.self = false;
    alone.surfaces = {surface};
    if (const int close = count_too_close(alone, x))
      refuse(scene.colliders[surface.number],
             fmt::format(
                 "at the first frame the cloth is nearer to this body than {:.3g} m in {} places; move the "
                 "cloth ([cloth] initial) or the body",
                 body_contact_law(cloth).barrier.thickness, close));
  }
}

}  // namespace

void refuse_bad_start(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  refuse_start_in_bodies(scene, cloth, x);
  refuse_start_in_surfaces(scene, cloth, x);
  if (cloth.contact.self) refuse_start_in_itself(scene, cloth, x);
}

VecX repaired_start(const Scene& scene, const ClothDescription& cloth, const VecX& x,
                    ShotWarnings& warnings) {
  if (!scene.contact || !scene.contact->repair) return x;
  RepairResult repair = repair_start(cloth, x);
  const std::string where = fmt::format("{}: [contact] repair: ", scene.contact->source.where());
  if (!repair.is_clean) {
    try {
      refuse_bad_start(scene, cloth, x);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{}; repair = true was tried for {} passes and failed", error.what(), repair.passes));
    }
  }
  if (repair.passes > 0)
    warnings.push_back(fmt::format(
        "{}at the first frame the cloth was within a body, through itself or too near to it; it was moved to "
        "where it is not, vertex {} farthest, by {:.3g} m",
        where, repair.farthest_vertex, repair.displacement));
  return std::move(repair.x);
}

}  // namespace keydrape
