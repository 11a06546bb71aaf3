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
max_forward_simulations = 7
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
