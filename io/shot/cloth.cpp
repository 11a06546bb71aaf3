#include "io/shot/cloth.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "core/base/error.h"
#include "core/cloth/cloth.h"
#include "core/cloth/spring_fabric.h"
#include "core/mesh/topology.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/scene/key_default.h"
#include "io/shot/contact.h"
#include "io/shot/left_behind.h"
#include "io/shot/material.h"
#include "io/shot/moving_frame.h"
#include "io/shot/pins.h"
#include "io/shot/selection.h"

namespace keydrape {
VecX read_initial(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings) {
  if (!scene.cloth.initial.mesh) return stacked(rest.positions);
  const scene::FilePath& file = *scene.cloth.initial.mesh;
  VecX initial = read_pose(scene, file, "[cloth] initial", rest, warnings);
  TriangleMesh posed = rest;
  for (int i = 0; i < rest.vertex_count(); ++i) posed.positions[i] = initial.segment<3>(3 * i);
  if (const auto defect = find_mesh_defect(posed, build_topology(posed.triangles, posed.vertex_count()))) {
    throw InputError(
        fmt::format("{}: [cloth] initial: {}: {}", file.source.where(), file.value.string(), *defect));
  }
  return initial;
}

namespace {

// Throws InputError where an edge is none between two triangles, or a group holds none.
Crease read_crease(const scene::Crease& table, const ShotClock& clock, const TriangleMesh& rest,
                   const Topology& topology) {
  std::set<Edge> inner;
  for (const Hinge& hinge : topology.hinges) inner.insert(edge_of(hinge));
  Crease crease;
  constexpr double kDegree = std::numbers::pi / 180;
  Keyed<double> angle = table.angle;
  for (auto& [frame, degrees] : angle.keys) degrees *= kDegree;
  crease.angle = angle.over_time(clock.frames.first, clock.fps);
  crease.stiffness = table.stiffness;
  if (table.edges) {
    for (const Edge& pair : table.edges->value) {
      const Edge edge{std::min(pair[0], pair[1]), std::max(pair[0], pair[1])};
      if (!inner.contains(edge))
        throw InputError(fmt::format(
            "{}: [[crease]] edges: found vertices {} and {}; expected an edge of the rest mesh with two "
            "triangles beside it; count vertices from 0",
            table.edges->source.where(), pair[0], pair[1]));
      crease.edges.push_back(edge);
    }
    return crease;
  }
  const VertexSelection group = select_group(rest, *table.group);
  const auto is_in = [&](int v) {
    return std::binary_search(group.vertices.begin(), group.vertices.end(), v);
  };
  for (const Edge& edge : inner)
    if (is_in(edge[0]) && is_in(edge[1])) crease.edges.push_back(edge);
  if (crease.edges.empty())
    throw InputError(fmt::format(
        "{}: [[crease]] group: found no edge between two of the {} vertices of {}, with two triangles beside "
        "it; expected the vertices along the crease, one after the other",
        table.source.where(), group.vertices.size(), printable(table.group->value)));
  return crease;
}

bool is_same(const Keyed<double>& a, const Keyed<double>& b) {
  return a.is_constant() && b.is_constant() ? a.keys[0].second == b.keys[0].second : a.keys == b.keys;
}

// Throws InputError for a model of bending that knows no creases.
std::vector<Crease> read_creases(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest) {
  std::vector<Crease> creases;
  if (scene.creases.empty()) return creases;
  const auto bending = scene.cloth.bending.value_or(BendingModel::kHinge);
  if (bending != BendingModel::kHinge)
    throw InputError(
        fmt::format("{}: [[crease]]: found [cloth] bending = {}, which knows no "
                    "creases; leave bending out, or set it to \"hinge\"",
                    scene.creases.front().source.where(), toml_text(bending)));
  const Topology topology = build_topology(rest.triangles, rest.vertex_count());
  std::map<Edge, const scene::Crease*> table_of;
  for (const scene::Crease& table : scene.creases) {
    creases.push_back(read_crease(table, clock, rest, topology));
    for (const Edge& edge : creases.back().edges) {
      const scene::Crease& first = *table_of.insert({edge, &table}).first->second;
      if (is_same(first.angle, table.angle) && first.stiffness == table.stiffness) continue;
      throw InputError(fmt::format(
          "{}: [[crease]]: found the edge of vertices {} and {}, whose angle or stiffness is another in the "
          "[[crease]] of {}; expected one of each for an edge; leave it out of one of the two",
          table.source.where(), edge[0], edge[1], first.source.where()));
    }
  }
  return creases;
}

// Texture coordinates tell the warp before the scene does. Throws InputError where they tell all of it.
void warn_of_mapped_warp(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings) {
  if (!scene.cloth.warp || !rest.has_uvs()) return;
  const std::string where = fmt::format("{}: [cloth] warp: ", scene.cloth.source.where());
  const std::vector<int> unmapped = find_unmapped(rest);
  if (unmapped.empty())
    throw InputError(fmt::format(
        "{}found one, which has no effect beside the texture coordinates of {}: the warp runs as u grows; "
        "leave it out, or turn the UVs, or export the mesh without them",
        where, scene.cloth.rest.value.string()));
  warnings.push_back(fmt::format(
      "{}it holds for {} of {} triangles alone, the first of them triangle {}, counted from 0: those without "
      "area in texture coordinates; elsewhere the warp runs as u grows",
      where, unmapped.size(), rest.triangle_count(), unmapped.front()));
}

// A garment has a few such triangles, say on its shoulders.
void warn_of_warp_across(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings) {
  constexpr double kMany = 0.1;
  if (!scene.cloth.warp || rest.has_uvs()) return;
  const std::vector<int> across = find_across(rest, *scene.cloth.warp);
  if (!(static_cast<double>(across.size()) > kMany * rest.triangle_count())) return;
  warnings.push_back(
      fmt::format("{}: [cloth] warp: {} of {} triangles stand across it, the first of them triangle {}, "
                  "counted from 0, and "
                  "take the longest side of the bounding box that lies in them instead; choose a direction "
                  "along the cloth, "
                  "or give the mesh texture coordinates",
                  scene.cloth.source.where(), across.size(), rest.triangle_count(), across.front()));
}

bool is_zero_throughout(const Keyed<double>& number) {
  return std::all_of(number.keys.begin(), number.keys.end(),
                     [](const auto& key) { return key.second == 0.0; });
}

// A wedge of the coefficients may well begin at 0, so that it is none to refuse.
void warn_of_idle_wind(const scene::Wind& wind, ShotWarnings& warnings) {
  const bool has_air = !is_zero_throughout(wind.air_density);
  if (has_air && !(is_zero_throughout(wind.drag) && is_zero_throughout(wind.lift))) return;
  warnings.push_back(fmt::format("{}: [wind]: it has no effect with {}; expected {}, or no [wind]",
                                 wind.source.where(), has_air ? "drag and lift of 0" : "an air_density of 0",
                                 has_air ? "one of them above 0" : "one above 0"));
}

// The poses that stand for surfaces at the search's start are bent by creases all the same.
void warn_of_idle_creases(const Scene& scene, const Material& material, ShotWarnings& warnings) {
  if (scene.creases.empty() || material.bend > 0.0 || material.bend_hysteresis > 0.0) return;
  warnings.push_back(fmt::format(
      "{}: [[crease]]: cloth with a bend of 0 in [cloth.material] resists no fold, and keeps none either; "
      "expected a bend above 0, or no [[crease]]",
      scene.creases.front().source.where()));
}

void warn_of_idle_poisson(const scene::Cloth& cloth, ShotWarnings& warnings) {
  if (cloth.model != ClothModel::kSprings || !cloth.material.poisson) return;
  warnings.push_back(
      fmt::format("{}: [cloth.material] poisson: found {}, without effect: springs along edges have {:.2g}, "
                  "whatever they are asked for; leave it out",
                  cloth.material.source.where(), *cloth.material.poisson, kPoissonOfSprings));
}

// What is built of the cloth; what that refuses, with its place in the scene.
template <class Build>
auto named_by_scene(const Scene& scene, const Build& build) {
  try {
    return build();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: [cloth]: {}: {}", scene.cloth.source.where(),
                                 scene.cloth.rest.value.string(), error.what()));
  }
}

}  // namespace

