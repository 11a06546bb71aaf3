#!/usr/bin/python3
"""First frames of examples, and a small search, by Python and by the command line: the same bits.

    same_bits_test.py KEYDRAPE EXAMPLES
"""

import pathlib
import shutil
import sys
import tempfile

from same_bits import differences, simulations_differ
from sheets import write_small_search

FRAMES = {"flag": "1001-1060", "skirt": "1001-1048"}


def shortened(name, text):
    """The first frames without keyframes."""
    assert FRAMES[name] in text
    return text.split("[[keyframe]]")[0].replace(FRAMES[name], "1001-1003") + "[output]\nevery_step = true\n"


def main():
    binary, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    found = {}
    with tempfile.TemporaryDirectory() as work:
        for name in FRAMES:
            shutil.copytree(examples / name, pathlib.Path(work) / name)
            scene = pathlib.Path(work) / name / f"{name}.toml"
            scene.write_text(shortened(name, scene.read_text()))
            found[name] = simulations_differ(binary, scene, scene.parent)
        found["search"] = differences(binary, write_small_search(pathlib.Path(work)), 2, work)
    print(found, flush=True)
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
