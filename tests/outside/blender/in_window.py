"""Runs inside a Blender with a window: draws the panels and drives a run in the background, to its end and
cancelled. $KEYDRAPE_SCREENSHOT and $KEYDRAPE_SCREENSHOT_OF_TABLES, if set, are where pictures of it go, to
be looked at."""

import os
import sys
import time

import bpy

ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIDE, FIRST, LAST = 9, 1001, 1024
PATIENCE_S = 240


bpy.context.preferences.view.show_splash = False  # before Blender shows it


def view_3d():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return {"window": window, "area": area, "region": next(r for r in area.regions if r.type == "WINDOW")}


def show_panels():
    """In the tab that stands open: Blender before 4.2 lets no script choose another, and draws
    only that one."""
    from keydrape import panel
    panel.unregister()
    for each in panel.CLASSES:
        each.bl_category, each.bl_options = "Item", set()  # all stand open
    panel.register()
    view_3d()["area"].spaces[0].show_region_ui = True


def build_scene():
    bpy.ops.preferences.addon_install(filepath=ADDON)
    bpy.ops.preferences.addon_enable(module="keydrape")
    show_panels()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata([(0.05 * j, 0.0, -0.05 * i) for i in range(SIDE) for j in range(SIDE)], [],
                     [(i * SIDE + j, (i + 1) * SIDE + j, (i + 1) * SIDE + j + 1, i * SIDE + j + 1)
                      for i in range(SIDE - 1) for j in range(SIDE - 1)])
    cloth = bpy.data.objects.new("sheet", mesh)
    scene.collection.objects.link(cloth)
    cloth.vertex_groups.new(name="top").add(range(SIDE), 1.0, "REPLACE")
    cloth.select_set(True)
    bpy.context.view_layer.objects.active = cloth
    cloth.keydrape.folder = os.path.join(FOLDER, "shots")
    cloth.keydrape.pins.add().group = "top"
    bpy.ops.keydrape.ease()
    scene.frame_set(LAST)
    bpy.ops.keydrape.sculpt_keyframe()
    for point in cloth.active_shape_key.data:  # the sculpt
        point.co.y = -0.3 * point.co.z
    cloth.keydrape.keyframes.add().shape_key = cloth.active_shape_key.name
    cloth.keydrape.keyframes[0].frame = LAST
    cloth.keydrape.bodies.add()
    return cloth


def fill_tables(filled):
    """A line in every table, and every choice, so that all that panels draw is drawn."""
    settings = bpy.data.objects["sheet"].keydrape
    for name in ("surfaces", "landmarks", "tracks"):
        if filled:
            getattr(settings, name).add()
        else:
            getattr(settings, name).clear()
    settings.tracks.foreach_set("use_frames", [True] * len(settings.tracks))
    if not filled:
        settings.channels.clear()
        settings.part = "WHOLE"
        return
    for kind in ("initial-velocity", "wind", "pin", "stretch-scale", "material"):
        settings.channels.add().kind = kind
    settings.part = "WINDOW"


def start(command, runs):
    bpy.data.objects["sheet"].keydrape.runs = runs
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.run("INVOKE_DEFAULT", command=command) == {"RUNNING_MODAL"}
        assert not bpy.ops.keydrape.run.poll() and bpy.ops.keydrape.cancel.poll()


def story():
    """Yields while it waits."""
    state = bpy.context.window_manager.keydrape
    fill_tables(True)
    for part in ("WINDOW", "WINDOWS"):
        bpy.data.objects["sheet"].keydrape.part = part
        view_3d()["area"].tag_redraw()
        for _ in range(10):
            yield
    tables = os.environ.get("KEYDRAPE_SCREENSHOT_OF_TABLES")
    if tables:
        with bpy.context.temp_override(**view_3d()):
            bpy.ops.screen.screenshot_area(filepath=tables)
    fill_tables(False)
    start("simulate", 1)
    while state.active:
        yield
    result = bpy.data.objects["sheet keydrape"]
    assert result.modifiers["Keydrape"].filepath.endswith("simulated.pc2")

    bpy.data.objects["sheet"].keydrape.substeps = 40  # so long that it cannot end before it is cancelled
    start("solve", 200)
    texts = set()
    while not any(text.startswith("iteration 1") for text in texts):  # until then there is nothing to be kept
        assert state.active, "ended before an iteration"
        texts.add(state.text)
        yield
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.cancel() == {"FINISHED"}
    while state.active:
        yield
    assert result.modifiers["Keydrape"].filepath.endswith("controlled.pc2")
    picture = os.environ.get("KEYDRAPE_SCREENSHOT")
    if picture:
        bpy.context.scene.frame_set(1016)
        with bpy.context.temp_override(**view_3d()):
            bpy.ops.view3d.view_all()
        for _ in range(10):
            yield
        with bpy.context.temp_override(**view_3d()):
            bpy.ops.screen.screenshot_area(filepath=picture)
    print("end of the test", flush=True)


begin, steps = time.monotonic(), None


def tick():
    global steps
    try:
        if steps is None:
            build_scene()
            steps = story()
        assert time.monotonic() - begin < PATIENCE_S, "took too long"
        next(steps)
        return 0.1
    except StopIteration:
        pass
    except BaseException:  # a timer swallows exceptions
        import traceback
        traceback.print_exc()
        sys.stdout.flush()
    bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(tick, first_interval=1.0)
