# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel's buttons do."""

import os
import pathlib

import bpy
from bpy.props import EnumProperty, IntProperty

from . import assumed, control, keyframes, modifiers, process, result, sampling, shot, takes, targets
from .base import BackgroundOperator, KeydrapeOperator, REFUSALS, cloth_of, leave_edit_mode, own_cloth_of
from .preferences import found_program

TABLES = [(name, name, "")
          for name in ("keyframes", "surfaces", "landmarks", "tracks", "pins", "bodies", "channels")]


class KEYDRAPE_OT_sculpt_keyframe(KeydrapeOperator):
    """Makes a shape key key@FRAME of the shape that is shown at the current frame: sculpt or result"""
    bl_idname = "keydrape.sculpt_keyframe"
    bl_label = "Make This Sculpt a Keyframe"

    def execute(self, context):
        shown = context.object
        mode = shown.mode
        try:
            cloth = own_cloth_of(context)
            if mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            block = self.make(cloth, shown, context.scene.frame_current)
        except REFUSALS as error:
            return self.refuse(error)
        cloth.keydrape.is_cloth = True
        if mode != "OBJECT" and shown is cloth:
            bpy.ops.object.mode_set(mode=mode)
        self.report({"INFO"}, '%s: shape key "%s"' % (cloth.name, block.name))
        return {"FINISHED"}

    def make(self, cloth, shown, frame):
        _, matrix = sampling.evaluated(cloth)
        modifiers.inverse(cloth, matrix)
        if shown is cloth:
            return keyframes.make_keyframe(cloth, frame, keyframes.shown_shape(cloth))
        with sampling.alone(shown, result.CACHE):  # what else is on it is for the picture
            positions, matrix = sampling.evaluated(shown)

        def shape_of(block, world):
            return modifiers.shape_for(cloth, block, frame, world)
        return keyframes.make_keyframe(cloth, frame, sampling.in_world(matrix, positions), shape_of)


class KEYDRAPE_OT_add_row(KeydrapeOperator):
    """Adds a line: the active vertex group as a pin, the active shape key as a keyframe, selected objects as
    bodies, surfaces and tracks, selected vertices as landmarks"""
    bl_idname = "keydrape.add_row"
    bl_label = "Add"
    table: EnumProperty(items=TABLES)

    def execute(self, context):
        try:
            cloth, frame = own_cloth_of(context), context.scene.frame_current
            if self.table == "landmarks":
                targets.add_landmarks(cloth, frame, targets.mark_size(cloth))
        except REFUSALS as error:
            return self.refuse(error)
        cloth.keydrape.is_cloth = True
        if self.table == "landmarks":
            return {"FINISHED"}
        if self.table in ("bodies", "surfaces", "tracks"):
            self.add_objects(context, getattr(cloth.keydrape, self.table), frame)
            return {"FINISHED"}
        row = getattr(cloth.keydrape, self.table).add()
        if self.table == "pins" and cloth.vertex_groups.active:
            row.group = cloth.vertex_groups.active.name
        if self.table == "keyframes":
            row.frame, row.tolerance = frame, cloth.keydrape.tolerance
            block = cloth.active_shape_key
            if block:
                named = keyframes.NAME.match(block.name)
                row.shape_key, row.frame = block.name, int(named.group(1)) if named else row.frame
        return {"FINISHED"}

    def add_objects(self, context, table, frame):
        """A line for each selected object but the active one, or an empty line."""
        others = [o for o in context.selected_objects if o.type == "MESH" and o is not context.object]
        for thing in others or [None]:
            row = table.add()
            setattr(row, "body" if self.table == "bodies" else "target", thing)
            if self.table == "surfaces":
                row.frame = frame


class KEYDRAPE_OT_remove_row(KeydrapeOperator):
    """Removes this line"""
    bl_idname = "keydrape.remove_row"
    bl_label = "Remove"
    table: EnumProperty(items=TABLES)
    row: IntProperty()

    def execute(self, context):
        getattr(cloth_of(context).keydrape, self.table).remove(self.row)
        return {"FINISHED"}


