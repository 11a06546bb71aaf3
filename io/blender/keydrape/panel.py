# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels in the 3D view's sidebar."""

import bpy

from . import keyframes
from .operators import cloth_of


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
        text = {"keyframes": "Add to the Table", "pins": "Add Pin", "bodies": "Add Selected Objects"}[name]
        self.layout.operator("keydrape.add_row", text=text, icon="ADD").table = name

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
        for name in ("substeps", "drag", "self_contact", "folder"):
            layout.prop(settings, name)


class KEYDRAPE_PT_fabric(KeydrapePanel, bpy.types.Panel):
    bl_label = "Fabric"

    def draw_cloth(self, _context, settings):
        self.layout.operator("keydrape.ease")
        for name in ("fabric", "density", "stretch", "shear", "bend", "damping", "use_uvs"):
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
            box.prop(row, "weight")
            box.prop_search(row, "group", self.cloth, "vertex_groups")
        self.table("keyframes", draw)


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
        self.layout.prop(settings, "effort")
        self.layout.prop(settings, "runs")
        self.layout.prop_search(settings, "forces", self.cloth, "vertex_groups")


CLASSES = (KEYDRAPE_PT_cloth, KEYDRAPE_PT_fabric, KEYDRAPE_PT_keyframes, KEYDRAPE_PT_pins, KEYDRAPE_PT_bodies,
           KEYDRAPE_PT_control)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
