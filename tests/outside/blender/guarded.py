"""Runs inside Blender: what would go wrong without a word. Things that Blender does not move, Edit Mode, a
cloth or a result whose mesh was changed, what is left of a run before, undo, folders."""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import (FIRST, FOLDER, KEY, LAST, SIDE, held_sheet, install, read_toml, refuses,  # noqa: E402
                   scene_of, select, sheet, shot_folder, simulate)

RESULT = "curtain keydrape"


def empty(name, parent=None):
    thing = bpy.data.objects.new(name, None)
    thing.parent = parent
    bpy.context.scene.collection.objects.link(thing)
    return thing


def build_things(cloth):
    """One of each kind that is sampled, moved by an empty that is animated."""
    mover = empty("mover")
    mover.keyframe_insert("location", frame=FIRST)
    mover.location.y = 30.0
    mover.keyframe_insert("location", frame=LAST)
    found = {name: sheet(name) for name in ("body", "surface", "track")}
    bpy.ops.object.effector_add(type="WIND")
    found["wind"], found["mark"] = bpy.context.object, empty("mark")
    for thing in found.values():
        thing.name, thing.parent = next(name for name in found if found[name] is thing), mover
    found["body"].location.y = 200.0
    settings = cloth.keydrape
    settings.bodies.add().body = found["body"]
    for rows, target in ((settings.surfaces, "surface"), (settings.landmarks, "mark")):
        row = rows.add()
        row.target, row.frame = found[target], KEY
    settings.tracks.add().target = found["track"]
    select(cloth)
    bpy.context.scene.frame_set(FIRST)
    return found


def check_disabled():
    """Blender does not move them, and they were taken for things that stand still."""
    cloth = held_sheet("among things")
    things = build_things(cloth)
    scene = bpy.context.scene
    moved = read_toml(scene_of(cloth))["collider"][0]["translate"]
    assert abs(moved[-1][1][1] - 0.3) < 1e-5, moved
    away = bpy.data.collections.new("away")
    scene.collection.children.link(away)
    layer = bpy.context.view_layer.layer_collection.children["away"]
    assert any(read_toml(scene_of(cloth))["wind"]["velocity"])
    things["wind"].hide_viewport = True  # of all winds of the scene it is one that does not blow
    assert not any(read_toml(scene_of(cloth))["wind"]["velocity"])
    things["wind"].hide_viewport = False
    for name, thing in [*things.items(), ("among things", cloth)]:
        if name == "wind":
            continue
        for run in (bpy.ops.keydrape.check, simulate):
            thing.hide_viewport = True
            refuses(run, "%s: disabled in the viewport" % name)
            thing.hide_viewport = False
            bpy.context.view_layer.objects.active = cloth
        if thing is cloth:
            continue
        for collection in thing.users_collection:
            collection.objects.unlink(thing)
        away.objects.link(thing)
        for disable in ((layer, "exclude"), (away, "hide_viewport")):
            setattr(*disable, True)
            refuses(bpy.ops.keydrape.check, "%s: disabled in the viewport" % name)
            setattr(*disable, False)
        away.objects.unlink(thing)
        scene.collection.objects.link(thing)
    assert scene.frame_current == FIRST
    for thing in things.values():
        thing.hide_set(True)  # the eye, which is harmless
    assert read_toml(scene_of(cloth))["collider"][0]["translate"] == moved
    for thing in [*things.values(), bpy.data.objects["mover"], cloth]:
        bpy.data.objects.remove(thing)


def check_edit_mode():
    """The cage of Edit Mode is the active shape key, which is no motion of the pins."""
    cloth = held_sheet("edited")
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    for point in cloth.active_shape_key.data:
        point.co.y += 30.0
    for run in (bpy.ops.keydrape.check, simulate):
        bpy.ops.object.mode_set(mode="EDIT")
        assert run() == {"FINISHED"} and cloth.mode == "OBJECT"
        assert "motion" not in read_toml(os.path.join(shot_folder(cloth), "shot.toml"))["pin"][0]
        select(cloth)
    bpy.data.objects.remove(bpy.data.objects["edited keydrape"])
    bpy.data.objects.remove(cloth)


def attributes(thing):
    return sorted(each.name for each in thing.data.attributes if not each.name.startswith("."))


def check_what_a_run_before_left(cloth):
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    for point in cloth.active_shape_key.data:
        point.co.y -= 0.1 * point.co.z
    assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
    result = bpy.data.objects[RESULT]
    assert attributes(result) == ["force", "miss@%d" % KEY], attributes(result)
    result.data.attributes.new("painted", "FLOAT", "POINT")
    cloth.active_shape_key.name = "no keyframe"
    assert simulate() == {"FINISHED"}
    assert attributes(result) == ["painted"], attributes(result)
    cloth.shape_key_clear()


