"""Runs inside a Blender with a window: draws the panels, in the sidebar and in the Physics tab, drives a run
in the background, to its end, cancelled, in a window that is closed, of a cloth that is renamed, shows
strain, relaxes a pose and takes that back, opens another file during a run and during a relaxation, and
leaves Blender during a run.
$KEYDRAPE_SCREENSHOTS, if set, is a folder where pictures of it go, to be looked at."""

import os
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from window import (ADDON, FIRST, FOLDER, LAST, SIDE, cancel_beside_a_take, close_the_window,  # noqa: E402
                    redrawn, start, undo_next_step, until_iteration, view_3d)

PATIENCE_S = 900  # of a machine that does other things, too


bpy.context.preferences.view.show_splash = False  # before Blender shows it


def properties_editor():
    return next(a for a in bpy.context.window_manager.windows[0].screen.areas if a.type == "PROPERTIES")


def show_panels():
    """In the tab that stands open: Blender before 4.2 lets no script choose another in the sidebar, and draws
    only that one."""
    from keydrape import panel
    panel.unregister()
    for each in panel.CLASSES:
        each.bl_options = set()  # all stand open
        if each.bl_space_type == "VIEW_3D":
            each.bl_category = "Item"
    panel.register()
    view_3d()["area"].spaces[0].show_region_ui = True


def count_draws():
    """How often each panel draws itself, by the class's name."""
    from keydrape import panel
    drawn = {}
    for content in panel.CONTENTS:
        def draw(self, context, settings, whole=content.draw_cloth):
            whole(self, context, settings)
            drawn[type(self).__name__] = drawn.get(type(self).__name__, 0) + 1
        content.draw_cloth = draw
    return drawn


def shot_of(area, name):
    """A picture of an area, if they are wanted."""
    folder = os.environ.get("KEYDRAPE_SCREENSHOTS")
    if folder:
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area):
            bpy.ops.screen.screenshot_area(filepath=os.path.join(folder, name))


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
    cloth.select_set(True)
    bpy.context.view_layer.objects.active = cloth
    cloth.keydrape.folder = os.path.join(FOLDER, "shots")
    properties_editor().spaces[0].context = "PHYSICS"
    return cloth


def make_ready(cloth):
    """As the button does it."""
    scene = bpy.context.scene
    assert "keydrape.add_cloth" in menu_entries(bpy.types.VIEW3D_MT_object)
    bpy.ops.keydrape.add_cloth()
    assert cloth.keydrape.pins[0].group == "keydrape top"
    scene.frame_set(LAST)
    bpy.ops.keydrape.sculpt_keyframe()
    for point in cloth.active_shape_key.data:  # the sculpt
        point.co.y = -0.3 * point.co.z
    cloth.keydrape.keyframes.add().shape_key = cloth.active_shape_key.name
    cloth.keydrape.keyframes[0].frame = LAST
    cloth.keydrape.bodies.add()


class Recorder:
    """A layout that only takes note of operators."""

    def __init__(self, found):
        self.found = found

    def operator(self, name, **_how):
        self.found.append(name)

    def __getattr__(self, _name):
        return lambda *_a, **_k: self


def menu_entries(menu):
    """What add-ons have put into a menu."""
    found = []
    for draw in menu.draw._draw_funcs[1:]:
        self = type("Menu", (), {"layout": Recorder(found)})()
        draw(self, bpy.context)
    return found


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


def fail_to_open_a_file(path):
    """The run is cancelled, and its result is the best so far."""
    state = bpy.context.window_manager.keydrape
    start("solve", 200)
    yield from until_iteration(state)
    bpy.data.objects.remove(bpy.data.objects["sheet keydrape"])
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
    except RuntimeError:
        assert state.active
    while state.active:
        yield
    assert "sheet keydrape" in bpy.data.objects


def open_another_file(path):
    """Its operator is gone, and the program ends."""
    from keydrape import base, process
    state = bpy.context.window_manager.keydrape
    start("solve", 200)
    yield from until_iteration(state)
    run = base.current
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not bpy.context.window_manager.keydrape.active
    while run.process.poll() is None:
        yield
    assert run.process.returncode == process.INTERRUPTED, run.failure()
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.run.poll() and not bpy.ops.keydrape.cancel.poll()


def open_another_file_while_relaxing(path):
    """The pose's files go with it, once the program has ended; those of the run before stay."""
    from keydrape import base
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.relax("INVOKE_DEFAULT", shape_key="key@%d" % LAST) == {"RUNNING_MODAL"}
    words = base.current.process.args
    folder = os.path.dirname(words[words.index("-o") + 1])
    assert os.path.exists(folder)
    bpy.ops.wm.open_mainfile(filepath=path)
    while os.path.exists(folder):
        yield
    assert os.path.exists(bpy.data.objects["sheet keydrape"]["keydrape_folder"])


