"""Tasks for the tests: small sheets of cloth."""

import keydrape
import numpy as np

SEARCH = """[shot]
frames = "1-5"
substeps = 2
[cloth]
rest = "rest.obj"
[[pin]]
vertices = [0, 4]
[[keyframe]]
frame = 5
mesh = "pose.obj"
[control]
max_forward_simulations = 8
"""


def sheet(cells, side=0.4):
    """Vertices and triangles of a square that is slightly wavy, so that no direction is special."""
    steps = np.linspace(0.0, side, cells + 1)
    x, y = np.meshgrid(steps, -steps)
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.01 * np.sin(9 * x + 4 * y).ravel()])
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    below = a + cells + 1
    return vertices, np.concatenate([np.column_stack([a, below, a + 1]),
                                     np.column_stack([a + 1, below, below + 1])])


def closed_box(low, high):
    """Vertices and triangles of a box."""
    corners = np.array([[(low, high)[(k >> axis) & 1][axis] for axis in range(3)] for k in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def flat_sheet(cells=6, side=0.3):
    """A sheet that lies in y = 0."""
    vertices, triangles = sheet(cells, side)
    return np.column_stack([vertices[:, 0], 0.05 * vertices[:, 2], vertices[:, 1]]), triangles[:, ::-1]


def crossed_sheet():
    """Vertices and triangles of a flat sheet, and where it is bent up through itself."""
    vertices, triangles = sheet(5, 0.25)
    rest = vertices * [1.0, 1.0, 0.0]
    bent = np.repeat([[0.0, 0.0, 0.0], [0.0, -0.05, 0.0], [0.0, -0.1, 0.0], [0.004, -0.14, 0.03],
                      [0.009, -0.1, 0.032], [0.013, -0.072, -0.012]], 6, axis=0)
    return rest, triangles, bent + np.outer(rest[:, 0], [1.0, 0.02, 0.0])


def hung(cells=4, frames=4, **fields):
    """A sheet that hangs by two corners; its keyframe moves all of it by 2 cm."""
    vertices, triangles = sheet(cells)
    fields.setdefault("keyframes", [keydrape.Keyframe(frames, vertices + [0.0, 0.0, 0.02])])
    fields.setdefault("substeps", 2)
    return keydrape.Task(vertices, triangles, frames, pins=[keydrape.Pin([0, cells])], **fields)


def write_obj(path, vertices, triangles):
    path.write_text("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist()) +
                    "".join(f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist()))


def write_small_search(folder):
    """A scene that is solved in a moment, with its meshes; returns its path."""
    vertices, triangles = sheet(4)
    write_obj(folder / "rest.obj", vertices, triangles)
    write_obj(folder / "pose.obj", vertices + np.array([0.0, 0.0, 0.02]), triangles)
    (folder / "search.toml").write_text(SEARCH)
    return folder / "search.toml"
