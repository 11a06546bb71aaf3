"""What the tests in centimetres have in common: a sheet, moved and turned, in a Blender with the add-on;
where it is shown; the program by itself; undo."""

import os
import subprocess
import sys
import tomllib

import bpy
import numpy as np

ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIDE, EDGE, FIRST, LAST, KEY = 9, 5.0, 1001, 1008, 1006  # 40 cm, in centimetres
UNIT = 0.01


def sheet(name, place=lambda x, z: (x, 0.0, z)):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([place(EDGE * j, -EDGE * i) for i in range(SIDE) for j in range(SIDE)], [],
                     [(i * SIDE + j, (i + 1) * SIDE + j, (i + 1) * SIDE + j + 1, i * SIDE + j + 1)
                      for i in range(SIDE - 1) for j in range(SIDE - 1)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.location, thing.rotation_euler = (3.0, -2.0, 100.0), (0.0, 0.0, 0.7)
    thing.keydrape.folder = os.path.join(FOLDER, "shots")
    select(thing)
    return thing


def held_sheet(name):
    """Pinned at its top, and quick to compute."""
    cloth = sheet(name)
    cloth.vertex_groups.new(name="top").add(range(SIDE), 1.0, "REPLACE")
    cloth.keydrape.pins.add().group = "top"
    cloth.keydrape.self_contact, cloth.keydrape.substeps, cloth.keydrape.runs = False, 1, 2
    return cloth


def simulate():
    return bpy.ops.keydrape.run(command="simulate")


def shown(thing, frame=None):
    """Where an object's vertices are in the world, with all that moves them (n, 3)."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = copy.to_mesh()
    points = np.array([vertex.co for vertex in mesh.vertices], dtype=float)
    copy.to_mesh_clear()
    matrix = np.array(copy.matrix_world, dtype=float)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def select(thing):
    for other in bpy.context.selected_objects:
        other.select_set(False)
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing
    bpy.context.view_layer.update()


def install():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_install(filepath=ADDON)
    bpy.ops.preferences.addon_enable(module="keydrape")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.unit_settings.scale_length = UNIT
    scene.frame_set(FIRST)


def program(*words):
    done = subprocess.run([os.environ["KEYDRAPE"], *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refuses(operator, words):
    """Whether an operator ends with an error that says these words. Scripts get it as an exception."""
    try:
        operator()
    except RuntimeError as error:
        assert words in str(error), error
        return
    raise AssertionError("not refused: " + words)


def undone(change):
    """Makes a change, and takes it back."""
    bpy.ops.ed.undo_push(message="before")
    change()
    bpy.ops.ed.undo_push(message="after")
    assert bpy.ops.ed.undo() == {"FINISHED"}


def shot_folder(cloth):
    return os.path.join(FOLDER, "shots", cloth.name)


def scene_of(cloth):
    import keydrape.shot
    return keydrape.shot.write_shot(cloth)


def read_obj(path):
    """Positions (n, 3), faces as pairs of vertex and coordinate in the weave, and those coordinates."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    points, uvs = (np.array([line[1:] for line in lines if line and line[0] == kind], dtype=float)
                   for kind in ("v", "vt"))
    faces = [line[1:] for line in lines if line and line[0] == "f"]
    corners = [[(word + "/0").split("/")[:2] for word in face] for face in faces]
    return points, [[(int(v) - 1, int(uv) - 1) for v, uv in face] for face in corners], uvs


def read_toml(path):
    with open(path, "rb") as file:
        return tomllib.load(file)
