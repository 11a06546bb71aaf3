# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth that comes back: an object of its own with a Mesh Cache, misses and forces as attributes."""

import json
import os

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import sampling, strain
from .strain import attribute

FOLDER, FIRST = "keydrape_folder", "keydrape_first"  # custom properties of a result
FORCE = "force"  # attribute: control force over the frame that begins at the scene's frame [N]


def miss_name(frame):
    return "miss@%d" % frame  # attribute: distance to the target [m]


def result_of(cloth):
    """The result that belongs to a cloth, or None."""
    for thing in bpy.data.objects:
        if thing.get(FOLDER) is not None and thing.get("keydrape_cloth") == cloth:
            return thing
    return None


def attach(cloth, folder):
    """Makes or renews the result of a cloth from a folder of results, and returns it."""
    with open(os.path.join(folder, "shot", "shot.json"), encoding="utf-8") as file:
        shot = json.load(file)
    result = result_of(cloth) or make_result(cloth)
    result[FOLDER], result[FIRST] = folder, shot["frames"][0]
    cache = result.modifiers.get("Keydrape") or result.modifiers.new("Keydrape", "MESH_CACHE")
    name = next(n for n in ("controlled.pc2", "simulated.pc2", "uncontrolled.pc2")
                if os.path.exists(os.path.join(folder, n)))
    cache.cache_format, cache.filepath = "PC2", os.path.join(folder, name)
    cache.frame_start, cache.frame_scale = float(shot["frames"][0]), 1.0
    cache.interpolation, cache.play_mode, cache.time_mode = "NONE", "SCENE", "FRAME"
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # as they are: in Blender's axes and unit
    strain.hide(result)  # it was of the run before
    write_misses(result, folder, shot)
    show_forces(result, bpy.context.scene.frame_current)
    return result


def make_result(cloth):
    """A copy of the cloth's rest, in world space: nothing but the cache moves it."""
    local = sampling.rest_local(cloth)
    _, matrix = sampling.evaluated(cloth)
    mesh_owner = cloth.copy()
    mesh_owner.data = cloth.data.copy()
    mesh_owner.name = cloth.name + " keydrape"
    mesh_owner.shape_key_clear()
    mesh_owner.modifiers.clear()
    mesh_owner.constraints.clear()
    mesh_owner.animation_data_clear()
    mesh_owner.parent = None
    mesh_owner.matrix_world.identity()
    world = sampling.in_world(matrix, local).astype(np.float32)
    mesh_owner.data.vertices.foreach_set("co", world.ravel())
    mesh_owner.data.update()
    mesh_owner["keydrape_cloth"] = cloth
    for collection in cloth.users_collection:
        collection.objects.link(mesh_owner)
    return mesh_owner


def write_misses(result, folder, shot):
    """miss@FRAME for each keyframe; 0 where it has no target. Tracks, which have one a frame, get none."""
    path = os.path.join(folder, "shot", "keyframes.npy")
    if not os.path.exists(path):
        return
    targets = np.load(path)
    weights = np.load(os.path.join(folder, "shot", "keyframe_weights.npy"))
    positions = np.load(os.path.join(folder, "positions.npy"), mmap_mode="r")
    for keyframe, target, weight in zip(shot["keyframes"], targets, weights):
        at = keyframe["frame"] - shot["frames"][0]
        if at >= len(positions) or keyframe["kind"] == "track":
            continue
        miss = np.linalg.norm(positions[at] - target, axis=1) * (weight > 0)
        data = attribute(result.data, miss_name(keyframe["frame"]), "FLOAT").data
        data.foreach_set("value", miss.astype(np.float32))


def show_forces(result, frame):
    path = os.path.join(result[FOLDER], "forces.npy")
    if not os.path.exists(path):
        return
    forces = np.load(path, mmap_mode="r")
    at = min(max(frame - result[FIRST], 0), len(forces) - 1)
    if forces.shape[1] != len(result.data.vertices):
        return
    attribute(result.data, FORCE, "FLOAT_VECTOR").data.foreach_set(
        "vector", forces[at].astype(np.float32).ravel())


@persistent
def on_frame(scene, *_depsgraph):
    for thing in scene.objects:
        if thing.get(FOLDER) is not None:
            show_forces(thing, scene.frame_current)
            cloth = thing.get("keydrape_cloth")  # None: it was deleted
            if cloth is not None and os.path.exists(thing.get(strain.MAP, "")):
                strain.show_frame(thing, cloth.keydrape, scene.frame_current)


def register():
    bpy.app.handlers.frame_change_pre.append(on_frame)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(on_frame)
