"""Runs inside Blender: what is asked for is what is shown, whatever moves, refines or mirrors the cloth; and
what comes back is shown where it belongs, between frames, too."""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import (EDGE, FIRST, KEY, LAST, SIDE, UNIT, held_sheet, install, read_obj,  # noqa: E402
                   read_toml, refuses, scene_of, select, shot_folder, shown, simulate)

NEAR = 1e-4  # cm: float32 a metre from the origin


def bones(cloth, weights):
    """Two of them, the second with these weights of the rows; both pose the cloth at the first frame already,
    and move it."""
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(rig)
    rig.matrix_world = cloth.matrix_world
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for k in range(2):
        bone = rig.data.edit_bones.new("bone%d" % k)
        bone.head, bone.tail = (20.0 * k, 0.0, 0.0), (20.0 * k, 0.0, 10.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    for k in range(2):
        group = cloth.vertex_groups.new(name="bone%d" % k)
        for v in range(SIDE * SIDE):
            share = weights[v // SIDE]
            group.add([v], share if k else 1 - share, "REPLACE")
        pose = rig.pose.bones["bone%d" % k]
        pose.rotation_mode = "XYZ"
        for frame, away, turn in ((FIRST, 5.0, 0.2), (LAST, 8.0, 0.4)):
            pose.location, pose.rotation_euler = (away, 0.0, 3.0 * k), (0.0, turn, 0.0)
            pose.keyframe_insert("location", frame=frame)
            pose.keyframe_insert("rotation_euler", frame=frame)
    cloth.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.scene.frame_set(FIRST)
    select(cloth)


def sculpt(cloth, lean):
    """A keyframe as an artist makes it; where it is shown."""
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    for point in cloth.active_shape_key.data:
        point.co.y -= lean * point.co.z
    cloth.data.update()
    there = shown(cloth, KEY)
    cloth.active_shape_key.value = 0.0  # what is shown else does not matter
    return there


def lengths(points):
    rows = points.reshape(SIDE, SIDE, 3)
    return np.concatenate([np.linalg.norm(np.diff(rows, axis=axis), axis=-1).ravel() for axis in (0, 1)])


def is_near(one, other, bound=NEAR):
    away = np.abs(np.asarray(one) - other).max()
    assert away < bound, away


def check_bones(weights):
    """A cloth that bones carry as one, and one that they bend."""
    cloth = held_sheet("carried")
    bones(cloth, weights)
    is_rigid = len(set(weights)) == 1
    begin, wanted = shown(cloth, FIRST), sculpt(cloth, 0.2)
    scene, folder = read_toml(scene_of(cloth)), shot_folder(cloth)
    rest = read_obj(os.path.join(folder, "rest.obj"))[0]
    is_near(lengths(rest), EDGE)
    assert ("initial" in scene["cloth"]) == (not is_rigid)
    initial = rest if is_rigid else read_obj(os.path.join(folder, scene["cloth"]["initial"]))[0]
    is_near(initial, begin)
    if not is_rigid:
        assert np.abs(lengths(begin) / EDGE - 1).max() > 0.01  # or it would not be bent
    is_near(read_obj(os.path.join(folder, scene["keyframe"][0]["mesh"]))[0], wanted)
    pins = np.fromfile(os.path.join(folder, scene["pin"][0]["motion"]), "<f4", offset=32)
    is_near(pins.reshape(-1, SIDE * SIDE, 3)[0], begin)
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["carried keydrape"]
    is_near(shown(result, FIRST), begin)
    is_near(shown(result, LAST)[:SIDE], shown(cloth, LAST)[:SIDE])
    cloth.keydrape.starts_draped = True
    assert read_toml(scene_of(cloth))["cloth"]["initial"] == "drape"
    assert simulate() == {"FINISHED"}
    is_near(shown(result, FIRST)[:SIDE], begin[:SIDE])
    check_poses_through_bones(cloth, result, wanted)
    for thing in (result, cloth, bpy.data.objects["rig"]):
        bpy.data.objects.remove(thing)


def check_poses_through_bones(cloth, result, wanted):
    """A result as a sculpt, and a relaxed pose, are shown where they were."""
    there = shown(result, KEY)
    select(result)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    is_near(shown(cloth, KEY), there, 1e-2)  # 0.1 mm, of the search for it
    assert np.abs(there - wanted).max() > 1
    select(cloth)
    bpy.context.scene.frame_set(FIRST)  # of the keyframe's frame, whichever is shown
    assert bpy.ops.keydrape.relax(shape_key="key@%d" % KEY) == {"FINISHED"}
    print(bpy.context.window_manager.keydrape.told)
    is_near(shown(cloth, KEY), there, 1.0)  # a shape that cloth has had is hardly moved
    is_near(shown(cloth, KEY)[:SIDE], there[:SIDE], 1e-2)


def check_still_modifiers():
    cloth = held_sheet("displaced")
    push = cloth.modifiers.new("push", "DISPLACE")
    push.direction, push.mid_level, push.strength = "X", 0.0, 10.0
    begin = shown(cloth, FIRST)
    scene = read_toml(scene_of(cloth))
    assert "initial" not in scene["cloth"] and "motion" not in scene["pin"][0]
    is_near(read_obj(os.path.join(shot_folder(cloth), "rest.obj"))[0], begin)
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["displaced keydrape"]
    is_near(shown(result, LAST)[:SIDE], begin[:SIDE])
    cloth.modifiers.clear()
    bend = cloth.modifiers.new("bend", "SIMPLE_DEFORM")
    bend.deform_method, bend.deform_axis, bend.angle = "BEND", "Z", 0.5
    begin = shown(cloth, FIRST)
    for is_draped in (False, True):  # held there, wherever the rest has to go from
        cloth.keydrape.starts_draped = is_draped
        select(cloth)
        assert simulate() == {"FINISHED"}
        is_near(shown(result, FIRST)[:SIDE], begin[:SIDE])
    cloth.modifiers.clear()
    cast = cloth.modifiers.new("round", "CAST")
    cast.factor = 1.0
    select(result)
    refuses(bpy.ops.keydrape.sculpt_keyframe, "its modifiers (round) cannot be undone")
    assert cloth.data.shape_keys is None
    bpy.data.objects.remove(result)
    bpy.data.objects.remove(cloth)


def check_modifiers_for_the_picture():
    """Pins and targets are of the cloth's own vertices; the result is refined as the cloth was."""
    cloth = held_sheet("refined")
    cloth.scale = (2.0, 2.0, 2.0)
    cloth.modifiers.new("Smooth", "SUBSURF").levels = 1
    cloth.modifiers.new("Thick", "SOLIDIFY").thickness = 0.5
    wanted = sculpt(cloth, 0.1)
    assert len(wanted) != SIDE * SIDE
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["refined keydrape"]
    assert [each.name for each in result.modifiers] == ["Keydrape", "Smooth", "Thick"]
    assert result.modifiers["Smooth"].levels == 1
    assert abs(result.modifiers["Thick"].thickness - 1.0) < 1e-6
    assert len(shown(result, FIRST)) == len(wanted)
    is_near(shown(result, FIRST), shown(cloth, FIRST), 1e-2)
    assert all(each.show_viewport for each in cloth.modifiers)
    assert simulate() == {"FINISHED"} and len(result.modifiers) == 3
    cloth.modifiers.new("wave", "WAVE")
    refuses(simulate, 'modifier "Smooth" of refined changes its number of vertices; put it last')
    cloth.modifiers.clear()
    for kind in ("WAVE", "MIRROR", "SUBSURF"):
        cloth.modifiers.new(kind.lower(), kind)
    refuses(simulate, 'modifier "mirror" of refined changes its number of vertices; apply it')
    bpy.data.objects.remove(result)
    bpy.data.objects.remove(cloth)


def check_mirrored():
    cloth = held_sheet("mirrored")
    cloth.scale.x = -1.0
    cloth.data.uv_layers.new(name="flat")
    for loop in cloth.data.loops:
        x, _, z = cloth.data.vertices[loop.vertex_index].co
        cloth.data.uv_layers.active.data[loop.index].uv = (x / 40.0, 1.0 + z / 40.0)
    cloth.keydrape.use_uvs = True
    bpy.context.view_layer.update()
    scene_of(cloth)
    points, faces, uvs = read_obj(os.path.join(shot_folder(cloth), "rest.obj"))
    normal = np.array(cloth.matrix_world.to_3x3().inverted().transposed() @ cloth.data.polygons[0].normal)
    a, b, c, _d = points[[v for v, _uv in faces[0]]]
    assert np.dot(np.cross(b - a, c - a), normal) > 0
    for face in faces:
        for vertex, uv in face:
            x, _, z = cloth.data.vertices[vertex].co
            is_near(uvs[uv], (x / 40.0, 1.0 + z / 40.0), 1e-6)
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["mirrored keydrape"]
    mesh = result.data
    is_near(mesh.polygons[0].normal, normal, 1e-5)
    for loop in mesh.loops:
        x, _, z = cloth.data.vertices[loop.vertex_index].co
        is_near(mesh.uv_layers.active.data[loop.index].uv, (x / 40.0, 1.0 + z / 40.0), 1e-6)
    mesh["kept"] = True
    select(cloth)
    assert simulate() == {"FINISHED"} and "kept" in result.data  # it is the same mesh still
    cloth.scale.x = 1.0
    assert simulate() == {"FINISHED"} and "kept" not in result.data
    is_near(result.data.polygons[0].normal, cloth.matrix_world.to_3x3() @ cloth.data.polygons[0].normal, 1e-5)
    bpy.data.objects.remove(result)
    bpy.data.objects.remove(cloth)


def check_turns():
    """Keys of a body are at every frame where the body is, and between frames, too; where angles say that
    badly, the body gets a cache."""
    import mathutils
    from keydrape import sampling

    def motion(degrees, axis, centre):
        about = mathutils.Vector(axis)
        turns = [mathutils.Matrix.Rotation(np.radians(degrees * k), 4, about) for k in range(24)]
        there = mathutils.Matrix.Translation(centre)
        return [np.array(there @ turn) for turn in turns]
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-2.0, 2.0) for z in (-3.0, 3.0)])
    for degrees, axis, has_keys in ((7, (0, 0, 1), True), (7, (0.3, 1, 0.1), False), (8, (0.03, 1, 0), False),
                                    (0.2, (0.3, 1, 0.1), True)):
        matrices = motion(degrees, axis, (100.0, 50.0, 0.0))
        points = sampling.in_world(matrices[0], corners)
        found = sampling.rigid_motion(matrices, points, UNIT)
        assert (found is not None) == has_keys, (degrees, axis)
        if not has_keys:
            continue
        pivot, rotations, translations = (np.array(each) for each in found)
        for k, matrix in enumerate(matrices):
            turn = np.array(mathutils.Euler(np.radians(rotations[k])).to_matrix())
            there = (points - pivot / UNIT) @ turn.T + (pivot + translations[k]) / UNIT
            is_near(there, sampling.in_world(matrix, corners))
        assert np.abs(translations).max() < 1e-6  # it turns about its middle


