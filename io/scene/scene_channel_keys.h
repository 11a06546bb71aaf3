#pragma once

#include "io/scene/key_rule.h"
#include "io/scene/scene.h"

// The keys of [[control.channel]]: part of scene_keys.h, which says how to read them.

namespace keydrape::scene {

template <class Key>
void visit_keys(Key& key, Channel& t) {
  key("kind", t.kind,
      {.required = true, .meaning = "what the search may choose besides, or instead of, control forces"});
  key("as", t.as,
      {.default_text = "rigid",
       .meaning = "of initial-velocity: the cloth starts as one rigid body, moved and turned, or every "
                  "vertex by itself",
       .when = "a throw cannot do it: vertices pull the cloth into shape from the first step on"});
  key("group", t.group,
      {.default_text = "the whole cloth",
       .meaning = "of initial-velocity: vertex group that starts with it",
       .when = "only a part of the cloth is thrown"});
  key("pin", t.pin,
      {.range = at_least(0),
       .default_text = "none",
       .meaning = "of pin: which [[pin]] is shifted, counted from 0 in this file",
       .when = "always, with kind = \"pin\""});
  key("numbers", t.numbers,
      {.default_text = "none",
       .meaning = "of material: which of its numbers are looked for, as factors",
       .when = "always, with kind = \"material\": the fewer, the better they can be told apart"});
  key("knots_every", t.knots_every,
      {.unit = "frames",
       .range = frames_from(1),
       .default_text = "1",
       .meaning = "of wind, pin and stretch-scale: values this far apart, linear in between",
       .when = "the change should be smooth, or a long shot has too many values"});
  key("scale", t.scale,
      {.range = above(0),
       .meaning = "how much cheaper this change is than forces: effort counts it over this, squared",
       .when = "raise it to let the channel do the work of forces, lower it to keep it near the scene"});
}

}  // namespace keydrape::scene
