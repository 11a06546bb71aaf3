#!/usr/bin/python3
"""What a step costs through Python over what it costs within the library, at 1,024 vertices, as a ratio
within one run. PYTHONPATH says where the module is."""

import time

import keydrape
import numpy as np

SIDE, STEPS = 32, 48
steps = np.linspace(0.0, 1.0, SIDE)
x, y = np.meshgrid(steps, -steps)
vertices = np.column_stack([x.ravel(), y.ravel(), 0.01 * np.sin(9 * x + 4 * y).ravel()])
a = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
triangles = np.concatenate([np.column_stack([a, a + SIDE, a + 1]),
                            np.column_stack([a + 1, a + SIDE, a + SIDE + 1])])
task = keydrape.Task(vertices, triangles, STEPS // 4, pins=[keydrape.Pin([0, SIDE - 1])])

forces = np.zeros((task.step_count, task.vertex_count, 3))
keydrape.rollout(task, forces)
for _ in range(3):
    position, velocity, within, between = vertices, 0 * vertices, [], []
    for n in range(task.step_count):
        begin = time.perf_counter()
        after = keydrape.step(task, n, position, velocity, forces[n])
        position, velocity = after.x, after.v
        between.append(time.perf_counter() - begin - after.seconds)
        within.append(after.seconds)
    begin = time.perf_counter()
    run = keydrape.rollout(task, forces)
    states = run.positions
    rest = (time.perf_counter() - begin - sum(run.seconds)) / STEPS
    # Medians: another program that takes the processor away counts for one step.
    print(f"step: {1e3 * np.median(within):.2f} ms, overhead {1e6 * np.median(between):.0f} us, "
          f"{100 * np.median(between) / np.median(within):.3f} %; "
          f"rollout: {1e3 * np.median(run.seconds):.2f} ms, "
          f"overhead {1e6 * rest:.0f} us a step, {100 * rest / np.mean(run.seconds):.3f} %")
