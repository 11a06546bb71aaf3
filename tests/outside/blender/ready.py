"""Runs inside Blender: a mesh is made ready as `keydrape new` makes it, its settings are the program's, and
its panels are where they belong."""

import json
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import (EDGE, FOLDER, KEY, SIDE, UNIT, install, program, read_toml, refuses,  # noqa: E402
                   scene_of, select, sheet, shot_folder, undone)


# What an empty scene of Blender has of its own, or what is the add-on's way of saying it.
OF_BLENDER = {"fps", "meters_per_unit", "up_axis", "rest", "dir"}


def check_defaults():
    """What stands in a scene file of settings that nobody has touched is what the program takes by itself."""
    cloth = sheet("untouched")
    cloth.keydrape.bodies.add().body = sheet("body")
    bpy.data.objects["body"].location.y = 50.0
    cloth.keydrape.channels.add()
    select(cloth)
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    bpy.ops.keydrape.add_row(table="keyframes")
    scene, schema = read_toml(scene_of(cloth)), json.loads(program("schema"))
    compared = 0

    def compare(values, keys, where):
        nonlocal compared
        for name, value in values.items():
            key = keys["properties"][name]
            if isinstance(value, dict) or isinstance(value, list) and isinstance(value[0], dict):
                items = key.get("items", key)
                inner = next((each for each in items.get("anyOf", ()) if "properties" in each), items)
                for each in value if isinstance(value, list) else [value]:
                    compare(each, inner, where + [name])
            elif "default" in key and name not in OF_BLENDER:
                assert value == key["default"], (where, name, value, key["default"])
                compared += 1
    compare(scene, schema, [])
    assert compared >= 9, compared
    assert "tolerance" not in scene["keyframe"][0] and "max_forward_simulations" not in scene["control"]
    import keydrape.scene_keys
    assert "raise it for fast motion" in keydrape.scene_keys.meaning("shot.substeps")
    for name in ("untouched", "body"):
        bpy.data.objects.remove(bpy.data.objects[name])


def vertices_of(cloth, group):
    index = cloth.vertex_groups[group].index
    return [v.index for v in cloth.data.vertices if any(g.group == index and g.weight > 0 for g in v.groups)]


def check_it_is_made_ready():
    cloth = sheet("curtain")
    found = os.environ.pop("KEYDRAPE")
    refuses(lambda: bpy.ops.keydrape.add_cloth(), "name it in the add-on's preferences")
    os.environ["KEYDRAPE"] = found
    preferences = bpy.context.preferences.addons["keydrape"].preferences
    preferences.program = os.path.join(FOLDER, "no program")  # in whose place the other one is not taken
    refuses(lambda: bpy.ops.keydrape.add_cloth(), 'no program", which is no file that can be run')
    preferences.program = ""
    assert not cloth.keydrape.is_cloth and not cloth.vertex_groups

    undone(lambda: bpy.ops.keydrape.add_cloth())
    cloth = bpy.data.objects["curtain"]
    assert not cloth.keydrape.is_cloth and not cloth.vertex_groups and not cloth.keydrape.pins
    assert bpy.ops.keydrape.add_cloth() == {"FINISHED"}
    settings = cloth.keydrape
    assert settings.is_cloth and settings.self_contact and settings.thickness == 0.0
    assert [row.group for row in settings.pins] == ["keydrape top"]
    assert vertices_of(cloth, "keydrape top") == list(range(SIDE))
    lines = settings.assumed.split("\n")
    assert len(lines) == 4 and lines[0].startswith("size: 0.306 x 0.258 x 0.4 m"), lines
    assert "wool" in lines[1] and "its upper edge, 9 vertices" in lines[2] and "is on" in lines[3], lines
    scene = read_toml(scene_of(cloth))
    program("simulate", os.path.join(shot_folder(cloth), "shot.toml"), "--dry-run")

    # As `keydrape new` by itself, from the same mesh.
    program("new", os.path.join(FOLDER, "new"), "--mesh", os.path.join(shot_folder(cloth), "rest.obj"),
            "--up-axis", "Z", "--meters-per-unit", str(UNIT))
    new = read_toml(os.path.join(FOLDER, "new", "shot.toml"))
    assert scene["cloth"]["material"] == new["cloth"]["material"], (scene, new)
    assert scene["contact"] == new["contact"]

    settings.pins[0].group = ""
    settings.pins.clear()
    cloth.vertex_groups.new(name="corner").add([0], 1.0, "REPLACE")
    cloth.vertex_groups.active_index = 1
    assert bpy.ops.keydrape.add_cloth() == {"FINISHED"}
    assert [row.group for row in settings.pins] == ["corner"], settings.assumed
    assert bpy.ops.keydrape.add_cloth(held_by="TOP") == {"FINISHED"}
    assert [row.group for row in settings.pins] == ["corner"] and "as they were" in settings.assumed
    assert bpy.ops.keydrape.remove_cloth() == {"FINISHED"}
    settings = cloth.keydrape  # what was there is gone
    assert not settings.is_cloth and not settings.pins and settings.stretch[0] == 0.0
    assert bpy.ops.keydrape.add_cloth(held_by="NOTHING") == {"FINISHED"} and not cloth.keydrape.pins
    settings = cloth.keydrape
    settings.folder = os.path.join(FOLDER, "shots")
    assert bpy.ops.keydrape.add_cloth(held_by="TOP") == {"FINISHED"}
    assert [row.group for row in settings.pins] == ["keydrape top"]
    return cloth


