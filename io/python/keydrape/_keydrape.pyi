"""The compiled part of keydrape."""

import os
import pathlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

__version__: str

class InputError(ValueError):
    """Input that cannot be: the text says where, what was found and what is expected."""

class OutputError(OSError):
    """A file could not be written."""

class SimulationError(RuntimeError):
    """A step did not converge; the text says where and why."""

    trajectory: Trajectory | None
    """The run as far as it came."""

class DerivativeError(RuntimeError):
    """Derivatives of a run could not be computed; the text says why."""

class BuiltTask:
    """What is asked for, built: made by Task or Scene.open, and never changed."""

    @property
    def vertex_count(self) -> int: ...
    @property
    def step_count(self) -> int: ...
    @property
    def substeps(self) -> int:
        """Steps in a frame: frame f is state f * substeps."""
    @property
    def dt(self) -> float:
        """Time step [s]."""
    @property
    def first_frame(self) -> int:
        """What the scene calls the first frame; 0 of a task of arrays."""
    @property
    def warnings(self) -> list[str]:
        """What is doubtful in the scene's files."""
    @property
    def channel_sizes(self) -> list[tuple[str, int]]:
        """Kind of each channel, as Channel takes it or a scene calls it, and how many numbers it has."""
    @property
    def masses(self) -> Array:
        """Of each vertex (n,) [kg]; read-only, not copied."""
    @property
    def rest(self) -> Array:
        """Positions at rest (n, 3) [m]."""

class Scene:
    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def from_text(text: str, name: str | os.PathLike[str]) -> Scene:
        """A scene out of TOML; `name` stands for its path in messages, and says where its files are."""
    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> pathlib.Path: ...
    def open(self) -> BuiltTask: ...

class Gradient:
    """Derivatives of a goal by everything that a run is made from."""

    @property
    def forces(self) -> Array:
        """By the force on each vertex in each step (steps, n, 3)."""
    @property
    def channels(self) -> list[Array]:
        """By the numbers of each channel."""
    @property
    def start_x(self) -> Array:
        """By the positions at the start (n, 3)."""
    @property
    def start_v(self) -> Array:
        """By the velocities at the start (n, 3)."""

class Crossings:
    """Of a state, for the step from it: which of the crossings that the task begins with have not come apart."""

