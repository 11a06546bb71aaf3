"""Runs inside Blender: a pose and a run are measured, and the pose relaxed; all of it against what the
program says by itself, and undone. $KEYDRAPE_STRAIN_PICTURE, if set, is where a picture of strain goes."""

import json
import os
import subprocess
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import (EDGE, FIRST, KEY, LAST, SIDE, UNIT, install, program, refuses,  # noqa: E402
                   scene_of, select, sheet, shot_folder, undone)

LONGER, NARROWER, LEANING = 1.2, 0.95, 0.1  # the pose, below its third row


def shape_of(cloth, name):
    return np.array([point.co for point in cloth.data.shape_keys.key_blocks[name].data])


def pose(cloth):
    """Below its third row longer, narrower and leaning, and swung a little: what no cloth of it takes."""
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    for point in cloth.active_shape_key.data:
        x, _, z = point.co
        below = min(z + 3 * EDGE, 0.0)
        if below < 0:
            x = NARROWER * x + LEANING * below
        long = z + (LONGER - 1) * below
        point.co = (x, -0.2 * long, long * np.sqrt(1 - 0.2 ** 2))
    cloth.data.update()
    return "key@%d" % KEY


def attribute(thing, name, kind="value", size=1):
    data = thing.data.attributes[name].data
    values = np.empty(size * len(data), dtype=np.float32)
    data.foreach_get(kind, values)
    return values.reshape(-1, size) if size > 1 else values


def check_strain_of_a_pose(cloth):
    name = pose(cloth)
    plan = json.loads(program("solve", scene_of(cloth), "--dry-run", "--json"))
    said = plan["keyframes"][0]["reach"]["strain"]
    assert bpy.ops.keydrape.strain(shape_key=name) == {"FINISHED"}
    cloth = bpy.data.objects["curtain"]
    for kind, figure in (("stretch", said["stretch"]["strain"]), ("squeeze", said["squeeze"]["strain"]),
                         ("warp", said["warp"]), ("weft", said["weft"]), ("shear_rad", said["shear_rad"])):
        assert abs(figure) > 0.01, (kind, figure)
        values = attribute(cloth, "strain_" + kind)
        largest = values[np.abs(values).argmax()]
        print("%s: %.9f in Blender, %.9f by solve --dry-run" % (kind, largest, figure))
        assert abs(largest - figure) < 1e-6, (kind, largest, figure)
    stretch = attribute(cloth, "strain_stretch")
    assert abs(stretch[said["stretch"]["vertex"]] - said["stretch"]["strain"]) < 1e-6
    # In closed form: nothing above the third row, and below the fourth the deformation gradient of the pose.
    down, across = np.array([LEANING, LONGER]), np.array([NARROWER, 0.0])
    longest, shortest = np.linalg.svd(np.stack([across, down]))[1]
    assert np.abs(stretch[:3 * SIDE]).max() < 1e-5, stretch[:3 * SIDE]
    for kind, figure in (("stretch", longest - 1), ("squeeze", 1 - shortest), ("weft", NARROWER - 1),
                         ("warp", np.linalg.norm(down) - 1), ("shear_rad", np.arctan2(*down))):
        there = attribute(cloth, "strain_" + kind)[5 * SIDE:]
        assert np.abs(there - figure).max() < 1e-5, (kind, there, figure)
    return cloth, stretch


def check_colours(cloth, stretch):
    import keydrape.strain as strain
    settings = cloth.keydrape
    assert cloth.data.color_attributes.active_color.name == strain.COLOUR
    settings.strain_of = "stretch"
    figures = strain.figures_of(cloth, KEY)
    legend = strain.legend(settings, figures)
    assert [text for _, text in legend] == ["0 %", "2.5 %", "5 %", "7.5 %", "10 %"], legend
    colours = attribute(cloth, strain.COLOUR, "color", 4)
    wanted = strain.linear(strain.colours("stretch", np.clip(stretch / 0.1, 0, 1)))
    assert np.abs(colours[:, :3] - wanted).max() < 1e-6 and (colours[:, 3] == 1).all()
    darkest, brightest = np.array(settings.legend0), np.array(settings.legend4)
    assert np.abs(strain.linear(darkest) - colours[0, :3]).max() < 1e-6
    assert np.abs(strain.linear(brightest) - colours[-1, :3]).max() < 1e-6  # 20 % is beyond the end
    settings.strain_end = 0.4
    assert strain.legend(settings, figures)[-1][1] == "40 %"
    assert np.abs(attribute(cloth, strain.COLOUR, "color", 4)[-1] - colours[-1]).max() > 0.1
    settings.strain_end, settings.strain_of = 0.0, "warp"
    assert [text for _, text in strain.legend(settings, figures)] == ["-10 %", "-5 %", "0 %", "5 %", "10 %"]
    settings.strain_of = "shear_rad"
    assert strain.legend(settings, figures)[-1][1] == "28.6\N{DEGREE SIGN}"
    settings.strain_of = "felt"
    assert strain.sentences(figures)[0].startswith("stretched by at most %.3g %%" % (100 * stretch.max()))