def check_time_and_gravity():
    cloth, scene = held_sheet("timed"), bpy.context.scene
    scene.render.frame_map_new = 200
    for run in (simulate, bpy.ops.keydrape.check):
        refuses(run, "time is stretched, 100 frames to 200")
    scene.render.frame_map_new = 100
    state = bpy.context.window_manager.keydrape
    for size, times in ((-9.81, None), (-981.0, "100 times"), (-0.0981, "0.01 times"), (0.0, None)):
        scene.gravity.z = size
        assert simulate() == {"FINISHED"}
        assert ("that of the earth" in state.warnings) == (times is not None), state.warnings
        assert times is None or times in state.warnings and "enter -0.0981 at" in state.warnings
        assert read_toml(os.path.join(shot_folder(cloth), "shot.toml"))["shot"]["gravity"][2] == size
    scene.gravity.z = -9.81
    return cloth


def check_between_frames(cloth):
    """Of a fall: half-way is in the middle, and whole frames are the program's, to float32's rounding."""
    cloth.keydrape.pins.clear()
    assert simulate() == {"FINISHED"}
    result, scene = bpy.data.objects["timed keydrape"], bpy.context.scene
    frames = np.load(os.path.join(shot_folder(cloth), "out", "positions.npy")) / UNIT
    rounding = 3 * np.finfo(np.float32).eps * np.abs(frames).max()
    for frame in range(FIRST, LAST + 1):
        is_near(shown(result, frame), frames[frame - FIRST], rounding)
    assert np.abs(frames[5] - frames[4]).max() > 1000 * rounding
    scene.frame_set(FIRST + 4, subframe=0.5)
    is_near(shown(result), (frames[4] + frames[5]) / 2, 2 * rounding)
    bpy.data.objects.remove(result)
    bpy.data.objects.remove(cloth)


