#pragma once

#include "io/scene/key_rule.h"
#include "io/scene/scene.h"
#include "io/scene/scene_words.h"

// The keys of the fabric: part of scene_keys.h, which says how to read them.
namespace keydrape::scene {

template <class Key>
void visit_keys(Key& key, TesterTable& t) {
  key("emt", t.emt,
      {.unit = "%",
       .range = above(0),
       .default_text = "not measured",
       .meaning = "extension of [warp, weft] at 500 gf/cm; with lt it makes the curves of stretch",
       .when = "the sheet has it: the fabric gives at first, and locks"});
  key("lt", t.lt,
      {.range = {.low = 0, .high = 1, .low_excluded = true},
       .meaning = "linearity of the curves of [warp, weft] up to there",
       .when = "the sheet has it"});
  key("initial", t.initial,
      {.range = {.low = 0, .high = 1, .low_excluded = true},
       .meaning = "slope of the curves at rest, over 500 gf/cm divided by emt; below lt by (1 - initial)/45 "
                  "at least",
       .when = "the printed curve begins flatter or steeper"});
  key("g", t.g,
      {.unit = "gf/(cm deg)",
       .range = at_least(0),
       .default_text = "not measured",
       .meaning = "G: stiffness of shear",
       .when = "the sheet has it"});
  key("hg2", t.hg2,
      {.unit = "gf/cm",
       .range = at_least(0),
       .default_text = "not measured",
       .meaning = "2HG: width of the loop of shear",
       .when = "the sheet has it"});
  key("b", t.b,
      {.unit = "gf cm^2/cm",
       .range = at_least(0),
       .default_text = "not measured",
       .meaning = "B: bending rigidity",
       .when = "the sheet has it"});
  key("hb2", t.hb2,
      {.unit = "gf cm/cm",
       .range = at_least(0),
       .default_text = "not measured",
       .meaning = "2HB: width of the loop of bending",
       .when = "the sheet has it"});
  key("weight", t.weight,
      {.unit = "mg/cm^2",
       .range = above(0),
       .default_text = "not measured",
       .meaning = "W: mass per area",
       .when = "the sheet has it"});
  key("thickness", t.thickness,
      {.unit = "mm",
       .range = above(0),
       .default_text = "not measured",
       .meaning = "T: thickness",
       .when = "the sheet has it"});
}

// The numbers of the fabric, as a preset has them.
template <class Key>
void visit_numbers(Key& key, Material& t) {
  key("preset", t.preset,
      {.choices = material_names(),
       .meaning = "fabric whose numbers the keys below replace",
       .when = "always: it is the fabric's whole character"});
  key("density", t.density,
      {.unit = "kg/m^2",
       .range = above(0),
       .usual = {0.003, 20, "kg, not grams: a cotton of 104 g/m^2 has 0.104"},
       .default_text = "preset",
       .meaning = "mass per area",
       .when = "the fabric was weighed, or wind should carry it more (lower) or less"});
  key("stretch", t.stretch,
      {.unit = "N/m",
       .range = above(0),
       .usual = {1, 1e7, "clothing has 500 to 10000"},
       .default_text = "preset",
       .meaning = "stiffness along [warp, weft]",
       .when = "lower it where cloth should give, or where keyframes are stretched; raise it against sag"});
  key("shear", t.shear,
      {.unit = "N/m",
       .range = at_least(0),
       .usual = {0.1, 1e7, "clothing has 20 to 1000"},
       .default_text = "preset",
       .meaning = "stiffness against shear",
       .when = "lower it for finer drape on the bias"});
  key("bend", t.bend,
      {.unit = "N m",
       .range = at_least(0),
       .usual = {1e-9, 1, "clothing has 1e-6 to 1e-4"},
       .default_text = "preset",
       .meaning = "plate rigidity",
       .when = "lower it for more and smaller folds, raise it for few and large ones"});
  key("damping", t.damping,
      {.unit = "s",
       .range = at_least(0),
       .usual = {0, 1, "seconds: 0.01 is much"},
       .default_text = "preset",
       .meaning = "viscosity over stiffness",
       .when = "raise it to calm ringing and flutter"});
  key("thickness", t.thickness,
      {.unit = "m",
       .range = above(0),
       .usual = {1e-6, 0.05, "metres: 0.0002 for 0.2 mm"},
       .default_text = "preset",
       .meaning = "thickness of the fabric",
       .when = "layers should keep another distance: it is the default of [contact] thickness"});
  key("strain_limit", t.strain_limit,
      {.range = above(0),
       .usual = {0.001, 1, "a share: 0.05 for 5 %"},
       .default_text = "none",
       .meaning = "no triangle is ever stretched by this share of its rest length, in any direction",
       .when = "cloth must not look like rubber where it is pulled hard, say 0.1"});
  key("coupling", t.coupling,
      {.range = {.low = 0, .high = 0.99},
       .default_text = "preset",
       .meaning = "how far pulling one direction draws the other in: stiffness between them over sqrt(warp "
                  "weft), of curves where they are steepest",
       .when = "cloth that is pulled should narrow: 0.05 woven, 0.2 twill, 0.3 to 0.5 knits"});
}

// What a tester has measured beyond them.
template <class Key>
void visit_measured(Key& key, Material& t) {
  key("warp_curve", t.warp_curve,
      {.default_text = "in proportion",
       .meaning = "text file, a line each point: strain of the warp, tension [N/m], from 0 0 on; in place of "
                  "stretch",
       .when = "the fabric was measured: cloth gives at first and locks as it is pulled"});
  key("weft_curve", t.weft_curve,
      {.default_text = "in proportion", .meaning = "the same of the weft", .when = "as warp_curve"});
  key("shear_curve", t.shear_curve,
      {.default_text = "in proportion",
       .meaning = "the same of shear: angle [rad], up to 1.5, and shear force per unit width [N/m]; in "
                  "place of shear",
       .when = "the fabric locks on the bias"});
  key("shear_hysteresis", t.shear_hysteresis,
      {.unit = "N/m",
       .range = at_least(0),
       .default_text = "0",
       .meaning = "friction of the threads in shear: half the width of the loop that a tester draws",
       .when = "cloth should calm down and stay as it lies, without damping that slows it"});
  key("bend_hysteresis", t.bend_hysteresis,
      {.unit = "N",
       .range = at_least(0),
       .default_text = "0",
       .meaning = "friction of the threads in bending: the same of moment per unit width; by mesh and "
                  "direction within a third of it on most meshes, up to twice of it along parallel diagonals",
       .when = "folds should stay where they are pressed; 1e-4 to 1e-3 for clothing"});
  key("kes", t.kes,
      {.default_text = "none",
       .meaning = "numbers of a fabric tester (KES-F) as its sheet prints them, in place of those above",
       .when = "you have the fabric's sheet"});
}

// How the membrane answers.
template <class Key>
void visit_membrane(Key& key, Material& t) {
  key("model", t.model,
      {.meaning = "woven: threads in two directions, each stretched by itself; isotropic: alike in all "
                  "directions, and narrower as it is pulled",
       .when = "rubber, leather, knits; or runs are compared with a program of finite elements"});
  key("young", t.young,
      {.unit = "Pa",
       .range = above(0),
       .usual = {1e3, 1e11, "pascals: rubber has 1e6"},
       .default_text = "none",
       .meaning = "Young's modulus of the isotropic model",
       .when = "as model"});
  key("poisson", t.poisson,
      {.range = {.low = 0, .high = 0.499},
       .default_text = "none",
       .meaning = "how much narrower the isotropic model gets, over how much longer",
       .when = "as model; 0.3 leather, near 0.5 rubber; cloth of springs has 1/3"});
  key("compression", t.compression,
      {.range = {.low = 0, .high = 1, .low_excluded = true},
       .default_text = "\"buckling\"; 1 where bend is 0",
       .meaning =
           "stiffness against being pushed together over that against stretch; \"buckling\": as stiff "
           "up to the load at which the fabric would fold between its vertices, and hardly more beyond",
       .when =
           "1 for what is coated or thick, and bears being pushed together; it makes a coarse mesh crumple "
           "where finer cloth would fold"});
  key("fold_length", t.fold_length,
      {.unit = "m",
       .range = above(0),
       .default_text = "0.7 mean edges",
       .meaning = "with compression = \"buckling\": of the finest fold that is left to the mesh",
       .when = "raise it to let cloth give way to less, lower it to keep more folds"});
}

template <class Key>
void visit_keys(Key& key, Material& t) {
  visit_numbers(key, t);
  key("stretch_scale", t.stretch_scale,
      {.range = above(0),
       .usual = {0.2, 5, "a share of the rest length: 0.9 shrinks it by 10 %"},
       .meaning = "rest length along [warp, weft] over that of the rest shape",
       .when =
           "below 1 shrinks the fabric, above 1 gives it slack; animate it to tighten cloth in the shot"});
  visit_measured(key, t);
  visit_membrane(key, t);
}

}  // namespace keydrape::scene
