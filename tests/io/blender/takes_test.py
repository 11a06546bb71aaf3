"""What the add-on keeps of takes where files cannot be moved or copied."""

import os
import tempfile
import unittest
from unittest import mock

import addon


class TakesTest(unittest.TestCase):
    def setUp(self):
        self.takes = addon.load("takes")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def write(self, name, **texts):
        os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        for file, text in texts.items():
            with open(os.path.join(self.folder, name, file), "w") as out:
                out.write(text)

    def texts(self):
        """What all files say, by their path."""
        found = {}
        for folder, _, files in os.walk(self.folder):
            for file in files:
                path = os.path.join(folder, file)
                with open(path) as text:
                    found[os.path.relpath(path, self.folder)] = text.read()
        return found

    def failing(self, function, call):
        """The function, whose call of this number fails, from 1."""
        calls = iter(range(1, 100))

        def fails_once(*words):
            if next(calls) == call:
                raise OSError("no space left")
            return function(*words)

        return fails_once

    def test_two_takes_change_places(self):
        self.write("out", positions="shown")
        self.write("out.interrupted", positions="interrupted")
        self.takes.exchange(self.folder)
        self.assertEqual(self.texts(), {"out/positions": "interrupted", "out.interrupted/positions": "shown"})

    def test_both_stay_where_one_cannot_be_moved(self):
        self.write("out", positions="shown")
        self.write("out.interrupted", positions="interrupted")
        before = self.texts()
        for call in (1, 2, 3):
            with mock.patch.object(self.takes.os, "replace", self.failing(os.replace, call)):
                with self.assertRaises(OSError):
                    self.takes.exchange(self.folder)
            self.assertEqual(self.texts(), before, call)

    def test_copies_take_the_place_of_what_was_there(self):
        self.write("out", forces="new", positions="no part of it")
        self.write("take", forces="old", steps="old")
        self.takes.keep_copies(self.folder, "out", ("forces", "steps"), "take")
        self.assertEqual(self.texts(), {"out/forces": "new", "out/positions": "no part of it",
                                        "take/forces": "new"})

    def test_what_was_there_stays_where_one_cannot_be_copied(self):
        self.write("out", forces="new", steps="new")
        self.write("take", forces="old", steps="old")
        for call in (1, 2):
            with mock.patch.object(self.takes.shutil, "copy", self.failing(self.takes.shutil.copy, call)):
                with self.assertRaises(OSError):
                    self.takes.keep_copies(self.folder, "out", ("forces", "steps"), "take")
            texts = self.texts()
            self.assertEqual((texts["take/forces"], texts["take/steps"]), ("old", "old"))
        self.takes.keep_copies(self.folder, "out", ("forces", "steps"), "take")
        self.assertEqual(self.texts()["take/forces"], "new")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "take"])


if __name__ == "__main__":
    unittest.main()
