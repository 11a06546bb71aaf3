"""Which program is run: the one that is named, or none; where none is named, the one that the shell finds."""

import os
import stat
import tempfile
import types
import unittest
from unittest import mock

import addon


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.preferences = addon.load_among_neighbours("preferences")
        self.preferences.bpy.path.abspath = lambda path: path
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def program(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def environment(self, named, **variables):
        """With this in the preferences, and a PATH of the folder's bin."""
        entry = types.SimpleNamespace(preferences=types.SimpleNamespace(program=named))
        self.preferences.bpy.context.preferences.addons = {"keydrape": entry}
        path = os.path.join(self.folder, "bin")
        return mock.patch.dict(os.environ, {"PATH": path, **variables}, clear=True)

    def found(self, named, **variables):
        with self.environment(named, **variables):
            return self.preferences.found_program()

    def refused(self, named, **variables):
        with self.assertRaises(ValueError) as refused:
            self.found(named, **variables)
        return str(refused.exception)

    def test_what_is_named_is_taken(self):
        shell, other, own = (self.program(name) for name in ("bin/keydrape", "other", "my own/keydrape"))
        self.assertEqual(self.found(""), shell)
        self.assertEqual(self.found("", KEYDRAPE=other), other)
        self.assertEqual(self.found(own, KEYDRAPE=other), own)
        self.assertEqual(self.found(own, KEYDRAPE="/no/such"), own)
        self.assertEqual(self.found("keydrape"), shell)  # a name that the shell finds

    def test_nothing_stands_in_for_what_is_named(self):
        self.program("bin/keydrape")
        no_program = os.path.join(self.folder, "no program")
        with open(no_program, "w") as file:
            file.write("text")
        other = self.program("other")
        for named in ("/no/such/keydrape", no_program, self.folder, "keydrap"):
            after = (': found "%s", which is no file that can be run; name the keydrape program there, or '
                     "leave it empty for the one that the shell finds" % named)
            self.assertEqual(self.refused(named, KEYDRAPE=other),
                             "Program in the add-on's preferences" + after)
            self.assertEqual(self.refused("", KEYDRAPE=named), "$KEYDRAPE" + after)

    def test_there_may_be_none(self):
        self.assertEqual(self.refused(""),
                         "the program keydrape was not found; name it in the add-on's preferences")

    def test_the_preferences_say_which(self):
        def labels(named):
            shown = self.preferences.KeydrapePreferences()
            shown.layout = mock.Mock()
            with self.environment(named):
                shown.draw(None)
            return [call.kwargs["text"] for call in shown.layout.label.call_args_list]
        shell = self.program("bin/keydrape")
        self.assertEqual(labels(""), ["Found: " + shell])
        self.assertEqual(labels("/no/such"), [
            'Program in the add-on\'s preferences: found "/no/such", which is no file that can be run',
            "name the keydrape program there, or leave it empty for the one that the shell finds"])


if __name__ == "__main__":
    unittest.main()
