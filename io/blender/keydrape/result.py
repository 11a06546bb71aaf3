# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth that comes back: an object of its own with a Mesh Cache, misses and forces as attributes."""

import json
import os

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import modifiers, sampling, strain
from .strain import attribute

FOLDER, FIRST = "keydrape_folder", "keydrape_first"  # custom properties of a result
CACHE = "Keydrape"  # its modifier
FORCE = "force"  # attribute: control force over the frame that begins at the scene's frame [N]

MISS = "miss@"  # attributes, with the frame behind it: distance to the target [m]


def miss_name(frame):
    return MISS + "%d" % frame


def result_of(cloth):
    """The result that belongs to a cloth, or None. Of copies the active one, else one that is selected, else
    the original, by its name."""
    found = [thing for thing in bpy.data.objects
             if thing.get(FOLDER) is not None and thing.get("keydrape_cloth") == cloth]
    layer = bpy.context.view_layer
    active, chosen = layer.objects.active, set(layer.objects.selected)
    return min(found, default=None, key=lambda thing: (
        thing != active, thing not in chosen, thing.name != name_of(cloth), len(thing.name), thing.name))


def name_of(cloth):
    return cloth.name + " keydrape"


def stored(cloth, path):
    """A path as it is kept in the file: from the .blend, where the cloth's folder is said from there."""
    from_blend = cloth.keydrape.folder.startswith("//") and bpy.data.filepath
    return bpy.path.relpath(path) if from_blend else path


def folder_of(result):
    """Of its take. Blender keeps the cache's path right, as a file is saved elsewhere."""
    cache = result.modifiers.get(CACHE)
    if cache is not None and cache.type == "MESH_CACHE" and cache.filepath:
        return os.path.normpath(os.path.dirname(bpy.path.abspath(cache.filepath, library=result.library)))
    return os.path.normpath(bpy.path.abspath(result[FOLDER], library=result.library))


def map_of(result):
    """The file of the map of strain that is shown, or None."""
    if strain.MAP not in result:
        return None
    path = os.path.join(os.path.dirname(folder_of(result)), os.path.basename(result[strain.MAP]))
    return path if os.path.exists(path) else None


def is_shown(cloth, folder):
    """Whether the cloth's result shows the take in a folder."""
    result = result_of(cloth)
    return result is not None and folder_of(result) == os.path.normpath(folder) and \
        os.path.exists(os.path.join(folder, "positions.npy"))


def check_vertices(cloth, folder):
    """Raises ValueError for results of another mesh."""
    count = np.load(os.path.join(folder, "positions.npy"), mmap_mode="r").shape[1]
    if count != len(cloth.data.vertices):
        raise ValueError("%s has %d vertices, and had %d when the run began; run it again" %
                         (cloth.name, len(cloth.data.vertices), count))


def attach(cloth, folder):
    """Makes or renews the result of a cloth from a folder of results of its mesh, and returns it."""
    with open(os.path.join(folder, "shot", "shot.json"), encoding="utf-8") as file:
        shot = json.load(file)
    result = result_of(cloth) or make_result(cloth)
    if connections(result.data) != connections(cloth.data, sampling.is_mirrored(cloth.matrix_world)):
        renew_mesh(result, cloth)
    result[FOLDER], result[FIRST] = stored(cloth, folder), shot["frames"][0]
    cache = result.modifiers.get(CACHE) or result.modifiers.new(CACHE, "MESH_CACHE")
    name = next(n for n in ("controlled.pc2", "simulated.pc2", "uncontrolled.pc2")
                if os.path.exists(os.path.join(folder, n)))
    cache.cache_format, cache.filepath = "PC2", stored(cloth, os.path.join(folder, name))
    cache.frame_start, cache.frame_scale = float(shot["frames"][0]), 1.0
    cache.interpolation, cache.play_mode, cache.time_mode = "LINEAR", "SCENE", "FRAME"  # motion blur
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # as they are: in Blender's axes and unit
    strain.hide(result)  # it was of the run before, as what follows
    forget_attributes(result.data)
    write_misses(result, folder, shot)
    show_forces(result, bpy.context.scene.frame_current)
    return result