def picture(cloth):
    """Of the map, by Cycles, which needs no screen."""
    scene = bpy.context.scene
    material = bpy.data.materials.new("strain")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    read, glow = nodes.new("ShaderNodeVertexColor"), nodes.new("ShaderNodeEmission")
    read.layer_name = "Keydrape strain"
    links.new(read.outputs[0], glow.inputs[0])
    links.new(glow.outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs[0])
    cloth.data.materials.append(material)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.data.type, camera.data.ortho_scale, camera.data.clip_end = "ORTHO", 65.0, 1000.0
    camera.location = cloth.matrix_world @ cloth.data.vertices[0].co.__class__((20.0, -100.0, -22.0))
    camera.rotation_euler = (np.pi / 2, 0.0, 0.7)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 8, False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x = scene.render.resolution_y = 480
    scene.render.filepath = os.environ["KEYDRAPE_STRAIN_PICTURE"]
    bpy.ops.render.render(write_still=True)


def check_relax(cloth, sculpted_stretch):
    name = "key@%d" % KEY
    sculpted = shape_of(cloth, name)
    undone(lambda: bpy.ops.keydrape.relax(shape_key=name))
    cloth = bpy.data.objects["curtain"]
    assert len(cloth.data.shape_keys.key_blocks) == 2 and np.array_equal(shape_of(cloth, name), sculpted)

    select(cloth)
    assert bpy.ops.keydrape.relax(shape_key=name) == {"FINISHED"}
    cloth = bpy.data.objects["curtain"]
    kept = name + " as sculpted"
    assert np.array_equal(shape_of(cloth, kept), sculpted)
    relaxed = shape_of(cloth, name)
    moved = np.linalg.norm(relaxed - sculpted, axis=1) * UNIT
    told = bpy.context.window_manager.keydrape.told
    print(told)
    import keydrape.keyframes
    import keydrape.strain
    assert [each[1].name for each in keydrape.keyframes.keyframes_of(cloth)] == [name]  # the other is none
    assert "at most %.3g mm, at vertex %d" % (1e3 * moved.max(), moved.argmax()) in told, (told, moved.max())
    # Its map was of the sculpt, and is of the relaxed pose now.
    stretch = attribute(cloth, "strain_stretch").max()
    assert "stretch %.3g %%, now %.3g %%" % (100 * sculpted_stretch, 100 * stretch) in told, (told, stretch)
    assert np.abs(relaxed[:SIDE] - sculpted[:SIDE]).max() < 1e-3  # pinned
    bpy.context.scene.frame_set(KEY)
    scene = scene_of(cloth)
    plan = subprocess.run([os.environ["KEYDRAPE"], "solve", scene, "--dry-run", "--json"],
                          capture_output=True, text=True, check=True)
    reach = json.loads(plan.stdout)["keyframes"][0]["reach"]
    assert not reach["strained"] and reach["strain"]["stretch_99"] < 0.01, reach
    assert "warning" not in plan.stderr, plan.stderr

    # The same as the program by itself, from the file that the add-on writes for a solve.
    cloth.data.shape_keys.key_blocks[name].data.foreach_set("co", sculpted.astype(np.float32).ravel())
    folder = os.path.dirname(scene_of(cloth))
    alone = os.path.join(folder, "alone.npy")
    said = json.loads(program("relax", os.path.join(folder, name + ".obj"), "--scene", scene,
                              "--frame", str(KEY), "-o", alone, "--json"))
    matrix = np.array(cloth.matrix_world)
    world = np.load(alone)[0] / UNIT
    assert np.abs(relaxed @ matrix[:3, :3].T + matrix[:3, 3] - world).max() < 1e-3  # float32, in centimetres
    print("moved by at most %.6f m in Blender, %.6f m by relax" % (moved.max(), said["moved_max_m"]))
    assert abs(moved.max() - said["moved_max_m"]) < 1e-6


