# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions out of Blender, in world space, in the scene's unit and axes (Z up): its numbers end here."""

import math

import bpy
import numpy as np

from .files import short

STILL = 1e-7  # of an object's size: what a still object moves by evaluation and float32
SAME = 1e-6  # of a cloth's size, or its distance from its origin: what bones at rest move it by
TURN_ERROR = 1e-3  # of a body's size: what its keys may be off by between two frames


def unit():
    """Metres in the scene's unit; without a unit system Blender ignores the scale, and so does this."""
    settings = bpy.context.scene.unit_settings
    return 1.0 if settings.system == "NONE" else short(settings.scale_length)


def in_world(matrix, local):
    """local (n, 3) under a 4x4 matrix."""
    m = np.array(matrix, dtype=np.float64)
    return np.asarray(local, dtype=np.float64) @ m[:3, :3].T + m[:3, 3]


def coordinates(points, count):
    """Of vertices or of the points of a shape key (n, 3)."""
    xyz = np.empty(3 * count, dtype=np.float32)
    points.foreach_get("co", xyz)
    return xyz.reshape(-1, 3).astype(np.float64)


def rest_local(cloth):
    """The rest shape of a cloth: its basis (n, 3)."""
    keys = cloth.data.shape_keys
    points = keys.reference_key.data if keys else cloth.data.vertices
    return coordinates(points, len(cloth.data.vertices))


def evaluated(thing):
    """Vertices in the object's space with all modifiers and shape keys, at the scene's frame (n, 3), and the
    matrix to the world. What is no mesh has no vertices."""
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if thing.type != "MESH":
        return np.zeros((0, 3)), np.array(copy.matrix_world, dtype=np.float64)
    mesh = copy.to_mesh()
    local = coordinates(mesh.vertices, len(mesh.vertices))
    copy.to_mesh_clear()
    return local, np.array(copy.matrix_world, dtype=np.float64)


def evaluated_triangles(thing):
    """Their normals are those that are shown."""
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = copy.to_mesh()
    mesh.calc_loop_triangles()
    triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
    mirrored = is_mirrored(copy.matrix_world)
    copy.to_mesh_clear()
    return [reversed_corners(t) for t in triangles] if mirrored else triangles


def is_mirrored(matrix):
    """Whether it turns a mesh inside out, whose faces then have to be reversed in world space."""
    return np.linalg.det(np.array(matrix, dtype=np.float64)[:3, :3]) < 0


def reversed_corners(corners):
    """A face, or what its corners have, the other way round, from the same corner on: as Blender flips."""
    return (corners[0], *corners[:0:-1])


class Switched:
    """While it stands, a flag of each of these is `value`."""

    def __init__(self, things, flag, value):
        self.things, self.flag, self.value = things, flag, value

    def __enter__(self):
        self.before = [getattr(thing, self.flag) for thing in self.things]
        for thing in self.things:
            setattr(thing, self.flag, self.value)

    def __exit__(self, *_error):
        for thing, before in zip(self.things, self.before):
            setattr(thing, self.flag, before)


def alone(thing, name):
    """While it stands, no modifier moves a thing but the one of that name."""
    return Switched([other for other in thing.modifiers if other.name != name], "show_viewport", False)


def silenced(cloth):
    """While it stands, shape keys do not move the cloth: what moves it then are parents, bones and hooks."""
    keys = cloth.data.shape_keys
    return Switched(list(keys.key_blocks[1:]) if keys else [], "mute", True)


def wind_velocity(winds):
    """Sum of the wind fields at the scene's frame: each blows along its z axis, its strength in m/s (3)."""
    velocity = np.zeros(3)
    for wind in winds:
        copy = wind.evaluated_get(bpy.context.evaluated_depsgraph_get())
        axis = np.array(copy.matrix_world, dtype=np.float64)[:3, 2]
        velocity += copy.field.strength * axis / np.linalg.norm(axis)
    return velocity


def objects_of(layer, disabled=False):
    """Those of a layer collection and the ones below it that are neither excluded nor disabled."""
    disabled = disabled or layer.collection.hide_viewport
    found = set() if disabled or layer.exclude else set(layer.collection.objects)
    for below in layer.children:
        found |= objects_of(below, disabled)
    return found


def is_moved(thing, enabled):
    """What the eye hides is. Object.is_evaluated does not tell: what a cloth names is in the depsgraph."""
    return not thing.hide_viewport and thing in enabled


def check_moves(things, enabled):
    """Blender does not move what is disabled: it would be taken for something that stands still."""
    still = sorted({thing.name for thing in things if not is_moved(thing, enabled)})
    if still:
        raise ValueError("%s: disabled in the viewport, or in no collection that is enabled there, so that "
                         "Blender does not move it; enable it, and hide it with the eye instead" %
                         ", ".join(still))


