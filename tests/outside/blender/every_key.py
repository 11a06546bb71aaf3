"""Runs inside Blender: everything that the panels offer becomes a scene that the program takes; a take is
accepted and edited."""

import json
import os
import subprocess
import sys
import tomllib

import bpy
import numpy as np

ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIDE, EDGE, FIRST, LAST = 7, 0.05, 1001, 1009
UNIT = 0.5  # metres in the scene's unit: landmarks are written in metres, meshes are not
LOWER = ((SIDE - 1) * SIDE, SIDE * SIDE - 1)  # the lower corners


def sheet(name, side, edge, move=lambda x, z: (x, 0.0, z)):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([move(edge * j, -edge * i) for i in range(side) for j in range(side)], [],
                     [(i * side + j, (i + 1) * side + j, (i + 1) * side + j + 1, i * side + j + 1)
                      for i in range(side - 1) for j in range(side - 1)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def swung(angle):
    return lambda x, z: (x, -z * np.sin(angle), z * np.cos(angle))


def select(active, *others):
    for thing in bpy.context.selected_objects:
        thing.select_set(False)
    for thing in (active, *others):
        thing.select_set(True)
    bpy.context.view_layer.objects.active = active


def build_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_install(filepath=ADDON)
    bpy.ops.preferences.addon_enable(module="keydrape")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.unit_settings.scale_length = UNIT
    cloth = sheet("curtain", SIDE, EDGE)
    cloth.location = (0.2, 0.1, 1.0)  # in world space: whatever comes out has been moved by it
    cloth.vertex_groups.new(name="top").add(range(SIDE), 1.0, "REPLACE")
    cloth.vertex_groups.new(name="lower half").add(range(SIDE * SIDE // 2, SIDE * SIDE), 0.5, "REPLACE")
    settings = cloth.keydrape
    settings.folder = os.path.join(FOLDER, "shots")
    settings.substeps, settings.runs = 1, 3
    select(cloth)
    bpy.ops.keydrape.ease()
    bpy.ops.keydrape.add_row(table="pins")
    settings.pins[0].group = "top"
    return cloth


def shot_folder():
    return os.path.join(FOLDER, "shots", "curtain")


def written():
    with open(os.path.join(shot_folder(), "shot.toml"), "rb") as file:
        return tomllib.load(file)


def accepted(cloth):
    """The scene as it is written now, which the program has agreed to solve."""
    import keydrape.shot
    scene = keydrape.shot.write_shot(cloth)
    done = subprocess.run([os.environ["KEYDRAPE"], "solve", scene, "--dry-run"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return written()


def refused(cloth, words):
    import keydrape.shot
    try:
        keydrape.shot.write_shot(cloth)
    except ValueError as error:
        assert words in str(error), error
        return
    raise AssertionError("not refused: " + words)


def add_keyframe(cloth):
    """An empty row, of a sculpt that swings the sheet."""
    bpy.context.scene.frame_set(LAST)
    select(cloth)
    bpy.ops.keydrape.sculpt_keyframe()
    for k, point in enumerate(cloth.active_shape_key.data):
        point.co = swung(0.15)(EDGE * (k % SIDE), -EDGE * (k // SIDE))
    bpy.ops.keydrape.add_row(table="keyframes")
    cloth.keydrape.keyframes[0].tolerance = 0.01


def check_every_row_has_its_files(cloth):
    """One sculpt at two frames, each with a group of its own, and a sculpt that is called as the mesh."""
    settings, sculpt = cloth.keydrape, cloth.active_shape_key.name
    other = cloth.shape_key_add(name="rest", from_mix=False)
    first = settings.keyframes[0]
    first.group = "lower half"
    for name, frame, group in ((sculpt, LAST - 2, "top"), (other.name, LAST - 3, "")):
        bpy.ops.keydrape.add_row(table="keyframes")
        row = settings.keyframes[len(settings.keyframes) - 1]
        row.shape_key, row.frame, row.group, row.tolerance = name, frame, group, 0.01
    tables = accepted(cloth)["keyframe"]
    assert [table["frame"] for table in tables] == [LAST - 3, LAST - 2, LAST], tables
    assert len({table["mesh"] for table in tables}) == 3 and "rest.obj" not in [t["mesh"] for t in tables]
    with open(os.path.join(shot_folder(), "rest.obj"), encoding="utf-8") as file:
        assert "\nf " in file.read()
    texts = []
    for table in tables[1:]:
        with open(os.path.join(shot_folder(), table["weights"]), encoding="utf-8") as file:
            texts.append(file.read())
    assert texts[0] != texts[1]
    settings.keyframes.remove(2), settings.keyframes.remove(1)
    first.group = ""
    cloth.shape_key_remove(other)
    cloth.active_shape_key_index = list(cloth.data.shape_keys.key_blocks).index(
        cloth.data.shape_keys.key_blocks[sculpt])


def check_fabric_and_forces(cloth):
    settings, row = cloth.keydrape, cloth.keydrape.keyframes[0]
    settings.strain_limit, settings.max_acceleration, settings.effort = 0.25, 2.5, 0.0
    settings.integrator, settings.starts_draped, settings.compression = "bdf2", True, "stretch"
    settings.self_contact, settings.thickness = True, 4e-4
    row.frame, row.earlier, row.later, row.tolerance_max = LAST - 2, 1, 2, 0.03
    scene = accepted(cloth)
    assert scene["cloth"]["material"]["strain_limit"] == 0.25
    assert scene["cloth"]["material"]["compression"] == 1
    assert scene["solver"]["integrator"] == "bdf2" and scene["cloth"]["initial"] == "drape"
    assert scene["contact"] == {"self": True, "thickness": 4e-4}
    assert not {"rounds", "rounds_memory", "scheme"} & set(scene["solver"])
    assert scene["control"]["max_acceleration"] == 2.5 and scene["control"]["effort"] == "auto"
    assert scene["keyframe"][0]["window"] == "%d-%d" % (LAST - 3, LAST)
    assert scene["keyframe"][0]["tolerance_max"] == 0.03
    settings.strain_limit = settings.max_acceleration = 0.0
    settings.integrator, settings.starts_draped, settings.compression = "newton", False, "buckling"
    settings.self_contact = False  # and there is no body: nothing to keep the gap to
    row.frame, row.earlier, row.later, row.tolerance_max = LAST, 0, 0, 0.0
    scene = accepted(cloth)
    assert not {"strain_limit", "compression"} & set(scene["cloth"]["material"])
    assert "max_acceleration" not in scene["control"] and scene["contact"] == {"self": False}
    settings.thickness = 0.0
    assert scene["solver"]["integrator"] == "newton" and "initial" not in scene["cloth"]
    assert "window" not in scene["keyframe"][0] and "tolerance_max" not in scene["keyframe"][0]
    shear, settings.shear = settings.shear, 40.0
    settings.cloth_model, settings.compression, settings.strain_limit = "springs", "stretch", 0.25
    scene = accepted(cloth)["cloth"]
    assert scene["model"] == "springs"
    assert not {"shear", "compression", "strain_limit"} & set(scene["material"])
    settings.shear, settings.compression, settings.strain_limit = shear, "buckling", 0.0
    settings.cloth_model, settings.pressure = "sheet", 20.0
    assert accepted(cloth)["cloth"]["pressure"] == 20.0
    settings.pressure = 0.0
    assert "pressure" not in accepted(cloth)["cloth"]
    drag, settings.drag = settings.drag, 0.0
    assert "wind" not in accepted(cloth)  # it is still, and nothing feels it
    settings.drag = drag
    settings.integrator, settings.rounds, settings.rounds_memory = "prefactored", 7, 5
    assert accepted(cloth)["solver"] == {"integrator": "prefactored", "rounds": 7, "rounds_memory": 5}
    settings.rounds_memory = 0
    settings.integrator, settings.scheme = "explicit", "rk4"
    assert settings.integrator == "explicit" and settings.scheme == "rk4"
    settings.integrator, settings.rounds, settings.scheme = "newton", 0, "symplectic"


def check_surfaces(cloth):
    """A finer sheet that moves, taken as it is at its frame, and a scan of points."""
    wall = sheet("wall", 5, 0.1, swung(0.2))
    wall.location = (0.2, 0.1, 1.0)
    wall.keyframe_insert("location", frame=FIRST)
    wall.location = (0.2, 0.3, 1.0)
    wall.keyframe_insert("location", frame=LAST)
    for curve in wall.animation_data.action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    mesh = bpy.data.meshes.new("scan")
    mesh.from_pydata([(0.2, 0.12, 0.9), (0.3, 0.12, 0.9), (0.2, 0.12, 0.8)], [], [])
    scan = bpy.data.objects.new("scan", mesh)
    bpy.context.scene.collection.objects.link(scan)
    bpy.context.scene.frame_set(FIRST + 4)
    select(cloth, wall, scan)
    bpy.ops.keydrape.add_row(table="surfaces")
    rows = cloth.keydrape.surfaces
    assert {row.target.name for row in rows} == {"wall", "scan"} and rows[0].frame == FIRST + 4
    for row in rows:
        row.group, row.max_angle, row.later = "lower half", 120.0, 1
    tables = accepted(cloth)["keyframe"][1:]
    assert [table["max_angle"] for table in tables] == [120.0, 120.0]
    assert all(table["window"] == "%d-%d" % (FIRST + 4, FIRST + 5) for table in tables)
    for row, table in zip(rows, tables):
        with open(os.path.join(shot_folder(), table["surface"]), encoding="utf-8") as file:
            lines = file.read().splitlines()
        points = np.array([line.split()[1:] for line in lines if line.startswith("v ")], dtype=float)
        if row.target == wall:
            assert np.abs(points[0] - (0.2, 0.2, 1.0)).max() < 1e-6, points[0]  # half the way
            assert sum(line.startswith("f ") for line in lines) == 2 * 4 * 4
        else:
            assert len(points) == 3 and not any(line.startswith("f ") for line in lines)
    rows.clear()


def check_tracks(cloth):
    """A copy of the cloth that a shape key swings."""
    motion = sheet("motion", SIDE, EDGE)
    motion.location = cloth.location
    motion.shape_key_add(name="Basis")
    key = motion.shape_key_add(name="swung")
    for k, point in enumerate(key.data):
        point.co = swung(0.2)(EDGE * (k % SIDE), -EDGE * (k // SIDE))
    for frame, value in ((FIRST, 0.0), (LAST, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    select(cloth, motion)
    bpy.ops.keydrape.add_row(table="tracks")
    row = cloth.keydrape.tracks[0]
    row.every, row.use_frames, row.first, row.last, row.group = 2, True, FIRST + 1, LAST - 1, "lower half"
    table, = accepted(cloth)["track"]
    assert (table["every"], table["frames"]) == (2, "%d-%d" % (FIRST + 1, LAST - 1))
    samples = np.fromfile(os.path.join(shot_folder(), table["cache"]), "<f4", offset=32)
    samples = samples.reshape(-1, SIDE * SIDE, 3)
    assert len(samples) == LAST - FIRST + 1
    end = np.array(swung(0.2)(0.0, -EDGE * (SIDE - 1))) + cloth.location
    assert np.abs(samples[-1, LOWER[0]] - end).max() < 1e-6, samples[-1, LOWER[0]]
    row.target = bpy.data.objects["wall"]
    refused(cloth, "wall has 25 vertices and curtain 49")
    cloth.keydrape.tracks.clear()


def check_channels(cloth):
    settings = cloth.keydrape
    expected = [{"kind": "initial-velocity", "as": "vertices", "group": "channel1", "scale": 1.0},
                {"kind": "wind", "knots_every": 3, "scale": 2.0},
                {"kind": "pin", "pin": 0, "knots_every": 1, "scale": 1.0},
                {"kind": "stretch-scale", "knots_every": 1, "scale": 1.0},
                {"kind": "material", "numbers": ["bend", "density"], "scale": 1.0}]
    for each in expected:
        bpy.ops.keydrape.add_row(table="channels")
        settings.channels[-1].kind = each["kind"]
    rows = settings.channels
    rows[0].thrown_as, rows[0].group = "vertices", "lower half"
    rows[1].knots_every, rows[1].scale = 3, 2.0
    rows[4].numbers = {"density", "bend"}
    settings.use_forces, settings.max_acceleration, settings.forces = False, 2.5, "lower half"
    control = accepted(cloth)["control"]
    assert control["channel"] == expected, control
    assert control["forces"] is False and not {"max_acceleration", "weights"} & set(control), control
    settings.max_acceleration, settings.forces = 0.0, ""
    rows[2].pin = 1
    refused(cloth, "there is no pin 1")
    settings.use_forces = True
    rows.clear()


def check_parts(cloth):
    settings = cloth.keydrape
    settings.part, settings.windows_length, settings.windows_overlap = "WINDOWS", 5, 2
    control = accepted(cloth)["control"]
    assert control["windows"] == {"length": 5, "overlap": 2} and "window" not in control
    settings.part, settings.window_first, settings.window_last = "WINDOW", FIRST + 2, LAST
    assert accepted(cloth)["control"]["window"] == "%d-%d" % (FIRST + 2, LAST)
    settings.window_last = LAST + 1
    refused(cloth, "the part of the shot to solve")
    settings.part = "WHOLE"
    settings.edit_take = True
    refused(cloth, "no accepted take")
    settings.edit_take = False


def add_landmarks(cloth):
    """The lower corners, by the button, and moved to where they are to be."""
    bpy.context.scene.frame_set(LAST - 1)
    select(cloth)
    for vertex in cloth.data.vertices:
        vertex.select = vertex.index in LOWER
    cloth.show_only_shape_key, cloth.active_shape_key_index = True, 0  # at rest, not as sculpted
    assert bpy.ops.keydrape.add_row(table="landmarks") == {"FINISHED"}
    cloth.show_only_shape_key = False
    rows = cloth.keydrape.landmarks
    assert [row.vertex for row in rows] == list(LOWER)
    places = []
    for row in rows:
        rest = cloth.matrix_world @ cloth.data.vertices[row.vertex].co
        assert (row.target.location - rest).length < 1e-6, row.target.location
        row.target.location.y += 0.04
        places.append(np.array(row.target.location))
    scene = accepted(cloth)
    table = scene["keyframe"][-1]
    assert table["frame"] == LAST - 1 and [entry[0] for entry in table["landmarks"]] == list(LOWER)
    rows[0].vertex = SIDE * SIDE
    refused(cloth, "has no vertex 49; the last is 48")
    rows[0].vertex = LOWER[0]
    return places


def load(name, folder="out"):
    return np.load(os.path.join(shot_folder(), folder, name))


def misses_of_landmarks(places):
    positions = load("positions.npy")[LAST - 1 - FIRST]
    return [np.linalg.norm(positions[vertex] - UNIT * place) for vertex, place in zip(LOWER, places)]


def check_edit_of_a_take(cloth):
    """Solves for the landmarks, accepts that, and changes the end of it for another note."""
    settings = cloth.keydrape
    cloth.shape_key_clear()
    settings.keyframes.clear()
    places = add_landmarks(cloth)
    settings.tolerance, settings.runs = 0.005, 6
    for row in settings.landmarks:
        row.frame = LAST - 1
    assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
    for miss in misses_of_landmarks(places):
        assert miss < 0.008, miss
    assert bpy.ops.keydrape.accept_take() == {"FINISHED"} and settings.edit_take
    before = load("forces.npy")
    assert np.array_equal(load("forces.npy", "take"), before) and np.abs(before).max() > 0

    for row, place in zip(settings.landmarks, places):
        place[1] += 0.01
        row.target.location = place
    settings.part, settings.window_first, settings.window_last = "WINDOW", FIRST + 3, LAST
    assert bpy.ops.keydrape.run(command="solve") == {"FINISHED"}
    assert written()["control"]["relative_to"] == "take/forces.npy"
    for miss in misses_of_landmarks(places):
        assert miss < 0.008, miss
    assert np.array_equal(load("forces.npy")[:3], before[:3]), "what comes before the window is the take's"
    assert not np.array_equal(load("forces.npy"), before)
    with open(os.path.join(shot_folder(), "out", "summary.json"), encoding="utf-8") as file:
        assert json.load(file)["keyframes"][0]["reached"]


def main():
    cloth = build_scene()
    add_keyframe(cloth)
    check_every_row_has_its_files(cloth)
    check_fabric_and_forces(cloth)
    check_surfaces(cloth)
    check_tracks(cloth)
    check_channels(cloth)
    check_parts(cloth)
    check_edit_of_a_take(cloth)
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
