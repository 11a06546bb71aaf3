# SPDX-License-Identifier: GPL-3.0-or-later
"""What modifiers make of a cloth: where it is shown, which shape key takes it to a place, and which of them
are for the picture alone."""

import contextlib

import bpy
import numpy as np

from . import keyframes, sampling

# The last modifiers of a cloth, if they are of these kinds, are for the picture: they leave its own vertices
# where they are, or refine it, and what they do does not depend on the object's axes.
PICTURE = ("SUBSURF", "SOLIDIFY", "TRIANGULATE", "EDGE_SPLIT", "WEIGHTED_NORMAL")
# Neither move vertices nor change their number.
IDLE = ("COLLISION", "PARTICLE_SYSTEM", "UV_PROJECT", "UV_WARP", "NORMAL_EDIT", "DATA_TRANSFER",
        "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY")
# Of the search for a shape, as shares of the cloth's size: the step of its differences, and how near it has
# to come (float32 keeps 1e-7).
STEP, NEAR, MOST_STEPS = 1e-3, 1e-5, 30


def is_idle(modifier):
    """Whether it leaves vertices and their number alone; Shade Auto Smooth adds one of nodes."""
    if modifier.type == "NODES":
        return modifier.node_group is not None and modifier.node_group.name.startswith("Smooth by Angle")
    return modifier.type in IDLE


def of_picture(cloth):
    """Those that are shown and for the picture alone, in their order."""
    found = []
    for modifier in reversed(cloth.modifiers):
        if modifier.type in PICTURE:
            found.insert(0, modifier)
        elif modifier.show_viewport and not is_idle(modifier):
            break
    return [modifier for modifier in found if modifier.show_viewport]


def that_move(cloth):
    """Those that are shown and may move the cloth."""
    picture = of_picture(cloth)
    return [modifier for modifier in cloth.modifiers
            if modifier.show_viewport and not is_idle(modifier) and modifier not in picture]


def without_picture(cloth):
    """While it stands, those of the picture are off."""
    return sampling.Switched(of_picture(cloth), "show_viewport", False)


def check_count(cloth, count):
    """Raises ValueError, which names the modifier, where the cloth is shown with another number of vertices
    than it has."""
    own = len(cloth.data.vertices)
    if count == own:
        return
    movers, picture = that_move(cloth), of_picture(cloth)
    for k, modifier in enumerate(movers):
        with sampling.Switched(picture + movers[k + 1:], "show_viewport", False):
            if len(sampling.evaluated(cloth)[0]) != own:
                break
    what = "put it last" if modifier.type in PICTURE else "apply it"
    raise ValueError('modifier "%s" of %s changes its number of vertices; %s, or switch it off in the '
                     'viewport' % (modifier.name, cloth.name, what))


@contextlib.contextmanager
def alone(cloth, block):
    """While it stands, this shape key alone is shown, as it is; None: whatever is."""
    if block is None:
        yield
        return
    before = (cloth.show_only_shape_key, cloth.active_shape_key_index, block.mute, block.vertex_group)
    index = cloth.data.shape_keys.key_blocks.find(block.name)
    try:
        cloth.show_only_shape_key, cloth.active_shape_key_index = True, index
        block.mute, block.vertex_group = False, ""
        yield
    finally:
        (cloth.show_only_shape_key, cloth.active_shape_key_index, block.mute, block.vertex_group) = before


@contextlib.contextmanager
def at_frame(frame):
    scene = bpy.context.scene
    before = scene.frame_current
    if frame != before:
        scene.frame_set(frame)
    try:
        yield
    finally:
        if frame != before:
            scene.frame_set(before)


def shown_now(cloth, block=None):
    """Where a shape key alone, or what is shown, is in the world at the scene's frame (n, 3), with all
    modifiers but the picture's. Raises ValueError for modifiers that change the number of vertices."""
    with without_picture(cloth), alone(cloth, block):
        local, matrix = sampling.evaluated(cloth)
    check_count(cloth, len(local))
    return sampling.in_world(matrix, local)


def shown_at(cloth, frame, block=None):
    """The same at a frame."""
    with at_frame(frame):
        return shown_now(cloth, block)


def inverse(cloth, matrix):
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        raise ValueError("%s has a scale of 0; nothing can be sculpted on it" % cloth.name) from None


def shape_for(cloth, block, frame, world):
    """The positions (n, 3) of a shape key with which the cloth is shown at `world` (n, 3) at a frame. The
    shape key stays as it is. Raises ValueError where modifiers stand against it."""
    with at_frame(frame), without_picture(cloth), alone(cloth, block):
        before, matrix = sampling.evaluated(cloth)
        target = sampling.in_world(inverse(cloth, matrix), world)
        if not that_move(cloth):
            return target
        check_count(cloth, len(before))
        kept = sampling.coordinates(block.data, len(target))
        try:
            return taken_back(cloth, block, target)
        finally:
            keyframes.set_shape(cloth, block, kept)


def taken_back(cloth, block, target):
    """Newton's method with the derivatives of where each vertex is shown by where it is itself: modifiers
    such as bones move each by itself, and are undone in one step."""
    def shown(local):
        keyframes.set_shape(cloth, block, local)
        return sampling.evaluated(cloth)[0]
    size = max(float(np.ptp(target, axis=0).max()), 1e-9)
    local = target.copy()
    there = shown(local)
    step = STEP * size
    slopes = np.stack([(shown(local + step * axis) - there) / step for axis in np.eye(3)], axis=-1)
    inverses = np.linalg.pinv(slopes, rcond=1e-3)
    for _ in range(MOST_STEPS):
        missing = target - there
        if np.abs(missing).max() <= NEAR * max(size, np.abs(target).max()):
            return local
        local = local + np.einsum("nij,nj->ni", inverses, missing)
        there = shown(local)
    raise ValueError("no shape of %s is shown there: its modifiers (%s) cannot be undone; apply them, or "
                     "switch them off in the viewport" %
                     (cloth.name, ", ".join(modifier.name for modifier in that_move(cloth))))


def copy_of(modifier, thing):
    """The same on another object, as its last."""
    made = thing.modifiers.new(modifier.name, modifier.type)
    for each in modifier.bl_rna.properties:
        if not each.is_readonly and each.identifier not in ("name", "is_active"):
            setattr(made, each.identifier, getattr(modifier, each.identifier))
    return made


def copy_picture(cloth, thing, matrix):
    """Those of the picture onto an object whose vertices are the cloth's under a matrix; lengths grow with
    it."""
    scale = abs(np.linalg.det(np.asarray(matrix)[:3, :3])) ** (1 / 3)
    for modifier in of_picture(cloth):
        made = copy_of(modifier, thing)
        if modifier.type == "SOLIDIFY":
            made.thickness *= scale