def check_meshes_that_cannot_touch_themselves():
    near = sheet("layers", lambda x, z: (x, 0.0, z) if z > -20 else (x, 0.05 * (1 + z / 40), -38 - z))
    assert bpy.ops.keydrape.add_cloth() == {"FINISHED"}
    assert near.keydrape.self_contact and 0 < near.keydrape.thickness < 0.005, near.keydrape.assumed
    assert read_toml(scene_of(near))["contact"]["thickness"] > 0
    rows = [(0, 0), (0, -5), (0, -10), (0, -15), (3, -15), (3, -8), (-3, -8), (-3, -12), (-6, -12)]
    through = sheet("through", lambda x, z: (x, *rows[round(-z / EDGE)]))
    through.location.x = 100.0
    select(through)
    assert bpy.ops.keydrape.add_cloth() == {"FINISHED"}
    assert not through.keydrape.self_contact, through.keydrape.assumed
    assert "off, since the mesh goes through itself" in through.keydrape.assumed
    ball = bpy.data.objects.new("points", bpy.data.meshes.new("points"))
    ball.data.from_pydata([(0, 0, 0)], [], [])
    bpy.context.scene.collection.objects.link(ball)
    select(ball)
    refuses(lambda: bpy.ops.keydrape.add_cloth(), "has no triangles")
    for thing in (near, through, ball):
        bpy.data.objects.remove(thing)


def check_polls(cloth):
    import keydrape.panel
    kinds = [each for each in keydrape.panel.CLASSES if each.__name__ != "KEYDRAPE_PT_add"]
    tabs = [each for each in kinds if getattr(each, "bl_context", "") == "physics"]
    assert len(tabs) * 2 == len(kinds) and tabs[0].__name__ == "PHYSICS_PT_keydrape_cloth"
    assert all(each.bl_parent_id == "PHYSICS_PT_keydrape_cloth" for each in tabs[1:])
    select(cloth)
    add = keydrape.panel.KEYDRAPE_PT_add
    assert all(each.poll(bpy.context) for each in kinds) and not add.poll(bpy.context)
    assert bpy.ops.keydrape.strain.poll() and bpy.ops.keydrape.relax.poll()
    other = sheet("no cloth yet")
    assert not any(each.poll(bpy.context) for each in kinds) and add.poll(bpy.context)
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    select(empty)
    assert not any(each.poll(bpy.context) for each in keydrape.panel.CLASSES)
    assert not bpy.ops.keydrape.add_cloth.poll() and not bpy.ops.keydrape.strain.poll()
    for thing in (other, empty):
        bpy.data.objects.remove(thing)
    select(cloth)


def main():
    install()
    check_defaults()
    cloth = check_it_is_made_ready()
    check_meshes_that_cannot_touch_themselves()
    check_polls(cloth)
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