def make_result(cloth):
    """A copy of the cloth's rest, in world space: nothing but the cache moves it, and behind that it has the
    cloth's modifiers for the picture."""
    mesh_owner = cloth.copy()
    mesh_owner.data = cloth.data.copy()
    mesh_owner.name = name_of(cloth)
    mesh_owner.shape_key_clear()
    mesh_owner.modifiers.clear()
    mesh_owner.constraints.clear()
    mesh_owner.animation_data_clear()
    mesh_owner.parent = None
    mesh_owner.matrix_world.identity()
    lay_at_rest(mesh_owner.data, cloth)
    mesh_owner.modifiers.new(CACHE, "MESH_CACHE")
    modifiers.copy_picture(cloth, mesh_owner, cloth.matrix_world)
    mesh_owner["keydrape_cloth"] = cloth
    for collection in cloth.users_collection:
        collection.objects.link(mesh_owner)
    return mesh_owner


def lay_at_rest(mesh, cloth):
    """A copy of the cloth's mesh: where the rest of the cloth is in the world, as it stands, without an
    evaluation, in which the cache before would be looked for."""
    world = sampling.in_world(cloth.matrix_world, sampling.rest_local(cloth)).astype(np.float32)
    mesh.vertices.foreach_set("co", world.ravel())
    if sampling.is_mirrored(cloth.matrix_world):
        mesh.flip_normals()
    mesh.update()


def connections(mesh, mirrored=False):
    """What two meshes have in common that one cache can move: the number of vertices, and the faces;
    mirrored: those the other way round."""
    starts, vertices = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.loops.foreach_get("vertex_index", vertices)
    faces = np.split(vertices, starts[1:])
    if mirrored:
        faces = [np.array(sampling.reversed_corners(face)) for face in faces if len(face)]
    return len(mesh.vertices), starts.tolist(), np.concatenate(faces).tolist() if len(starts) else []


def renew_mesh(result, cloth):
    """After the cloth's mesh was changed. The object, its modifiers and its materials stay."""
    mesh, before = cloth.data.copy(), result.data
    for k, material in enumerate(before.materials):
        if k < len(mesh.materials):
            mesh.materials[k] = material
        else:
            mesh.materials.append(material)
    result.data = mesh
    result.shape_key_clear()
    lay_at_rest(mesh, cloth)
    if before.users == 0:
        bpy.data.meshes.remove(before)


def forget_attributes(mesh):
    """Misses and forces of a run before, which a new one need not have."""
    for name in [each.name for each in mesh.attributes]:
        if name == FORCE or name.startswith(MISS):
            mesh.attributes.remove(mesh.attributes[name])


def write_misses(result, folder, shot):
    """miss@FRAME for each frame of keyframes, the largest of them; 0 where there is no target. Tracks, which
    have one a frame, get none."""
    path = os.path.join(folder, "shot", "keyframes.npy")
    if not os.path.exists(path):
        return
    targets = np.load(path)
    weights = np.load(os.path.join(folder, "shot", "keyframe_weights.npy"))
    positions = np.load(os.path.join(folder, "positions.npy"), mmap_mode="r")
    found = {}
    for keyframe, target, weight in zip(shot["keyframes"], targets, weights):
        at = keyframe["frame"] - shot["frames"][0]
        if at >= len(positions) or keyframe["kind"] == "track":
            continue
        miss = np.linalg.norm(positions[at] - target, axis=1) * (weight > 0)
        found[keyframe["frame"]] = np.maximum(found.get(keyframe["frame"], 0.0), miss)
    for frame, miss in found.items():
        attribute(result.data, miss_name(frame), "FLOAT").data.foreach_set("value", miss.astype(np.float32))


def show_forces(result, frame):
    path = os.path.join(folder_of(result), "forces.npy")
    if result.data.is_editmode or not os.path.exists(path):  # attributes cannot be written there
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
            path = map_of(thing)
            if cloth is not None and path is not None:
                strain.show_frame(thing, cloth.keydrape, scene.frame_current, path)


def register():
    bpy.app.handlers.frame_change_pre.append(on_frame)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(on_frame)
