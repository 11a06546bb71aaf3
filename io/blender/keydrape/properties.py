# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloth object knows of its shot. Lengths here are in metres, whatever the scene's unit."""

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty,
                       IntProperty, PointerProperty, StringProperty)

# Names and order as in `keydrape explain preset`; tests/outside/blender compares them.
FABRICS = ("cotton", "silk", "denim", "wool", "jersey", "jeans", "leather", "rubber")

# For meshes of some centimetres an edge, which cannot show the folds of clothing. The same numbers as
# `keydrape new --mesh` writes.
EASED = {"stretch": (900.0, 850.0), "shear": 80.0, "bend": 1e-3, "damping": 0.01}


class KeyframeRow(bpy.types.PropertyGroup):
    """What the name of a shape key, such as key@1030, does not say."""
    shape_key: StringProperty(name="Shape key")
    frame: IntProperty(name="Frame", min=0, default=1)
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance; 0: none")
    tolerance_max: FloatProperty(name="Of every vertex (m)", min=0.0, default=0.0, precision=4,
                                 description="Allowed distance of each vertex; 0: not asked")
    weight: FloatProperty(name="Weight", min=0.0, default=1.0)
    group: StringProperty(name="Painted",
                          description="Vertex group with the share of the target; empty: all of it")
    earlier: IntProperty(name="Earlier", min=0, description="Frames that the keyframe may slide ahead")
    later: IntProperty(name="Later", min=0, description="Frames that the keyframe may slide back")


def is_mesh(_self, thing):
    return thing.type == "MESH"


class SurfaceRow(bpy.types.PropertyGroup):
    """A mesh of another topology that the cloth is to lie on: a scan, another model's mesh, points alone."""
    target: PointerProperty(type=bpy.types.Object, name="Surface", poll=is_mesh)
    frame: IntProperty(name="Frame", min=0, default=1)
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance; 0: none")
    tolerance_max: FloatProperty(name="Of every vertex (m)", min=0.0, default=0.0, precision=4,
                                 description="Allowed distance of each vertex; 0: not asked")
    weight: FloatProperty(name="Weight", min=0.0, default=1.0)
    max_angle: FloatProperty(name="Largest angle", min=1.0, max=180.0, default=90.0,
                             description="Triangles turned away from the cloth by more degrees do not count")
    group: StringProperty(name="Painted",
                          description="Vertex group of the cloth that is to lie there; empty: all of it")
    earlier: IntProperty(name="Earlier", min=0, description="Frames that it may slide ahead")
    later: IntProperty(name="Later", min=0, description="Frames that it may slide back")


class LandmarkRow(bpy.types.PropertyGroup):
    """A vertex of the cloth and the object, an empty for one, where it is to be."""
    target: PointerProperty(type=bpy.types.Object, name="Mark")
    vertex: IntProperty(name="Vertex", min=0)
    frame: IntProperty(name="Frame", min=0, default=1)


class TrackRow(bpy.types.PropertyGroup):
    """An animated mesh with the cloth's vertices, which the cloth is to follow."""
    target: PointerProperty(type=bpy.types.Object, name="Motion", poll=is_mesh)
    use_frames: BoolProperty(name="Part of the shot", default=False)
    first: IntProperty(name="First frame", min=0, default=1)
    last: IntProperty(name="Last frame", min=0, default=2)
    every: IntProperty(name="Every", min=1, default=1, description="Distance of the frames that count")
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance in each frame; 0: none")
    weight: FloatProperty(name="Weight", min=0.0, default=1.0)
    group: StringProperty(name="Painted", description="Vertex group that follows it; empty: all of it")


class ChannelRow(bpy.types.PropertyGroup):
    """Something else than forces that the search may choose."""
    kind: EnumProperty(name="Channel", items=[
        ("initial-velocity", "Throw", "The velocity that the cloth starts with"),
        ("wind", "Wind", "Added to the wind of the scene"),
        ("pin", "Pin", "Added to the motion of a pin"),
        ("stretch-scale", "Stretch", "The length at which the weave is not stretched"),
        ("material", "Fabric", "Numbers of the fabric, as factors: to estimate it from a filmed cloth")])
    thrown_as: EnumProperty(name="Starts as", items=[("rigid", "One Rigid Body", "Moved and turned as one"),
                                                     ("vertices", "Vertices", "Every vertex by itself")])
    group: StringProperty(name="Thrown", description="Vertex group that starts with it; empty: all of it")
    pin: IntProperty(name="Pin", min=0, description="Which line of the pins, counted from 0")
    numbers: EnumProperty(name="Numbers", options={"ENUM_FLAG"}, default={"bend"}, items=[
        (name, name.capitalize(), "") for name in ("density", "warp", "weft", "shear", "bend", "damping")])
    knots_every: IntProperty(name="Frames between values", min=1, default=1)
    scale: FloatProperty(name="Cheaper than forces by", min=1e-6, default=1.0,
                         description="Raise it to let this do the work of forces")


class PinRow(bpy.types.PropertyGroup):
    """Vertices that are held, or follow the object's own motion: parents, bones, hooks."""
    group: StringProperty(name="Vertex group")
    stiffness: FloatProperty(name="Stiffness (N/m)", min=0.0, default=0.0,
                             description="0: the pin does not give")


