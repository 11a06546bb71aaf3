# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloth object knows of its shot. Lengths here are in metres, whatever the scene's unit."""

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty,
                       IntProperty, PointerProperty, StringProperty)

from . import scene_keys, strain
from .scene_keys import choices, number


def enum(path, name, labels):
    return EnumProperty(name=name, description=scene_keys.meaning(path), items=choices(path, labels))


def tolerance():
    return FloatProperty(precision=4, **number("keyframe.tolerance", "Tolerance (m)"))


def tolerance_of_every_vertex():
    return FloatProperty(precision=4, **number("keyframe.tolerance_max", "Of every vertex (m)"))


class KeyframeRow(bpy.types.PropertyGroup):
    """What the name of a shape key, such as key@1030, does not say."""
    shape_key: StringProperty(name="Shape key")
    frame: IntProperty(name="Frame", min=0, default=1)
    tolerance: tolerance()
    tolerance_max: tolerance_of_every_vertex()
    weight: FloatProperty(**number("keyframe.weight", "Weight"))
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
    tolerance: tolerance()
    tolerance_max: tolerance_of_every_vertex()
    weight: FloatProperty(**number("keyframe.weight", "Weight"))
    max_angle: FloatProperty(**number("keyframe.max_angle", "Largest angle"))
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
    every: IntProperty(**number("track.every", "Every"))
    tolerance: FloatProperty(precision=4, **number("track.tolerance", "Tolerance (m)"))
    weight: FloatProperty(**number("track.weight", "Weight"))
    group: StringProperty(name="Painted", description="Vertex group that follows it; empty: all of it")


class ChannelRow(bpy.types.PropertyGroup):
    """Something else than forces that the search may choose."""
    kind: enum("control.channel.kind", "Channel", {
        "initial-velocity": ("Throw", "The velocity that the cloth starts with"),
        "wind": ("Wind", "Added to the wind of the scene"),
        "pin": ("Pin", "Added to the motion of a pin"),
        "stretch-scale": ("Stretch", "The length at which the weave is not stretched"),
        "material": ("Fabric", "Numbers of the fabric, as factors: to estimate it from a filmed cloth")})
    thrown_as: enum("control.channel.as", "Starts as", {
        "rigid": ("One Rigid Body", "Moved and turned as one"),
        "vertices": ("Vertices", "Every vertex by itself")})
    group: StringProperty(name="Thrown", description="Vertex group that starts with it; empty: all of it")
    pin: IntProperty(name="Pin", min=0, description="Which line of the pins, counted from 0")
    numbers: EnumProperty(name="Numbers", options={"ENUM_FLAG"}, default={"bend"}, items=[
        (name, name.capitalize(), "") for name in scene_keys.table(
            scene_keys.find("control.channel.numbers"))["enum"]])
    knots_every: IntProperty(name="Frames between values", min=1, default=1)
    scale: FloatProperty(**number("control.channel.scale", "Cheaper than forces by"))


class PinRow(bpy.types.PropertyGroup):
    """Vertices that are held, or follow the object's own motion: parents, bones, hooks."""
    group: StringProperty(name="Vertex group")
    stiffness: FloatProperty(**number("pin.stiffness", "Stiffness (N/m)"))


class BodyRow(bpy.types.PropertyGroup):
    """An object that the cloth touches: a closed mesh, with its modifiers and its motion."""
    body: PointerProperty(type=bpy.types.Object, name="Body", poll=is_mesh)
    friction: FloatProperty(**number("contact.friction", "Friction"))
    voxel: FloatProperty(precision=4, **number("collider.voxel", "Resolution (m)"))


