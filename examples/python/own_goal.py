#!/usr/bin/python3
"""A goal and unknowns of one's own, driven by SciPy: the middle of the cloth's mass goes along a curve."""

import keydrape
import numpy as np
from scipy.optimize import minimize
from sheet import sheet

vertices, triangles = sheet(6, 0.3)
upper = np.flatnonzero(vertices[:, 1] > -1e-9)
FRAMES = 10
task = keydrape.Task(
    vertices, triangles, frames=FRAMES, substeps=2, fabric="wool", pins=[keydrape.Pin(upper)])
share = task.masses / task.masses.sum()
turn = np.linspace(0.0, 2 * np.pi, task.step_count + 1)
path = share @ vertices + 0.02 * np.column_stack([0 * turn, 0 * turn, 1 - np.cos(turn)])
path[:, 1] += 0.01 * (1 - np.cos(turn))


def forces_of(z):
    """All vertices share one acceleration [g] in each frame."""
    steps = np.repeat(z.reshape(FRAMES, 3), task.substeps, axis=0)
    return 9.80665 * steps[:, None] * task.masses[:, None]


def by_accelerations(dJ_dforces):
    """The transpose of forces_of."""
    steps = 9.80665 * (dJ_dforces * task.masses[:, None]).sum(axis=1)
    return steps.reshape(FRAMES, task.substeps, 3).sum(axis=1).ravel()


def goal(z):
    """Mean square distance from the path [cm^2] plus effort, and the gradient by the unknowns."""
    run = keydrape.rollout(task, forces_of(z))
    off = 100.0 * (np.array([share @ x for x in run.positions]) - path)
    dJ_dx = 200.0 / len(off) * off[:, None] * share[:, None]
    gradient = by_accelerations(run.vjp(dJ_dx).forces) + 2e-3 * z
    return (off**2).sum() / len(off) + 1e-3 * z @ z, gradient


start = np.zeros(3 * FRAMES)
before = goal(start)[0]
found = minimize(goal, start, jac=True, method="L-BFGS-B", options={"maxiter": 40})
print(f"{found.nit} iterations, {found.nfev} runs: {10 * before**0.5:.2f} mm from the path before, "
      f"{10 * found.fun**0.5:.2f} mm after")
assert found.fun < 0.1 * before
