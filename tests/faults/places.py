"""Places that nobody expects: odd names, long ones, links, another file system, a folder that vanishes.

    python3 tests/faults/places.py KEYDRAPE

Expected: the run is done and whole, or refused in one line that shows odd bytes escaped; nothing is written
outside of the run's folder.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from faults import SCENE, sheet

PROGRAM = os.fsencode(pathlib.Path(sys.argv.pop(1)).resolve())
QUIET = [b"--quiet", b"--progress", b"none"]
SECONDS = 60
NAMES = (b"with space", b"quo'te\"s", b"new\nline", b"-dash", b"#hash", b"%d{}", b"$(x)`y`;&",
         "Mäntel".encode())


def keydrape(folder, *words):
    return subprocess.run([PROGRAM, *words, *QUIET], cwd=folder, capture_output=True, timeout=SECONDS,
                          check=False)


class Places(unittest.TestCase):
    def setUp(self):
        self.root = os.fsencode(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def shot(self, name=b"shot", scene=b"scene.toml"):
        folder = os.path.join(self.root, name)
        os.makedirs(folder)
        for file, text in ((b"rest.obj", sheet(0)), (b"key.obj", sheet(0.04)), (scene, SCENE)):
            pathlib.Path(os.fsdecode(os.path.join(folder, file))).write_text(text)
        return folder

    def refused(self, result, *words):
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(len([line for line in result.stderr.split(b"\n") if line.startswith(b"error: ")]), 1)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_odd_names(self):
        for name in NAMES:
            with self.subTest(name):
                folder = self.shot(name, name + b".toml")
                self.assertEqual(keydrape(folder, b"solve", b"./" + name + b".toml").returncode, 0)
                out = os.path.join(folder, name + b"_out")
                self.assertEqual(keydrape(folder, b"report", out).returncode, 0)
                expected = [b"key.obj", b"rest.obj", name + b".toml", name + b"_out"]
                self.assertEqual(sorted(os.listdir(folder)), sorted(expected))
        result = keydrape(self.shot(b"n\xff", b"n\xff.toml"), b"simulate", b"n\xff.toml")
        self.refused(result, b"n\\xff", b"UTF-8")

    def test_names_that_are_too_long(self):
        folder = self.shot()
        for out in (b"z" * 300, b"y/" * 2100):
            self.refused(keydrape(folder, b"simulate", b"scene.toml", b"-o", out), b"File name too long")

    def test_links_out_of_the_folder(self):
        folder = self.shot()
        out, elsewhere = os.path.join(folder, b"out"), os.path.join(self.root, b"elsewhere")
        self.assertEqual(keydrape(folder, b"solve", b"scene.toml", b"-o", b"out").returncode, 0)
        os.mkdir(elsewhere)
        own = [os.path.join(elsewhere, name) for name in (b"mine.txt", b"simulated.1001.obj")]
        for name in own:
            pathlib.Path(os.fsdecode(name)).write_text("mine")
        for name in os.listdir(out):
            path = os.path.join(out, name)
            if name == b"run.lock":
                continue
            target = elsewhere if os.path.isdir(path) else own[0]
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            os.symlink(target, path)
        for command in (b"solve", b"simulate"):
            result = keydrape(folder, command, b"scene.toml", b"-o", b"out", b"--force")
            self.refused(result, b"leads to", b"remove the link")
        os.remove(os.path.join(out, b"run.lock"))
        os.symlink(own[0], os.path.join(out, b"run.lock"))
        self.refused(keydrape(folder, b"solve", b"scene.toml", b"-o", b"out", b"--force"), b"run.lock")
        self.assertEqual(sorted(os.listdir(elsewhere)), [b"mine.txt", b"simulated.1001.obj"])
        for name in own:
            self.assertEqual(pathlib.Path(os.fsdecode(name)).read_text(), "mine")

    def test_another_file_system(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("no second file system that can be written to")
        folder = self.shot()
        with tempfile.TemporaryDirectory(dir="/dev/shm") as there:
            out = os.fsencode(there) + b"/out"
            self.assertEqual(keydrape(folder, b"solve", b"scene.toml", b"-o", out).returncode, 0)
            self.assertIn(b"summary.json", os.listdir(out))
            self.assertEqual(sorted(os.listdir(there)), ["out"])

    def test_a_folder_that_vanishes(self):
        folder = self.shot()
        for delay in (0.02, 0.05, 0.1, 0.2):
            words = [PROGRAM, b"solve", b"scene.toml", b"-o", b"gone", b"--force", *QUIET]
            with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                time.sleep(delay)
                shutil.rmtree(os.path.join(folder, b"gone"), ignore_errors=True)
                said = run.communicate(timeout=SECONDS)[1]
            self.assertIn(run.returncode, (0, 3), said)
            if run.returncode == 3:
                self.assertIn(b"gone", said)
            self.assertLessEqual(set(os.listdir(folder)), {b"key.obj", b"rest.obj", b"scene.toml", b"gone"})


if __name__ == "__main__":
    unittest.main()
