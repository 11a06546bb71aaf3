# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloth object knows of its shot. Lengths here are in metres, whatever the scene's unit."""

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
                       PointerProperty, StringProperty)

# Names and order as in `keydrape explain preset`; tests/blender compares them.
FABRICS = ("cotton", "silk", "denim", "wool", "leather", "rubber")

# For meshes of some centimetres an edge, which cannot show the folds of clothing: as `keydrape new --mesh` writes them.
EASED = {"stretch": (900.0, 850.0), "shear": 80.0, "bend": 1e-3, "damping": 0.01}


class KeyframeRow(bpy.types.PropertyGroup):
    """What the name of a shape key, such as key@1030, does not say."""
    shape_key: StringProperty(name="Shape key")
    frame: IntProperty(name="Frame", min=0, default=1)
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance; 0: none")
    weight: FloatProperty(name="Weight", min=0.0, default=1.0)
    group: StringProperty(name="Painted", description="Vertex group with the share of the target; empty: all of it")


class PinRow(bpy.types.PropertyGroup):
    """Vertices that are held, or follow the object's own motion: parents, bones, hooks."""
    group: StringProperty(name="Vertex group")
    stiffness: FloatProperty(name="Stiffness (N/m)", min=0.0, default=0.0, description="0: the pin does not give")


class BodyRow(bpy.types.PropertyGroup):
    """An object that the cloth touches: a closed mesh, with its modifiers and its motion."""
    body: PointerProperty(type=bpy.types.Object, name="Body", poll=lambda _self, thing: thing.type == "MESH")
    friction: FloatProperty(name="Friction", min=0.0, default=0.3)
    voxel: FloatProperty(name="Resolution (m)", min=0.0, default=0.0, precision=4,
                         description="Of the body's distances; 0: 1/64 of its longest side. Coarser is much faster")


class ClothSettings(bpy.types.PropertyGroup):
    keyframes: CollectionProperty(type=KeyframeRow)
    pins: CollectionProperty(type=PinRow)
    bodies: CollectionProperty(type=BodyRow)

    fabric: EnumProperty(name="Fabric", items=[(name, name.capitalize(), "") for name in FABRICS])
    density: FloatProperty(name="Density (kg/m2)", min=0.0, default=0.0, precision=3, description="0: the fabric's")
    stretch: FloatVectorProperty(name="Stretch (N/m)", size=2, min=0.0, default=(0.0, 0.0),
                                 description="Along warp and weft; 0: the fabric's")
    shear: FloatProperty(name="Shear (N/m)", min=0.0, default=0.0, description="0: the fabric's")
    damping: FloatProperty(name="Damping (s)", min=0.0, default=0.0, precision=4, description="0: the fabric's")
    bend: FloatProperty(name="Bending (N m)", min=0.0, default=0.0, precision=6, description="0: the fabric's")
    use_uvs: BoolProperty(name="Weave follows UVs", default=False,
                          description="Warp runs along u; else along the longest side of the cloth")
    substeps: IntProperty(name="Substeps", min=1, default=2, description="Time steps in a frame")
    drag: FloatProperty(name="Drag", min=0.0, default=1.0, description="Of the wind, and of still air with it")
    self_contact: BoolProperty(name="Touches itself", default=False)
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance of shape keys that are not in the table; 0: none")
    effort: FloatProperty(name="Effort", min=0.0, default=1e-5, precision=7,
                          description="Lower it tenfold while keyframes are missed, raise it where forces look unnatural")
    forces: StringProperty(name="Forces on", description="Vertex group painted with the share of the control forces; "
                                                         "empty: the whole cloth")
    runs: IntProperty(name="Forward runs", min=1, default=12, description="Budget of the search")
    folder: StringProperty(name="Folder", subtype="DIR_PATH", default="//keydrape",
                           description="The shot and its results are written here, one folder an object")


class RunState(bpy.types.PropertyGroup):
    """Of the run in the background: what the panel shows."""
    active: BoolProperty()
    cancelled: BoolProperty()
    percent: IntProperty(subtype="PERCENTAGE", min=0, max=100)
    text: StringProperty()


CLASSES = (KeyframeRow, PinRow, BodyRow, ClothSettings, RunState)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.keydrape = PointerProperty(type=ClothSettings)
    bpy.types.WindowManager.keydrape = PointerProperty(type=RunState)


def unregister():
    del bpy.types.WindowManager.keydrape
    del bpy.types.Object.keydrape
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