ClothDescription describe_cloth(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                const VecX& initial, ShotWarnings& warnings) {
  const int first = clock.frames.first;
  const double fps = clock.fps;
  ClothDescription cloth;
  cloth.mesh = rest;
  cloth.rest.source = scene.cloth.rest_shape;
  cloth.rest.meters_per_uv = scene.cloth.meters_per_uv;
  cloth.rest.warp = scene.cloth.warp;
  warn_of_mapped_warp(scene, rest, warnings);
  warn_of_warp_across(scene, rest, warnings);
  cloth.material = read_material(scene.cloth.material);
  warn_of_idle_poisson(scene.cloth, warnings);
  cloth.stretch_scale = scene.cloth.material.stretch_scale.over_time(first, fps);
  cloth.bending = scene.cloth.bending;
  cloth.model = scene.cloth.model;
  cloth.gravity = scene.shot.gravity.over_time(first, fps);
  if (scene.wind.source.line > 0) {
    warn_of_idle_wind(scene.wind, warnings);
    cloth.wind =
        Wind::Shared{scene.wind.velocity.over_time(first, fps), scene.wind.air_density.over_time(first, fps),
                     scene.wind.drag.over_time(first, fps), scene.wind.lift.over_time(first, fps)};
  }
  if (scene.cloth.pressure) cloth.pressure = Pressure::Shared{scene.cloth.pressure->over_time(first, fps)};
  ShotPins pins = read_pins(scene, clock, rest, initial, warnings);
  cloth.pins = std::move(pins.hard);
  cloth.soft_pins = std::move(pins.soft);
  cloth.springs = make_springs(scene, rest, initial);
  cloth.creases = read_creases(scene, clock, rest);
  warn_of_idle_creases(scene, cloth.material, warnings);
  read_contact(scene, clock, cloth, warnings);
  cloth.edge_limit = scene.solver.max_edge_stretch;
  cloth.frame = read_moving_frame(scene, clock, cloth.bodies);
  warn_of_pins_left_behind(scene, cloth, warnings);
  warn_of_bodies_that_leave(scene, clock, cloth, initial, warnings);
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

void check_start_springs(const Scene& scene, const ClothDescription& cloth, const VecX& initial) {
  const auto ends = named_by_scene(scene, [&] { return spring_without_direction(cloth, initial); });
  if (!ends) return;
  throw InputError(
      fmt::format("{}: [cloth] initial: vertices {} and {} are in one place at the first frame, and the "
                  "fabric's spring between them has no direction; move one of them, or take model = "
                  "\"sheet\"",
                  scene.cloth.source.where(), (*ends)[0], (*ends)[1]));
}

std::unique_ptr<Model> make_model(const Scene& scene, const ClothDescription& cloth) {
  return named_by_scene(scene, [&] { return std::make_unique<Model>(build_model(cloth)); });
}

}  // namespace keydrape