def leave_a_run():
    """run.py looks whether it ends with Blender."""
    from keydrape import base
    start("solve", 200)
    yield from until_iteration(bpy.context.window_manager.keydrape)
    print("left running: %d" % base.current.process.pid, flush=True)


def ran(operator, state, **how):
    """Starts an operator as a button does, and waits for its end."""
    with bpy.context.temp_override(**view_3d()):
        assert operator("INVOKE_DEFAULT", **how) == {"RUNNING_MODAL"}
    while state.active:
        yield


def points(key):
    return [tuple(point.co) for point in bpy.data.objects["sheet"].data.shape_keys.key_blocks[key].data]


def look_and_relax(state):
    """A pose longer than the cloth: its strain is shown, it is relaxed, and that is taken back."""
    cloth, key = bpy.data.objects["sheet"], "key@%d" % LAST
    for point in cloth.data.shape_keys.key_blocks[key].data:
        share = -point.co.z / 0.4
        point.co.x *= 1 + 0.15 * share
        point.co.z *= 1 + 0.1 * share
    with bpy.context.temp_override(**view_3d()):
        bpy.ops.ed.undo_push(message="sculpted")
    yield from ran(bpy.ops.keydrape.strain, state, shape_key=key)
    cloth = bpy.data.objects["sheet"]
    assert cloth.data.attributes.get("strain_felt"), state.told
    shading = view_3d()["area"].spaces[0].shading
    assert (shading.color_type, shading.light) == ("VERTEX", "FLAT")
    bpy.data.objects["sheet keydrape"].hide_set(True)
    yield from redrawn()
    shot_of(view_3d()["area"], "strain.png")
    shot_of(properties_editor(), "strain_panel.png")

    sculpted = points(key)
    yield from ran(bpy.ops.keydrape.relax, state, shape_key=key)
    assert "has moved by" in state.told, state.told
    assert points(key) != sculpted and points(key + " as sculpted") == sculpted
    yield from redrawn()
    shot_of(view_3d()["area"], "relaxed.png")
    with bpy.context.temp_override(**view_3d()):
        bpy.ops.ed.undo()
    assert points(key) == sculpted
    assert key + " as sculpted" not in bpy.data.objects["sheet"].data.shape_keys.key_blocks
    with bpy.context.temp_override(**view_3d()):
        bpy.ops.ed.redo()
    assert points(key) != sculpted and points(key + " as sculpted") == sculpted
    yield from ran(bpy.ops.keydrape.strain, state, shape_key=key)
    yield from redrawn()
    shot_of(view_3d()["area"], "relaxed_strain.png")
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.hide_strain() == {"FINISHED"}
    assert (shading.color_type, shading.light) == ("MATERIAL", "STUDIO")


def story():
    """Yields while it waits."""
    state = bpy.context.window_manager.keydrape
    drawn, cloth = count_draws(), bpy.data.objects["sheet"]
    yield from redrawn()
    assert not drawn, drawn  # it is no cloth yet
    shot_of(properties_editor(), "physics_before.png")
    make_ready(cloth)
    yield from redrawn()
    from keydrape import panel
    missing = {each.__name__ for each in panel.CLASSES if each is not panel.KEYDRAPE_PT_add} - set(drawn)
    assert not missing, missing  # in both places
    shot_of(properties_editor(), "physics.png")
    fill_tables(True)
    for part in ("WINDOW", "WINDOWS"):
        bpy.data.objects["sheet"].keydrape.part = part
        yield from redrawn()
    shot_of(view_3d()["area"], "tables.png")
    fill_tables(False)
    start("simulate", 1)
    while state.active:
        yield
    undo_next_step()
    result = bpy.data.objects["sheet keydrape"]
    assert result.modifiers["Keydrape"].filepath.endswith("simulated.pc2")

    yield from cancel_beside_a_take(state)
    bpy.context.scene.frame_set(1016)
    with bpy.context.temp_override(**view_3d()):
        bpy.ops.view3d.view_all()
    yield from redrawn()
    shot_of(view_3d()["area"], "solved.png")
    yield from look_and_relax(state)
    area = view_3d()["area"]
    area.type = "PROPERTIES"
    yield from redrawn()  # until then it has no tabs
    area.spaces[0].context = "PHYSICS"
    yield from redrawn()
    shot_of(area, "physics_wide.png")
    area.type = "VIEW_3D"
    yield from redrawn()
    yield from close_the_window(state)
    yield from fail_to_open_a_file(os.path.join(FOLDER, "there is none.blend"))
    yield from open_another_file(os.path.join(FOLDER, "another.blend"))
    yield from open_another_file_while_relaxing(os.path.join(FOLDER, "another.blend"))
    yield from leave_a_run()
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


bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
