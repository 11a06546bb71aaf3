"""Tasks made of arrays alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.typing import ArrayLike

from . import _keydrape
from .parts import Channel, Collider, Contact, Crease, Fabric, Keyframe, MovingFrame, Pin, Spring, Wind


@dataclass
class _Fields:
    vertices: ArrayLike
    triangles: ArrayLike
    frames: int
    fps: float = 24.0
    substeps: int = 4
    fabric: Fabric = field(default_factory=Fabric)
    model: Literal["sheet", "springs"] = "sheet"
    gravity: ArrayLike = (0.0, -9.81, 0.0)
    wind: Wind | None = None
    pressure: ArrayLike = 0.0
    moving_frame: MovingFrame | None = None
    pins: Sequence[Pin] = ()
    springs: Sequence[Spring] = ()
    creases: Sequence[Crease] = ()
    colliders: Sequence[Collider] = ()
    contact: Contact | None = None
    start: ArrayLike | None = None
    start_velocities: ArrayLike | None = None
    drape: bool = False
    keyframes: Sequence[Keyframe] = ()
    channels: Sequence[Channel] = ()
    forces: bool = True
    pushed: ArrayLike | None = None
    strength: ArrayLike = 1.0
    hold: Literal["frame", "step"] = "frame"
    modes: int | None = None
    knots_every: int | None = None
    max_acceleration: float | None = None
    effort: float | Literal["auto"] = "auto"
    even: bool = True
    smooth_time: float = 0.0
    smooth_space: float = 0.0
    method: Literal["gauss-newton", "l-bfgs", "descent"] = "gauss-newton"
    begin: Literal["guided", "zero"] = "guided"
    max_forward_simulations: int | None = None
    windows: tuple[int, int] | None = None
    integrator: Literal["newton", "bdf2", "prefactored", "predictor", "descent", "explicit"] = "newton"
    rounds: int | None = None
    rounds_memory: int = 0
    scheme: Literal["symplectic", "verlet", "midpoint", "rk4", "euler"] = "symplectic"
    newton_tolerance: float = 1e-8
    max_newton_iterations: int = 300
    memory_gb: float = 4.0


def Task(
    vertices: ArrayLike,
    triangles: ArrayLike,
    frames: int,
    *,
    fps: float = 24.0,
    substeps: int = 4,
    fabric: Fabric | str = "cotton",
    model: Literal["sheet", "springs"] = "sheet",
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    wind: Wind | None = None,
    pressure: ArrayLike = 0.0,
    moving_frame: MovingFrame | None = None,
    pins: Sequence[Pin] = (),
    springs: Sequence[Spring] = (),
    creases: Sequence[Crease] = (),
    colliders: Sequence[Collider] = (),
    contact: Contact | None = None,
    start: ArrayLike | None = None,
    start_velocities: ArrayLike | None = None,
    drape: bool = False,
    keyframes: Sequence[Keyframe] = (),
    channels: Sequence[Channel] = (),
    forces: bool = True,
    pushed: ArrayLike | None = None,
    strength: ArrayLike = 1.0,
    hold: Literal["frame", "step"] = "frame",
    modes: int | None = None,
    knots_every: int | None = None,
    max_acceleration: float | None = None,
    effort: float | Literal["auto"] = "auto",
    even: bool = True,
    smooth_time: float = 0.0,
    smooth_space: float = 0.0,
    method: Literal["gauss-newton", "l-bfgs", "descent"] = "gauss-newton",
    begin: Literal["guided", "zero"] = "guided",
    max_forward_simulations: int | None = None,
    windows: tuple[int, int] | None = None,
    integrator: Literal["newton", "bdf2", "prefactored", "predictor", "descent", "explicit"] = "newton",
    rounds: int | None = None,
    rounds_memory: int = 0,
    scheme: Literal["symplectic", "verlet", "midpoint", "rk4", "euler"] = "symplectic",
    newton_tolerance: float = 1e-8,
    max_newton_iterations: int = 300,
    memory_gb: float = 4.0,
) -> _keydrape.BuiltTask:
    """A task: cloth, its start, what holds and touches it, and what it has to come to.

    vertices (n, 3) [m] and triangles (t, 3) are the cloth at rest; it starts from there or from `start`, and
    moves for `frames` intervals of 1/fps seconds, each of `substeps` steps. Keyframes stand at frames counted
    from 0, the start. `gravity` is (3,), or one a frame (frames + 1, 3); `strength`, the share of the full
    force in (0, 1], and `pressure` [Pa] are numbers, or one a frame (frames + 1). `drape`: begin where the
    start comes to rest. `pushed`: the vertices that forces may act on; None: all. `effort`: "auto" for the
    least that meets the keyframes' tolerances. `windows`: length and overlap in frames, of windows that are
    searched one after the other. `begin`: what a scene calls start in [control]; `model`: the key of [cloth].
    The other arguments mean what the keys of a scene of the same name do (scene_keys.md). Raises InputError,
    which says the array, the index and what was expected; what would have no effect beside the other
    arguments is refused as well.
    """
    if isinstance(fabric, str):
        fabric = Fabric(fabric)
    return _keydrape.make_task(_Fields(**locals()))
