"""Runs inside Blender: reads out.pc2, out.mdd, out.####.obj and .ply, writes positions to found.json, and
exports the cloth again as blender.*."""

import json
import sys

import addon_utils
import bpy

first, count = (int(word) for word in sys.argv[sys.argv.index("--") + 1:])
shown = (first, first + count // 2, first + count - 1)
scene = bpy.context.scene


def import_obj(path):
    bpy.ops.wm.obj_import(filepath=path, forward_axis="NEGATIVE_Z", up_axis="Y")
    return bpy.context.selected_objects[0]


def coordinates(mesh):
    xyz = [0.0] * (3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", xyz)
    return xyz


def evaluated(thing, frame):
    scene.frame_set(frame)
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    xyz = coordinates(copy.to_mesh())
    copy.to_mesh_clear()
    return xyz


def with_cache(file_format, path):
    thing = import_obj("rest.obj")
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = file_format, path, float(first)
    cache.interpolation, cache.play_mode, cache.time_mode = "NONE", "SCENE", "FRAME"
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # as they are
    return thing


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
for addon in ("io_export_pc2", "io_shape_mdd", "io_mesh_ply"):
    addon_utils.enable(addon)
scene.frame_start, scene.frame_end, scene.render.fps = first, first + count - 1, 24

found = {}
for file_format in ("PC2", "MDD"):
    thing = with_cache(file_format, bpy.path.abspath("//") + "out." + file_format.lower())
    found[file_format] = {frame: evaluated(thing, frame) for frame in shown}
found["OBJ"] = {frame: coordinates(import_obj("out.%04d.obj" % frame).data) for frame in shown}
found["PLY"] = {}
for frame in shown:
    bpy.ops.import_mesh.ply(filepath="out.%04d.ply" % frame)
    found["PLY"][frame] = coordinates(bpy.context.selected_objects[0].data)
json.dump(found, open("found.json", "w"))

# The other way round. The importer stands objects up by a turn; vertices are wanted as they are.
thing.rotation_euler = (0, 0, 0)
bpy.ops.object.select_all(action="DESELECT")
thing.select_set(True)
bpy.context.view_layer.objects.active = thing
last = first + count - 1
bpy.ops.export_shape.pc2(filepath="blender.pc2", rot_x90=False, world_space=False, range_start=first,
                         range_end=last, sampling="1", apply_modifiers=True)
bpy.ops.export_shape.mdd(filepath="blender.mdd", fps=24, frame_start=first, frame_end=last,
                         use_rest_frame=False)
for frame in range(first, last + 1):
    scene.frame_set(frame)
    bpy.ops.wm.obj_export(filepath="blender.%04d.obj" % frame, export_selected_objects=True,
                          export_materials=False, export_animation=False, forward_axis="Y", up_axis="Z",
                          apply_modifiers=True)
    for kind in ("ascii", "binary"):
        bpy.ops.export_mesh.ply(filepath="blender_%s.%04d.ply" % (kind, frame), use_selection=True,
                                use_ascii=kind == "ascii", use_mesh_modifiers=True, use_normals=False,
                                use_uv_coords=False, use_colors=False, axis_forward="Y", axis_up="Z")
