#!/usr/bin/python3
"""A fabric from a drape: bending and warp stiffness, from how a sheet held by two corners falls."""

import keydrape
import numpy as np
from scipy.optimize import least_squares
from sheet import sheet

vertices, triangles = sheet(6, 0.3)
start = vertices.copy()
start[:, 2] = 0.03 * np.sin(12.0 * vertices[:, 0] + 5.0 * vertices[:, 1])


def task_of(bend, warp):
    return keydrape.Task(
        vertices, triangles, frames=6, substeps=2, start=start, pins=[keydrape.Pin([0, 6])], forces=False,
        fabric=keydrape.Fabric("wool", bend=bend, stretch=[warp, 700.0]), newton_tolerance=1e-12,
        channels=[keydrape.Channel("material", numbers=["bend", "warp"])])


# What was measured: the drape of a fabric that is not told.
TRUTH = np.array([4e-4, 900.0])
seen = np.stack(keydrape.simulate(task_of(*TRUTH)).positions[::2])

# The search begins with another one, and works on logarithms.
guess = np.array([1e-4, 500.0])
task = task_of(*guess)


def off(log_p):
    run = keydrape.rollout(task, channels=[np.exp(log_p)])
    return (np.stack(run.positions[::2]) - seen).ravel()


def slope(log_p):
    p = np.exp(log_p)
    run = keydrape.rollout(task, channels=[p])
    columns = [run.jvp(channels=[p * e])[0][::2].ravel() for e in np.eye(2)]
    return np.column_stack(columns)


found = least_squares(off, np.log(guess), jac=slope, xtol=1e-12, ftol=1e-14, gtol=1e-14, x_scale="jac")
bend, warp = np.exp(found.x)
print(f"bend {bend:.4g} N m, warp {warp:.5g} N/m after {found.nfev} runs; "
      f"true {TRUTH[0]:.4g} and {TRUTH[1]:.5g}")
assert np.allclose(np.exp(found.x), TRUTH, rtol=1e-3)
