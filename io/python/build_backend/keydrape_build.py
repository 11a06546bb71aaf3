"""Builds the wheel by CMake (PEP 517), for `pip install ./io/python`. Fetches nothing; needs what the
program is built from (examples/packages), and the whole repository around this folder."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
with open(HERE / "pyproject.toml", "rb") as file:
    PROJECT = tomllib.load(file)["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip would compile everything to learn the name."""
    info = pathlib.Path(metadata_directory) / f"{NAME}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Returns the wheel's file name.

    pip's --config-settings: jobs=1 compiles with fewer processes, report=yes builds the page of reports, too,
    for which npm fetches packages.
    """
    settings = read_settings(config_settings or {})
    package = build(int(settings["jobs"]), with_report=settings["report"] == "yes")
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    files = {f"keydrape/{path.name}": path.read_bytes()
             for path in sorted(package.iterdir()) if path.suffix in (".py", ".pyi", ".so", ".typed")
             or path.name == "py.typed"}
    info = f"{NAME}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: keydrape_build\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}-{tag}-{platform}\n").encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{tag}-{tag}-{platform}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def read_settings(given):
    """Those given, the others as they are by default; ends with a sentence about one that cannot be."""
    settings = {"jobs": str(os.cpu_count() or 1), "report": "no"}
    for name, value in given.items():  # pip gives a list of one that comes more than once
        if name not in settings:
            raise SystemExit(f"keydrape: {name}={value}: found an unknown setting; expected jobs or report")
        if name == "report" and value not in ("yes", "no"):
            raise SystemExit(f"keydrape: report={value}: expected yes or no, once")
        if name == "jobs" and not (isinstance(value, str) and re.fullmatch("[1-9][0-9]{0,3}", value)):
            raise SystemExit(f"keydrape: jobs={value}: expected a whole number from 1 to 9999, once")
        settings[name] = value
    return settings


def build(jobs, with_report):
    """Compiles the module for this interpreter; returns the folder of the package."""
    if not (ROOT / "CMakeLists.txt").exists():
        raise SystemExit(f"keydrape: {ROOT} holds no CMakeLists.txt; expected the repository around {HERE}")
    folder = ROOT / "build" / "pip"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
        "-DKEYDRAPE_TESTS=OFF", "-DKEYDRAPE_BENCH=OFF", "-DKEYDRAPE_PYTHON=ON",
        *(["-UKEYDRAPE_NPM"] if with_report else ["-DKEYDRAPE_NPM=OFF"]),
        f"-DPYTHON_EXECUTABLE={sys.executable}")
    run("cmake", "--build", folder, "--target", "keydrape_python", "--parallel", str(jobs))
    if with_report and (folder / "report" / "report_page.cpp.absent").exists():
        raise SystemExit("keydrape: report=yes: the page of reports could not be built (above); it needs "
                         "Node 18, npm and, once, registry.npmjs.org; without it all else is installed")
    return folder / "python" / "keydrape"


def run(*command):
    if subprocess.run([str(word) for word in command], check=False).returncode != 0:
        raise SystemExit("keydrape: this command failed: " + " ".join(str(word) for word in command) +
                         "\nWhat it needs: bash examples/packages --tests")


def metadata():
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {PROJECT['version']}",
             f"Summary: {PROJECT['description']}", f"Requires-Python: {PROJECT['requires-python']}",
             *(f"Requires-Dist: {name}" for name in PROJECT["dependencies"]),
             "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    return "\n".join(lines)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