class KEYDRAPE_OT_add_cloth(KeydrapeOperator):
    """Makes the active mesh a cloth that can be simulated, and says what it takes for granted """
    bl_idname = "keydrape.add_cloth"
    bl_label = "Add Keydrape Cloth"
    held_by: EnumProperty(name="Held by", items=[
        ("AUTO", "Group or Top", "The active vertex group, if it is part of the cloth; else the upper edge"),
        ("GROUP", "Active Vertex Group", "Vertices with a weight of 0.5 and more"),
        ("TOP", "Upper Edge", "Of a mesh that lies flat: an edge at its side"),
        ("NOTHING", "Nothing", "It falls")])

    @classmethod
    def poll(cls, context):
        return super().poll(context) and cloth_of(context) is context.object

    def execute(self, context):
        try:
            cloth = own_cloth_of(context)
            leave_edit_mode(cloth)  # vertex groups can be changed in no other
            answer, warnings = assumed.ask(found_program(), cloth)
            sentences = assumed.apply(cloth, answer, self.held_by)
        except REFUSALS as error:
            return self.refuse(error)
        for warning in warnings:
            self.report({"WARNING"}, warning)
        cloth.keydrape.is_cloth, cloth.keydrape.assumed = True, "\n".join(warnings + sentences)
        self.report({"INFO"}, "%s: %s" % (cloth.name, "; ".join(sentences)))
        return {"FINISHED"}


class KEYDRAPE_OT_remove_cloth(KeydrapeOperator):
    """Forgets all settings of the cloth; shape keys, vertex groups and results stay"""
    bl_idname = "keydrape.remove_cloth"
    bl_label = "Remove Keydrape Cloth"

    def execute(self, context):
        cloth_of(context).property_unset("keydrape")
        return {"FINISHED"}


class KEYDRAPE_OT_ease(KeydrapeOperator):
    """Numbers of a coated fabric, for meshes that are too coarse to show the folds of clothing: keyframes
    that are missed by centimetres are often met with it"""
    bl_idname = "keydrape.ease"
    bl_label = "Ease for a Coarse Mesh"

    def execute(self, context):
        try:
            cloth = own_cloth_of(context)
            assumed.ease(cloth, assumed.ask(found_program(), cloth)[0])
        except REFUSALS as error:
            return self.refuse(error)
        return {"FINISHED"}


class KEYDRAPE_OT_accept_take(KeydrapeOperator):
    """Keeps the last solve as the accepted take: the next changes as little of it as its keyframes allow"""
    bl_idname = "keydrape.accept_take"
    bl_label = "Accept Take"

    def execute(self, context):
        try:
            cloth = own_cloth_of(context)
            control.accept_take(shot.folder_of(cloth))
        except REFUSALS as error:
            return self.refuse(error)
        cloth.keydrape.edit_take = True
        return {"FINISHED"}


class KEYDRAPE_OT_run(BackgroundOperator):
    """Writes the shot and runs the program in the background; its cloth comes back with a Mesh Cache"""
    bl_idname = "keydrape.run"
    bl_label = "Run"
    bl_options = {"UNDO"}  # without a panel that runs it again, and waits, at every touch
    command: EnumProperty(items=[("simulate", "Simulate", "Without control"),
                                 ("solve", "Solve",
                                  "Find the forces that make the cloth meet its keyframes")])

    def words(self, context):
        cloth = cloth_of(context)
        leave_edit_mode(context.object)  # of a cloth in it the cage would be taken for where it is
        cloth.keydrape.is_cloth = True
        scene = shot.write_shot(cloth)
        self.remarks, self.folder = shot.remarks(context.scene), os.path.dirname(scene)
        takes.recover(self.folder)
        return [self.command, scene, "-o", os.path.join(self.folder, takes.NEW), "--force"]

    def finish(self, context, code):
        """The take before is shown until there is another, and stays where that is not all of it."""
        if code not in (process.DONE, process.MISSED, process.INTERRUPTED) or \
                not takes.has_positions(self.folder, takes.NEW):
            kept = takes.keep_failed(self.folder)
            if self.process.asked:
                return self.refuse(ValueError(cancelled(self.folder, kept)))
            there = "; as far as it came it is in %s" % kept if kept else ""
            raise ValueError(self.process.failure() + there)
        cloth = self.cloth()
        result.check_vertices(cloth, os.path.join(self.folder, takes.NEW))
        for warning in self.warnings():
            self.report({"WARNING"}, warning)
        if code == process.INTERRUPTED and result.is_shown(cloth, os.path.join(self.folder, takes.OUT)):
            takes.move(self.folder, takes.NEW, takes.INTERRUPTED)
            self.report({"WARNING"},
                        "%s: interrupted; the take before stays, the best so far is in %s: press %s" %
                        (cloth.name, os.path.join(self.folder, takes.INTERRUPTED),
                         KEYDRAPE_OT_exchange_takes.bl_label))
            return {"FINISHED"}
        leave_edit_mode_of_result(cloth)
        takes.move(self.folder, takes.NEW, takes.OUT)
        if code != process.INTERRUPTED:
            takes.remove(self.folder, takes.INTERRUPTED)
        result.attach(cloth, os.path.join(self.folder, takes.OUT))
        words = {process.DONE: "done", process.MISSED: "a keyframe missed its tolerance",
                 process.INTERRUPTED: "interrupted; this is the best so far"}
        self.report({"INFO" if code == process.DONE else "WARNING"}, "%s: %s" % (cloth.name, words[code]))
        return {"FINISHED"}