class Trajectory:
    """What happened: states 0 .. steps, and their derivatives."""

    @property
    def positions(self) -> tuple[Array, ...]:
        """Of each state a read-only (n, 3) array [m], over the library's own memory: nothing is copied.

        np.stack(positions) makes one array; positions[::substeps] are those of the frames.
        """
    @property
    def velocities(self) -> tuple[Array, ...]:
        """Likewise [m/s]."""
    @property
    def crossings(self) -> tuple[Crossings, ...]:
        """Of each state, for `step`."""
    @property
    def substeps(self) -> int: ...
    @property
    def dt(self) -> float:
        """Time step [s]."""
    @property
    def seconds(self) -> list[float]:
        """Wall-clock time of each step."""
    @property
    def residuals(self) -> list[float]:
        """What was left of each step's equation, in units of the cloth's weight; inf where no free way was
        found. Of an explicit step that was too long: how many times what its integrator bears."""
    @property
    def channels(self) -> list[Array]:
        """Numbers of each channel that the run was made with."""
    def __len__(self) -> int: ...
    def vjp(
        self,
        dJ_dx: ArrayLike | Mapping[int, ArrayLike] | None = None,
        dJ_dv: ArrayLike | Mapping[int, ArrayLike] | None = None,
    ) -> Gradient:
        """From a goal's derivatives by the states to those by forces, channels and start.

        Each argument is an array (steps + 1, n, 3), or a dict with (n, 3) for some states, or None for zero.
        Raises DerivativeError, where the steps or a channel of the task have none.
        """
    def jvp(
        self,
        forces: ArrayLike | None = None,
        channels: Sequence[ArrayLike] | None = None,
        start_x: ArrayLike | None = None,
        start_v: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """The change of positions and velocities (steps + 1, n, 3) under a change of what is named.

        Raises DerivativeError.
        """

class Step:
    @property
    def x(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def seconds(self) -> float:
        """Time within the library."""
    @property
    def iterations(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def crossings(self) -> Crossings: ...

class Iteration:
    """What a search has come to."""

    @property
    def number(self) -> int: ...
    @property
    def forward_simulations(self) -> int: ...
    @property
    def objective(self) -> float: ...
    @property
    def effort(self) -> float: ...
    @property
    def gradient_norm(self) -> float: ...
    @property
    def seconds(self) -> float: ...
    @property
    def misses(self) -> list[float]:
        """RMS distance from each keyframe [m]."""

class Target:
    """How near a result came to a keyframe."""

    @property
    def rms(self) -> float: ...
    @property
    def max(self) -> float: ...
    @property
    def velocity_rms(self) -> float: ...
    @property
    def state(self) -> int: ...
    @property
    def uncontrolled_rms(self) -> float: ...
    @property
    def tolerance(self) -> float | None: ...
    @property
    def reached(self) -> bool: ...

class Result:
    """What a search found."""

    @property
    def trajectory(self) -> Trajectory | None:
        """The run of the forces found; None: not even the first run was finished, or not all windows."""
    @property
    def forces(self) -> Array | None:
        """On each vertex in each step (steps, n, 3) [N]; made anew by every look."""
    @property
    def targets(self) -> list[Target]: ...
    @property
    def misses(self) -> list[float]:
        """RMS distance from each keyframe [m]."""
    @property
    def reached(self) -> bool:
        """Whether every tolerance is met."""
    @property
    def end(self) -> str:
        """Why the search ended, a sentence."""
    @property
    def is_stopped(self) -> bool: ...
    @property
    def history(self) -> list[Iteration]:
        """Every iteration. With folder= those before a resume, too, as convergence.jsonl has them: misses of
        keyframes alone, not of tracks, and effort with what smoothness costs."""
    @property
    def forward_simulations(self) -> int: ...
    @property
    def seconds(self) -> float: ...

class Check:
    """Whether a task's derivatives are exact, as the command check asks."""

    @property
    def is_exact(self) -> bool: ...
    @property
    def taylor_orders(self) -> list[float]: ...
    @property
    def taylor_order_mean(self) -> float: ...
    @property
    def central_difference_error(self) -> float: ...
    @property
    def dot_product_error(self) -> float: ...
    @property
    def finished(self) -> bool: ...

def make_task(fields: object) -> BuiltTask:
    """A task out of an object with the fields that Task names."""

def read_mesh(
    path: str | os.PathLike[str], meters_per_unit: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intc]]:
    """Vertices (n, 3) [m] and triangles (t, 3) of a mesh, or of the first frame of a cache, of any format
    that the program reads. meters_per_unit: of files that do not say their unit, above 0; None: 1. Raises
    InputError."""

def simulate(task: BuiltTask) -> Trajectory:
    """The cloth without control. Raises SimulationError."""

def rollout(
    task: BuiltTask, forces: ArrayLike | None = None, channels: Sequence[ArrayLike] | None = None
) -> Trajectory:
    """The cloth under forces (steps, n, 3) [N], with the channels' numbers (None: as the task has them).

    Arrays of doubles, row by row, are read where they are. Raises InputError, SimulationError.
    """

def step(
    task: BuiltTask, number: int, x: ArrayLike, v: ArrayLike, forces: ArrayLike | None = None,
    before: tuple[ArrayLike, ArrayLike] | None = None, crossings: Crossings | None = None,
) -> Step:
    """One time step, number 0 being the first, from positions and velocities (n, 3).

    `before`: positions and velocities a step before those, which integrator "bdf2" needs in all steps but the
    first. `crossings`: of the state, as the Step before or a Trajectory has them, which a scene with [contact]
    start_crossings = "exempt" that begins through itself needs likewise; in the first step they are those of
    its start. Raises InputError, SimulationError.
    """

def solve(task: BuiltTask, observer: Callable[[Iteration], bool | None] | None = None) -> Result:
    """The search of keydrape.solve, without a folder."""

def solve_scene(
    scene: Scene, folder: str | os.PathLike[str],
    observer: Callable[[Iteration], bool | None] | None = None, resume: bool = False, force: bool = False,
    report: bool = True,
) -> Result:
    """The search of keydrape.solve, in a folder."""

def simulate_scene(
    scene: Scene, folder: str | os.PathLike[str], resume: bool = False, force: bool = False,
    along: str | os.PathLike[str] = "",
) -> Trajectory:
    """The run of keydrape.simulate, in a folder."""

def write_report(folders: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]) -> None:
    """The page of Report."""

def report_obstacle() -> str | None:
    """Why this module cannot write reports, and how to mend it; None: it can."""

def check(task: BuiltTask) -> Check:
    """Tests the derivatives of the task's goal on this very task, by some ten simulations."""

def set_threads(count: int) -> None:
    """How many threads the library may use, in the whole process; results are the same to the bit."""
