#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/material.h"
#include "io/key_rule.h"
#include "io/scene.h"

// Every key of the scene file, once: the reader (scene_reader.cpp) and the reference page (scene_reference.h)
// both walk this list. `visit_keys(key, table)` calls key(name, member, rule) for each key of a table, in the
// order of the page. The member of a table with default values is the default.

namespace keydrape::scene {

// ---- words that stand for a value
// ---------------------------------------------------------------------------------

template <class Value>
concept WordEnum = std::is_enum_v<Value>;

template <WordEnum Enum>
using Word = std::pair<std::string_view, Enum>;

constexpr auto words(UpAxis) {
  return std::array{Word<UpAxis>{"Y", UpAxis::kY}, Word<UpAxis>{"Z", UpAxis::kZ}};
}
constexpr auto words(RestShape) {
  return std::array{Word<RestShape>{"mesh", RestShape::kMesh}, Word<RestShape>{"uv", RestShape::kUv}};
}
constexpr auto words(BendingModel) {
  return std::array{Word<BendingModel>{"hinge", BendingModel::kHinge},
                    Word<BendingModel>{"quadratic", BendingModel::kQuadratic}};
}
constexpr auto words(SpringRest) {
  return std::array{Word<SpringRest>{"mesh", SpringRest::kMesh}, Word<SpringRest>{"zero", SpringRest::kZero}};
}
constexpr auto words(ControlMethod) {
  return std::array{Word<ControlMethod>{"gauss-newton", ControlMethod::kGaussNewton},
                    Word<ControlMethod>{"lbfgs", ControlMethod::kLbfgs}};
}
constexpr auto words(Gradient) {
  return std::array{Word<Gradient>{"exact", Gradient::kExact}, Word<Gradient>{"swapped", Gradient::kSwapped}};
}
constexpr auto words(Start) {
  return std::array{Word<Start>{"guided", Start::kGuided}, Word<Start>{"zero", Start::kZero}};
}
constexpr auto words(Hold) {
  return std::array{Word<Hold>{"frame", Hold::kFrame}, Word<Hold>{"step", Hold::kStep}};
}
constexpr auto words(Net) {
  return std::array{Word<Net>{"free", Net::kFree}, Word<Net>{"zero-impulse", Net::kZeroImpulse},
                    Word<Net>{"zero-force", Net::kZeroForce}};
}
constexpr auto words(LinearSolver) {
  return std::array{Word<LinearSolver>{"auto", LinearSolver::kAuto},
                    Word<LinearSolver>{"direct", LinearSolver::kDirect},
                    Word<LinearSolver>{"pcg", LinearSolver::kPcg}};
}
constexpr auto words(CacheFormat) {
  return std::array{
      Word<CacheFormat>{"pc2", CacheFormat::kPc2}, Word<CacheFormat>{"mdd", CacheFormat::kMdd},
      Word<CacheFormat>{"obj", CacheFormat::kObj}, Word<CacheFormat>{"ply", CacheFormat::kPly},
      Word<CacheFormat>{"npy", CacheFormat::kNpy}, Word<CacheFormat>{"usda", CacheFormat::kUsda},
      Word<CacheFormat>{"glb", CacheFormat::kGlb}, Word<CacheFormat>{"vtp", CacheFormat::kVtp}};
}

inline std::vector<std::string_view> material_names() {
  std::vector<std::string_view> names;
  for (const MaterialPreset& preset : material_presets()) names.push_back(preset.name);
  return names;
}

// ---- tables
// --------------------------------------------------------------------------------------------------

template <class Key>
void visit_keys(Key& key, Shot& t) {
  key("name", t.name,
      {.default_text = "name of the scene file", .meaning = "stands in the names of the outputs"});
  key("fps", t.fps, {.unit = "frames/s", .range = above(0), .meaning = "frame rate"});
  key("frames", t.frames,
      {.required = true, .meaning = "first and last frame; the cloth starts at the first"});
  key("substeps", t.substeps, {.range = at_least(1), .meaning = "time steps in a frame"});
  key("gravity", t.gravity,
      {.unit = "m/s^2",
       .default_text = "9.81 downwards along up_axis",
       .meaning = "acceleration of gravity"});
  key("meters_per_unit", t.meters_per_unit,
      {.unit = "m",
       .range = above(0),
       .meaning = "one unit of the mesh files and caches; numbers in this file are SI"});
  key("up_axis", t.up_axis, {.meaning = "axis of the mesh files that points up"});
}

template <class Key>
void visit_keys(Key& key, Material& t) {
  key("preset", t.preset,
      {.choices = material_names(), .meaning = "fabric whose numbers the keys below replace"});
  key("density", t.density,
      {.unit = "kg/m^2", .range = above(0), .default_text = "preset", .meaning = "mass per area"});
  key("stretch", t.stretch,
      {.unit = "N/m",
       .range = above(0),
       .default_text = "preset",
       .meaning = "stiffness along [warp, weft]"});
  key("shear", t.shear,
      {.unit = "N/m", .range = at_least(0), .default_text = "preset", .meaning = "stiffness against shear"});
  key("bend", t.bend,
      {.unit = "N m", .range = at_least(0), .default_text = "preset", .meaning = "plate rigidity"});
  key("damping", t.damping,
      {.unit = "s", .range = at_least(0), .default_text = "preset", .meaning = "viscosity over stiffness"});
  key("thickness", t.thickness,
      {.unit = "m", .range = above(0), .default_text = "preset", .meaning = "thickness of the fabric"});
  key("stretch_scale", t.stretch_scale,
      {.range = above(0), .meaning = "rest length along [warp, weft] over that of the rest shape"});
}

template <class Key>
void visit_keys(Key& key, Cloth& t) {
  key("rest", t.rest, {.required = true, .meaning = "mesh whose edges and angles are at rest"});
  key("initial", t.initial,
      {.default_text = "rest",
       .meaning = "mesh with the positions at the first frame, or a frame of a cache"});
  key("rest_shape", t.rest_shape,
      {.meaning = "what is at rest in the plane: the rest mesh, or its UV layout"});
  key("meters_per_uv", t.meters_per_uv,
      {.unit = "m",
       .range = above(0),
       .default_text = "such that UV layout and rest mesh have the same area",
       .meaning = "length of one UV unit with rest_shape = \"uv\""});
  key("warp", t.warp,
      {.direction = true,
       .default_text = "longest side of the bounding box",
       .meaning = "direction of the warp threads where the rest mesh has no UVs"});
  key("bending", t.bending,
      {.default_text = "quadratic where every hinge is flat at rest, else hinge",
       .meaning = "bending model"});
  key("material", t.material, {.meaning = "name of a preset, or a table of its own"});
}

template <class Key>
void visit_keys(Key& key, Wind& t) {
  key("velocity", t.velocity, {.unit = "m/s", .meaning = "velocity of the air"});
  key("air_density", t.air_density,
      {.unit = "kg/m^3", .range = at_least(0), .meaning = "mass per volume of the air"});
  key("drag", t.drag, {.range = at_least(0), .meaning = "coefficient of the force along the relative wind"});
  key("lift", t.lift, {.range = at_least(0), .meaning = "coefficient of the force across the relative wind"});
}

template <class Key>
void visit_keys(Key& key, Pin& t) {
  key("vertices", t.vertices,
      {.range = at_least(0), .meaning = "pinned vertices, counted from 0 (or group, or weights)"});
  key("group", t.group, {.meaning = "vertex group of the rest mesh (or vertices, or weights)"});
  key("weights", t.weights, {.meaning = "painted weights, one for each vertex (or vertices, or group)"});
  key("motion", t.motion,
      {.default_text = "static",
       .meaning = "cache of the pins' positions, one sample a frame, in any format that is read"});
  key("frames", t.frames,
      {.within_shot = true, .default_text = "the whole shot", .meaning = "when the pin holds"});
  key("stiffness", t.stiffness,
      {.unit = "N/m",
       .range = above(0),
       .default_text = "hard",
       .meaning = "of a soft pin; constant in time"});
  key("damping", t.damping,
      {.unit = "s", .range = at_least(0), .meaning = "of a soft pin: viscosity over stiffness"});
  key("axis", t.axis,
      {.direction = true, .default_text = "none", .meaning = "the vertices are free along this axis"});
  key("normal", t.normal,
      {.direction = true,
       .default_text = "none",
       .meaning = "the vertices are free in the plane with this normal"});
}

template <class Key>
void visit_keys(Key& key, Spring& t) {
  key("pairs", t.pairs, {.range = at_least(0), .meaning = "vertices to join, counted from 0 (or lines)"});
  key("lines", t.lines, {.meaning = "join the ends of the lines (OBJ l) of the rest mesh: seams (or pairs)"});
  key("stiffness", t.stiffness,
      {.unit = "N/m", .range = above(0), .required = true, .meaning = "of each spring"});
  key("rest", t.rest,
      {.default_text = "zero with lines, mesh with pairs",
       .meaning = "rest length: that in the rest mesh, or zero"});
  key("damping", t.damping, {.unit = "s", .range = at_least(0), .meaning = "viscosity over stiffness"});
}

template <class Key>
void visit_keys(Key& key, Sphere& t) {
  key("center", t.center, {.unit = "m", .required = true, .meaning = "center"});
  key("radius", t.radius, {.unit = "m", .range = above(0), .required = true, .meaning = "radius"});
}

template <class Key>
void visit_keys(Key& key, Plane& t) {
  key("point", t.point, {.unit = "m", .required = true, .meaning = "a point of the plane"});
  key("normal", t.normal, {.direction = true, .required = true, .meaning = "points to the cloth's side"});
}

template <class Key>
void visit_keys(Key& key, Capsule& t) {
  key("start", t.start, {.unit = "m", .required = true, .meaning = "one end of the axis"});
  key("end", t.end, {.unit = "m", .required = true, .meaning = "the other end of the axis"});
  key("radius", t.radius, {.unit = "m", .range = above(0), .required = true, .meaning = "radius"});
}

template <class Key>
void visit_keys(Key& key, Box& t) {
  key("min", t.min, {.unit = "m", .required = true, .meaning = "corner with the smallest coordinates"});
  key("max", t.max, {.unit = "m", .required = true, .meaning = "corner with the greatest coordinates"});
}

template <class Key>
void visit_keys(Key& key, Collider& t) {
  key("sphere", t.sphere, {.meaning = "shape (exactly one of six)"});
  key("plane", t.plane, {.meaning = "shape"});
  key("capsule", t.capsule, {.meaning = "shape"});
  key("box", t.box, {.meaning = "shape, along the axes"});
  key("mesh", t.mesh, {.meaning = "shape: closed triangle mesh"});
  key("vdb", t.vdb, {.meaning = "shape: OpenVDB level set"});
  key("motion", t.motion,
      {.default_text = "none",
       .meaning = "cache of a mesh that deforms: one sample a frame, from the shot's first on"});
  key("translate", t.translate, {.unit = "m", .meaning = "how far the body is moved, after it was turned"});
  key("rotate", t.rotate,
      {.unit = "degrees", .meaning = "how far it is turned about the x, then the y, then the z axis"});
  key("pivot", t.pivot,
      {.unit = "m", .default_text = "the middle of the shape", .meaning = "point about which it is turned"});
  key("voxel", t.voxel,
      {.unit = "m",
       .range = above(0),
       .default_text = "1/64 of the mesh's longest side",
       .meaning = "resolution of a mesh's distances"});
  key("friction", t.friction,
      {.range = at_least(0),
       .default_text = "that of [contact]",
       .meaning = "coefficient of friction with the cloth"});
  key("point_spacing", t.point_spacing,
      {.unit = "m",
       .range = above(0),
       .default_text = "by the shape",
       .meaning = "distance between the points of the cloth that are held off this body"});
}

template <class Key>
void visit_keys(Key& key, Contact& t) {
  key("thickness", t.thickness,
      {.unit = "m",
       .range = above(0),
       .default_text = "the material's",
       .meaning = "smallest distance between surfaces"});
  key("self", t.self, {.meaning = "whether the cloth collides with itself"});
  key("friction", t.friction, {.range = at_least(0), .meaning = "coefficient of friction"});
  key("activation", t.activation,
      {.unit = "m",
       .range = above(0),
       .default_text = "the thickness, or 1/20 of the mean edge",
       .meaning = "by how much the gap is wider than the smallest where contact begins to push"});
  key("stiffness", t.stiffness,
      {.unit = "J/m2",
       .range = above(0),
       .default_text = "10 density g activation",
       .meaning = "how hard contact pushes"});
  key("sliding_speed", t.sliding_speed,
      {.unit = "m/s", .range = above(0), .meaning = "up to which friction sticks"});
}

template <class Key>
void visit_keys(Key& key, Keyframe& t) {
  key("frame", t.frame, {.within_shot = true, .required = true, .meaning = "when the cloth has to be there"});
  key("mesh", t.mesh,
      {.required = true,
       .meaning = "mesh with the target positions, or a frame of a cache: \"cache.pc2@1030\""});
  key("weight", t.weight, {.range = at_least(0), .meaning = "weight of the positions in the goal"});
  key("velocity_weight", t.velocity_weight,
      {.range = at_least(0), .meaning = "weight of the velocities in the goal"});
  key("velocity", t.velocity,
      {.unit = "m/s", .meaning = "target velocity: one, or a .npy file with one per vertex"});
  key("group", t.group, {.default_text = "the whole cloth", .meaning = "vertex group that has a target"});
  key("weights", t.weights,
      {.default_text = "1 everywhere", .meaning = "painted weights (instead of group)"});
  key("tolerance", t.tolerance,
      {.unit = "m",
       .range = above(0),
       .default_text = "none; effort = \"auto\" then aims at 0.5 % of the cloth's size",
       .meaning = "allowed distance"});
}

template <class Key>
void visit_keys(Key& key, Control& t) {
  key("method", t.method, {.meaning = "optimiser"});
  key("gradient", t.gradient, {.meaning = "exact adjoint, or that of the older recipe for comparison"});
  key("start", t.start,
      {.meaning = "first guess: one run that is steered towards the keyframes, or no force at all"});
  key("hold", t.hold, {.meaning = "how long a control force stays constant"});
  key("effort", t.effort,
      {.range = at_least(0),
       .meaning = "weight of the control forces in the goal, or the least forces that meet the tolerances"});
  key("group", t.group,
      {.default_text = "the whole cloth", .meaning = "vertex group that control forces act on"});
  key("weights", t.weights,
      {.default_text = "1 everywhere", .meaning = "painted weights (instead of group)"});
  key("frames", t.frames,
      {.within_shot = true, .default_text = "the whole shot", .meaning = "when control forces act"});
  key("max_acceleration", t.max_acceleration,
      {.unit = "g",
       .range = above(0),
       .default_text = "no limit",
       .meaning = "limit of the control force over mass; constant in time"});
  key("max_forward_simulations", t.max_forward_simulations,
      {.range = at_least(1),
       .default_text = "12 for gauss-newton, 150 for lbfgs",
       .meaning = "budget of the optimiser"});
  key("smooth_time", t.smooth_time,
      {.range = at_least(0), .meaning = "weight of changes of the forces in time"});
  key("smooth_space", t.smooth_space,
      {.range = at_least(0), .meaning = "weight of changes of the forces along edges"});
  key("knots_every", t.knots_every,
      {.unit = "frames",
       .range = at_least(1),
       .default_text = "forces of each frame by themselves",
       .meaning = "forces follow cubic splines in time with a knot as often as this"});
  key("modes", t.modes,
      {.range = at_least(1),
       .default_text = "forces of each vertex by themselves",
       .meaning = "how many of the smoothest patterns over the cloth forces are made of"});
  key("net", t.net,
      {.meaning = "sum of all forces: as it comes, zero over the shot, or zero in every frame"});
  key("relative_to", t.relative_to,
      {.default_text = "no forces",
       .meaning =
           "forces.npy of an accepted take: forces come on top of it, and effort is measured against it"});
}

template <class Key>
void visit_keys(Key& key, Solver& t) {
  key("newton_tolerance", t.newton_tolerance,
      {.range = above(0), .meaning = "residual force over the cloth's weight at which a step has converged"});
  key("max_newton_iterations", t.max_newton_iterations,
      {.range = at_least(1), .meaning = "limit for one time step"});
  key("linear", t.linear, {.meaning = "solver of the linear systems"});
  key("memory_gb", t.memory_gb,
      {.unit = "GB", .range = above(0), .meaning = "memory for the stored trajectory"});
}

template <class Key>
void visit_keys(Key& key, Output& t) {
  key("dir", t.dir,
      {.default_text = "<scene>_out beside the scene file", .meaning = "folder of the results"});
  key("caches", t.caches, {.meaning = "formats in which the cloth is written"});
  key("every_step", t.every_step, {.meaning = "also write the state after each time step"});
}

template <class Key>
void visit_keys(Key& key, Scene& t) {
  key("shot", t.shot, {.required = true, .meaning = "frames, time steps and units"});
  key("cloth", t.cloth, {.required = true, .meaning = "the garment"});
  key("wind", t.wind, {.meaning = "the air"});
  key("pin", t.pins, {.meaning = "vertices that are held or moved"});
  key("spring", t.springs, {.meaning = "springs between vertices, seams"});
  key("collider", t.colliders, {.meaning = "a body that the cloth touches"});
  key("contact", t.contact, {.meaning = "contact of the cloth with colliders and itself"});
  key("keyframe", t.keyframes, {.meaning = "a shape that the cloth has to reach"});
  key("control", t.control, {.meaning = "the search for control forces"});
  key("solver", t.solver, {.meaning = "numerics of the time step"});
  key("output", t.output, {.meaning = "what is written, and where"});
}

// ---- the names alone
// ----------------------------------------------------------------------------------------------

// Visitor that collects the names of a table's keys.
struct KeyNames {
  std::vector<std::string_view> names;

  template <class Value>
  void operator()(std::string_view name, const Value&, const KeyRule&) {
    names.push_back(name);
  }
};

// A struct that stands for a table.
template <class Value>
concept TableStruct = requires(KeyNames& key, Value& table) {
  visit_keys(key, table);
};

}  // namespace keydrape::scene
