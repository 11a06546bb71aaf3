#!/usr/bin/python3
"""A first shot: a hanging sheet comes to a pose on time, from arrays alone."""

import keydrape
import numpy as np
from sheet import sheet

# The cloth, 0.4 m wide, hangs by its upper edge. Its pose is borrowed: where half a second of wind takes it.
vertices, triangles = sheet(8, 0.4)
upper = np.flatnonzero(vertices[:, 1] > -1e-9)
shot = dict(frames=12, substeps=2, fabric="wool", pins=[keydrape.Pin(upper)])
windy = keydrape.Task(vertices, triangles, wind=keydrape.Wind([1, 0, 3]), **shot)
pose = keydrape.simulate(windy).positions[-1]

# Without wind it has to come there by forces.
keyframe = keydrape.Keyframe(12, pose, tolerance=0.003)
task = keydrape.Task(vertices, triangles, keyframes=[keyframe], **shot)

# The search tells of itself; where the observer answers True it would end.
result = keydrape.solve(
    task, observer=lambda at: print(f"iteration {at.number}: {1e3 * at.misses[0]:.2f} mm"))
print(result.end)
target = result.targets[0]
print(f"miss {1e3 * target.rms:.2f} mm, without control {1e3 * target.uncontrolled_rms:.1f} mm")

# Positions are the library's own memory, a (n, 3) array for each state; forces are one array.
frames = np.stack(result.trajectory.positions[::task.substeps])
g = np.linalg.norm(result.forces / task.masses[:, None], axis=2).max() / 9.80665
print(f"frames {frames.shape}, largest acceleration {g:.2f} g")
assert result.reached