class BodyRow(bpy.types.PropertyGroup):
    """An object that the cloth touches: a closed mesh, with its modifiers and its motion."""
    body: PointerProperty(type=bpy.types.Object, name="Body", poll=is_mesh)
    friction: FloatProperty(name="Friction", min=0.0, default=0.3)
    voxel: FloatProperty(name="Resolution (m)", min=0.0, default=0.0, precision=4,
                         description="Of the body's distances; 0: 1/64 of its longest side. "
                                     "Coarser is much faster")


class ClothSettings(bpy.types.PropertyGroup):
    keyframes: CollectionProperty(type=KeyframeRow)
    pins: CollectionProperty(type=PinRow)
    bodies: CollectionProperty(type=BodyRow)
    surfaces: CollectionProperty(type=SurfaceRow)
    landmarks: CollectionProperty(type=LandmarkRow)
    tracks: CollectionProperty(type=TrackRow)
    channels: CollectionProperty(type=ChannelRow)

    fabric: EnumProperty(name="Fabric", items=[(name, name.capitalize(), "") for name in FABRICS])
    density: FloatProperty(name="Density (kg/m2)", min=0.0, default=0.0, precision=3,
                           description="0: the fabric's")
    stretch: FloatVectorProperty(name="Stretch (N/m)", size=2, min=0.0, default=(0.0, 0.0),
                                 description="Along warp and weft; 0: the fabric's")
    shear: FloatProperty(name="Shear (N/m)", min=0.0, default=0.0, description="0: the fabric's")
    damping: FloatProperty(name="Damping (s)", min=0.0, default=0.0, precision=4,
                           description="0: the fabric's")
    bend: FloatProperty(name="Bending (N m)", min=0.0, default=0.0, precision=6,
                        description="0: the fabric's")
    strain_limit: FloatProperty(name="Strain limit", min=0.0, default=0.0, precision=3,
                                description="No triangle is ever stretched by this share or more; "
                                            "0: no limit")
    compression: EnumProperty(name="Pushed together", items=[
        ("buckling", "Gives Way", "Where its mesh cannot fold it shortens, as finer cloth would by folds"),
        ("stretch", "Folds Only", "As stiff as against stretch, as what is coated; a coarse mesh crumples")])
    use_uvs: BoolProperty(name="Weave follows UVs", default=False,
                          description="Warp runs along u; else along the longest side of the cloth")
    substeps: IntProperty(name="Substeps", min=1, default=2, description="Time steps in a frame")
    integrator: EnumProperty(name="Steps", items=[
        ("newton", "Calm", "Implicit Euler, which takes energy out of motion"),
        ("bdf2", "Lively", "BDF2: flutter lasts, at the same cost"),
        ("linearized", "Linearized", "One linear system a step, whatever is left: to compare with")])
    starts_draped: BoolProperty(name="Starts draped", default=False,
                                description="The first frame is where the cloth comes to rest, so that the "
                                            "shot begins without a jolt")
    drag: FloatProperty(name="Drag", min=0.0, default=1.0,
                        description="Of the wind, and of still air with it")
    self_contact: BoolProperty(name="Touches itself", default=False)
    tolerance: FloatProperty(name="Tolerance (m)", min=0.0, default=0.01, precision=4,
                             description="Allowed RMS distance of shape keys that are not in the table; "
                                         "0: none")
    effort: FloatProperty(name="Effort", min=0.0, default=1e-5, precision=7,
                          description="Lower it tenfold while keyframes are missed, raise it where forces "
                                      "look unnatural; 0: the least that meets the tolerances")
    max_acceleration: FloatProperty(name="Strongest force (g)", min=0.0, default=0.0,
                                    description="Limit of the control force over mass; 0: none")
    use_forces: BoolProperty(name="Forces", default=True,
                             description="Whether control forces act at all, or the channels alone")
    edit_take: BoolProperty(name="Edit the accepted take", default=False,
                            description="Forces come on top of the take's, and effort counts what is added "
                                        "to it")
    part: EnumProperty(name="Solves", items=[
        ("WHOLE", "Whole Shot", "All at once"),
        ("WINDOW", "Part", "Only the frames of a window; all before it stay as they are"),
        ("WINDOWS", "Windows", "A long shot in overlapping windows, one after the other")])
    window_first: IntProperty(name="First frame", min=0, default=1)
    window_last: IntProperty(name="Last frame", min=0, default=2)
    windows_length: IntProperty(name="Length", min=1, default=48, description="Frames of each window")
    windows_overlap: IntProperty(name="Overlap", min=0, default=12,
                                 description="Frames that it shares with the last")
    forces: StringProperty(name="Forces on",
                           description="Vertex group painted with the share of the control forces; "
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
    # What the last run warned of, a line each, and of which cloth.
    warnings: StringProperty()
    cloth: StringProperty()


CLASSES = (KeyframeRow, SurfaceRow, LandmarkRow, TrackRow, ChannelRow, PinRow, BodyRow, ClothSettings,
           RunState)


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
