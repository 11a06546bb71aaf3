# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators have in common: which cloth they are about, and how they run the program."""

import atexit
import functools
import threading
import uuid

import bpy
from bpy.app.handlers import persistent

from . import process, result
from .preferences import found_program

POLL_S = 0.2
EXIT_PATIENCE_S = 5  # that Blender waits, as it ends, for a run that has files of its own
REFUSALS = (ValueError, OSError)  # the latter: a folder or a program that cannot be used
current = None  # the process.Run in the background, which outlives its operator when another file is opened
orphan = None  # what an operator knew whose window was closed, until one in another window takes it up
MARK = "keydrape_run"  # custom property of what a run is about, while it runs


def cloth_of(context):
    """The cloth that the active object is, or is a result of; None."""
    thing = context.object
    if thing is None or thing.type != "MESH":
        return None
    return thing.get("keydrape_cloth") if thing.get(result.FOLDER) is not None else thing


def check_own(cloth):
    """Raises ValueError for a cloth whose settings and shape keys would be lost with the file, or whose
    shape keys are no shapes of their own."""
    override = cloth.override_library
    library = cloth.library or cloth.data.library or (override and override.reference.library)
    if library or override:
        raise ValueError("%s is linked from %s, and would lose what is set here when the file is opened "
                         "again; make it local first: Object > Relations > Make Local > Selected Objects and "
                         "Data" % (cloth.name, library.filepath if library else "another file"))
    keys = cloth.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise ValueError("the shape keys of %s are absolute, which follow one another in time; tick Relative "
                         "under Object Data > Shape Keys" % cloth.name)


def own_cloth_of(context):
    """The cloth, to be changed or run. Raises ValueError as check_own."""
    cloth = cloth_of(context)
    check_own(cloth)
    return cloth


class Marked:
    """An object that is found again though it is renamed, copied, or made anew by an undo meanwhile."""

    def __init__(self, thing):
        self.mark, self.name, self.pointer = uuid.uuid4().hex, thing.name, thing.as_pointer()
        thing[MARK] = self.mark

    def find(self):
        """Raises ValueError where it was removed."""
        found = [thing for thing in bpy.data.objects if thing.get(MARK) == self.mark]
        found = [thing for thing in found if thing.as_pointer() == self.pointer] or found
        found = [thing for thing in found if thing.name == self.name] or found
        thing = found[0] if found else bpy.data.objects.get(self.name)  # an undo to before it was marked
        if thing is None:
            raise ValueError("%s is gone" % self.name)
        return thing

    def forget(self):
        for thing in bpy.data.objects:
            if thing.get(MARK) == self.mark:
                del thing[MARK]


def leave_edit_mode(thing):
    """Attributes and shape keys can be written in no other."""
    if thing.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


class KeydrapeOperator(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return cloth_of(context) is not None

    def refuse(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


class BackgroundOperator(KeydrapeOperator):
    """Runs the program without holding Blender up; called by a script it waits for it. What derives from it
    has `words(context)`, the command line, which raises ValueError for what cannot be, and
    `finish(context, code)`, which looks at self.process and returns the operator's result."""
    scratch = None  # a folder that goes with the operator
    remarks = ()  # of the scene, before the program's warnings

    @classmethod
    def poll(cls, context):
        free = super().poll(context) and not context.window_manager.keydrape.active
        return free or orphan is not None

    def begin(self, context):
        program = found_program()
        cloth = own_cloth_of(context)
        words = self.words(context)
        self.process = process.Run(program, words, self.scratch)
        self.marked = Marked(cloth)
        set_current(self.process)
        state = context.window_manager.keydrape
        state.cloth, state.warnings, state.told = cloth.name, "", ""

    def cloth(self):
        """Raises ValueError where it was removed meanwhile."""
        return self.marked.find()

    def warnings(self):
        return [*self.remarks, *self.process.warnings]

    def tell(self, context):
        """What was warned of so far, into the panel."""
        context.window_manager.keydrape.warnings = "\n".join(self.warnings())

    def end(self, context, code):
        set_current(None)
        self.tell(context)
        try:
            context.window_manager.keydrape.cloth = self.cloth().name
            return self.finish(context, code)
        except REFUSALS as error:
            return self.refuse(error)
        finally:
            self.marked.forget()

    def execute(self, context):
        """To the end, at once: for scripts."""
        try:
            self.begin(context)
        except REFUSALS as error:
            return self.refuse(error)
        return self.end(context, self.process.wait())

    def invoke(self, context, _event):
        state = context.window_manager.keydrape
        if orphan is not None:
            vars(self).update(orphan)
            set_orphan(None)
        else:
            try:
                self.begin(context)
            except REFUSALS as error:
                return self.refuse(error)
            state.active, state.cancelled, state.percent, state.text = True, False, 0, "starting"
        self.timer = context.window_manager.event_timer_add(POLL_S, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        state = context.window_manager.keydrape
        code = self.process.poll()
        if state.cancelled:
            self.process.cancel()
        state.percent, state.text = self.process.percent, self.process.text
        self.tell(context)
        for area in context.screen.areas if context.screen else ():
            area.tag_redraw()
        if code is None:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self.timer)
        state.active = False
        return self.end(context, code)


    def cancel(self, _context):
        """Its window was closed: it goes on in another one. Timers end with a file."""
        known = {name: value for name, value in vars(self).items() if name != "timer"}
        name = type(self).bl_idname.partition(".")[2]
        bpy.app.timers.register(functools.partial(take_up, name, self.as_keywords(), known),
                                first_interval=POLL_S)


def take_up(name, properties, known):
    windows = bpy.context.window_manager.windows
    if current is known["process"] and len(windows) > 0:
        set_orphan(known)
        with bpy.context.temp_override(window=windows[0]):
            getattr(bpy.ops.keydrape, name)("INVOKE_DEFAULT", **properties)
        set_orphan(None)


def set_current(run):
    global current
    current = run


def set_orphan(known):
    global orphan
    orphan = known


@persistent
def leave_file(*_):
    """Before another file is opened: nobody waits for the run any longer."""
    if current is not None:
        current.cancel()


def leave_blender():
    leave_file()
    if current is not None:
        current.drop_files(EXIT_PATIENCE_S)


@persistent
def enter_file(*_):
    """Operators do not live on in another file; where it could not be opened, they do."""
    if current is not None:
        threading.Thread(target=current.drop_files).start()
    set_current(None)
    set_orphan(None)
    bpy.context.window_manager.keydrape.active = False


def register():
    bpy.app.handlers.load_pre.append(leave_file)
    bpy.app.handlers.load_post.append(enter_file)
    atexit.register(leave_blender)


def unregister():
    leave_blender()
    atexit.unregister(leave_blender)
    bpy.app.handlers.load_post.remove(enter_file)
    bpy.app.handlers.load_pre.remove(leave_file)
