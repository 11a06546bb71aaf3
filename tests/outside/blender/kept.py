"""Runs inside Blender: nothing is lost. Garments of another file, projects that are moved, a take while
another run fails, results that were copied, objects that are renamed; what cannot be is said in words."""

import os
import shutil
import sys
import urllib.parse
import urllib.request

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # Blender does not
sys.dont_write_bytecode = True

from stage import (FOLDER, KEY, LAST, held_sheet, install, refuses, select, sheet,  # noqa: E402
                   shot_folder, shown, simulate, undone)


def solve():
    return bpy.ops.keydrape.run(command="solve")


def remove(*names):
    for name in names:
        bpy.data.objects.remove(bpy.data.objects[name])


def check_garments_of_another_file():
    """Blender keeps nothing of what is set on them."""
    library = os.path.join(FOLDER, "library.blend")
    held_sheet("garment")
    bpy.data.libraries.write(library, {bpy.data.objects["garment"]})
    remove("garment")
    bpy.data.meshes.remove(bpy.data.meshes["garment"])
    with bpy.data.libraries.load(library, link=True) as (_there, here):
        here.objects = ["garment"]
    linked = here.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    of_own_settings = bpy.data.objects.new("of own settings", linked.data)
    bpy.context.scene.collection.objects.link(of_own_settings)
    for thing in (linked, of_own_settings, None):
        thing = thing or linked.override_create(remap_local_usages=True)
        select(thing)
        for operator in (simulate, solve, bpy.ops.keydrape.check, bpy.ops.keydrape.sculpt_keyframe,
                         bpy.ops.keydrape.add_cloth, lambda: bpy.ops.keydrape.add_row(table="pins")):
            refuses(operator, "make it local first")
    assert "garment keydrape" not in bpy.data.objects
    bpy.ops.object.make_local(type="SELECT_OBDATA")
    cloth = bpy.context.object
    assert cloth.library is None and simulate() == {"FINISHED"}
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def check_a_project_is_moved():
    """The folder beside the .blend goes with it, and what is saved elsewhere finds it."""
    import keydrape.result
    import keydrape.strain
    before, after = (os.path.join(FOLDER, name) for name in ("before", "after #1"))
    os.makedirs(os.path.join(before, "scenes"))
    cloth = held_sheet("banner")
    cloth.keydrape.pins.clear()
    cloth.keydrape.folder = "//../keydrape"
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(before, "scenes", "a.blend"))
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["banner keydrape"]
    assert result["keydrape_folder"].startswith("//")
    assert result.modifiers["Keydrape"].filepath.startswith("//")
    select(result)
    assert bpy.ops.keydrape.strain() == {"FINISHED"}
    there = shown(result, LAST)
    bpy.ops.wm.save_mainfile()
    os.rename(before, after)
    for elsewhere in (None, os.path.join(after, "b.blend")):
        bpy.ops.wm.open_mainfile(filepath=os.path.join(after, "scenes", "a.blend"))
        if elsewhere:
            bpy.ops.wm.save_as_mainfile(filepath=elsewhere, relative_remap=True)
            bpy.ops.wm.open_mainfile(filepath=elsewhere)
        result = bpy.data.objects["banner keydrape"]
        assert keydrape.result.folder_of(result) == os.path.join(after, "keydrape", "banner", "out")
        assert np.array_equal(shown(result, LAST), there)
        path = keydrape.result.map_of(result)
        keydrape.strain.show_frame(result, result["keydrape_cloth"].keydrape, LAST, path)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    return after


def check_report(folder):
    """Its address, of a folder whose name has signs that mean something there."""
    import keydrape.operators
    cloth = held_sheet("told")
    cloth.keydrape.folder = os.path.join(folder, "50% of it")
    assert simulate() == {"FINISHED"}
    report = os.path.join(cloth.keydrape.folder, "told", "out", "report.html")
    with open(report, "w", encoding="utf-8"):
        pass
    opened = []
    url_open, keydrape.operators.open_url = keydrape.operators.open_url, opened.append
    assert bpy.ops.keydrape.open_report() == {"FINISHED"}
    keydrape.operators.open_url = url_open
    address, = opened
    assert "#" not in address and urllib.request.url2pathname(urllib.parse.urlsplit(address).path) == report
    remove("told keydrape", "told")


def check_a_take_outlives_what_fails():
    cloth = held_sheet("dear")
    cloth.keydrape.pins.clear()
    assert simulate() == {"FINISHED"}
    result, out = bpy.data.objects["dear keydrape"], os.path.join(shot_folder(cloth), "out")
    there, files = shown(result, LAST), sorted(os.listdir(out))
    cloth.keydrape.integrator, cloth.keydrape.stretch = "explicit", (1e6, 1e6)
    select(cloth)
    refuses(simulate, "")
    assert np.array_equal(shown(result, LAST), there) and sorted(os.listdir(out)) == files
    assert sorted(each for each in os.listdir(shot_folder(cloth)) if each.startswith("out")) == ["out"]
    return cloth, result


