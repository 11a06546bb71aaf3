#!/usr/bin/python3
"""Runs a notebook as Jupyter does, cell by cell in a kernel: notebook_test.py FOLDER NAME [PACKAGE...]

Exits with 77 (skipped, for ctest) where a package is absent, or what runs notebooks.
"""

import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile


def main():
    folder, name, packages = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    for package in ("nbclient", "ipykernel", *packages):
        if importlib.util.find_spec(package) is None:
            print(f"SKIPPED: {name}.ipynb: python3-{package} is not there", flush=True)
            return 77
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # else the kernel warns of its debugger
    import nbclient
    import nbformat

    with tempfile.TemporaryDirectory() as work:  # it writes beside itself
        here = pathlib.Path(work) / "python"
        shutil.copytree(folder, here)
        notebook = nbformat.read(here / f"{name}.ipynb", as_version=4)
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": str(here)}}).execute()
    said = "".join(output.get("text", "") for cell in notebook.cells if cell.cell_type == "code"
                   for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
    print(said)
    return 0 if said else 1  # each says what it has found


if __name__ == "__main__":
    sys.exit(main())
