# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators have in common: which cloth they are about, and how they run the program."""

import atexit
import threading

import bpy
from bpy.app.handlers import persistent

from . import preferences, process, result

POLL_S = 0.2
EXIT_PATIENCE_S = 5  # that Blender waits, as it ends, for a run that has files of its own
REFUSALS = (ValueError, OSError)  # the latter: a folder or a program that cannot be used
current = None  # the process.Run in the background, which outlives its operator when another file is opened


def cloth_of(context):
    """The cloth that the active object is, or is a result of; None."""
    thing = context.object
    if thing is None or thing.type != "MESH":
        return None
    return thing.get("keydrape_cloth") if thing.get(result.FOLDER) is not None else thing


def found_program():
    """Raises ValueError where there is none."""
    program = preferences.program()
    if program is None:
        raise ValueError("the program keydrape was not found; name it in the add-on's preferences")
    return program


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

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not context.window_manager.keydrape.active

    def begin(self, context):
        program = found_program()
        cloth = cloth_of(context)
        self.cloth_name = cloth.name  # an undo meanwhile makes all objects anew
        self.process = process.Run(program, self.words(context), self.scratch)
        set_current(self.process)
        state = context.window_manager.keydrape
        state.cloth, state.warnings, state.told = cloth.name, "", ""

    def cloth(self):
        """Raises ValueError where it was removed meanwhile."""
        found = bpy.data.objects.get(self.cloth_name)
        if found is None:
            raise ValueError("%s is gone" % self.cloth_name)
        return found

    def tell(self, context):
        """What was warned of so far, into the panel."""
        context.window_manager.keydrape.warnings = "\n".join(self.process.warnings)

    def end(self, context, code):
        set_current(None)
        self.tell(context)
        try:
            return self.finish(context, code)
        except REFUSALS as error:
            return self.refuse(error)

    def execute(self, context):
        """To the end, at once: for scripts."""
        try:
            self.begin(context)
        except REFUSALS as error:
            return self.refuse(error)
        return self.end(context, self.process.wait())

    def invoke(self, context, _event):
        try:
            self.begin(context)
        except REFUSALS as error:
            return self.refuse(error)
        state = context.window_manager.keydrape
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


def set_current(run):
    global current
    current = run


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
