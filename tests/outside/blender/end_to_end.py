"""Runs inside Blender: installs the add-on, builds a scene, solves it and reads back the keyframes."""

import json
import math
import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import refuses  # noqa: E402

ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIDE, EDGE, FIRST, LAST, MIDDLE = 9, 5.0, 1001, 1012, 1007  # 40 cm, in centimetres
UNIT = 0.01


def install():
    bpy.ops.preferences.addon_install(filepath=ADDON)
    bpy.ops.preferences.addon_enable(module="keydrape")


def build_scene():
    """A sheet that hangs from its upper row, which moves sideways; a ball that rises beside it; wind."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    install()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.unit_settings.scale_length = UNIT
    scene.frame_set(FIRST)

    vertices = [(EDGE * j, 0.0, -EDGE * i) for i in range(SIDE) for j in range(SIDE)]
    faces = [(i * SIDE + j, (i + 1) * SIDE + j, (i + 1) * SIDE + j + 1, i * SIDE + j + 1)
             for i in range(SIDE - 1) for j in range(SIDE - 1)]
    mesh = bpy.data.meshes.new("curtain")
    mesh.from_pydata(vertices, [], faces)
    cloth = bpy.data.objects.new("My curtain", mesh)
    scene.collection.objects.link(cloth)
    cloth.location, cloth.rotation_euler = (3.0, -2.0, 100.0), (0.0, 0.0, 0.7)
    cloth.keyframe_insert("location", frame=FIRST)
    cloth.location = (5.0, -2.0, 100.0)
    cloth.keyframe_insert("location", frame=LAST)
    held = cloth.vertex_groups.new(name="upper row")
    held.add(range(SIDE), 1.0, "REPLACE")

    # The ball moves and turns without deforming, the tent deforms: a lattice would, too, but a shape
    # key is simpler.
    bpy.ops.mesh.primitive_uv_sphere_add(radius=8.0, segments=16, ring_count=8, location=(20.0, 45.0, 60.0))
    ball = bpy.context.object
    ball.keyframe_insert("location", frame=FIRST)
    ball.keyframe_insert("rotation_euler", frame=FIRST)
    ball.location, ball.rotation_euler = (20.0, 40.0, 65.0), (0.3, 0.2, 0.1)
    ball.keyframe_insert("location", frame=LAST)
    ball.keyframe_insert("rotation_euler", frame=LAST)
    bpy.ops.mesh.primitive_cube_add(size=10.0, location=(-60.0, 0.0, 50.0))
    box = bpy.context.object
    box.shape_key_add(name="Basis")
    wide = box.shape_key_add(name="wide")
    wide.data[0].co.x -= 5.0
    wide.value = 0.0
    wide.keyframe_insert("value", frame=FIRST)
    wide.value = 1.0
    wide.keyframe_insert("value", frame=LAST)

    bpy.ops.object.effector_add(type="WIND", rotation=(-math.pi / 2, 0.0, 0.0))
    bpy.context.object.field.strength = 1.5
    scene.frame_set(FIRST)
    return cloth, ball, box


def swung(angle):
    """The sheet turned about its upper row, in its own space."""
    return [(x, -z * math.sin(angle), z * math.cos(angle))
            for x, _y, z in [(EDGE * j, 0.0, -EDGE * i) for i in range(SIDE) for j in range(SIDE)]]


def select(thing):
    for other in bpy.context.selected_objects:
        other.select_set(False)
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing


def world_positions(thing, frame):
    bpy.context.scene.frame_set(frame)
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = copy.to_mesh()
    xyz = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", xyz)
    copy.to_mesh_clear()
    matrix = np.array(copy.matrix_world, dtype=np.float64)
    return xyz.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]


def make_keyframes(cloth):
    """One by the button from a sculpt, one of a name of its own through the table."""
    scene = bpy.context.scene
    select(cloth)
    scene.frame_set(MIDDLE)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}  # of the rest: a key to sculpt on
    block = cloth.active_shape_key
    assert block.name == "key@%d" % MIDDLE and block.value == 1.0, block.name
    for point, position in zip(block.data, swung(0.25)):
        point.co = position
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}  # again: of what is shown, the sculpt
    assert len(cloth.data.shape_keys.key_blocks) == 2

    pose = cloth.shape_key_add(name="end pose", from_mix=False)
    for point, position in zip(pose.data, swung(-0.1)):
        point.co = position
    cloth.active_shape_key_index = 2
    scene.frame_set(LAST)
    bpy.ops.keydrape.add_row(table="keyframes")
    row = cloth.keydrape.keyframes[0]
    assert (row.shape_key, row.frame) == ("end pose", LAST)
    row.tolerance = 0.03
    cloth.vertex_groups.active_index = 0
    bpy.ops.keydrape.add_row(table="pins")
    assert cloth.keydrape.pins[0].group == "upper row"


def targets(cloth):
    """World positions of the keyframes [m], by frame, each where the object is then."""
    found = {}
    for name, frame in (("key@%d" % MIDDLE, MIDDLE), ("end pose", LAST)):
        bpy.context.scene.frame_set(frame)
        matrix = np.array(cloth.matrix_world, dtype=np.float64)
        local = np.array([point.co for point in cloth.data.shape_keys.key_blocks[name].data],
                         dtype=np.float64)
        found[frame] = (local @ matrix[:3, :3].T + matrix[:3, 3]) * UNIT
    return found


def check_deviations(cloth, result, out):
    """RMS and largest deviation at every keyframe, from Blender's own mesh, against summary.json."""
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    wanted = targets(cloth)
    assert [k["frame"] for k in summary["keyframes"]] == sorted(wanted)
    for keyframe in summary["keyframes"]:
        frame = keyframe["frame"]
        positions = world_positions(result, frame) * UNIT
        miss = np.linalg.norm(positions - wanted[frame], axis=1)
        rms, largest = math.sqrt(np.mean(miss ** 2)), miss.max()
        # Each coordinate is rounded, in both files.
        epsilon = 3 * np.finfo(np.float32).eps * np.abs(positions).max()
        print("frame %d: RMS %.9f m in Blender, %.9f in summary.json; largest %.9f, %.9f; float32 %.1e" %
              (frame, rms, keyframe["rms_m"], largest, keyframe["max_m"], epsilon))
        assert abs(rms - keyframe["rms_m"]) <= epsilon, (frame, rms, keyframe)
        assert abs(largest - keyframe["max_m"]) <= epsilon, (frame, largest, keyframe)
        assert keyframe["uncontrolled_rms_m"] > 3 * keyframe["rms_m"], "the control did nothing"
        attribute = result.data.attributes["miss@%d" % frame]
        shown = np.empty(len(miss), dtype=np.float32)
        attribute.data.foreach_get("value", shown)
        assert np.abs(shown - miss).max() <= epsilon
    return summary