def cancelled(folder, kept):
    """Of a run that was cancelled before it had a take, what it has left."""
    if kept is None or not os.path.exists(os.path.join(kept, "checkpoint.json")):
        return "cancelled, before there was a result"
    return ("cancelled, before there was a result of all frames; to go on with what was found: "
            "keydrape solve \"%s\" -o \"%s\" --resume" % (os.path.join(folder, "shot.toml"), kept))


def leave_edit_mode_of_result(cloth):
    """In which it may be since a run began."""
    shown = result.result_of(cloth)
    if shown is not None and shown.mode == "EDIT":
        leave_edit_mode(shown)


class KEYDRAPE_OT_exchange_takes(KeydrapeOperator):
    """Shows the best of the run that was cancelled, or that nobody waited for, and keeps what is shown now in
    its place: pressed again, it shows that"""
    bl_idname = "keydrape.exchange_takes"
    bl_label = "Exchange With the Interrupted Take"

    @classmethod
    def poll(cls, context):
        if not super().poll(context) or context.window_manager.keydrape.active:
            return False
        found = result.result_of(cloth_of(context))
        if found is None:
            return False
        folder = os.path.dirname(result.folder_of(found))
        return takes.has_positions(folder, takes.INTERRUPTED) or takes.left_behind(folder)

    def execute(self, context):
        try:
            cloth = own_cloth_of(context)
            folder = os.path.dirname(result.folder_of(result.result_of(cloth)))
            if takes.left_behind(folder):
                takes.recover(folder)
            result.check_vertices(cloth, os.path.join(folder, takes.INTERRUPTED))
            leave_edit_mode_of_result(cloth)
            takes.exchange(folder)
            result.attach(cloth, os.path.join(folder, takes.OUT))
        except REFUSALS as error:
            return self.refuse(error)
        return {"FINISHED"}


class KEYDRAPE_OT_cancel(bpy.types.Operator):
    """Ends the run in the background with its best result so far, of a solve in windows once all are found; a
    take that is shown stays"""
    bl_idname = "keydrape.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        return context.window_manager.keydrape.active

    def execute(self, context):
        context.window_manager.keydrape.cancelled = True
        return {"FINISHED"}


def open_url(address):
    bpy.ops.wm.url_open(url=address)


class KEYDRAPE_OT_open_report(KeydrapeOperator):
    """Opens the report of the last solve in the browser"""
    bl_idname = "keydrape.open_report"
    bl_label = "Open Report"

    @classmethod
    def path(cls, context):
        found = result.result_of(cloth_of(context)) if cloth_of(context) else None
        path = os.path.join(result.folder_of(found), "report.html") if found else ""
        return path if os.path.exists(path) else None

    @classmethod
    def poll(cls, context):
        return cls.path(context) is not None

    def execute(self, context):
        open_url(pathlib.Path(self.path(context)).as_uri())
        return {"FINISHED"}


CLASSES = (KEYDRAPE_OT_add_cloth, KEYDRAPE_OT_remove_cloth, KEYDRAPE_OT_sculpt_keyframe, KEYDRAPE_OT_add_row,
           KEYDRAPE_OT_remove_row, KEYDRAPE_OT_ease, KEYDRAPE_OT_accept_take, KEYDRAPE_OT_run,
           KEYDRAPE_OT_exchange_takes, KEYDRAPE_OT_cancel, KEYDRAPE_OT_open_report)


def draw_in_menu(self, _context):
    self.layout.separator()
    self.layout.operator("keydrape.add_cloth", icon="MOD_CLOTH")


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.VIEW3D_MT_object.append(draw_in_menu)


def unregister():
    bpy.types.VIEW3D_MT_object.remove(draw_in_menu)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
