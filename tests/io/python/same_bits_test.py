#!/usr/bin/python3
"""First frames of examples by Python and by the command line: the same bits.

    same_bits_test.py KEYDRAPE EXAMPLES
"""

import pathlib
import shutil
import sys
import tempfile

from same_bits import differences, simulations_differ



def short_flag(text):
    """A search of the first frames, with the keyframes in them."""
    for frame, earlier in (("1001-1060", "1001-1005"), ("frame = 1030", "frame = 1003"),
                           ("frame = 1060", "frame = 1005")):
        assert frame in text
        text = text.replace(frame, earlier)
    return text + "\n[control]\nmax_forward_simulations = 3\n"


def short_skirt(text):
    """The first frames without keyframes: a waist band that turns."""
    assert "1001-1048" in text
    return text.split("[[keyframe]]")[0].replace("1001-1048", "1001-1005") + "\n[output]\nevery_step = true\n"


def main():
    binary, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    with tempfile.TemporaryDirectory() as work:
        for name, shorten in (("flag", short_flag), ("skirt", short_skirt)):
            shutil.copytree(examples / name, pathlib.Path(work) / name)
            scene = pathlib.Path(work) / name / f"{name}.toml"
            scene.write_text(shorten(scene.read_text()))
            if name == "flag":
                found = differences(binary, scene, 2, scene.parent)
            else:
                found = simulations_differ(binary, scene, scene.parent)
            print(f"{name}: {found or 'the same bits'}", flush=True)
            failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
