# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels in the 3D view's sidebar."""

import textwrap

import bpy

from . import keyframes
from .operators import cloth_of


ADD = {"keyframes": "Add to the Table", "surfaces": "Add Surfaces", "landmarks": "Add Landmarks",
       "tracks": "Add Tracks", "pins": "Add Pin", "bodies": "Add Selected Objects", "channels": "Add Channel"}


WIDTH = 48  # of a line in the sidebar, in characters: it does not wrap by itself


def draw_sentences(layout, sentences):
    """What the program warned of, the newest last."""
    for sentence in sentences:
        for k, line in enumerate(textwrap.wrap(sentence, WIDTH)):
            layout.label(text=line, icon="ERROR" if k == 0 else "BLANK1")


class KeydrapePanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Keydrape"

    @classmethod
    def poll(cls, context):
        return cloth_of(context) is not None

    def table(self, name, draw):
        """Lines of a table, each with its remove button, and one to add."""
        cloth = self.cloth
        for k, row in enumerate(getattr(cloth.keydrape, name)):
            box = self.layout.box()
            line = box.row(align=True)
            draw(line, box, row)
            remove = line.operator("keydrape.remove_row", text="", icon="X")
            remove.table, remove.row = name, k
        self.layout.operator("keydrape.add_row", text=ADD[name], icon="ADD").table = name

    def draw(self, context):
        self.cloth = cloth_of(context)
        self.layout.use_property_decorate = False
        self.draw_cloth(context, self.cloth.keydrape)


class KEYDRAPE_PT_cloth(KeydrapePanel, bpy.types.Panel):
    bl_label = "Cloth"

    def draw_cloth(self, context, settings):
        state, layout = context.window_manager.keydrape, self.layout
        layout.label(text=self.cloth.name, icon="MESH_GRID")
        if state.active:
            layout.prop(state, "percent", slider=True, text="Done")
            layout.label(text=state.text)
            layout.operator("keydrape.cancel", icon="CANCEL")
        else:
            row = layout.row(align=True)
            row.operator("keydrape.run", text="Simulate", icon="PLAY").command = "simulate"
            row.operator("keydrape.run", text="Solve", icon="PHYSICS").command = "solve"
        layout.operator("keydrape.open_report", icon="URL")
        if state.warnings and state.cloth == self.cloth.name:
            draw_sentences(layout.box(), state.warnings.split("\n"))
        for name in ("substeps", "integrator", "starts_draped", "drag", "self_contact", "folder"):
            layout.prop(settings, name)


class KEYDRAPE_PT_fabric(KeydrapePanel, bpy.types.Panel):
    bl_label = "Fabric"

    def draw_cloth(self, _context, settings):
        self.layout.operator("keydrape.ease")
        for name in ("fabric", "density", "stretch", "shear", "bend", "damping", "strain_limit",
                     "compression", "use_uvs"):
            self.layout.prop(settings, name)


class KEYDRAPE_PT_keyframes(KeydrapePanel, bpy.types.Panel):
    bl_label = "Keyframes"

    def draw_cloth(self, _context, settings):
        layout = self.layout
        layout.operator("keydrape.sculpt_keyframe", icon="SCULPTMODE_HLT")
        keys = self.cloth.data.shape_keys
        listed = {row.shape_key for row in settings.keyframes}
        for block in keys.key_blocks if keys else ():
            if keyframes.NAME.match(block.name) and block.name not in listed:
                layout.label(text=block.name, icon="SHAPEKEY_DATA")
        layout.prop(settings, "tolerance")

        def draw(line, box, row):
            if keys:
                line.prop_search(row, "shape_key", keys, "key_blocks", text="")
            line.prop(row, "frame", text="")
            box.prop(row, "tolerance")
            box.prop(row, "tolerance_max")
            box.prop(row, "weight")
            box.prop_search(row, "group", self.cloth, "vertex_groups")
            draw_slide(box, row)
        self.table("keyframes", draw)


def draw_slide(box, row):
    line = box.row(align=True)
    line.prop(row, "earlier")
    line.prop(row, "later")


class KEYDRAPE_PT_targets(KeydrapePanel, bpy.types.Panel):
    bl_label = "Other Targets"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_cloth(self, _context, _settings):
        def surface(line, box, row):
            line.prop(row, "target", text="")
            line.prop(row, "frame", text="")
            for name in ("tolerance", "tolerance_max", "weight", "max_angle"):
                box.prop(row, name)
            box.prop_search(row, "group", self.cloth, "vertex_groups")
            draw_slide(box, row)

        def landmark(line, _box, row):
            for name in ("target", "vertex", "frame"):
                line.prop(row, name, text="")

        def track(line, box, row):
            line.prop(row, "target", text="")
            for name in ("tolerance", "weight", "every", "use_frames"):
                box.prop(row, name)
            if row.use_frames:
                part = box.row(align=True)
                part.prop(row, "first")
                part.prop(row, "last")
            box.prop_search(row, "group", self.cloth, "vertex_groups")
        self.table("surfaces", surface)
        self.table("landmarks", landmark)
        self.table("tracks", track)


class KEYDRAPE_PT_pins(KeydrapePanel, bpy.types.Panel):
    bl_label = "Pins"

    def draw_cloth(self, _context, _settings):
        def draw(line, box, row):
            line.prop_search(row, "group", self.cloth, "vertex_groups", text="")
            box.prop(row, "stiffness")
        self.table("pins", draw)


class KEYDRAPE_PT_bodies(KeydrapePanel, bpy.types.Panel):
    bl_label = "Bodies"

    def draw_cloth(self, _context, _settings):
        def draw(line, box, row):
            line.prop(row, "body", text="")
            box.prop(row, "friction")
            box.prop(row, "voxel")
        self.table("bodies", draw)


class KEYDRAPE_PT_control(KeydrapePanel, bpy.types.Panel):
    bl_label = "Control"

    def draw_cloth(self, _context, settings):
        layout = self.layout
        for name in ("effort", "runs", "use_forces"):
            layout.prop(settings, name)
        if settings.use_forces:
            layout.prop(settings, "max_acceleration")
            layout.prop_search(settings, "forces", self.cloth, "vertex_groups")
        layout.operator("keydrape.accept_take", icon="CHECKMARK")
        layout.prop(settings, "edit_take")
        layout.prop(settings, "part")
        for name in {"WHOLE": (), "WINDOW": ("window_first", "window_last"),
                     "WINDOWS": ("windows_length", "windows_overlap")}[settings.part]:
            layout.prop(settings, name)


class KEYDRAPE_PT_channels(KeydrapePanel, bpy.types.Panel):
    bl_label = "Channels"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_cloth(self, _context, _settings):
        def draw(line, box, row):
            line.prop(row, "kind", text="")
            for name in {"initial-velocity": ("thrown_as",), "pin": ("pin", "knots_every"),
                         "material": ("numbers",)}.get(row.kind, ("knots_every",)):
                box.prop(row, name)
            if row.kind == "initial-velocity":
                box.prop_search(row, "group", self.cloth, "vertex_groups")
            box.prop(row, "scale")
        self.table("channels", draw)


CLASSES = (KEYDRAPE_PT_cloth, KEYDRAPE_PT_fabric, KEYDRAPE_PT_keyframes, KEYDRAPE_PT_targets,
           KEYDRAPE_PT_pins, KEYDRAPE_PT_bodies, KEYDRAPE_PT_control, KEYDRAPE_PT_channels)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
