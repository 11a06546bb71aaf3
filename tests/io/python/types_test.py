#!/usr/bin/python3
"""Whether the stubs say what the module has, and mypy agrees: types_test.py IO_PYTHON."""

import ast
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import keydrape._keydrape as compiled


def names_in_stub(tree):
    """Names of the module, and of the members of its classes as "Class.member"."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{member.name}" for member in node.body
                      if isinstance(member, ast.FunctionDef)}
    return names


def names_in_module():
    names = set()
    for name, value in vars(compiled).items():
        if name.startswith("_"):
            continue
        names.add(name)
        if isinstance(value, type) and not issubclass(value, BaseException):
            names |= {f"{name}.{member}" for member in vars(value)
                      if not member.startswith("_") or member == "__len__"}
    return names


def main():
    folder = pathlib.Path(sys.argv[1])
    stub = names_in_stub(ast.parse((folder / "keydrape" / "_keydrape.pyi").read_text()))
    differ = {name for name in stub ^ names_in_module() if not name.endswith("__init__")}
    if differ:
        print("in the stubs alone or in the module alone:", ", ".join(sorted(differ)))
        return 1
    if importlib.util.find_spec("mypy") is None:
        print("SKIPPED: types of the Python module: mypy is not there", flush=True)
        return 77
    with tempfile.TemporaryDirectory() as cache:
        mypy = [sys.executable, "-m", "mypy", "--config-file", folder / "pyproject.toml"]
        return subprocess.run([*mypy, "--cache-dir", cache, folder / "keydrape"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
