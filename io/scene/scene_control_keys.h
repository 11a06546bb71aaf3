#pragma once

#include <fmt/format.h>

#include <string>

#include "control/search/run_budgets.h"
#include "io/scene/key_rule.h"
#include "io/scene/scene.h"
#include "io/scene/scene_channel_keys.h"
#include "io/scene/scene_words.h"

// The keys of what the cloth is to do, and of how it may be made to (scene_keys.h).

namespace keydrape::scene {

inline constexpr const char* kPaintedWeights =
    "painted weights (instead of group): a text file with a line \"vertex weight\" each, counted from 0, "
    "others 0, or a weight in each line, or .npy; from 0 to 1";

template <class Key>
void visit_keys(Key& key, Keyframe& t) {
  key("frame", t.frame, {.within_shot = true, .required = true, .meaning = "when the cloth has to be there"});
  key("window", t.window,
      {.within_shot = true,
       .default_text = "frame alone",
       .meaning = "frames within which the keyframe may slide; the solver chooses. frame has to be given all "
                  "the same, and lie among them",
       .when = "the moment matters less than the pose"});
  key("mesh", t.mesh,
      {.meaning = "mesh with the target positions, or a frame of a cache: \"cache.pc2@1030\" (or surface, "
                  "landmarks or loop)"});
  key("surface", t.surface,
      {.meaning = "mesh or points of another topology: the cloth is to lie on it, each vertex at its nearest "
                  "point, and border on border where it is no larger than the cloth (or mesh)",
       .when = "the target is a scan or another model's mesh"});
  key("landmarks", t.landmarks,
      {.meaning = "single vertices and where they are to be: here in metres, whatever meters_per_unit is; "
                  "in a text file with a line \"vertex x y z\" for each in the meshes' unit (or mesh)",
       .when = "only a few points matter, or a surface is to be held from sliding"});
  key("loop", t.loop,
      {.meaning = "the cloth is to come back to its first frame, in position and velocity (or mesh)",
       .when = "the shot is to be played in a loop"});
  key("max_angle", t.max_angle,
      {.unit = "degrees",
       .range = Range{.low = 0, .high = 180, .low_excluded = true},
       .meaning =
           "triangles of the surface that are turned away from the cloth by more than this do not count "
           "where others do",
       .when =
           "lower it where layers of the surface lie close together; 180 where its triangles face anywhere"});
  key("weight", t.weight,
      {.range = at_least(0),
       .meaning = "weight of the positions in the goal",
       .when = "one keyframe matters more than the others"});
  key("velocity_weight", t.velocity_weight,
      {.range = at_least(0),
       .default_text = "0; 1 with loop",
       .meaning = "weight of the velocities in the goal",
       .when = "the cloth should arrive at rest, or with a given motion"});
  key("velocity", t.velocity,
      {.unit = "m/s",
       .meaning = "target velocity: one, or a .npy file with one per vertex",
       .when = "the cloth passes through the pose instead of stopping there"});
  key("velocity_weights", t.velocity_weights,
      {.default_text = "those of the positions",
       .meaning = "painted weights of the velocities, a map of their own",
       .when = "only a part has to arrive at rest, say a hem, and all of it in its place"});
  key("group", t.group,
      {.default_text = "the whole cloth",
       .meaning = "vertex group that has a target, \"g NAME\" of the rest mesh's OBJ file",
       .when = "only a part was sculpted; the rest is free"});
  key("weights", t.weights,
      {.default_text = "1 everywhere",
       .meaning = kPaintedWeights,
       .when = "the target fades out over a painted area"});
  key("tolerance", t.tolerance,
      {.unit = "m",
       .range = above(0),
       .default_text = "0.5 % of the cloth's size with effort = \"auto\", else none",
       .meaning = "allowed distance, RMS over the vertices with weight: a small part may be farther off",
       .when =
           "a keyframe has to be met more closely, or less, than the others; where a note is about a small "
           "part, give its group, or tolerance_max"});
  key("tolerance_max", t.tolerance_max,
      {.unit = "m",
       .range = above(0),
       .default_text = "none; vertices beyond four times tolerance are pursued, and named where they stay",
       .meaning = "allowed distance of every single vertex with weight",
       .when =
           "a corner counts, or a few vertices may be far off: with effort = \"auto\" single vertices are "
           "pulled harder until they are within it"});
  key("velocity_tolerance", t.velocity_tolerance,
      {.unit = "m/s",
       .range = above(0),
       .default_text = "none; with effort = \"auto\" 0.5 % of sqrt(g l) where weight = 0, l being the "
                       "cloth's size, and of a "
                       "loop the tolerance in a frame",
       .meaning = "allowed difference of velocities, RMS",
       .when = "the cloth has to come to rest, or a loop must not jerk"});
}

template <class Key>
void visit_keys(Key& key, Track& t) {
  key("cache", t.cache,
      {.required = true,
       .meaning = "cache with the target positions of every frame, in any format that is read"});
  key("frames", t.frames,
      {.within_shot = true,
       .default_text = "the whole shot",
       .meaning = "when the cloth has to follow it",
       .when = "only a part of the motion is wanted"});
  key("every", t.every,
      {.unit = "frames",
       .range = at_least(1),
       .meaning = "distance of the frames that count",
       .when = "raise it to follow the motion more loosely"});
  key("weight", t.weight,
      {.range = at_least(0),
       .meaning = "weight of all its frames together in the goal",
       .when = "the track matters more than keyframes, or less"});
  key("group", t.group,
      {.default_text = "the whole cloth",
       .meaning = "vertex group that follows the track",
       .when = "only a part of the cloth was animated; the rest is free"});
  key("weights", t.weights,
      {.default_text = "1 everywhere",
       .meaning = kPaintedWeights,
       .when = "the track fades out over a painted area"});
  key("tolerance", t.tolerance,
      {.unit = "m",
       .range = above(0),
       .default_text = "0.5 % of the cloth's size with effort = \"auto\", else none",
       .meaning = "allowed distance in each of its frames, RMS",
       .when = "raise it to follow the motion more loosely, which takes less force"});
}

template <class Key>
void visit_keys(Key& key, Windows& t) {
  key("length", t.length,
      {.unit = "frames",
       .range = frames_from(1),
       .required = true,
       .meaning = "of each window",
       .when = "as long as memory and patience allow: a window knows no keyframe after its end"});
  key("overlap", t.overlap,
      {.unit = "frames",
       .range = frames_from(0),
       .required = true,
       .meaning =
           "how far a window begins before the end of the one before: what that found there is begun with, "
           "and found anew; the last window begins earlier where it were not half as long as the others",
       .when = "raise it to the time that a keyframe takes to be reached without haste"});
}

inline const std::string kDefaultBudget =
    fmt::format("{} for gauss-newton, {} where effort is a number, {} for lbfgs and descent",
                kAutomaticEffortRuns, kGaussNewtonRuns, kLbfgsRuns);

template <class Key>
void visit_keys(Key& key, Control& t) {
  key("method", t.method,
      {.meaning = "optimiser: gauss-newton; lbfgs, by gradients; descent, along the gradient alone",
       .when = "compare with the classical optimiser, or with the plainest"});
  key("gradient", t.gradient,
      {.meaning = "exact adjoint of the steps that are taken; for comparison that of the older recipe, "
                  "swapped, which takes linearised steps, or one that takes the forces of contact as given",
       .when = "compare with other methods; never for results"});
  key("start", t.start,
      {.meaning = "first guess: one run that is steered towards the keyframes, or no force at all",
       .when = "compare with a search from nothing, or the steered run looks forced"});
  key("hold", t.hold,
      {.meaning = "how long a control force stays constant",
       .when = "keyframes one or two frames apart that need quicker forces"});
  key("effort", t.effort,
      {.range = at_least(0),
       .usual = {0, 1, "1e-6 to 1e-3; a larger one forbids to push"},
       .meaning = "weight of the control forces in the goal, or the least forces that meet the tolerances",
       .when = "a fixed weight for comparisons: lower misses less, higher pushes less"});
  key("even", t.even,
      {.meaning =
           "with effort = \"auto\": forces that stand out, at a vertex above 6 times the RMS or in a frame "
           "above twice the mean, cost more",
       .when = "false for comparisons: the least forces in the mean square, however they show"});
  key("forces", t.forces,
      {.meaning = "whether control forces act at all, or [[control.channel]] alone",
       .when = "a throw, the wind or the material alone should bring the cloth there"});
  key("group", t.group,
      {.default_text = "the whole cloth",
       .meaning = "vertex group that control forces act on",
       .when = "hands must leave a part of the cloth alone"});
  key("weights", t.weights,
      {.default_text = "1 everywhere",
       .meaning = kPaintedWeights,
       .when = "the forces fade out over a painted area: a vertex painted s takes about s^2 of the push, and "
               "0 none"});
  key("frames", t.frames,
      {.within_shot = true,
       .default_text = "the whole shot",
       .meaning = "when control forces act",
       .when = "a part of the shot has to stay untouched"});
  key("strength", t.strength,
      {.range = {.low = 0, .high = 1, .low_excluded = true},
       .meaning = "share of the full force in time, as painted weights in space: at 0.5 a force costs four "
                  "times as much",
       .when = "forces are to be soft while the camera is near, and may push before and after"});
  key("max_acceleration", t.max_acceleration,
      {.unit = "g",
       .range = above(0),
       .usual = {1e-3, 1e4, "in g: without it there is no limit"},
       .default_text = "no limit",
       .meaning = "limit of the control force over mass; constant in time",
       .when = "forces must not exceed what an audience believes"});
  key("max_forward_simulations", t.max_forward_simulations,
      {.range = at_least(1),
       .usual = {3, 1e4, "the first runs are the beginning that a search gains on"},
       .default_text = kDefaultBudget,
       .meaning = "budget of the optimiser in forward runs; with windows of each of them; the runs that a "
                  "search may begin with, up to eight, of a window nine, are made even beyond it; absent, "
                  "shots of more than a million vertices times steps make fewer once all is met",
       .when = "raise it where the last iterations still gain, lower it for a preview"});
  key("smooth_time", t.smooth_time,
      {.range = at_least(0),
       .usual = {0, 1e4, "it is a multiple of effort: begin with 1"},
       .meaning = "weight of changes of the forces in time, beside that of the forces",
       .when =
           "forces flicker: begin with 1, which about halves their changes, and go on tenfold at a time"});
  key("smooth_space", t.smooth_space,
      {.range = at_least(0),
       .usual = {0, 1e4, "it is a multiple of effort: begin with 1"},
       .meaning = "weight of changes of the forces along edges, beside that of the forces",
       .when =
           "forces crumple the cloth: begin with 1, which about halves their changes, and go on tenfold at "
           "a time"});
  key("knots_every", t.knots_every,
      {.unit = "frames",
       .range = frames_from(1),
       .default_text = "forces of each frame by themselves",
       .meaning = "forces follow cubic splines in time with a knot as often as this",
       .when = "forces should come and go gently, or a long shot has too many unknowns"});
  key("modes", t.modes,
      {.range = at_least(1),
       .default_text = "forces of each vertex by themselves",
       .meaning = "how many of the smoothest patterns over the cloth forces are made of",
       .when = "the cloth should be swept as a whole, as by a breeze, not crumpled in places"});
  key("net", t.net,
      {.meaning =
           "sum of all forces, or of what is added to those of relative_to: as it comes, zero over the shot "
           "(not with windows), or zero in every frame",
       .when = "a garment must not be carried by unseen hands"});
  key("relative_to", t.relative_to,
      {.default_text = "no forces",
       .meaning = "forces.npy of an accepted take, in another folder than the results': forces come on top "
                  "of it, and "
                  "effort is measured against it",
       .when = "a note on an accepted take should change as little as possible"});
  key("window", t.window,
      {.within_shot = true,
       .default_text = "the whole shot",
       .meaning = "only these frames are searched, from the state that the take (or the cloth by itself) has "
                  "come to; no step before is simulated again",
       .when = "a note concerns a part of a long shot"});
  key("windows", t.windows,
      {.meaning = "the shot is solved in overlapping windows, one after the other",
       .when = "the shot is too long to be solved at once"});
  key("coarse_to_fine", t.coarse_to_fine,
      {.default_text =
           "both for cloth of a thousand vertices and more, whose keyframes are smooth and want more than "
           "one vertex in twenty, where it can be and tolerances say when a search is done, else none",
       .meaning =
           "solves first with a quarter of the vertices (mesh), half the substeps (step), or both, and goes "
           "on from there; not with relative_to, window, windows or channels",
       .when = "the default is not what helps: one of the two alone, or a mesh of fewer vertices whose runs "
               "are slow"});
  key("coarse_levels", t.coarse_levels,
      {.range = at_least(0),
       .meaning = "how many coarser versions, each coarser than the one before; 0: none",
       .when = "the first coarser level is still slow; 0 where the search should begin with the shot "
               "itself"});
  key("channel", t.channels, {.meaning = "something else than forces that the search may choose"});
}

}  // namespace keydrape::scene
