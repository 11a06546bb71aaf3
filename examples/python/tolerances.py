#!/usr/bin/python3
"""What near costs: the forces that a keyframe takes over its tolerance, plotted.

tolerances.py [PLOT.png [MESH.obj [METERS_PER_UNIT]]]    a mesh of one's own: hung by its highest vertices"""

import sys

import keydrape
import matplotlib
import numpy as np
from sheet import sheet

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

arguments = sys.argv[1:]
if len(arguments) > 1:
    unit = float(arguments[2]) if len(arguments) > 2 else None
    vertices, triangles = keydrape.read_mesh(arguments[1], unit)
else:
    vertices, triangles = sheet(6, 0.3)
top, bottom = vertices[:, 1].max(), vertices[:, 1].min()
upper = np.flatnonzero(vertices[:, 1] >= top - 0.05 * (top - bottom))
shot = dict(frames=8, substeps=2, fabric="wool", pins=[keydrape.Pin(upper)])
windy = keydrape.Task(vertices, triangles, wind=keydrape.Wind([1, 0, 3]), **shot)
pose = keydrape.simulate(windy).positions[-1]
calm = keydrape.simulate(keydrape.Task(vertices, triangles, **shot)).positions[-1]
tolerances = np.array([0.001, 0.002, 0.004, 0.008])  # [m]
moved = np.sqrt(((pose - calm) ** 2).sum(axis=1).mean())
print(f"{len(vertices)} vertices, {top - bottom:.3g} m high; the wind moves them by {1e3 * moved:.3g} mm RMS")
assert moved > tolerances[-1], "that is within the tolerances: is METERS_PER_UNIT right, is up Y?"

misses, efforts = [], []
for tolerance in tolerances:
    keyframe = keydrape.Keyframe(8, pose, tolerance=tolerance)
    task = keydrape.Task(vertices, triangles, keyframes=[keyframe], **shot)
    result = keydrape.solve(task)
    g = np.linalg.norm(result.forces / task.masses[:, None], axis=2) / 9.80665
    misses.append(result.misses[0])
    efforts.append(np.sqrt((g**2).mean()))
    print(f"tolerance {1e3 * tolerance:.0f} mm: miss {1e3 * misses[-1]:.2f} mm, {efforts[-1]:.3f} g RMS")

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.loglog(1e3 * tolerances, 1e3 * np.array(misses), "o-")
left.loglog(1e3 * tolerances, 1e3 * tolerances, "--", color="gray")
left.set(xlabel="tolerance [mm]", ylabel="miss [mm]")
right.semilogx(1e3 * tolerances, efforts, "o-")
right.set(xlabel="tolerance [mm]", ylabel="control acceleration [g RMS]")
path = arguments[0] if arguments else "tolerances.png"
figure.savefig(path, dpi=120)
print(path)
assert len(arguments) > 1 or (all(np.array(misses) <= tolerances) and efforts[0] > efforts[-1])