def positions(thing):
    import keydrape.sampling
    return keydrape.sampling.evaluated(thing)[0]


def check_keyframe_of_a_modified_result(cloth):
    """Of the cloth that was simulated, whatever its user has put on it for the picture."""
    import keydrape.keyframes
    import keydrape.sampling
    result = bpy.data.objects[RESULT]
    bpy.context.scene.frame_set(KEY)
    simulated = positions(result)
    for kind in ("SUBSURF", "DECIMATE"):
        own = result.modifiers.new("own", kind)
        if kind == "DECIMATE":
            own.ratio = 0.5
        select(result)
        assert len(positions(result)) != SIDE * SIDE
        assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"} and own.show_viewport
        result.modifiers.remove(own)
        key = keydrape.keyframes.shown_shape(cloth)
        away = np.abs(keydrape.sampling.in_world(cloth.matrix_world, key) - simulated).max()
        assert away < 1e-4, (kind, away)
        cloth.shape_key_clear()


def split_faces(cloth):
    select(cloth)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.quads_convert_to_tris()
    bpy.ops.object.mode_set(mode="OBJECT")


def subdivide(cloth):
    select(cloth)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=1)
    bpy.ops.object.mode_set(mode="OBJECT")


def check_changed_mesh(cloth):
    """The result's mesh is the cloth's again; the object, and what was put on it, stays."""
    result = bpy.data.objects[RESULT]
    painted = bpy.data.materials.new("painted")
    result.data.materials.append(painted)
    own = result.modifiers.new("own", "SOLIDIFY")
    meshes = len(bpy.data.meshes)
    for change in (split_faces, subdivide):
        change(cloth)
        before = len(result.data.vertices)
        if len(cloth.data.vertices) != before:
            select(result)
            refuses(bpy.ops.keydrape.sculpt_keyframe, "the shape has %d vertices and curtain" % before)
            assert cloth.data.shape_keys is None
            select(cloth)
        bpy.context.scene.frame_set(KEY)
        assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
        assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
        assert bpy.data.objects[RESULT] == result and len(bpy.data.meshes) == meshes
        assert [len(result.data.vertices), len(result.data.polygons)] == \
            [len(cloth.data.vertices), len(cloth.data.polygons)]
        assert "miss@%d" % KEY in attributes(result) and "force" in attributes(result)
        assert list(result.data.materials) == [painted] and result.data.shape_keys is None
        assert [each.name for each in result.modifiers] == ["Keydrape", "own"]
        cloth.shape_key_clear()
    own.show_viewport = False
    bpy.context.scene.frame_set(LAST)
    there = np.load(os.path.join(shot_folder(cloth), "out", "positions.npy"))[-1] * 100.0  # m to cm
    assert np.abs(positions(result) - there).max() < 1e-3


def check_undo(cloth):
    """The result is a step of its own: what its user does next can be taken back without it."""
    bpy.data.objects.remove(bpy.data.objects[RESULT])
    select(cloth)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.keydrape.run("EXEC_DEFAULT", True, command="simulate") == {"FINISHED"}
    bpy.ops.object.empty_add("EXEC_DEFAULT", True)
    for there in (True, False):
        assert bpy.ops.ed.undo() == {"FINISHED"}
        assert (RESULT in bpy.data.objects) == there and "Empty" not in bpy.data.objects
    assert bpy.ops.ed.redo() == {"FINISHED"} and RESULT in bpy.data.objects


def check_folders():
    first, second = held_sheet("my cloth"), held_sheet("my_cloth")
    for cloth in (second, first):
        select(cloth)
        cloth.keydrape.is_cloth = True
    refuses(simulate, "my cloth and my_cloth are both written to")
    second.keydrape.folder = os.path.join(FOLDER, "others")
    assert simulate() == {"FINISHED"}
    for folder in ("", "shots"):
        first.keydrape.folder = folder
        refuses(simulate, 'my cloth: the folder is "%s"' % folder)
    a_file = os.path.join(FOLDER, "a file")
    open(a_file, "w", encoding="utf-8").close()
    first.keydrape.folder = a_file
    refuses(simulate, "Error: [Errno")  # with no traceback
    assert not bpy.context.window_manager.keydrape.active


def main():
    install()
    check_disabled()
    check_edit_mode()
    cloth = held_sheet("curtain")
    check_what_a_run_before_left(cloth)
    check_keyframe_of_a_modified_result(cloth)
    check_changed_mesh(cloth)
    check_undo(cloth)
    check_folders()
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
