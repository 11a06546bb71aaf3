"""Stories of in_window.py about takes, and what all of its stories have in common: a window, and a run in the
background."""

import os
import sys

import bpy

ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIDE, FIRST, LAST = 9, 1001, 1024


def view_3d():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return {"window": window, "area": area, "region": next(r for r in area.regions if r.type == "WINDOW")}


def start(command, runs):
    bpy.data.objects["sheet"].keydrape.runs = runs
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.run("INVOKE_DEFAULT", command=command) == {"RUNNING_MODAL"}
        assert not bpy.ops.keydrape.run.poll() and bpy.ops.keydrape.cancel.poll()


def until_iteration(state):
    """Until then a search has nothing to be kept."""
    while not state.text.startswith("iteration 1"):
        assert state.active, "ended before an iteration"
        yield


def undo_next_step():
    """What is done after a run is taken back, and the result stays; it is a step of its own."""
    with bpy.context.temp_override(**view_3d()):
        bpy.ops.object.empty_add("EXEC_DEFAULT", True)
        for there in (True, False):
            assert bpy.ops.ed.undo() == {"FINISHED"} and "Empty" not in bpy.data.objects
            assert ("sheet keydrape" in bpy.data.objects) == there
        assert bpy.ops.ed.redo() == {"FINISHED"} and "sheet keydrape" in bpy.data.objects


def redrawn():
    """Waits for it."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()
    for _ in range(10):
        yield


def positions(thing):
    copy = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(vertex.co) for vertex in copy.data.vertices]


def cancel_beside_a_take(state):
    """What was simulated before stays, and the best so far is shown when asked for, and put away again."""
    result = bpy.data.objects["sheet keydrape"]
    cache, folder = result.modifiers["Keydrape"], os.path.join(FOLDER, "shots", "sheet")
    bpy.context.scene.frame_set(LAST)
    there = positions(result)
    bpy.data.objects["sheet"].keydrape.substeps = 40  # so long that it cannot end before it is cancelled
    start("solve", 200)
    yield from until_iteration(state)
    bpy.context.scene.frame_set(LAST - 1)
    bpy.context.scene.frame_set(LAST)
    assert positions(result) == there and os.path.exists(bpy.path.abspath(cache.filepath))
    bpy.context.view_layer.objects.active = result
    with bpy.context.temp_override(**view_3d()):
        assert not bpy.ops.keydrape.exchange_takes.poll()
        bpy.ops.object.mode_set(mode="EDIT")  # in which attributes cannot be written
        assert bpy.ops.keydrape.cancel() == {"FINISHED"}
    while state.active:
        yield
    assert cache.filepath.endswith("simulated.pc2")
    assert os.path.exists(os.path.join(folder, "out.interrupted"))
    for name in ("controlled.pc2", "simulated.pc2", "controlled.pc2"):
        with bpy.context.temp_override(**view_3d()):
            assert bpy.ops.keydrape.exchange_takes() == {"FINISHED"} and result.mode == "OBJECT"
        is_simulated = name == "simulated.pc2"
        assert cache.filepath.endswith(name) and (positions(result) == there) == is_simulated
        assert ("force" in result.data.attributes) == (not is_simulated)
    assert sorted(each for each in os.listdir(folder) if "out" in each) == ["out", "out.interrupted"]
    bpy.context.view_layer.objects.active = bpy.data.objects["sheet"]


def close_the_window(state):
    """The run goes on in another, and its cloth has another name by then."""
    from keydrape import base
    before = len(bpy.context.window_manager.windows)
    bpy.ops.wm.window_new()
    yield from redrawn()
    window = bpy.context.window_manager.windows[before]
    cloth = bpy.data.objects["sheet"]
    cloth.keydrape.substeps, cloth.keydrape.runs = 40, 4
    with bpy.context.temp_override(window=window):
        assert bpy.ops.keydrape.run("INVOKE_DEFAULT", command="solve") == {"RUNNING_MODAL"}
        bpy.ops.wm.window_close()
    assert state.active and base.current is not None
    cloth.name = "renamed"
    first = base.current
    while state.active:
        assert base.current in (first, None)
        yield
    assert len(bpy.context.window_manager.windows) == before and first.process.returncode in (0, 4)
    assert state.cloth == "renamed" and base.MARK not in cloth and base.orphan is None
    folder = os.path.join(FOLDER, "shots", "sheet")
    assert sorted(each for each in os.listdir(folder) if "out" in each) == ["out"]
    with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as file:
        assert '"keyframes"' in file.read()
    cloth.name = "sheet"
    with bpy.context.temp_override(**view_3d()):
        assert bpy.ops.keydrape.run.poll() and not bpy.ops.keydrape.cancel.poll()