class ClothSettings(bpy.types.PropertyGroup):
    keyframes: CollectionProperty(type=KeyframeRow)
    pins: CollectionProperty(type=PinRow)
    bodies: CollectionProperty(type=BodyRow)
    surfaces: CollectionProperty(type=SurfaceRow)
    landmarks: CollectionProperty(type=LandmarkRow)
    tracks: CollectionProperty(type=TrackRow)
    channels: CollectionProperty(type=ChannelRow)

    is_cloth: BoolProperty(name="Keydrape cloth", default=False)
    assumed: StringProperty()  # what Add Keydrape Cloth has taken for granted, a line each

    fabric: enum("cloth.material.preset", "Fabric", {})
    density: FloatProperty(precision=3, **number("cloth.material.density", "Density (kg/m2)"))
    stretch: FloatVectorProperty(name="Stretch (N/m)", size=2, min=0.0, default=(0.0, 0.0),
                                 description=scene_keys.meaning("cloth.material.stretch") + scene_keys.ZERO)
    shear: FloatProperty(**number("cloth.material.shear", "Shear (N/m)"))
    damping: FloatProperty(precision=4, **number("cloth.material.damping", "Damping (s)"))
    bend: FloatProperty(precision=6, **number("cloth.material.bend", "Bending (N m)"))
    strain_limit: FloatProperty(precision=3, **number("cloth.material.strain_limit", "Strain limit"))
    pressure: FloatProperty(**number("cloth.pressure", "Pressure (Pa)"))
    compression: EnumProperty(name="Pushed together", items=[
        ("buckling", "Gives Way", "Where its mesh cannot fold it shortens, as finer cloth would by folds"),
        ("stretch", "Folds Only", "As stiff as against stretch, as what is coated; a coarse mesh crumples")])
    cloth_model: enum("cloth.model", "Made of", {
        "sheet": ("Triangles", "A sheet that stretches, shears and bends"),
        "springs": ("Springs", "Along its edges and across its hinges: to compare with")})
    use_uvs: BoolProperty(name="Weave follows UVs", default=False,
                          description="Warp runs along u; else along the longest side of the cloth")
    substeps: IntProperty(**number("shot.substeps", "Substeps"))
    integrator: enum("solver.integrator", "Steps", {
        "newton": ("Calm", "Implicit Euler, which takes energy out of motion"),
        "bdf2": ("Lively", "BDF2: flutter lasts, at the same cost"),
        "linearized": ("Linearized", "One linear system a step, whatever is left: to compare with"),
        "prefactored": ("One Factor", "Rounds with one matrix for all steps: for soft cloth without contact"),
        "predictor": ("Predictor", "One such round a step: to compare with, without contact"),
        "descent": ("Diagonal", "Rounds without a matrix: to compare with, without contact"),
        "explicit": ("Explicit", "No matrix: many substeps, to compare with, without contact")})
    rounds: IntProperty(**number("solver.rounds", "Rounds"))
    rounds_memory: IntProperty(**number("solver.rounds_memory", "Rounds Remembered"))
    scheme: enum("solver.scheme", "Scheme", {
        "symplectic": ("Symplectic", "Euler that moves with the new velocity, and keeps energy"),
        "verlet": ("Verlet", "Velocity Verlet, of second order, keeps energy"),
        "midpoint": ("Midpoint", "Of second order, gains energy slowly"),
        "rk4": ("Runge-Kutta", "Of fourth order"),
        "euler": ("Euler", "Gains energy")})
    starts_draped: BoolProperty(name="Starts draped", default=False,
                                description="The first frame is where the cloth comes to rest, so that the "
                                            "shot begins without a jolt")
    drag: FloatProperty(**number("wind.drag", "Drag"))
    self_contact: BoolProperty(name="Touches itself", default=scene_keys.default("contact.self"),
                               description=scene_keys.meaning("contact.self"))
    thickness: FloatProperty(precision=5, **number("contact.thickness", "Gap (m)"))
    tolerance: tolerance()  # of shape keys that are not in the table
    effort: FloatProperty(precision=7, **number("control.effort", "Effort"))
    max_acceleration: FloatProperty(**number("control.max_acceleration", "Strongest force (g)"))
    use_forces: BoolProperty(name="Forces", default=scene_keys.default("control.forces"),
                             description=scene_keys.meaning("control.forces"))
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
    runs: IntProperty(**number("control.max_forward_simulations", "Forward runs"))
    strain_of: EnumProperty(name="Strain", items=strain.KINDS, update=strain.recolour)
    strain_end: FloatProperty(name="Ends at", min=0.0, default=0.0, precision=3, update=strain.recolour,
                              description="Of the colours, as a share, shear in radians. 0: twice what the "
                                          "fabric hardly goes beyond, and half a radian of shear")
    folder: StringProperty(name="Folder", subtype="DIR_PATH", default="//keydrape",
                           description="The shot and its results are written here, one folder an object")


def legend_entry(k):
    """A colour of the legend, to be looked at."""
    return FloatVectorProperty(name="Colour of this strain", subtype="COLOR_GAMMA", size=3, min=0.0, max=1.0,
                               get=lambda settings: strain.swatch(settings.strain_of, k))


ClothSettings.__annotations__.update(("legend%d" % k, legend_entry(k)) for k in range(strain.SWATCHES))


class RunState(bpy.types.PropertyGroup):
    """Of the run in the background: what the panel shows."""
    active: BoolProperty()
    cancelled: BoolProperty()
    percent: IntProperty(subtype="PERCENTAGE", min=0, max=100)
    text: StringProperty()
    # What the last run warned of, a line each, and of which cloth.
    warnings: StringProperty()
    told: StringProperty()  # what it came to, a line each
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
