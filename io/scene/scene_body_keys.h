#pragma once

#include "io/scene/key_rule.h"
#include "io/scene/scene.h"

// The keys of bodies and of contact: part of scene_keys.h, which says how to read them.

namespace keydrape::scene {

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
  key("mesh", t.mesh,
      {.meaning = "shape: a file with triangles, or a frame of a sequence or cache: \"body.####.ply@1001\""});
  key("vdb", t.vdb, {.meaning = "shape: OpenVDB level set; FILE.vdb:GRID where the file has several"});
  key("as", t.as,
      {.default_text = "volume if the mesh is closed, surface if it is open",
       .meaning = "volume: cloth stays outside; surface: its triangles have two sides and no inside",
       .when = "surface for a thin plate, an open mesh, or a body that deforms and rubs"});
  key("motion", t.motion,
      {.default_text = "none",
       .meaning = "cache of a mesh that deforms, in any format that is read: one sample a frame, from the "
                  "shot's first on; its vertices go straight from sample to sample",
       .when = "a body that deforms: a character"});
  key("translate", t.translate,
      {.unit = "m",
       .meaning = "how far the body is moved, after it was turned; smoothly from frame to frame, where pins "
                  "with motion go straight",
       .when = "the body moves without deforming"});
  key("rotate", t.rotate,
      {.unit = "degrees",
       .meaning =
           "how far it is turned about the x, then the y, then the z axis; evenly between keys, however far",
       .when = "the body turns without deforming"});
  key("pivot", t.pivot,
      {.unit = "m",
       .default_text = "the middle of the shape",
       .meaning = "point about which it is turned; only with rotate",
       .when = "the body turns about a joint and not about its middle"});
  key("voxel", t.voxel,
      {.unit = "m",
       .range = above(0),
       .default_text =
           "1/64 of the mesh's longest side, and no finer than 1/16 of the band where contact acts",
       .meaning = "resolution of a mesh's distances",
       .when = "lower it where thin or sharp parts of the body are rounded off; memory and time grow"});
  key("friction", t.friction,
      {.range = at_least(0),
       .usual = {0, 10, "skin on cotton has 0.5"},
       .default_text = "that of [contact]",
       .meaning = "coefficient of friction with the cloth",
       .when = "this body is rougher or smoother than the others, or lets go: keys"});
  key("point_spacing", t.point_spacing,
      {.unit = "m",
       .range = above(0),
       .default_text = "by the shape",
       .meaning = "distance between the points of the cloth that are held off this body",
       .when = "lower it where a sharp edge or a thin part slips between the cloth's points"});
}

template <class Key>
void visit_keys(Key& key, Contact& t) {
  key("method", t.method,
      {.meaning =
           "how things are held apart: barrier in the step itself, exact, nothing passes; impulses behind "
           "a linearized step: nothing passes either, no gradient; of closed bodies alone: penalty "
           "(springs, they give way, exact gradient), projection, filter (of velocities) and constraint",
       .when = "to compare with other programs, or contact for a quick run: impulses, best with simulate "
               "--draft; "
               "else barrier"});
  key("restitution", t.restitution,
      {.range = {.low = 0, .high = 1},
       .meaning = "share of the speed with which things part that they met with; only with impulses",
       .when = "cloth, or what it meets, is to bounce"});
  key("thickness", t.thickness,
      {.unit = "m",
       .range = above(0),
       .usual = {1e-6, 0.05, "metres: 0.002 for 2 mm"},
       .default_text = "the material's",
       .meaning = "smallest distance between surfaces",
       .when = "layers are to lie closer or farther apart than the fabric is thick"});
  key("self", t.self,
      {.meaning = "whether the cloth collides with itself",
       .when = "false where the cloth cannot meet itself: much faster"});
  key("repair", t.repair,
      {.meaning =
           "whether cloth that starts within bodies or itself, or too near to them, is moved out, instead of "
           "refused; nothing is pulled out of a surface that cuts through it",
       .when = "a garment that was modelled through the body, or through itself, is all there is"});
  key("start_crossings", t.start_crossings,
      {.meaning =
           "whether cloth that starts through itself, or with layers nearer than thickness, is refused, "
           "or exempt: what crosses does not collide until it has come apart, and from then on for good",
       .when = "repair fails on a garment that was modelled through itself, or must not move it"});
  key("friction", t.friction,
      {.range = at_least(0),
       .usual = {0, 10, "cotton on cotton has 0.5"},
       .meaning = "coefficient of the cloth on itself, and on every body that has none of its own",
       .when = "cloth should hold on to bodies instead of sliding off"});
  key("activation", t.activation,
      {.unit = "m",
       .range = above(0),
       .default_text = "the thickness, or 1/20 of the mean edge",
       .meaning = "by how much the gap is wider than the smallest where contact begins to push",
       .when = "raise it where fast cloth makes steps slow, lower it where the gap is to be seen"});
  key("stiffness", t.stiffness,
      {.unit = "J/m2",
       .range = above(0),
       .default_text = "10 density g activation",
       .meaning = "how hard contact pushes",
       .when = "raise it where cloth floats or is pressed too near, lower it if steps are slow"});
  key("sliding_speed", t.sliding_speed,
      {.unit = "m/s",
       .range = above(0),
       .meaning = "up to which friction sticks",
       .when = "lower it where cloth that should stick creeps"});
}

}  // namespace keydrape::scene
