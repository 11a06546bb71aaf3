#!/usr/bin/python3
"""Whether Python and the command line come to the same bits.

    same_bits.py KEYDRAPE SCENE.toml... [--threads N]

Solves each scene by both in a folder and compares all arrays and caches there, and positions of every step,
forces and misses as Python has them. Prints a line a scene; exits with 1 where something differs. The suite
asks this of short searches (same_bits_test.py); whole examples take minutes.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import keydrape
import numpy as np


def differences(binary, scene, threads, work):
    """What of both results is not the same to the bit, in words."""
    folder = pathlib.Path(work) / "cli"
    run = subprocess.run([binary, "solve", scene, "-o", folder, "--quiet", "--threads", str(threads)],
                         stdout=subprocess.DEVNULL, check=False)
    if run.returncode not in (0, 4):
        return [f"the command ended with {run.returncode}"]
    keydrape.set_threads(threads)
    result = keydrape.solve(keydrape.Scene(scene), folder=pathlib.Path(work) / "py", report=False)
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix in (".npy", ".pc2") and not path.name.startswith("checkpoint_"):
            if path.read_bytes() != (pathlib.Path(work) / "py" / path.name).read_bytes():
                found.append(path.name)
    if not np.array_equal(np.load(folder / "steps.npy"), np.stack(result.trajectory.positions)):
        found.append("positions")
    forces = np.load(folder / "forces.npy")[:-1]
    of_frames = result.forces.reshape(len(forces), result.trajectory.substeps, *forces.shape[1:])
    if not np.array_equal(forces, of_frames.mean(axis=1)):
        found.append("forces")
    summary = json.loads((folder / "summary.json").read_text())
    if [k["rms_m"] for k in summary["keyframes"]] != result.misses:
        found.append("misses")
    return found


def simulations_differ(binary, scene, work):
    """The same of a scene without control, whose [output] asks for every step."""
    folder = pathlib.Path(work) / "cli"
    subprocess.run([binary, "simulate", scene, "-o", folder, "--quiet"], stdout=subprocess.DEVNULL,
                   check=True)
    run = keydrape.simulate(keydrape.Scene(scene).open())
    return [] if np.array_equal(np.load(folder / "steps.npy"), np.stack(run.positions)) else ["positions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    differ = False
    for scene in arguments.scenes:
        with tempfile.TemporaryDirectory() as work:
            begin = time.perf_counter()
            found = differences(arguments.binary, scene, arguments.threads, work)
            seconds = time.perf_counter() - begin
        print(f"{scene}: {'the same bits' if not found else 'differ: ' + ', '.join(found)}, {seconds:.0f} s "
              "both", flush=True)
        differ = differ or bool(found)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