def check_edit_mode(cloth, result):
    """In it attributes cannot be written; a traceback fails the test."""
    for strained in (False, True):
        select(result)
        if strained:
            assert bpy.ops.keydrape.strain() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.scene.frame_set(KEY)
        cloth.keydrape.strain_of = "warp"
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.context.scene.frame_set(FIRST)


def check_two_keyframes_at_one_frame():
    """Each of a half of the cloth; the attribute has the misses of both."""
    cloth = held_sheet("halves")
    sculpt(cloth, 0.2)
    cloth.shape_key_add(name="other", from_mix=False)
    for k, name in enumerate(("key@%d" % KEY, "other")):
        half = cloth.vertex_groups.new(name=name)
        half.add([v for v in range(SIDE, SIDE * SIDE) if (v // SIDE > SIDE // 2) == bool(k)], 1.0, "REPLACE")
        row = cloth.keydrape.keyframes.add()
        row.shape_key, row.frame, row.group, row.tolerance = name, KEY, name, 0.001
    assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
    check_edit_mode(cloth, bpy.data.objects["halves keydrape"])
    data = bpy.data.objects["halves keydrape"].data.attributes["miss@%d" % KEY].data
    miss = np.array([each.value for each in data]).reshape(SIDE, SIDE)
    assert (miss[0] == 0).all() and (miss[1:] > 0).all(), miss
    for name in ("halves keydrape", "halves"):
        bpy.data.objects.remove(bpy.data.objects[name])


def main():
    install()
    check_bones([1.0] * SIDE)
    check_bones(list(np.linspace(0.0, 1.0, SIDE)))
    check_still_modifiers()
    check_modifiers_for_the_picture()
    check_mirrored()
    check_turns()
    check_between_frames(check_time_and_gravity())
    check_two_keyframes_at_one_frame()
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
