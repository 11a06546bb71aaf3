# SPDX-License-Identifier: GPL-3.0-or-later
"""The search: its forces, what else it may choose, which part of the shot it looks at, and the take
that it edits."""

import os

import numpy as np

from . import files, keyframes, takes
from .files import short

TAKE = "take"  # folder beside shot.toml with what a take is: its forces, its steps and its channels
FORCES = ("forces_steps.npy", "forces.npy")  # the first that is there
TAKE_FILES = (*FORCES, "steps.npy", "channels.json")


def accept_take(folder):
    """Keeps the result of the last solve in `folder`, that of a cloth, as the take that the next one edits.
    Raises ValueError where there is none."""
    out = os.path.join(folder, takes.OUT)
    if not os.path.exists(os.path.join(out, "forces.npy")):
        raise ValueError("there is no solved take in %s; solve first" % out)
    takes.keep_copies(folder, takes.OUT, TAKE_FILES, TAKE)


def forces_of_take(folder):
    """Path of the take's forces from the scene file, or None."""
    for name in FORCES:
        if os.path.exists(os.path.join(folder, TAKE, name)):
            return "%s/%s" % (TAKE, name)
    return None


def frame_range(shot, first, last):
    if not shot.frames[0] <= first < last <= shot.frames[-1]:
        raise ValueError("the part of the shot to solve, %d to %d, has to lie in the scene's %d to %d" %
                         (first, last, shot.frames[0], shot.frames[-1]))
    return "%d-%d" % (first, last)


def force_keys(shot):
    """What shapes forces, and counts where there are some alone."""
    settings = shot.settings
    keys = {"max_acceleration": short(settings.max_acceleration) or None}
    if settings.forces:
        keys["weights"] = "forces.txt"
        files.write_weights(shot.path("forces.txt"), keyframes.weights_of(shot.cloth, settings.forces))
    return keys


def control_keys(shot):
    settings = shot.settings
    keys = {"effort": short(settings.effort) or "auto", "max_forward_simulations": settings.runs or None}
    keys.update(force_keys(shot) if settings.use_forces else {"forces": False})
    if settings.edit_take:
        keys["relative_to"] = forces_of_take(shot.folder)
        if keys["relative_to"] is None:
            raise ValueError("there is no accepted take to edit; solve, then press Accept Take")
    if settings.part == "WINDOW":
        keys["window"] = frame_range(shot, settings.window_first, settings.window_last)
    return keys


def group_of_channel(k):
    return "channel%d" % (k + 1)


def groups(shot):
    """Vertex groups that rest.obj needs, {name: vertices}."""
    found = {}
    for k, row in enumerate(shot.settings.channels):
        if row.kind == "initial-velocity" and row.group:
            weights = keyframes.weights_of(shot.cloth, row.group)
            found[group_of_channel(k)] = [int(v) for v in np.flatnonzero(weights > 0)]
    return found


def channel_keys(shot, k, row):
    keys = {"kind": row.kind, "scale": short(row.scale)}
    if row.kind == "initial-velocity":
        keys["as"] = row.thrown_as
        keys["group"] = group_of_channel(k) if row.group else None
    elif row.kind == "material":
        keys["numbers"] = sorted(row.numbers)
    else:
        keys["knots_every"] = row.knots_every
    if row.kind == "pin":
        if row.pin >= len(shot.settings.pins):
            raise ValueError("channel %d: there is no pin %d; they count from 0" % (k + 1, row.pin))
        keys["pin"] = row.pin
    return keys


def tables(shot):
    settings = shot.settings
    found = [("[control]", control_keys(shot))]
    if settings.part == "WINDOWS":
        found.append(("[control.windows]",
                      {"length": settings.windows_length, "overlap": settings.windows_overlap}))
    return found + [("[[control.channel]]", channel_keys(shot, k, row))
                    for k, row in enumerate(settings.channels)]
