"""Art-directable keyframe control of cloth.

    import keydrape

    task = keydrape.Scene("flag.toml").open()      # or keydrape.Task(vertices, triangles, frames=24, ...)
    result = keydrape.solve(task)
    print(result.end, result.misses)               # [m], one a keyframe
    x = result.trajectory.positions                # for each state a (n, 3) array of the library's own memory

Lengths in metres, forces in newtons, times in seconds. Bad input raises InputError, a ValueError with the
text that the program prints. The GIL is released while the library computes. Ctrl-C ends `solve` with
KeyboardInterrupt, whose `result` is the best so far.
"""

from ._keydrape import (
    BuiltTask,
    Check,
    Crossings,
    DerivativeError,
    Gradient,
    InputError,
    Iteration,
    OutputError,
    Result,
    SimulationError,
    Step,
    Target,
    Trajectory,
    __version__,
    check,
    read_mesh,
    rollout,
    set_threads,
    step,
)
from .parts import (
    Body,
    Box,
    Capsule,
    Channel,
    Collider,
    Contact,
    Crease,
    Fabric,
    Keyframe,
    MovingFrame,
    Path,
    Pin,
    Plane,
    Sphere,
    Spring,
    Surface,
    Wind,
)
from .run import Report, simulate, solve
from .scene import Scene
from .task import Task

__all__ = [
    "Body", "Box", "BuiltTask", "Capsule", "Channel", "Check", "Collider", "Contact",
    "Crease", "Crossings", "DerivativeError", "Fabric", "Gradient", "InputError", "Iteration", "Keyframe",
    "MovingFrame", "OutputError", "Path", "Pin", "Plane", "Report", "Result", "Scene", "SimulationError",
    "Sphere", "Spring", "Step", "Surface", "Target", "Task", "Trajectory", "Wind",
    "__version__", "check", "read_mesh", "rollout", "set_threads", "simulate", "solve", "step",
]
