#!/usr/bin/python3
"""Short searches of examples by Python and by the command line: the same bits. same_bits_test.py KEYDRAPE EXAMPLES"""

import pathlib
import shutil
import sys
import tempfile

from same_bits import differences


def main():
    binary, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    with tempfile.TemporaryDirectory() as work:
        for name in ("flag", "skirt"):
            shutil.copytree(examples / name, pathlib.Path(work) / name)
            scene = pathlib.Path(work) / name / f"{name}.toml"
            text = scene.read_text()
            assert "[control]" not in text
            scene.write_text(text + "\n[control]\nmax_forward_simulations = 2\n")
            found = differences(binary, scene, 2, scene.parent)
            print(f"{name}: {found or 'the same bits'}", flush=True)
            failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
