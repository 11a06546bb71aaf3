#!/usr/bin/python3
"""First frames of examples, and a small search, by Python and by the command line: the same bits.

    same_bits_test.py KEYDRAPE EXAMPLES
"""

import pathlib
import shutil
import sys
import tempfile

import numpy as np
from same_bits import differences, simulations_differ
from sheets import sheet


FRAMES = {"flag": "1001-1060", "skirt": "1001-1048"}
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
max_forward_simulations = 4
"""


def shortened(name, text):
    """The first frames without keyframes."""
    assert FRAMES[name] in text
    return text.split("[[keyframe]]")[0].replace(FRAMES[name], "1001-1003") + "[output]\nevery_step = true\n"


def write_obj(path, vertices, triangles):
    path.write_text("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist()) +
                    "".join(f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist()))


def main():
    binary, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    found = {}
    with tempfile.TemporaryDirectory() as work:
        for name in FRAMES:
            shutil.copytree(examples / name, pathlib.Path(work) / name)
            scene = pathlib.Path(work) / name / f"{name}.toml"
            scene.write_text(shortened(name, scene.read_text()))
            found[name] = simulations_differ(binary, scene, scene.parent)
        vertices, triangles = sheet(4)
        write_obj(pathlib.Path(work) / "rest.obj", vertices, triangles)
        write_obj(pathlib.Path(work) / "pose.obj", vertices + np.array([0.0, 0.0, 0.02]), triangles)
        (pathlib.Path(work) / "search.toml").write_text(SEARCH)
        found["search"] = differences(binary, pathlib.Path(work) / "search.toml", 2, work)
    print(found, flush=True)
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
