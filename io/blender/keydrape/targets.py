# SPDX-License-Identifier: GPL-3.0-or-later
"""What else than shape keys the cloth is to hit: meshes of another topology, single vertices, a motion."""

import bpy
import numpy as np

from . import files, keyframes, modifiers, sampling
from .files import short


def things_of(settings):
    """The objects that targets come from, to be sampled with the cloth."""
    rows = [*settings.surfaces, *settings.landmarks, *settings.tracks]
    return [row.target for row in rows if row.target is not None]


def slide(row, frame):
    """The frames within which a keyframe may slide, or None where it may not."""
    if row.earlier == 0 and row.later == 0:
        return None
    return "%d-%d" % (frame - row.earlier, frame + row.later)


def painted(shot, name, group):
    """The name of a file with the weights of a vertex group, or None for no group."""
    if not group:
        return None
    files.write_weights(shot.path(name), keyframes.weights_of(shot.cloth, group))
    return name


def check_frame(shot, what, frame):
    if frame not in shot.frames:
        raise ValueError("%s: frame %d is outside of the scene's %d to %d" %
                         (what, frame, shot.frames[0], shot.frames[-1]))


def world_at(shot, target, frame):
    """An object's vertices at a frame (n, 3), in the scene's unit."""
    locals_, matrices = shot.sampled[target]
    at = frame - shot.frames[0]
    return sampling.in_world(matrices[at], locals_[at])


def surface_keys(shot, k, row):
    """The target as it is at its frame, modifiers included."""
    if row.target is None:
        raise ValueError("surface %d names no object" % (k + 1))
    check_frame(shot, row.target.name, row.frame)
    name = "surface%d.obj" % (k + 1)
    positions = world_at(shot, row.target, row.frame)
    if len(positions) == 0:
        raise ValueError("%s has no vertices to lie on" % row.target.name)
    files.write_obj(shot.path(name), positions, sampling.evaluated_triangles(row.target))
    return {"frame": row.frame, "window": slide(row, row.frame), "surface": name,
            "max_angle": short(row.max_angle), "weight": short(row.weight),
            "tolerance": short(row.tolerance) or None,
            "tolerance_max": short(row.tolerance_max) or None,
            "weights": painted(shot, "surface%d_weights.txt" % (k + 1), row.group)}


def landmark_tables(shot):
    """One table for each frame that has landmarks."""
    rows = [row for row in shot.settings.landmarks if row.target is not None]
    count = len(shot.cloth.data.vertices)
    for row in rows:
        check_frame(shot, row.target.name, row.frame)
        if row.vertex >= count:
            raise ValueError("landmark %s: %s has no vertex %d; the last is %d" %
                             (row.target.name, shot.cloth.name, row.vertex, count - 1))
    tables = []
    for frame in sorted({row.frame for row in rows}):
        there = [[row.vertex,
                  *(sampling.origin(shot.sampled[row.target], frame - shot.frames[0]) * shot.unit).tolist()]
                 for row in rows if row.frame == frame]
        tables.append({"frame": frame, "landmarks": there,
                       "tolerance": short(shot.settings.tolerance) or None})
    return tables


def track_keys(shot, k, row):
    """The motion of another object with the cloth's vertices, as a cache of the whole shot."""
    if row.target is None:
        raise ValueError("track %d names no object" % (k + 1))
    locals_, matrices = shot.sampled[row.target]
    if locals_.shape[1] != len(shot.cloth.data.vertices):
        raise ValueError("%s has %d vertices and %s %d; a track has those of the cloth" %
                         (row.target.name, locals_.shape[1], shot.cloth.name, len(shot.cloth.data.vertices)))
    name = "track%d.pc2" % (k + 1)
    files.write_pc2(shot.path(name), shot.frames[0], sampling.in_world_all(locals_, matrices))
    frames = None
    if row.use_frames:
        for frame in (row.first, row.last):
            check_frame(shot, row.target.name, frame)
        frames = "%d-%d" % (row.first, row.last)
    return {"cache": name, "frames": frames, "every": row.every, "weight": short(row.weight),
            "tolerance": short(row.tolerance) or None,
            "weights": painted(shot, "track%d_weights.txt" % (k + 1), row.group)}


def tables(shot):
    """All of them, in the order of the panel."""
    settings = shot.settings
    found = [("[[keyframe]]", surface_keys(shot, k, row)) for k, row in enumerate(settings.surfaces)]
    found += [("[[keyframe]]", keys) for keys in landmark_tables(shot)]
    return found + [("[[track]]", track_keys(shot, k, row)) for k, row in enumerate(settings.tracks)]


def add_landmarks(cloth, frame, size):
    """An empty at each selected vertex of the cloth as it is shown, to be moved to where the vertex has to
    be. Raises ValueError where none is selected."""
    if cloth.mode != "OBJECT":
        cloth.update_from_editmode()
    chosen = [vertex.index for vertex in cloth.data.vertices if vertex.select]
    if not chosen:
        raise ValueError("no vertex of %s is selected; choose some in edit mode" % cloth.name)
    mode = cloth.mode
    if mode != "OBJECT":  # in which modifiers show another mesh
        bpy.ops.object.mode_set(mode="OBJECT")
    places = modifiers.shown_now(cloth)
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode=mode)
    for vertex in chosen:
        mark = bpy.data.objects.new("landmark %d@%d" % (vertex, frame), None)
        mark.empty_display_type, mark.empty_display_size = "SPHERE", size
        mark.location = places[vertex]
        for collection in cloth.users_collection:
            collection.objects.link(mark)
        row = cloth.keydrape.landmarks.add()
        row.target, row.vertex, row.frame = mark, vertex, frame


def mark_size(cloth):
    """Of the empties: a fiftieth of the cloth."""
    return 0.02 * float(np.ptp(sampling.rest_local(cloth), axis=0).max())