def check_pins(cloth, result):
    """The upper row is where the moving object takes it."""
    for frame in (FIRST, MIDDLE, LAST):
        held = world_positions(result, frame)[:SIDE]
        bpy.context.scene.frame_set(frame)
        matrix = np.array(cloth.matrix_world, dtype=np.float64)
        there = np.array([(EDGE * j, 0.0, 0.0) for j in range(SIDE)]) @ matrix[:3, :3].T + matrix[:3, 3]
        assert np.abs(held - there).max() < 1e-4, (frame, held, there)


def check_forces(result, out):
    forces = np.load(os.path.join(out, "forces.npy"))
    for frame in (FIRST, MIDDLE):
        bpy.context.scene.frame_set(frame)
        shown = np.empty(3 * forces.shape[1], dtype=np.float32)
        result.data.attributes["force"].data.foreach_get("vector", shown)
        assert np.array_equal(shown.reshape(-1, 3), forces[frame - FIRST].astype(np.float32)), frame
    assert np.abs(forces).max() > 0


def check_scene_file(folder):
    with open(os.path.join(folder, "shot.toml"), encoding="utf-8") as file:
        text = file.read()
    for words in ('up_axis = "Z"', "meters_per_unit = 0.01", 'frames = "1001-1012"', "velocity = [",
                  "rotate = [[1001", 'motion = "body2.pc2"', 'motion = "pin1.pc2"',
                  "gravity = [0.0, 0.0, -9.81]"):
        assert words in text, words + " in\n" + text


def main():
    cloth, ball, box = build_scene()
    cloth.keydrape.folder = os.path.join(FOLDER, "shots")
    for body in (ball, box):
        row = cloth.keydrape.bodies.add()
        row.body, row.voxel = body, 0.02
    make_keyframes(cloth)
    settings = cloth.keydrape
    settings.fabric, settings.effort, settings.tolerance, settings.runs = "denim", 1e-6, 0.03, 3

    select(cloth)
    settings.keyframes[0].frame = LAST + 1
    refuses(lambda: bpy.ops.keydrape.run(command="solve"), "outside of the scene's")
    settings.keyframes[0].frame = LAST
    settings.pins[0].group = "no such group"
    refuses(lambda: bpy.ops.keydrape.run(command="solve"), "no such group")
    settings.pins[0].group = "upper row"

    assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
    folder = os.path.join(FOLDER, "shots", "My_curtain")
    out = os.path.join(folder, "out")
    result = bpy.data.objects["My curtain keydrape"]
    check_scene_file(folder)
    check_deviations(cloth, result, out)
    check_pins(cloth, result)
    check_forces(result, out)

    # From the result: its shape at a frame becomes a keyframe of the cloth.
    bpy.context.scene.frame_set(1004)
    select(result)
    before = world_positions(result, 1004)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    assert np.abs(world_positions(cloth, 1004) - before).max() < 1e-4
    assert bpy.ops.keydrape.open_report.poll() == os.path.exists(os.path.join(out, "report.html"))

    # Once more: the same object is renewed, and the cloth is not moved by its own keyframes.
    cloth.shape_key_remove(cloth.data.shape_keys.key_blocks["key@1004"])
    select(cloth)
    assert bpy.ops.keydrape.run(command="simulate") == {"FINISHED"}
    assert bpy.data.objects["My curtain keydrape"].modifiers["Keydrape"].filepath.endswith("simulated.pc2")
    assert len([o for o in bpy.data.objects if "keydrape" in o.name]) == 1
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
