# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels, of the properties editor's Physics tab and of the 3D view's sidebar: both draw the same."""

import textwrap

import bpy

from . import keyframes, shot, strain
from .base import cloth_of


ADD = {"keyframes": "Add to the Table", "surfaces": "Add Surfaces", "landmarks": "Add Landmarks",
       "tracks": "Add Tracks", "pins": "Add Pin", "bodies": "Add Selected Objects", "channels": "Add Channel"}


# A label does not wrap by itself. In pixels at a scale of 1: what stands beside its text, and a character of
# it, in the mean.
BESIDE, CHARACTER, LEAST_CHARACTERS = 75, 6.2, 16


def draw_sentences(context, layout, sentences, icon):
    scale = context.preferences.system.ui_scale
    width = max(LEAST_CHARACTERS, int((context.region.width / scale - BESIDE) / CHARACTER))
    for sentence in sentences:
        for k, line in enumerate(textwrap.wrap(sentence, width)):
            layout.label(text=line, icon=icon if k == 0 else "BLANK1")


class Content:
    """What a panel shows of a cloth, wherever it stands."""
    is_closed = False

    @classmethod
    def has(cls, _context, _cloth):
        return True

    @classmethod
    def poll(cls, context):
        cloth = cloth_of(context)
        return cloth is not None and cloth.keydrape.is_cloth and cls.has(context, cloth)

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


class Cloth(Content):
    label = "Cloth"

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
            layout.operator("keydrape.check", icon="VIEWZOOM")
            if bpy.ops.keydrape.exchange_takes.poll():
                layout.operator("keydrape.exchange_takes", icon="FILE_REFRESH")
        layout.operator("keydrape.open_report", icon="URL")
        for sentences, icon in ((state.warnings, "ERROR"), (state.told, "INFO")):
            if sentences and state.cloth == self.cloth.name:
                draw_sentences(context, layout.box(), sentences.split("\n"), icon)
        of_steps = {"prefactored": ["rounds", "rounds_memory"], "descent": ["rounds"], "explicit": ["scheme"]}
        of_contact = ["thickness"] if shot.touches(settings) else []
        for name in ("substeps", "integrator", *of_steps.get(settings.integrator, []), "starts_draped",
                     "drag", "self_contact", *of_contact, "folder"):
            layout.prop(settings, name)
        layout.label(text="Gravity: %.4g, %.4g, %.4g m/s2" % tuple(shot.gravity_of(context.scene)))


class Assumed(Content):
    label = "Taken for Granted"

    @classmethod
    def has(cls, _context, cloth):
        return cloth.keydrape.assumed != ""

    def draw_cloth(self, context, settings):
        draw_sentences(context, self.layout, settings.assumed.split("\n"), "INFO")


class Fabric(Content):
    label = "Fabric"

    def draw_cloth(self, _context, settings):
        self.layout.operator("keydrape.ease")
        for name in ("cloth_model", "fabric", "density", "stretch", "shear", "bend", "damping",
                     "strain_limit", "compression", "pressure", "use_uvs"):
            if settings.cloth_model == "sheet" or name not in shot.OF_SHEET:
                self.layout.prop(settings, name)


class Keyframes(Content):
    label = "Keyframes"

    def draw_cloth(self, _context, settings):
        layout = self.layout
        layout.operator("keydrape.sculpt_keyframe", icon="SCULPTMODE_HLT")
        keys = self.cloth.data.shape_keys
        listed = {row.shape_key for row in settings.keyframes}
        for block in keys.key_blocks if keys else ():
            if keyframes.NAME.match(block.name) and block.name not in listed:
                line = layout.row(align=True)
                line.label(text=block.name, icon="SHAPEKEY_DATA")
                draw_reach(line, block.name)
        layout.prop(settings, "tolerance")

        def draw(line, box, row):
            if keys:
                line.prop_search(row, "shape_key", keys, "key_blocks", text="")
            line.prop(row, "frame", text="")
            draw_reach(line, row.shape_key)
            box.prop(row, "tolerance")
            box.prop(row, "tolerance_max")
            box.prop(row, "weight")
            box.prop_search(row, "group", self.cloth, "vertex_groups")
            draw_slide(box, row)
        self.table("keyframes", draw)


