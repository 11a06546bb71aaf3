#!/usr/bin/python3
"""Runs an example of Python, and asks that its notebook is the same.

    examples_test.py FOLDER NAME [PACKAGE...]

Exits with 77 (skipped, for ctest) where a package is absent.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile


def main():
    folder, name, packages = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    sys.path.insert(0, str(folder))
    import notebooks

    if (folder / f"{name}.ipynb").read_text() != notebooks.notebook(folder / f"{name}.py"):
        print(f"{name}.ipynb is not what {name}.py makes; run examples/python/notebooks.py")
        return 1
    for package in packages:
        if importlib.util.find_spec(package) is None:
            print(f"SKIPPED: {name}: python3-{package} is not there", flush=True)
            return 77
    with tempfile.TemporaryDirectory() as work:
        return subprocess.run([sys.executable, "-B", folder / f"{name}.py"], cwd=work, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