def sample(things, winds, frames, also=lambda frame: None):
    """Every thing at every frame, {thing: (locals (F, n, 3), matrices (F, 4, 4))}, and the wind (F, 3). One
    pass over the frames, at each of which `also` may look at the scene; leaves the scene at its own. Raises
    ValueError for a thing that is disabled, or whose number of vertices changes."""
    scene, enabled = bpy.context.scene, objects_of(bpy.context.view_layer.layer_collection)
    shown = scene.frame_current
    found, velocity = {thing: ([], []) for thing in things}, []
    try:
        for frame in frames:
            scene.frame_set(frame)
            check_moves(things, enabled)
            velocity.append(wind_velocity([wind for wind in winds if is_moved(wind, enabled)]))
            for thing, (locals_, matrices) in found.items():
                local, matrix = evaluated(thing)
                if locals_ and len(local) != len(locals_[0]):
                    raise ValueError("%s has %d vertices at frame %d and %d at frame %d" %
                                     (thing.name, len(local), frame, len(locals_[0]), frames[0]))
                locals_.append(local)
                matrices.append(matrix)
            also(frame)
    finally:
        scene.frame_set(shown)
    return {thing: (np.array(locals_), np.array(matrices)) for thing, (locals_, matrices) in found.items()}, \
        np.array(velocity)


def in_world_all(locals_, matrices):
    """(F, n, 3) under (F, 4, 4)."""
    return np.array([in_world(m, x) for m, x in zip(matrices, locals_)])


def origin(sampled, at):
    """Of a sampled object in the world at entry `at` (3)."""
    _, matrices = sampled
    return matrices[at][:3, 3]


def is_still(frames, size):
    """Whether frames (F, ...) are one and the same."""
    return float(np.abs(frames - frames[0]).max(initial=0.0)) <= STILL * max(size, 1e-9)


def is_same(one, other):
    """Whether two places (n, 3) of a cloth differ by no more than bones at rest move it."""
    size = max(float(np.abs(one).max(initial=0.0)), 1e-9)
    return float(np.abs(one - other).max(initial=0.0)) <= SAME * size


def laid_over(shape, target):
    """A shape (n, 3) moved and turned, and not strained, to where it is nearest to another of it."""
    middle, there = shape.mean(axis=0), target.mean(axis=0)
    u, _, vt = np.linalg.svd((shape - middle).T @ (target - there))
    keep = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    return (shape - middle) @ (u @ keep @ vt) + there


def rigid_motion(matrices, points, meters_per_unit):
    """The motion that takes the first frame, with points (n, 3), to each other one, as keys of a
    [[collider]]: the pivot, the middle of the points [m]; angles about x, then y, then z in degrees; how far
    it is moved then [m]. None if it is not rigid, or angles say less well than a cache what is between two
    frames."""
    import mathutils
    turns, rotations, translations = [], [], []
    try:
        start = np.linalg.inv(matrices[0])
    except np.linalg.LinAlgError:  # a scale of 0
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    pivot = (low + high) / 2
    for matrix in matrices:
        relative = matrix @ start
        turn = relative[:3, :3]
        if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-5:
            return None
        matrix3 = mathutils.Matrix(turn.tolist())
        rotations.append(matrix3.to_euler("XYZ", rotations[-1]) if rotations else matrix3.to_euler("XYZ"))
        turns.append(matrix3)
        translations.append(((in_world(relative, pivot) - pivot) * meters_per_unit).tolist())
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (high - low) / 2
    if not turns_evenly(turns, rotations, corners):
        return None
    return (pivot * meters_per_unit).tolist(), [[math.degrees(a) for a in e] for e in rotations], translations


def turns_evenly(turns, rotations, corners):
    """Whether angles in between, half-way from each frame to the next, are near the shortest turn, by what
    corners (8, 3) about the pivot differ, or nearer than straight lines, which a cache has."""
    import mathutils
    allowed = TURN_ERROR * max(float(np.ptp(corners, axis=0).max()), 1e-9)
    for k in range(len(turns) - 1):
        half = turns[k].to_quaternion().slerp(turns[k + 1].to_quaternion(), 0.5).to_matrix()
        angles = [(a + b) / 2 for a, b in zip(rotations[k], rotations[k + 1])]
        there = corners @ np.array(half).T
        by_angles = np.abs(corners @ np.array(mathutils.Euler(angles, "XYZ").to_matrix()).T - there).max()
        straight = corners @ (np.array(turns[k]) + np.array(turns[k + 1])).T / 2
        if by_angles > max(allowed, np.abs(straight - there).max()):
            return False
    return True