def draw_reach(line, shape_key):
    """Of a keyframe: how it strains the cloth, and the nearest that does not."""
    line.operator("keydrape.strain", text="", icon="COLOR").shape_key = shape_key
    line.operator("keydrape.relax", text="", icon="MOD_SMOOTH").shape_key = shape_key


def draw_slide(box, row):
    line = box.row(align=True)
    line.prop(row, "earlier")
    line.prop(row, "later")


class Strain(Content):
    label = "Strain"

    def draw_cloth(self, context, settings):
        layout, thing = self.layout, context.object
        layout.operator("keydrape.strain", icon="COLOR").shape_key = ""
        if not strain.is_shown(thing):
            return
        figures = strain.figures_of(thing, context.scene.frame_current)
        layout.label(text="of %s" % thing[strain.OF])
        layout.prop(settings, "strain_of", text="")
        scale = layout.row(align=True)
        for k, (_value, text) in enumerate(strain.legend(settings, figures)):
            entry = scale.column(align=True)
            entry.prop(settings, "legend%d" % k, text="")
            entry.label(text=text)
        layout.prop(settings, "strain_end")
        draw_sentences(context, layout.box(), strain.sentences(figures), "INFO")
        layout.operator("keydrape.hide_strain", icon="X")


class Targets(Content):
    label = "Other Targets"
    is_closed = True

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


class Pins(Content):
    label = "Pins"

    def draw_cloth(self, _context, _settings):
        def draw(line, box, row):
            line.prop_search(row, "group", self.cloth, "vertex_groups", text="")
            box.prop(row, "stiffness")
        self.table("pins", draw)


class Bodies(Content):
    label = "Bodies"

    def draw_cloth(self, _context, _settings):
        def draw(line, box, row):
            line.prop(row, "body", text="")
            box.prop(row, "friction")
            box.prop(row, "voxel")
        self.table("bodies", draw)


class Control(Content):
    label = "Control"

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


class Channels(Content):
    label = "Channels"
    is_closed = True

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


CONTENTS = (Cloth, Assumed, Fabric, Pins, Bodies, Keyframes, Strain, Targets, Control, Channels)


class Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Keydrape"


class PhysicsTab:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


class KEYDRAPE_PT_add(Sidebar, bpy.types.Panel):
    """Of a mesh that is no cloth yet."""
    bl_label = "Cloth"

    @classmethod
    def poll(cls, context):
        cloth = cloth_of(context)
        return cloth is not None and not cloth.keydrape.is_cloth

    def draw(self, _context):
        self.layout.operator("keydrape.add_cloth", icon="MOD_CLOTH")


def panels():
    """In the sidebar one beside the other; in the Physics tab the first is the parent of the others."""
    found = [KEYDRAPE_PT_add]
    for content in CONTENTS:
        name = content.__name__.lower()
        options = {"DEFAULT_CLOSED"} if content.is_closed else set()
        members = {"bl_label": content.label, "bl_options": options}
        found.append(type("KEYDRAPE_PT_" + name, (content, Sidebar, bpy.types.Panel), dict(members)))
        if content is CONTENTS[0]:
            members["bl_label"] = "Keydrape"
        else:
            members["bl_parent_id"] = "PHYSICS_PT_keydrape_" + CONTENTS[0].__name__.lower()
            is_open = content in (Assumed, Keyframes, Strain)
            members["bl_options"] = set() if is_open else {"DEFAULT_CLOSED"}
        found.append(type("PHYSICS_PT_keydrape_" + name, (content, PhysicsTab, bpy.types.Panel), members))
    return found


CLASSES = panels()


def draw_enable(self, context):
    """Among the buttons that enable Blender's own physics."""
    thing = context.object
    if thing is None or thing.type != "MESH" or cloth_of(context) is not thing:
        return
    is_cloth = thing.keydrape.is_cloth
    self.layout.operator("keydrape.remove_cloth" if is_cloth else "keydrape.add_cloth", text="Keydrape Cloth",
                         icon="X" if is_cloth else "MOD_CLOTH")


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.PHYSICS_PT_add.append(draw_enable)


def unregister():
    bpy.types.PHYSICS_PT_add.remove(draw_enable)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
