# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program is."""

import os
import shutil

import bpy


class KeydrapePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(
        name="Program", subtype="FILE_PATH",
        description="The keydrape program; empty: the one that the shell finds")

    def draw(self, _context):
        self.layout.prop(self, "program")
        self.layout.label(text="Found: %s" % (program() or "none; build it, and name it above"))


def program():
    """Path of the program, or None: the preference, $KEYDRAPE, or what the shell finds."""
    addon = bpy.context.preferences.addons.get(__package__)
    named = addon.preferences.program if addon else ""
    for path in (bpy.path.abspath(named), os.environ.get("KEYDRAPE", "")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("keydrape")


def register():
    bpy.utils.register_class(KeydrapePreferences)


def unregister():
    bpy.utils.unregister_class(KeydrapePreferences)
