# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of results beside shot.toml: the take that is shown, what a run is writing, and the best of a run
that was interrupted. Knows nothing of Blender."""

import os
import shutil

OUT, NEW, INTERRUPTED = "out", "out.new", "out.interrupted"
ASIDE = "out.aside"  # while two change places


def has_positions(folder, name):
    return os.path.exists(os.path.join(folder, name, "positions.npy"))


def remove(folder, name):
    shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def move(folder, source, target):
    """What was at the target goes, once the other is there, and stays where that cannot be moved."""
    remove(folder, ASIDE)
    target_path, aside = os.path.join(folder, target), os.path.join(folder, ASIDE)
    if os.path.exists(target_path):
        os.replace(target_path, aside)
    try:
        os.replace(os.path.join(folder, source), target_path)
    except OSError:
        if os.path.exists(aside):
            os.replace(aside, target_path)
        raise
    remove(folder, ASIDE)


def exchange(folder):
    """The take that is shown and the interrupted one."""
    remove(folder, ASIDE)
    for source, target in ((OUT, ASIDE), (INTERRUPTED, OUT), (ASIDE, INTERRUPTED)):
        os.replace(os.path.join(folder, source), os.path.join(folder, target))
