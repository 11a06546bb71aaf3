#include "io/shot/reach_json.h"

#include <nlohmann/json.hpp>

#include "io/shot/reach_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// A strain at a triangle, by the vertex that messages name.
Json place_json(const TriangleMesh& rest, const StrainPlace& place) {
  return {{"strain", place.strain}, {"vertex", rest.triangles[place.triangle][0]}};
}

Json taut_json(const TautPair& taut) {
  return {{"vertex", taut.vertex},
          {"other", taut.other},
          {"pinned", taut.is_held},
          {"distance_m", taut.distance},
          {"length_m", taut.length}};
}

Json way_json(const Shot& shot, const TargetWay& way) {
  Json json = {{"from_frame", way.from < 0 ? shot.clock.frames.first : shot.keyframes[way.from].frame},
               {"to_frame", shot.clock.frame_of_step(way.to_state)},
               {"time_s", way.time},
               {"rms_m", way.rms},
               {"speed_rms_m_s", way.speed},
               {"fastest_m_s", way.fastest},
               {"fastest_vertex", way.fastest_vertex}};
  if (way.acceleration) json["least_acceleration_g"] = *way.acceleration;
  return json;
}

Json held_json(const HeldElsewhere& held, const char* farthest, const char* rms) {
  return {{"count", held.count}, {"vertex", held.vertex}, {farthest, held.farthest}, {rms, held.rms}};
}

}  // namespace

Json strain_json(const TriangleMesh& rest, const StrainFigures& strain) {
  return {{"stretch", place_json(rest, strain.stretch)},
          {"squeeze", place_json(rest, strain.squeeze)},
          {"stretch_99", strain.stretch_99},
          {"squeeze_99", strain.squeeze_99},
          {"warp", strain.warp.strain},
          {"weft", strain.weft.strain},
          {"shear_rad", strain.shear.strain},
          {"felt_99", strain.felt_99},
          {"limit", strain.limit},
          {"area_beyond", strain.beyond}};
}

Json reach_json(const Shot& shot, std::size_t k) {
  const TargetReach& reach = shot.reach[k];
  Json json = {{"strained", is_strained(reach)}, {"free_vertices", reach.free_count}};
  if (reach.strain.area > 0.0) json["strain"] = strain_json(shot.rest(), reach.strain);
  if (reach.taut.vertex >= 0) json["taut"] = taut_json(reach.taut);
  if (reach.has_shape && reach.way.fastest_vertex >= 0) json["way"] = way_json(shot, reach.way);
  if (reach.has_shape) json["in_bodies"] = reach.body_places();
  if (reach.itself) json["in_itself"] = reach.itself->through.count + reach.itself->close.count;
  if (reach.held.vertex >= 0) json["pinned_elsewhere"] = held_json(reach.held, "farthest_m", "rms_m");
  if (reach.held_velocity.vertex >= 0)
    json["pinned_velocities"] = held_json(reach.held_velocity, "farthest_m_s", "rms_m_s");
  return json;
}

}  // namespace keydrape
