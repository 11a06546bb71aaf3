#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/scene/key_rule.h"
#include "io/scene/scene.h"
#include "io/scene/scene_body_keys.h"
#include "io/scene/scene_channel_keys.h"
#include "io/scene/scene_control_keys.h"
#include "io/scene/scene_material_keys.h"
#include "io/scene/scene_words.h"

// Every key of the scene file, once: the reader (scene_reader.cpp), the reference (scene_reference.h:
// explain, reference page, man page, completion) and the schema (scene_schema.h) all walk this list.
// `visit_keys(key, table)` calls key(name, member, rule) for each key of a table, in the order of the page.
// The member of a table with default values is the default; the rule's range is the one that is enforced.

namespace keydrape::scene {

template <class Key>
void visit_keys(Key& key, Shot& t) {
  key("name", t.name,
      {.default_text = "name of the scene file",
       .meaning = "stands in the names of the outputs",
       .when = "two scenes write into one folder, or the file's name says too little"});
  key("fps", t.fps,
      {.unit = "frames/s",
       .range = above(0),
       .usual = {1, 1000, "frames in a second, not seconds of a frame"},
       .meaning = "frame rate",
       .when = "the shot is not at film rate"});
  key("frames", t.frames,
      {.required = true, .meaning = "first and last frame; the cloth starts at the first"});
  key("substeps", t.substeps,
      {.range = at_least(1),
       .usual = {1, 200, "steps of some milliseconds are small enough for cloth"},
       .meaning = "time steps in a frame",
       .when = "raise it for fast motion, thin gaps, stiff thin cloth or steps that do not converge; time "
               "grows with it"});
  key("gravity", t.gravity,
      {.unit = "m/s^2",
       .usual = {0, 100, "metres, not centimetres: [0, -9.81, 0]"},
       .default_text = "9.81 downwards along up_axis",
       .meaning = "acceleration of gravity",
       .when = "to underwater or another planet, or animate it for a moving set"});
  key("meters_per_unit", t.meters_per_unit,
      {.unit = "m",
       .range = above(0),
       .usual = {1e-4, 100, "0.01 for centimetres, 0.001 for millimetres"},
       .meaning = "one unit of the mesh files and caches; numbers in this file are SI",
       .when = "the meshes are in centimetres (0.01) or another unit"});
  key("up_axis", t.up_axis,
      {.meaning = "axis of the mesh files that points up",
       .when = "the meshes come from Blender or another program with Z up"});
}

template <class Key>
void visit_keys(Key& key, Cloth& t) {
  key("rest", t.rest, {.required = true, .meaning = "mesh whose edges and angles are at rest"});
  key("initial", t.initial,
      {.default_text = "rest",
       .meaning = "mesh with the positions at the first frame, or a frame of a cache; \"drape\": where the "
                  "rest mesh comes to rest, with pins, bodies and wind as they are at the first frame",
       .when = "the shot does not begin in the rest shape; \"drape\": cloth is to hang from the start, and "
               "not to fall into place first"});
  key("rest_shape", t.rest_shape,
      {.meaning = "what is at rest in the plane: the rest mesh, or its UV layout",
       .when = "garments whose UVs are their flat panels"});
  key("meters_per_uv", t.meters_per_uv,
      {.unit = "m",
       .range = above(0),
       .default_text = "such that UV layout and rest mesh have the same area",
       .meaning = "length of one UV unit with rest_shape = \"uv\"",
       .when = "the UV layout was scaled on its own"});
  key("warp", t.warp,
      {.direction = true,
       .default_text = "longest side of the bounding box",
       .meaning = "direction of the warp threads where the rest mesh has no UVs",
       .when = "the fabric differs along warp and weft, and the mesh has no UVs"});
  key("bending", t.bending,
      {.default_text = "hinge where cloth is curved or creased at rest; else quadratic, or vertex where "
                       "hinges would be stiffer in one direction than in another",
       .meaning = "bending model: at edges, by any angle or by less than a fold; at vertices: alike in all "
                  "directions, on any mesh",
       .when = "compare models, keep hinges where the rest shape is flat by chance, or have bending right to "
               "a per cent: with vertex, in steps up to two fifths longer"});
  key("model", t.model,
      {.meaning =
           "what the fabric is made of: triangles and hinges, or springs along its edges and across its "
           "hinges, which know no shear or compression of their own, no coupling, curves, creases or limits",
       .when = "compare with programs that have springs: then the drape changes with the triangulation"});
  key("pressure", t.pressure,
      {.unit = "Pa",
       .usual = {-1e5, 1e5, "a cushion has 100 to 1000, a balloon 3000; cloth of 100 g/m^2 weighs 1"},
       .default_text = "none",
       .meaning = "how much more the air presses on the side that the triangles' normals point away from",
       .when = "cushions, balloons, sails and puffed sleeves; animate it to inflate them"});
  key("material", t.material,
      {.meaning = "name of a preset, or a table of its own",
       .when = "always: it is the fabric's whole character"});
}

template <class Key>
void visit_keys(Key& key, Wind& t) {
  key("velocity", t.velocity,
      {.unit = "m/s",
       .usual = {0, 100, "a hurricane blows at 60"},
       .meaning = "velocity of the air",
       .when = "there is wind; animate it for gusts"});
  key("air_density", t.air_density,
      {.unit = "kg/m^3",
       .range = at_least(0),
       .meaning = "mass per volume of the air",
       .when = "another medium than air at sea level"});
  key("drag", t.drag,
      {.range = at_least(0),
       .usual = {0, 100, "1 is that of a flat plate"},
       .meaning = "coefficient of the force along the relative wind",
       .when = "raise it for cloth that follows the air more, lower it for less"});
  key("lift", t.lift,
      {.range = at_least(0),
       .usual = {0, 5, "1 is that of a flat plate"},
       .meaning = "coefficient of the force across the relative wind",
       .when = "raise it for flutter and for sheets that plane"});
}

template <class Key>
void visit_keys(Key& key, MovingFrame& t) {
  key("collider", t.collider,
      {.range = at_least(0),
       .meaning =
           "the frame moves as this [[collider]], counted from 0 in this file, one that deforms as the "
           "rigid motion that is nearest to its own: from frame to frame straight, as its vertices and those "
           "of pins with motion, but for turns, which go round where they cut across (or translate, rotate)",
       .when = "the cloth is worn by a body that runs, jumps or turns fast"});
  key("translate", t.translate,
      {.unit = "m",
       .meaning = "how far the frame is moved, after it was turned; smoothly from frame to frame, where pins "
                  "with motion go straight",
       .when = "nothing in the scene moves as the frame does"});
  key("rotate", t.rotate,
      {.unit = "degrees",
       .meaning =
           "how far it is turned about the x, then the y, then the z axis; evenly between keys, however far",
       .when = "as translate"});
  key("pivot", t.pivot,
      {.unit = "m",
       .default_text = "the origin",
       .meaning = "point about which it is turned; only with rotate",
       .when = "the frame turns about a joint"});
  key("inertia", t.inertia,
      {.range = {.low = 0, .high = 1},
       .meaning =
           "share of the frame's motion that the cloth is carried along with and does not feel: at 0 it "
           "feels all of it, at 1 it hangs as on a body that stands still",
       .when = "cloth trails or flies off a fast body: 0.5 leaves half of it"});
  key("air", t.air,
      {.range = {.low = 0, .high = 1},
       .meaning = "share of the frame's motion that the air of [wind] is carried along with: at 0 the cloth "
                  "feels the wind of its own way",
       .when = "the body is to feel the wind of its way: 0"});
}

template <class Key>
void visit_keys(Key& key, Pin& t) {
  key("vertices", t.vertices,
      {.range = at_least(0), .meaning = "pinned vertices, counted from 0 (or group, or weights)"});
  key("group", t.group,
      {.meaning =
           "vertex group of the rest mesh: in its OBJ file a line \"g NAME\" with the faces below it, or "
           "with points, \"p 1 2 3\" (or vertices, or weights)"});
  key("weights", t.weights,
      {.meaning = "painted weights (or vertices, or group): a text file with a line \"vertex weight\" each, "
                  "counted from 0, others 0, or a weight in each line, or .npy; from 0 to 1. "
                  "Without stiffness all with weight are held alike"});
  key("motion", t.motion,
      {.default_text = "static: where the vertices are at the shot's first frame",
       .meaning = "cache of the pins' positions, one sample a frame, in any format that is read; they go "
                  "straight from sample to sample",
       .when = "what holds the cloth moves"});
  key("frames", t.frames,
      {.within_shot = true,
       .default_text = "the whole shot",
       .meaning = "when the pin holds; cloth that is elsewhere when it begins goes there in one step",
       .when = "the cloth is let go, or caught, within the shot"});
  key("stiffness", t.stiffness,
      {.unit = "N/m",
       .range = at_least(0),
       .usual = {1e-4, 1e9, "without stiffness a pin is hard"},
       .default_text = "hard",
       .meaning = "of a soft pin; 0 at frames where it lets go",
       .when = "a hand or a seam that gives; raise it until the pin is as tight as wanted, animate it to "
               "take hold or to let go without a jerk"});
  key("damping", t.damping,
      {.unit = "s",
       .range = at_least(0),
       .usual = {0, 10, "seconds: 0.01 is much"},
       .meaning = "of a soft pin: viscosity over stiffness",
       .when = "a soft pin rings"});
  key("axis", t.axis,
      {.direction = true,
       .default_text = "none",
       .meaning = "the vertices are free along this axis",
       .when = "rings on a rod, sliders"});
  key("normal", t.normal,
      {.direction = true,
       .default_text = "none",
       .meaning = "the vertices are free in the plane with this normal",
       .when = "cloth that slides on a flat wall or table"});
}

template <class Key>
void visit_keys(Key& key, Spring& t) {
  key("pairs", t.pairs,
      {.range = at_least(0),
       .meaning = "vertices to join, counted from 0 (or lines)",
       .when = "join particular vertices, say buttons"});
  key("lines", t.lines,
      {.meaning = "join the ends of the lines (OBJ l) of the rest mesh: seams (or pairs)",
       .when = "panels are to be sewn"});
  key("stiffness", t.stiffness,
      {.unit = "N/m",
       .range = above(0),
       .usual = {1e-4, 1e9, "a seam of clothing has 10 to 1000"},
       .required = true,
       .meaning = "of each spring",
       .when = "raise it until seams close, lower it if steps become slow"});
  key("rest", t.rest,
      {.default_text = "zero with lines, mesh with pairs",
       .meaning = "rest length: that in the rest mesh, or zero",
       .when = "springs are to keep their length instead of closing, or the other way round"});
  key("damping", t.damping,
      {.unit = "s",
       .range = at_least(0),
       .usual = {0, 10, "seconds: 0.01 is much"},
       .meaning = "viscosity over stiffness",
       .when = "seams ring"});
}

template <class Key>
void visit_keys(Key& key, Crease& t) {
  key("edges", t.edges,
      {.range = at_least(0),
       .meaning = "edges of the rest mesh, by their vertices, counted from 0 (or group)",
       .when = "particular edges are creased"});
  key("group", t.group,
      {.meaning = "vertex group of the rest mesh: the edges between two of its vertices (or edges)",
       .when = "the crease was painted, or drawn as points: \"p 1 2 3\" below a line \"g NAME\""});
  key("angle", t.angle,
      {.unit = "degrees",
       .range = {.low = -179, .high = 179},
       .required = true,
       .meaning =
           "by which the cloth is folded there at rest: 0 is flat, above 0 a ridge as seen from its front, "
           "below 0 a valley",
       .when = "pleats want 90 and more; keys press a crease in, or let it go"});
  key("stiffness", t.stiffness,
      {.range = above(0),
       .usual = {0.01, 1000, "it is a factor, not N m"},
       .meaning = "of these edges against bending, over that of others",
       .when = "raise it where weight opens the crease: 10 to 100 for one that was ironed in"});
}

// How steps are taken.
template <class Key>
void visit_step_keys(Key& key, Solver& t) {
  key("integrator", t.integrator,
      {.meaning =
           "of a time step: newton is implicit Euler, which calms cloth down; bdf2 keeps it moving, "
           "at the same cost; linearized solves newton's by one linear system, and slows down what turns; "
           "older ways, without strain_limit and the barrier of [contact]: prefactored (rounds with one "
           "matrix for all steps), predictor (one such round), descent (rounds without one), explicit (none)",
       .when =
           "cloth looks heavy or under water, and flutter dies too soon: bdf2; cloth that has to come to "
           "rest: newton; to compare with other programs: the others (for a preview: simulate --draft; of "
           "soft cloth alone: prefactored)"});
  key("rounds", t.rounds,
      {.range = at_least(1),
       .usual = {1, 1000, "newton gets there sooner"},
       .default_text = "10 of prefactored, 32 of descent",
       .meaning = "of a step that integrator = \"prefactored\" or \"descent\" takes, at most; what is left "
                  "then stays, and the summary says how much",
       .when = "cloth looks slowed down and soft: more; steps take too long: fewer"});
  key("rounds_memory", t.rounds_memory,
      {.range = at_least(0),
       .usual = {0, 20, "more help no further"},
       .meaning =
           "of a step that integrator = \"prefactored\" takes: so many of its last rounds tell the next "
           "one how the cloth answers (L-BFGS), for hardly more time",
       .when = "rounds leave cloth slow and soft: 5; in very stiff cloth with 20 rounds or more"});
  key("scheme", t.scheme,
      {.meaning =
           "of integrator = \"explicit\"; all refuse steps that are too long for the stiffest motion of "
           "the cloth, and say how many substeps would do",
       .when =
           "to compare: symplectic and verlet keep energy, rk4 is the most exact, midpoint and euler gain "
           "energy"});
}

template <class Key>
void visit_keys(Key& key, Solver& t) {
  visit_step_keys(key, t);
  key("newton_tolerance", t.newton_tolerance,
      {.range = {.low = 0, .high = 0.1, .low_excluded = true},
       .meaning = "residual force over the cloth's weight at which a step has converged",
       .when = "lower it to measure gradients: they are as exact as the steps"});
  key("max_newton_iterations", t.max_newton_iterations,
      {.range = at_least(1),
       .usual = {10, 1e6, "steps end sooner where they can"},
       .meaning = "limit for one time step",
       .when = "a step ends unconverged while its residual still falls; try more substeps first"});
  key("linear", t.linear,
      {.meaning = "solver of the linear systems",
       .when = "direct where pcg struggles with stiff cloth, pcg where memory is short"});
  key("max_edge_stretch", t.max_edge_stretch,
      {.range = at_least(0),
       .usual = {0.005, 1, "0.1 lets edges grow by a tenth"},
       .default_text = "none",
       .meaning =
           "share of its length at rest by which an edge may be longer: behind a linearized step what is "
           "longer is drawn together, in 30 sweeps at most",
       .when = "linearized cloth looks like rubber; newton and bdf2: [cloth.material] strain_limit"});
  key("memory_gb", t.memory_gb,
      {.unit = "GB",
       .range = above(0),
       .usual = {0, 1e4, "GB, not MB"},
       .meaning = "memory for a search: trajectories, the optimiser's vectors, and of each step what its "
                  "derivatives need",
       .when = "raise it to the memory that is free: what fits is not computed twice; a search says what it "
               "keeps"});
  key("scratch_gb", t.scratch_gb,
      {.unit = "GB",
       .range = at_least(0),
       .usual = {0, 1e5, "GB, not MB"},
       .meaning = "disk space for what a search cannot keep in memory_gb: a file that every sweep reads, "
                  "gone with the program; 0: such things are computed again",
       .when = "--dry-run or the log says that factors are made again, and a solid-state disk is at hand"});
  key("scratch_dir", t.scratch_dir,
      {.default_text = "the folder of the results",
       .meaning = "where that file is",
       .when = "results go to a network or a slow disk, and a fast local one has room"});
}

template <class Key>
void visit_keys(Key& key, Output& t) {
  key("dir", t.dir,
      {.default_text = "a new take, <scene>_out/take_001, _002, .. beside the scene file",
       .meaning = "folder of the results",
       .when = "results belong elsewhere, such as a render disk; one folder holds one run, --take NAME names "
               "a folder in it"});
  key("caches", t.caches,
      {.meaning = "formats in which the cloth is written", .when = "another program is to read them"});
  key("every_step", t.every_step,
      {.default_text = "true for solve, false for simulate",
       .meaning = "also write the positions after each time step",
       .when =
           "false where a take is not to be repeated or checked, and the disk is small; true to check the "
           "equation of motion of a run without forces, or to render substeps"});
}

template <class Key>
void visit_keys(Key& key, Scene& t) {
  key("shot", t.shot, {.required = true, .meaning = "frames, time steps and units"});
  key("cloth", t.cloth, {.required = true, .meaning = "the garment"});
  key("wind", t.wind, {.meaning = "the air; without this table there is none"});
  key("moving_frame", t.moving_frame,
      {.meaning = "a frame of reference whose motion the cloth feels a part of only"});
  key("pin", t.pins, {.meaning = "vertices that are held or moved"});
  key("spring", t.springs, {.meaning = "springs between vertices, seams"});
  key("crease", t.creases, {.meaning = "edges along which the cloth is folded at rest"});
  key("collider", t.colliders, {.meaning = "a body that the cloth touches"});
  key("contact", t.contact, {.meaning = "contact of the cloth with colliders and itself"});
  key("keyframe", t.keyframes, {.meaning = "a shape that the cloth has to reach"});
  key("track", t.tracks, {.meaning = "a motion that the cloth has to follow"});
  key("control", t.control, {.meaning = "the search for control forces"});
  key("solver", t.solver, {.meaning = "numerics of the time step"});
  key("output", t.output, {.meaning = "what is written, and where"});
}

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