def check_targets(cloth, said):
    """What a dry run says of them stands in the panel, and so do its warnings."""
    select(cloth)
    assert bpy.ops.keydrape.check() == {"FINISHED"}
    state = bpy.context.window_manager.keydrape
    print(state.told)
    lines = state.told.split("\n")
    assert len(lines) == 2 and lines[0].startswith("frame %d: stretch %.1f %%" % (KEY, 100 * said)), lines
    assert lines[1].startswith("time: at most"), lines
    assert "the target at frame %d strains" % KEY in state.warnings, state.warnings
    assert state.cloth == cloth.name


def check_strain_is_the_runs(cloth, result):
    """Whatever the cloth and its fabric, and the folder's files, have become since."""
    import keydrape.strain
    before = keydrape.strain.frames_of(result)
    for vertex in cloth.data.vertices:
        vertex.co.x *= 1.5
    cloth.keydrape.fabric, cloth.keydrape.stretch = "silk", (5.0, 5.0)
    scene_of(cloth)
    assert bpy.ops.keydrape.strain() == {"FINISHED"}
    assert keydrape.strain.frames_of(result) == before


def check_strain_of_another_mesh(cloth):
    """Of one that was changed while it was measured."""
    import keydrape.reach
    import keydrape.strain
    out = os.path.join(shot_folder(cloth), "another.npy")
    kinds = [kind for kind, *_ in keydrape.strain.KINDS]
    np.save(out, np.zeros((1, len(cloth.data.vertices) + 1, len(kinds))))
    try:
        keydrape.reach.show_strain(cloth, cloth, "a pose", {"columns": kinds, "frames": []}, out)
        raise AssertionError("shown, and it is of another mesh")
    except ValueError as error:
        assert "its mesh was changed" in str(error), error
    assert not keydrape.strain.is_shown(cloth)


def check_strain_of_a_run(cloth):
    cloth.shape_key_clear()
    select(cloth)
    assert bpy.ops.keydrape.run(command="simulate") == {"FINISHED"}
    result = bpy.data.objects["curtain keydrape"]
    select(result)
    assert bpy.ops.keydrape.strain() == {"FINISHED"}
    out = os.path.join(shot_folder(cloth), "out")
    import keydrape.strain
    for frame in (FIRST + 2, LAST):
        bpy.context.scene.frame_set(frame)
        said = json.loads(program("strain", os.path.join(out, "positions.npy"), "--scene",
                                  os.path.join(shot_folder(cloth), "shot.toml"), "--json"))["frames"]
        said = said[frame - FIRST]
        assert said["frame"] == frame
        largest = attribute(result, "strain_stretch").max()
        wanted = said["strain"]["stretch"]["strain"]
        print("frame %d: %.9f in Blender, %.9f by strain" % (frame, largest, wanted))
        assert abs(largest - wanted) < 1e-7 and largest > 1e-6
        assert keydrape.strain.figures_of(result, frame) == said["strain"]
    check_strain_is_the_runs(cloth, result)
    assert bpy.ops.keydrape.hide_strain() == {"FINISHED"}
    assert not [a.name for a in result.data.attributes if "strain" in a.name]
    assert not bpy.ops.keydrape.hide_strain.poll()
    refuses(lambda: bpy.ops.keydrape.strain(shape_key="none"), 'has no shape key "none"')
    select(cloth)
    refuses(lambda: bpy.ops.keydrape.relax(), "shows no keyframe")
    check_strain_of_another_mesh(cloth)


def main():
    install()
    sheet("curtain")
    assert bpy.ops.keydrape.add_cloth() == {"FINISHED"}
    cloth, stretch = check_strain_of_a_pose(bpy.data.objects["curtain"])
    check_colours(cloth, stretch)
    if os.environ.get("KEYDRAPE_STRAIN_PICTURE"):
        picture(cloth)
    check_targets(cloth, stretch.max())
    check_relax(cloth, stretch.max())
    check_strain_of_a_run(bpy.data.objects["curtain"])
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
