"""What a task is made of. Arrays are whatever numpy takes; lengths in metres, frames counted from 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike


@dataclass
class Fabric:
    """A preset, and what is changed of it; None: as the preset has it."""

    preset: str = "cotton"              # cotton, silk, denim, wool, jersey, jeans, leather, rubber
    density: float | None = None        # [kg/m^2]
    stretch: Sequence[float] | None = None  # stiffness along warp and weft [N/m]
    shear: float | None = None          # [N/m]; of a sheet, not of springs, as compression and fold_length
    bend: float | None = None           # [N m]
    damping: float | None = None        # viscosity over stiffness [s]
    thickness: float | None = None      # [m]
    strain_limit: float | None = None   # how far it can be stretched at all; None: without limit
    coupling: float | None = None       # how far pulling the warp draws the weft in, 0 to 0.99
    compression: float | Literal["buckling"] | None = None  # stiffness pushed together over that pulled;
                                        # None: as the preset has it, which gives way ("buckling")
    fold_length: float | None = None    # [m] of the finest fold of the mesh; None: 0.7 mean edges


@dataclass
class Wind:
    velocity: ArrayLike                 # of the air (3,), or one a frame (frames + 1, 3) [m/s]
    air_density: float = 1.2            # [kg/m^3]
    drag: float = 1.0
    lift: float = 0.0


@dataclass
class Pin:
    """Vertices that are held, hard or by springs of a stiffness. Hard pins that share one agree about it."""

    vertices: ArrayLike                 # numbers, no mask
    positions: ArrayLike | None = None  # (m, 3), or (frames + 1, m, 3); None: the start's
    stiffness: float | ArrayLike | None = None  # [N/m] of each vertex, one or one a frame; None: hard
    damping: float = 0.0                # [s], of springs


@dataclass
class Keyframe:
    """Where the cloth is to be at a frame."""

    frame: int                          # 1 to Task's frames; 0 is the start
    positions: ArrayLike                # (n, 3)
    weights: ArrayLike | None = None    # of each vertex (n,), 0 or more; None: ones
    tolerance: float | None = None      # on the RMS distance [m]
    tolerance_max: float | None = None  # on every vertex with weight [m]
    weight: float = 1.0
    velocities: ArrayLike | None = None  # (n, 3) [m/s]; None: at rest; with a velocity_weight above 0
    velocity_weight: float = 0.0
    velocity_tolerance: float | None = None  # [m/s]; likewise
    until: int | None = None            # whichever frame from `frame` to this one suits best


@dataclass
class Spring:
    """Springs between pairs of vertices: seams, elastics."""

    pairs: ArrayLike                    # (s, 2)
    stiffness: float                    # of each [N/m]
    rest_length: ArrayLike | None = None  # of all, or of each (s,) [m]; None: as far apart as at rest
    damping: float = 0.0                # [s]


@dataclass
class Path:
    """Where a rigid body goes: at a key's frame a point p of it is at R p + t. Smooth between keys, at rest
    before the first and after the last."""

    frames: ArrayLike                   # (k,), ascending
    translations: ArrayLike             # t (k, 3) [m]
    rotations: ArrayLike | None = None  # R (k, 3, 3); None: it does not turn


@dataclass
class Crease:
    """Edges along which the cloth is folded at rest, of a fabric whose bend is above 0."""

    edges: ArrayLike                    # (k, 2): two triangles beside each
    angle: float | ArrayLike            # [rad], above -pi, below pi, one or one a frame; above 0: a ridge
    stiffness: float = 1.0              # over that of other edges against bending


@dataclass
class MovingFrame:
    """A frame of reference, of whose motion the cloth feels a part only. Shares are from 0 to 1, numbers or
    one a frame (frames + 1)."""

    path: Path
    inertia: float | ArrayLike = 1.0    # share that the cloth is carried along with and does not feel
    air: float | ArrayLike = 1.0        # share that the air is carried along with


@dataclass
class Sphere:
    center: ArrayLike
    radius: float
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


@dataclass
class Plane:
    point: ArrayLike
    normal: ArrayLike                   # to the cloth's side
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


@dataclass
class Capsule:
    start: ArrayLike
    end: ArrayLike
    radius: float
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


@dataclass
class Box:
    low: ArrayLike
    high: ArrayLike
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


@dataclass
class Body:
    """A closed mesh, rigid or deforming: cloth stays outside of it."""

    vertices: ArrayLike                 # (m, 3), or one a frame (frames + 1, m, 3) [m]
    triangles: ArrayLike
    voxel: float | None = None          # of its level set [m]; None: 1/64 of its longest side, or 1/16
                                        # of the band where contact acts if that is more
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


@dataclass
class Surface:
    """A mesh that may be open or thin, rigid or deforming: cloth touches it from both sides."""

    vertices: ArrayLike                 # (m, 3), or one a frame (frames + 1, m, 3) [m]
    triangles: ArrayLike
    friction: float | ArrayLike = 0.0   # one, or one a frame
    path: Path | None = None


Collider = Sphere | Plane | Capsule | Box | Body | Surface


@dataclass
class Contact:
    """How the cloth touches bodies and itself. A task without it lets cloth pass through itself."""

    self_contact: bool = True
    friction: float | ArrayLike = 0.0   # of the cloth on itself alone, one or one a frame
    thickness: float | None = None      # [m]; None: the fabric's
    activation: float | None = None     # [m]
    stiffness: float | None = None      # [J/m^2]
    sliding_speed: float = 3e-4         # up to which friction sticks [m/s]
    method: Literal["barrier", "penalty"] = "barrier"  # penalty: springs, of closed bodies alone


@dataclass
class Channel:
    """Something else than forces that a search may choose, or a gradient be taken by.

    Its numbers, one after the other: of "throw" a velocity and an angular velocity, of "vertex-throw" a
    velocity of each vertex, of "wind", "pin" and "stretch-scale" what is added at knots in time, of
    "material" the `numbers` named, in SI units.
    """

    kind: Literal["throw", "vertex-throw", "wind", "pin", "stretch-scale", "material"]
    numbers: Sequence[str] = ()         # of "material": density, warp, weft, shear, bend, damping;
                                        # density not with max_acceleration
    pin: int | None = None              # of "pin": its number in Task's pins
    knots_every: int = 1                # of "wind", "pin" and "stretch-scale" [frames]
    scale: float = 1.0                  # how much cheaper its changes are
