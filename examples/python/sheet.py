"""A square sheet of cloth, for the examples."""

import numpy as np


def sheet(cells, side):
    """Vertices (n, 3) [m] and triangles of a square in the plane z = 0, row by row from the top."""
    steps = np.linspace(0.0, side, cells + 1)
    x, y = np.meshgrid(steps, -steps)
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    below = a + cells + 1
    corners = np.column_stack([a, below, a + 1]), np.column_stack([a + 1, below, below + 1])
    return vertices, np.concatenate(corners)
