# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program is."""

import os
import shutil

import bpy


class KeydrapePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(
        name="Program", subtype="FILE_PATH",
        description="The keydrape program: its file, or a name that the shell finds. Empty: the one that "
                    "$KEYDRAPE names, else the one that the shell finds")

    def draw(self, _context):
        self.layout.prop(self, "program")
        try:
            self.layout.label(text="Found: %s" % found_program())
        except ValueError as error:
            for line in str(error).split("; "):  # a label does not wrap
                self.layout.label(text=line, icon="ERROR")


def found_program():
    """Path of the program: what the preferences name, else $KEYDRAPE, else what the shell finds. Raises
    ValueError for a name that is of no program, in whose place no other is taken, and where there is none."""
    addon = bpy.context.preferences.addons.get(__package__)
    named = addon.preferences.program if addon else ""
    for where, name in (("Program in the add-on's preferences", bpy.path.abspath(named)),
                        ("$KEYDRAPE", os.environ.get("KEYDRAPE", ""))):
        path = shutil.which(name) if name else None
        if name and path is None:
            raise ValueError('%s: found "%s", which is no file that can be run; name the keydrape program '
                             "there, or leave it empty for the one that the shell finds" % (where, name))
        if path:
            return path
    path = shutil.which("keydrape")
    if path is None:
        raise ValueError("the program keydrape was not found; name it in the add-on's preferences")
    return path


def register():
    bpy.utils.register_class(KeydrapePreferences)


def unregister():
    bpy.utils.unregister_class(KeydrapePreferences)
