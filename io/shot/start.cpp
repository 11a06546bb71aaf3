#include "io/shot/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/inspect/contact_summary.h"
#include "core/inspect/overlap.h"
#include "core/inspect/repair.h"
#include "io/file/counted.h"
#include "io/file/interrupt.h"
#include "io/file/short_number.h"
#include "io/shot/body/body_mesh.h"
#include "io/shot/body/body_motion.h"
#include "io/shot/body/level_set.h"
#include "io/shot/cloth.h"
#include "io/shot/contact.h"
#include "io/shot/overlap_text.h"

namespace keydrape {
namespace {

// What is not advised to whom has done it.
std::string_view unless_repaired(const Scene& scene, std::string_view advice) {
  return scene.contact && scene.contact->repair ? "" : advice;
}

constexpr std::string_view kRepairOfBodies = ", or set repair = true under [contact]",
                           kRepairOfLayers = ", or set repair = true",
                           kRepairOfTangles =
                               "; repair = true tries to draw the cloth out of itself, which takes long and "
                               "may fail where it is in many places";

std::string place(const SamplePoint& point) {
  const std::array<int, 3>& v = point.vertices;
  return point.count == 2 ? fmt::format("on edge ({}, {})", v[0], v[1])
                          : fmt::format("in the triangle ({}, {}, {})", v[0], v[1], v[2]);
}

// Whether it may be the grid that is in the cloth, and not the mesh.
std::string doubt_about_level_set(const Scene& scene, const scene::Collider& collider,
                                  const ClothDescription& cloth, const VolumeBody& body) {
  if (collider.kind != scene::ColliderKind::kMesh) return "";
  ShotWarnings known;  // read_contact has said them
  const TriangleMesh mesh = read_body_mesh(scene, collider, known);
  const ShotClock clock{scene.shot.frames, scene.shot.fps, scene.shot.substeps};
  const VecX first = collider.motion ? read_body_motion(scene, collider, clock, mesh, known).samples.front()
                                     : stacked(mesh.positions);
  const double voxel = level_set_options(collider, mesh, body_contact_law(cloth)).voxel;
  const std::string doubt = describe_stand_out(*body.collider, mesh, first, voxel, cloth);
  return doubt.empty() ? "" : "; " + doubt;
}

void check_start_in_bodies(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  // A drape minimises, with gaps that the steps after it may not keep.
  const bool is_draped = scene.cloth.initial.is_drape || scene.cloth.initial.is_to_drape;
  const std::vector<BodyOverlap> overlaps =
      overlaps_with_bodies(is_draped ? minimised(cloth) : cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const std::string when = is_draped ? "at the first frame, where its drape begins," : "at the first frame";
  const BodyOverlap& first = overlaps.front();
  const scene::Collider& collider = scene.colliders[cloth.bodies[first.body].number];
  const std::string doubt = doubt_about_level_set(scene, collider, cloth, cloth.bodies[first.body]);
  if (first.vertex_count > 0)
    refuse_collider(
        collider,
        fmt::format("{} {} of the cloth {} {}, vertex {} by {} m; move the cloth ([cloth] initial) or the "
                    "body{}{}",
                    when, counted(first.vertex_count, "vertex", "vertices"),
                    first.vertex_count == 1 ? "is" : "are", too_near_text(first), first.deepest.vertices[0],
                    short_number(first.depth), unless_repaired(scene, kRepairOfBodies), doubt));
  refuse_collider(
      collider,
      fmt::format(
          "{} {} between the cloth's vertices {} {}, by {} m {}; move the cloth ([cloth] initial) or the "
          "body{}{}",
          when, counted(first.between_count, "point", "points"), first.between_count == 1 ? "is" : "are",
          too_near_text(first), short_number(first.depth), place(first.deepest),
          unless_repaired(scene, kRepairOfBodies), doubt));
}

void check_start_in_itself(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::string where =
      fmt::format("{}: [contact] self: at the first frame ", scene.contact->source.where());
  const SelfOverlap overlap = overlap_with_itself(cloth, x, std::vector<char>(cloth.mesh.vertex_count(), 0));
  const Intersections& through = overlap.through;
  if (through.count > 0)
    throw InputError(fmt::format(
        "{}the cloth goes through itself in {}, the first where the edge of vertices {} and {} passes "
        "through triangle {}, counted from 0; pull the layers apart in [cloth] initial, or set {}self = "
        "false{}",
        where, counted(through.count, "place"), through.first->edge[0], through.first->edge[1],
        through.first->face,
        cloth.contact.method == ContactMethod::kBarrier
            ? "start_crossings = \"exempt\", which lets them pass until they are apart, or "
            : "",
        unless_repaired(scene, kRepairOfTangles)));
  if (overlap.close.count > 0)
    throw InputError(where + close_text(overlap.close, cloth, unless_repaired(scene, kRepairOfLayers)));
}

// Triangles of held vertices may be in a body.
void check_start_in_surfaces(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::vector<SurfaceOverlap> overlaps =
      overlaps_with_surfaces(cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const SurfaceOverlap& first = overlaps.front();
  const scene::Collider& collider = scene.colliders[cloth.surfaces[first.surface].number];
  if (first.cut_count > 0)
    refuse_collider(
        collider,
        fmt::format("at the first frame the cloth goes through this body in {}, the first near the "
                    "cloth's vertex {}, counted from 0; move the cloth ([cloth] initial) or the body",
                    counted(first.cut_count, "place"), first.cut_vertex));
  refuse_collider(
      collider,
      fmt::format("at the first frame the cloth is nearer to this body than {} m in {}, {}; move "
                  "the cloth ([cloth] initial) or the body{}",
                  short_number(body_contact_law(cloth).barrier.thickness),
                  counted(first.close.count, "place"), nearest_text(first.close, cloth.mesh.vertex_count()),
                  unless_repaired(scene, kRepairOfBodies)));
}

}  // namespace

void check_start(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  check_start_in_bodies(scene, cloth, x);
  check_start_in_surfaces(scene, cloth, x);
  if (cloth.contact.self && !cloth.contact.exempt_start) check_start_in_itself(scene, cloth, x);
}

VecX repaired_start(const Scene& scene, const ClothDescription& cloth, const VecX& x,
                    ShotWarnings& warnings) {
  if (!scene.contact || !scene.contact->repair) return x;
  RepairResult repair = repair_start(cloth, x);
  const std::string where = fmt::format("{}: [contact] repair: ", scene.contact->source.where());
  // What is exempt may stay; the rest is refused.
  if (!repair.is_clean && cloth.contact.exempt_start && !repair.is_apart) {
    warnings.push_back(
        fmt::format("{}it was tried for {} passes and {} steps and failed; the cloth begins as it is", where,
                    repair.passes, repair.steps));
    return x;
  }
  const bool is_drawn_out = repair.is_apart && repair.steps > 0;
  if (!repair.is_clean && !cloth.contact.exempt_start) {
    try {
      check_start(scene, cloth, is_drawn_out ? repair.x : x);
    } catch (const InputError& error) {
      if (is_drawn_out)
        throw InputError(fmt::format(
            "{}; repair = true has drawn the cloth out of itself, but cannot mend this{}", error.what(),
            cloth.contact.method == ContactMethod::kBarrier
                ? "; with start_crossings = \"exempt\" beside it layers that are too near keep a "
                  "smaller gap"
                : ""));
      throw InputError(repair.is_beyond
                           ? fmt::format("{}; repair = true cannot mend this", error.what())
                           : fmt::format("{}; repair = true was tried for {} passes and {} steps, and failed",
                                         error.what(), repair.passes, repair.steps));
    }
  }
  if (repair.passes + repair.steps > 0)
    warnings.push_back(fmt::format(
        "{}at the first frame the cloth was within a body, through itself or too near to it; it was moved to "
        "where it is not{}, vertex {} farthest, by {} m",
        where, repair.is_clean ? "" : ", but for layers nearer than its thickness", repair.farthest_vertex,
        short_number(repair.displacement)));
  return std::move(repair.x);
}

ExemptionsPointer exempt_start(const Scene& scene, const ClothDescription& cloth, const VecX& x,
                               ShotWarnings& warnings) {
  ExemptionsPointer exempt = start_exemptions(cloth, x);
  if (!exempt) return exempt;
  const Intersections through = find_intersections(cloth.mesh.triangles, x);
  std::string found;
  if (through.first)
    found = fmt::format(
        "the cloth goes through itself in {} along {}, the first where the edge of vertices {} and "
        "{} passes through triangle {}, counted from 0; what crosses there does not collide until it has "
        "come "
        "apart",
        counted(through.count, "place"), counted(exempt->crossing().size(), "curve"), through.first->edge[0],
        through.first->edge[1], through.first->face);
  if (exempt->near_pair_count() > 0)
    found += fmt::format(
        "{}{} pairs are no farther apart than its thickness; these keep less, as long as they come no "
        "farther apart",
        found.empty() ? "" : "; ", exempt->near_pair_count());
  warnings.push_back(fmt::format("{}: [contact] start_crossings: at the first frame {}",
                                 scene.contact->source.where(), found));
  return exempt;
}

void warn_of_thrown_start(const Scene& scene, const PreparedTask& prepared, ShotWarnings& warnings) {
  // Of the cloth's size: what it would rise by; and what its energy would lift it by, were none dissipated.
  constexpr double kSeen = 0.01, kStored = 0.1;
  constexpr double kThrown = 2.0;  // of its weight: forces with which it is not at rest
  const Task& task = prepared.task;
  if (scene.cloth.initial.is_to_drape) return;  // this does what would be advised
  PairSearch search;
  const double mass = prepared.model->vertex_mass().sum(),
               energy = contact_energy(*prepared.model, task.start, 0.0, search);
  if (!(energy > kStored * task.length() * mass * kStandardGravity)) return;
  const double range = surface_contact_law(task.cloth).barrier.range(),
               distance = contact_summary(*prepared.model, task.start, 0.0, search).least_distance;
  // No step sees a push beyond the range.
  const double speed = std::min(std::sqrt(2.0 * energy / mass), (range - distance) / task.grid.dt());
  if (!(speed * speed > 2.0 * kSeen * task.length() * kStandardGravity)) return;
  DrapeOptions at;
  at.sliding_time = task.grid.dt();
  if (!(forces_at_rest(*prepared.model, task.start, at) > kThrown)) return;
  warnings.push_back(fmt::format(
      "{}: [cloth] initial: the cloth begins so near to a body or itself, {} m, that contact throws it off, "
      "at "
      "some {} m/s; expected a start at rest, \"drape\" or a mesh that keydrape drape writes, or one {} m "
      "away, "
      "where nothing pushes",
      scene.cloth.source.where(), short_number(distance, 2), short_number(speed, 2), short_number(range, 2)));
}

DrapeOptions drape_options(const Scene& scene, const ShotClock& clock) {
  DrapeOptions options;
  options.sliding_time = clock.dt();
  options.newton.max_iterations = scene.solver.max_newton_iterations;
  options.newton.linear = scene.solver.linear;
  return options;
}

VecX draped_start(const Scene& scene, const ClothDescription& cloth, const VecX& x, DrapeOptions& how) {
  DrapeOptions options = how;
  options.exempt = start_exemptions(cloth, x);
  DrapeResult result = drape(*make_model(scene, minimised(cloth)), x, options,
                             [](const DrapeResult&) { return !interrupt_requested(); });
  if (interrupt_requested()) throw Interrupted{};
  if (result.has_failed())
    throw InputError(fmt::format(
        "{}: [cloth] initial: found \"drape\", but this cloth cannot be followed to its rest: after {} "
        "rounds longer ones still fail, {}; expected cloth, pins and bodies that a step can be solved "
        "with, see keydrape info MESH; raise max_newton_iterations in [solver], let a simulation "
        "drape it, or name a mesh",
        scene.cloth.initial.position.where(), result.rounds, reason(result.end)));
  if (!result.is_settled)
    throw InputError(
        fmt::format("{}: [cloth] initial: found \"drape\", but this cloth does not come to rest: after {} "
                    "rounds forces of {} of its weight are left, and vertex {} is {} m from where it was; "
                    "expected pins, bodies or friction that hold it, and no wind or pressure in which it "
                    "flutters; mend that, let a simulation drape it, or name a mesh",
                    scene.cloth.initial.position.where(), result.rounds, short_number(result.residual, 2),
                    result.farthest_vertex, short_number(result.farthest)));
  how.longest_round = result.longest_round;
  return std::move(result.x);
}

void check_draped_anew(const Scene& scene, const PreparedTask& prepared) {
  const Channels* channels = prepared.channels.get();
  if (!channels || !prepared.task.drape) return;
  const ClothVariant variant = channels->variant(channels->values(VecX::Zero(channels->size())));
  if (!variant.has_start())
    throw InputError(fmt::format(
        "{}: [cloth] initial: found \"drape\", but cloth that a channel changes comes to rest anew, and this "
        "one does not: it flutters, and forces of {:.2g} of its weight are left; expected cloth that hangs "
        "still; lessen wind or pressure, name a mesh (keydrape drape writes one), or leave those channels "
        "out",
        scene.cloth.initial.position.where(), variant.drape->residual));
}

}  // namespace keydrape
