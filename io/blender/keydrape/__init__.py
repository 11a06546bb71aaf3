# SPDX-License-Identifier: GPL-3.0-or-later
"""Keydrape in Blender: shape keys are keyframes, vertex groups are pins, objects are bodies; the program
keydrape runs in the background and its cloth comes back as a Mesh Cache. io/blender/README.md says how
to use it."""

bl_info = {
    "name": "Keydrape",
    "author": "The keydrape authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Physics; 3D View > Sidebar > Keydrape",
    "description": "Make simulated cloth arrive at sculpted keyframes",
    "category": "Physics",
}

from . import base, operators, panel, preferences, properties, reach, result  # noqa: E402

MODULES = (preferences, properties, base, operators, reach, panel, result)


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
