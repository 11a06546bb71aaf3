#!/usr/bin/python3
"""Short searches of examples by Python and by the command line: the same bits.

    same_bits_test.py KEYDRAPE EXAMPLES
"""

import pathlib
import shutil
import sys
import tempfile

from same_bits import differences


# The first frames alone, with the keyframes in them.
SHORTER = {
    "flag": [("1001-1060", "1001-1005"), ("frame = 1030", "frame = 1003"), ("frame = 1060", "frame = 1005")],
    "skirt": [("1001-1048", "1001-1005"), ("frame = 1024", "frame = 1003"), ("frame = 1048", "frame = 1005")],
}


def main():
    binary, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    with tempfile.TemporaryDirectory() as work:
        for name in ("flag", "skirt"):
            shutil.copytree(examples / name, pathlib.Path(work) / name)
            scene = pathlib.Path(work) / name / f"{name}.toml"
            text = scene.read_text()
            assert "[control]" not in text
            for frame, earlier in SHORTER[name]:
                assert frame in text
                text = text.replace(frame, earlier)
            scene.write_text(text + "\n[control]\nmax_forward_simulations = 3\n")
            found = differences(binary, scene, 2, scene.parent)
            print(f"{name}: {found or 'the same bits'}", flush=True)
            failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
