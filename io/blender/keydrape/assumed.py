# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh made ready as `keydrape new` makes it: the program is asked, its answer put into the settings."""

import os
import tempfile

import numpy as np

from . import files, keyframes, process, sampling

TOP = "keydrape top"  # vertex group of the edge that the program proposes
EASED = ("stretch", "shear", "bend", "damping")  # numbers of [cloth.material] for coarse meshes
HARD_WEIGHT = 0.5  # from this painted weight on a hard pin holds a vertex


def ask(program, cloth):
    """What `keydrape new` takes for granted about the cloth at rest, where it is now, as its JSON; and what
    it warns of. Raises ValueError for a mesh that cannot be cloth."""
    with tempfile.TemporaryDirectory() as folder:
        mesh = os.path.join(folder, "%s.obj" % files.plain(cloth.name))
        _, matrix = sampling.evaluated(cloth)
        files.write_obj(mesh, sampling.in_world(matrix, sampling.rest_local(cloth)),
                        [tuple(polygon.vertices) for polygon in cloth.data.polygons])
        run = process.Run(program, ["new", os.path.join(folder, "shot"), "--mesh", mesh, "--up-axis", "Z",
                                    "--meters-per-unit", repr(sampling.unit()), "--json"])
        if run.wait() != process.DONE:
            raise ValueError(run.failure().replace(folder + os.sep, ""))
        return run.results(), [warning.replace(folder + os.sep, "") for warning in run.warnings]


def keys_of(answer, table):
    return next((each["keys"] for each in answer["tables"] if each["table"] == table), {})


def ease(cloth, answer):
    material = keys_of(answer, "cloth.material")
    for name in EASED:
        setattr(cloth.keydrape, name, material[name])
    return material


def apply(cloth, answer, held_by):
    """Settings of the cloth as the program proposes; returns what was taken for granted, a sentence each.
    What is pinned already stays so. Raises ValueError for a vertex group that cannot hold it."""
    settings = cloth.keydrape
    pins = hold(cloth, answer, held_by)
    material = ease(cloth, answer)
    settings.fabric = material["preset"]
    contact = keys_of(answer, "contact")
    settings.self_contact = contact["self"]
    settings.thickness = contact.get("thickness", 0.0)
    remarks = dict(remark.split(": ", 1) for remark in answer["remarks"])
    size = remarks["units"].split(", if")[0]
    # What follows a semicolon names keys of the scene file.
    return ["size: %s; if it is not, change Unit Scale in Scene > Units" % size,
            "fabric: %s, eased for a coarse mesh; choose another under Fabric, and 0 for its own numbers" %
            material["preset"],
            "pins: %s" % pins,
            "contact: %s; see Touches itself and Gap" % remarks["contact"].split("; ")[0]]


def hold(cloth, answer, held_by):
    """Adds a pin, if there is none, and says which."""
    settings, active = cloth.keydrape, cloth.vertex_groups.active
    if len(settings.pins):
        return "as they were, %s" % ", ".join(row.group for row in settings.pins)
    if held_by == "NOTHING":
        return "none; it falls"
    if held_by == "GROUP" and active is None:
        raise ValueError("%s has no vertex group; paint one, or choose another way to hold it" % cloth.name)
    if active is not None and held_by != "TOP":
        count = held_count(cloth, active.name)
        if held_by == "GROUP" or 0 < count < len(cloth.data.vertices):
            if count == 0:
                raise ValueError('vertex group "%s" holds no vertex: none has a weight of %g or more' %
                                 (active.name, HARD_WEIGHT))
            settings.pins.add().group = active.name
            return "vertex group %s, %s; if something else holds it, see Pins" % (
                active.name, vertices_text(count))
    proposed = keys_of(answer, "pin").get("group")
    if proposed is None:
        return "none, since the mesh has no edges; paint a vertex group, and add it under Pins"
    held = answer["groups"][proposed]
    group = cloth.vertex_groups.get(TOP) or cloth.vertex_groups.new(name=TOP)
    group.remove(range(len(cloth.data.vertices)))
    group.add(held, 1.0, "REPLACE")
    settings.pins.add().group = group.name
    words = {"upper_edge": "its upper edge", "side_edge": "an edge at its side, since it lies flat"}
    return "%s, %s (vertex group %s); if something else holds it, see Pins" % (
        words.get(proposed, "its highest edge"), vertices_text(len(held)), group.name)


def vertices_text(count):
    return "1 vertex" if count == 1 else "%d vertices" % count


def held_count(cloth, name):
    try:
        return int(np.count_nonzero(keyframes.weights_of(cloth, name) >= HARD_WEIGHT))
    except ValueError:  # an empty group
        return 0
