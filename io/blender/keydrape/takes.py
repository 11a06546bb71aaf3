# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of results beside shot.toml: the take that is shown, what a run is writing, the best of a run that
was interrupted, and as far as one came that failed. Knows nothing of Blender."""

import os
import shutil

try:
    import fcntl
except ImportError:  # where the program's lock is another one
    fcntl = None

OUT, NEW, INTERRUPTED, FAILED = "out", "out.new", "out.interrupted", "out.failed"
ASIDE = "out.aside"  # while two change places


def has_positions(folder, name):
    return os.path.exists(os.path.join(folder, name, "positions.npy"))


def is_held(folder, name):
    """Whether a run is writing there, of this Blender or another; also where nobody can tell."""
    if fcntl is None:
        return False
    try:
        with open(os.path.join(folder, name, "run.lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def is_worth_keeping(folder, name):
    """Whether it shows something, or can be gone on with."""
    return any(os.path.exists(os.path.join(folder, name, file))
               for file in ("positions.npy", "checkpoint.json", "simulation.json"))


def left_behind(folder):
    """Whether a run has left a take that nobody waited for: another file was opened, or Blender closed."""
    return has_positions(folder, NEW) and not is_held(folder, NEW)


def recover(folder):
    """What is left behind becomes the interrupted take, or, where nothing of it can be shown, the failed one;
    what is being written stays."""
    if is_held(folder, NEW):
        return
    if is_worth_keeping(folder, NEW):
        move(folder, NEW, INTERRUPTED if has_positions(folder, NEW) else FAILED)
    else:
        remove(folder, NEW)


def keep_failed(folder):
    """Where what the run that failed has written is now, or None: it wrote nothing."""
    if is_held(folder, NEW):
        return None  # by the run for which this one was refused
    if not is_worth_keeping(folder, NEW):
        remove(folder, NEW)
        return None
    move(folder, NEW, FAILED)
    return os.path.join(folder, FAILED)


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
    """The take that is shown and the interrupted one; both stay where one cannot be moved."""
    remove(folder, ASIDE)
    done = []
    try:
        for source, target in ((OUT, ASIDE), (INTERRUPTED, OUT), (ASIDE, INTERRUPTED)):
            os.replace(os.path.join(folder, source), os.path.join(folder, target))
            done.append((source, target))
    except OSError:
        for source, target in reversed(done):
            os.replace(os.path.join(folder, target), os.path.join(folder, source))
        raise


def keep_copies(folder, source, names, target):
    """Copies those files that `source` has; what was at the target stays until all are there."""
    new = target + ".new"
    remove(folder, new)
    os.makedirs(os.path.join(folder, new))
    for name in names:
        path = os.path.join(folder, source, name)
        if os.path.exists(path):
            shutil.copy(path, os.path.join(folder, new, name))
    move(folder, new, target)