def check_what_nobody_waited_for(cloth, result):
    """Another file was opened meanwhile: what the run has written is offered, and not deleted by the next. As
    far as one came that failed is kept, and what another Blender's run is writing is left alone."""
    import fcntl
    from keydrape import takes
    folder = shot_folder(cloth)
    cloth.keydrape.integrator, cloth.keydrape.stretch = "newton", (0.0, 0.0)
    select(cloth)
    assert not bpy.ops.keydrape.exchange_takes.poll()
    shutil.copytree(os.path.join(folder, takes.OUT), os.path.join(folder, takes.NEW))
    assert bpy.ops.keydrape.exchange_takes.poll()
    assert bpy.ops.keydrape.exchange_takes() == {"FINISHED"}
    assert takes.has_positions(folder, takes.INTERRUPTED)
    assert not os.path.exists(os.path.join(folder, takes.NEW))
    os.rename(os.path.join(folder, takes.INTERRUPTED), os.path.join(folder, takes.NEW))
    takes.recover(folder)
    os.mkdir(os.path.join(folder, takes.NEW))
    with open(os.path.join(folder, takes.NEW, "checkpoint.json"), "w", encoding="utf-8"):
        pass  # of a program that was killed
    takes.recover(folder)
    assert takes.has_positions(folder, takes.INTERRUPTED)
    assert os.listdir(os.path.join(folder, takes.FAILED)) == ["checkpoint.json"]
    os.rename(os.path.join(folder, takes.INTERRUPTED), os.path.join(folder, takes.NEW))
    assert takes.keep_failed(folder) == os.path.join(folder, takes.FAILED)
    os.rename(os.path.join(folder, takes.FAILED), os.path.join(folder, takes.NEW))
    with open(os.path.join(folder, takes.NEW, "run.lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert takes.is_held(folder, takes.NEW) and not takes.left_behind(folder)
        refuses(simulate, "writing there")
        assert takes.has_positions(folder, takes.NEW)
    assert simulate() == {"FINISHED"}
    cloth.keydrape.stretch = (1000.0, 0.0)
    refuses(simulate, "give both numbers")
    cloth.keydrape.stretch = (0.0, 0.0)
    return cloth, result


def check_copies(cloth, result):
    """The one that was chosen is renewed, else the original."""
    import keydrape.result
    copy = result.copy()
    copy.name = "a dear copy"
    bpy.context.scene.collection.objects.link(copy)
    for active, found in ((copy, copy), (result, result), (cloth, result)):
        select(active)
        assert keydrape.result.result_of(cloth) == found, active
    copy.select_set(True)
    assert keydrape.result.result_of(cloth) == copy
    remove("a dear copy", "dear keydrape", "dear")


def check_renamed():
    """What a run is about is found again, though it has another name, or is another object after an undo."""
    from keydrape.base import MARK, Marked
    cloth = held_sheet("first name")
    bpy.ops.ed.undo_push(message="before")
    marked = Marked(cloth)
    cloth.name = "second name"
    assert marked.find() == cloth
    copy = cloth.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.name, cloth.name = "second name", "third name"
    assert marked.find() == cloth
    bpy.ops.ed.undo_push(message="renamed")
    assert bpy.ops.ed.undo() == {"FINISHED"}
    assert marked.find() == bpy.data.objects["first name"]
    assert bpy.ops.ed.redo() == {"FINISHED"}
    assert marked.find().name in ("third name", "second name")
    undone(lambda: bpy.ops.object.empty_add("EXEC_DEFAULT", True))
    assert marked.find().get(MARK) is not None
    marked.forget()
    remove("second name")
    bpy.data.objects["third name"].name = "fourth name"
    try:
        marked.find()
        raise AssertionError("found, and it is gone")
    except ValueError as error:
        assert "first name is gone" in str(error)
    remove("fourth name")


def check_a_name_is_given_again():
    """The take of the cloth that had it before is what its result shows."""
    import keydrape.result
    before = held_sheet("dress")
    assert simulate() == {"FINISHED"}
    result = bpy.data.objects["dress keydrape"]
    there = shown(result, LAST)
    before.name = "dress_v1"
    after = held_sheet("dress")
    refuses(simulate, "shows the take of dress_v1 in %s" % os.path.join(shot_folder(after), "out"))
    assert np.array_equal(shown(result, LAST), there)
    for cloth in (before, after):
        select(cloth)
        assert simulate() == {"FINISHED"}
        found = keydrape.result.result_of(cloth)
        assert keydrape.result.folder_of(found) == os.path.join(shot_folder(cloth), "out")
    assert np.array_equal(shown(result, LAST), there)
    remove(found.name, result.name, "dress", "dress_v1")


def check_words():
    cloth = sheet("..")
    assert simulate() == {"FINISHED"}
    assert os.path.exists(os.path.join(FOLDER, "shots", "__", "shot.toml"))
    assert not os.path.exists(os.path.join(FOLDER, "shot.toml"))
    remove(".. keydrape")
    select(cloth)
    cloth.scale.x = 0.0
    bpy.context.view_layer.update()
    refuses(bpy.ops.keydrape.sculpt_keyframe, "has a scale of 0")
    assert cloth.data.shape_keys is None
    cloth.scale.x = 1.0
    bpy.context.scene.frame_set(KEY)
    assert bpy.ops.keydrape.sculpt_keyframe() == {"FINISHED"}
    cloth.vertex_groups.new(name="empty")
    cloth.active_shape_key.vertex_group = "empty"
    refuses(bpy.ops.keydrape.sculpt_keyframe, 'vertex group "empty" of .. is empty')
    cloth.data.shape_keys.use_relative = False
    for operator in (bpy.ops.keydrape.sculpt_keyframe, simulate, bpy.ops.keydrape.check):
        refuses(operator, "are absolute")


def main():
    install()
    check_garments_of_another_file()
    check_report(check_a_project_is_moved())
    check_copies(*check_what_nobody_waited_for(*check_a_take_outlives_what_fails()))
    check_renamed()
    check_a_name_is_given_again()
    check_words()
    bpy.ops.preferences.addon_disable(module="keydrape")
    print("end of the test")


main()
