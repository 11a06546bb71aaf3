#!/usr/bin/env python3
"""run.py KEYDRAPE ADDON_ZIP: the add-on in a real Blender, installed as a user would install it.

Exits with 77 (skipped, for ctest) where Blender is absent.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


# What Blender prints where it goes on all the same: the Mesh Cache modifier's complaints, and those of
# panels and timers.
TROUBLE = ("Vertex count mismatch", "read failed", "Invalid header", "Traceback")


PATIENCE_S = 60  # of a machine that does other things, too


def check_nothing_runs_on(said):
    """Of a program that was running when Blender was left, and was asked to end then."""
    left = re.search(r"^left running: (\d+)$", said, re.MULTILINE)
    begin = time.monotonic()
    while left and is_running(int(left.group(1))):
        if time.monotonic() - begin > PATIENCE_S:
            sys.exit("FAILED: process %s still runs after Blender" % left.group(1))
        time.sleep(0.2)


def is_running(number):
    try:
        with open("/proc/%d/stat" % number, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"  # ended, and nobody has asked how
    except FileNotFoundError:
        return False


def run(command, script, addon, program):
    with tempfile.TemporaryDirectory() as folder:
        # Debian's Blender takes its Python's modules from where the first python3 of PATH has them: that has
        # to be Debian's.
        environment = dict(os.environ, KEYDRAPE=program, BLENDER_USER_SCRIPTS=folder, OMP_NUM_THREADS="1",
                           PATH="/usr/bin:/bin")
        words = [*command, "-t", "1", "--factory-startup", "--python-exit-code", "3", "--python",
                 os.path.join(HERE, script), "--", addon, folder]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        said = done.stdout + done.stderr
        check_nothing_runs_on(said)  # nor writes into the folder
    print(said)
    trouble = [words for words in TROUBLE if words in said]
    if done.returncode != 0 or trouble or "end of the test" not in said:
        sys.exit("FAILED: %s (%d) %s" % (script, done.returncode, trouble))


def main():
    program, addon = map(os.path.abspath, sys.argv[1:])
    blender = shutil.which("blender")
    if blender is None:
        print("SKIPPED: blender is not there; examples/packages --readers installs it")
        sys.exit(77)
    for script in ("end_to_end.py", "every_key.py", "ready.py", "reach.py", "guarded.py", "shown.py",
                   "kept.py"):
        run([blender, "-b"], script, addon, program)
    if shutil.which("xvfb-run") is None:
        print("SKIPPED: panels and runs in the background: xvfb-run is not there; "
              "examples/packages --readers installs it")
        return
    run(["xvfb-run", "-a", "-s", "-screen 0 1400x1000x24", blender], "in_window.py", addon, program)


main()
