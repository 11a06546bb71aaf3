#!/usr/bin/python3
"""Folders of runs from Python: file by file those of the command line. folder_test.py KEYDRAPE"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import unittest

import keydrape
import numpy as np
from keydrape import _keydrape
from sheets import SEARCH, write_small_search

BINARY = sys.argv[1]
TIMES = re.compile(r"_s$|^(total|forward|adjoint|tangent|io|peak_rss|version|name)$")


def without_times(value):
    """A JSON value without wall-clock times and peaks of memory."""
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if not TIMES.search(key)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def content(path):
    """What of a file has to be the same in two runs."""
    if path.suffix in (".json", ".jsonl"):
        return [without_times(json.loads(line)) for line in
                ([path.read_text()] if path.suffix == ".json" else path.read_text().splitlines())]
    if path.name == "keydrape.log":  # without the time of day, and times in the text
        return [re.sub(r"\d+\.\d+ s\b.*", "", line[24:]) for line in path.read_text().splitlines()]
    if path.name == "report.html":  # holds times as well
        return path.read_text().count('id="manifest"')
    if path.name.startswith("checkpoint_"):  # likewise, of each step
        return np.load(path).shape
    if path.name == "run.lock":  # whose run it was
        return list(json.loads(path.read_text()))
    return path.read_bytes()


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.folder = pathlib.Path(self.work.name)
        self.path = write_small_search(self.folder)
        self.scene = keydrape.Scene(self.path)

    def command(self, *arguments):
        return subprocess.run([BINARY, *map(str, arguments), "--quiet"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode

    def assert_same(self, one, other):
        def files(folder):
            return {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}

        self.assertEqual(set(files(one)), set(files(other)))
        for name, path in files(one).items():
            self.assertEqual(content(path), content(files(other)[name]), name)

    def test_solve_leaves_what_the_command_does(self):
        self.assertEqual(self.command("solve", self.path, "-o", self.folder / "cli"), 4)
        result = keydrape.solve(self.scene, folder=self.folder / "py")
        self.assert_same(self.folder / "cli", self.folder / "py")
        np.testing.assert_array_equal(np.load(self.folder / "py/steps.npy"),
                                      np.stack(result.trajectory.positions))
        summary = json.loads((self.folder / "py/summary.json").read_text())
        self.assertEqual([k["rms_m"] for k in summary["keyframes"]], result.misses)
        np.testing.assert_array_equal(np.stack(keydrape.solve(self.scene).trajectory.positions),
                                      np.stack(result.trajectory.positions))

    def test_a_scene_of_a_dict_leaves_what_it_says(self):
        tables = tomllib.loads(SEARCH)
        scene = keydrape.Scene.from_dict(tables, folder=self.folder, name="made")
        keydrape.solve(scene, folder=self.folder / "py")
        self.assertEqual(tomllib.loads((self.folder / "py/shot/scene.toml").read_text()), tables)
        self.command("solve", self.path, "-o", self.folder / "cli")
        self.assertEqual((self.folder / "py/steps.npy").read_bytes(),
                         (self.folder / "cli/steps.npy").read_bytes())
        keydrape.solve(scene, folder=self.folder / "py", resume=True)
        windy = keydrape.Scene.from_dict({**tables, "wind": {"velocity": [1, 0, 0]}}, folder=self.folder)
        with self.assertRaisesRegex(keydrape.InputError, "wind"):
            keydrape.solve(windy, folder=self.folder / "py", resume=True)

    def test_simulate_leaves_what_the_command_does(self):
        self.assertEqual(self.command("simulate", self.path, "-o", self.folder / "cli"), 0)
        run = keydrape.simulate(self.scene, folder=self.folder / "py")
        self.assert_same(self.folder / "cli", self.folder / "py")
        np.testing.assert_array_equal(np.stack(run.positions),
                                      np.stack(keydrape.simulate(self.scene).positions))

    def test_what_an_observer_ends_is_resumed_to_the_same_bits(self):
        whole = keydrape.solve(self.scene, folder=self.folder / "whole", report=False)
        self.assertFalse((self.folder / "whole/report.html").exists())
        stopped = keydrape.solve(self.scene, lambda at: at.number >= 1, folder=self.folder / "parts")
        self.assertTrue(stopped.is_stopped)
        summary = json.loads((self.folder / "parts/summary.json").read_text())
        self.assertEqual(summary["status"], "interrupted")
        resumed = keydrape.solve(self.scene, folder=self.folder / "parts", resume=True)

        def told(result):
            return [(at.number, at.forward_simulations, at.objective, at.effort, at.misses)
                    for at in result.history]

        self.assertLess(len(stopped.history), len(whole.history))
        self.assertEqual(told(resumed), told(whole))
        log = (self.folder / "parts/convergence.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["iteration"] for line in log],
                         [at.number for at in resumed.history])
        for name in ("steps.npy", "forces.npy", "controlled.pc2"):
            self.assertEqual((self.folder / "whole" / name).read_bytes(),
                             (self.folder / "parts" / name).read_bytes(), name)

    def test_ctrl_c_in_a_simulation_keeps_what_there_is(self):
        self.path.write_text(SEARCH.split("[[keyframe]]")[0].replace("1-5", "1-100000"))
        scene, folder = keydrape.Scene(self.path), self.folder / "long"

        def interrupt():
            for _ in range(60000):  # a minute, unless the run has failed
                if (folder / "shot/shot.json").exists():
                    break
                time.sleep(1e-3)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            keydrape.simulate(scene, folder=folder)
        thread.join()
        self.assertLess(len(caught.exception.trajectory), 100000)
        self.assertEqual(json.loads((folder / "summary.json").read_text())["status"], "interrupted")

    def test_a_take_is_repeated(self):
        result = keydrape.solve(self.scene, folder=self.folder / "take")
        again = keydrape.simulate(self.scene, folder=self.folder / "again", along=self.folder / "take")
        np.testing.assert_array_equal(np.stack(again.positions), np.stack(result.trajectory.positions))

    def test_a_failed_run_is_written_and_raised(self):
        self.path.write_text(self.path.read_text().split("[[keyframe]]")[0] +
                             "[solver]\nmax_newton_iterations = 1\nnewton_tolerance = 1e-14\n")
        with self.assertRaisesRegex(keydrape.SimulationError, "failed at frame 1, substep") as caught:
            keydrape.simulate(keydrape.Scene(self.path), folder=self.folder / "out")
        self.assertGreaterEqual(len(caught.exception.trajectory), 2)
        self.assertEqual(json.loads((self.folder / "out/summary.json").read_text())["status"], "failed")

    def test_reports(self):
        if reason := _keydrape.report_obstacle():
            with self.assertRaises(keydrape.InputError) as caught:
                keydrape.Report(self.folder).write()
            self.assertTrue(str(caught.exception).startswith(reason))
            self.assertIn("report=yes", str(caught.exception))
            return
        keydrape.simulate(self.scene, folder=self.folder / "one")
        self.assertEqual(keydrape.Report(self.folder / "one").write(), self.folder / "one/report.html")
        self.assertEqual(self.command("report", self.folder / "one", "-o", self.folder / "cli.html"), 0)
        self.assertEqual((self.folder / "one/report.html").read_bytes(),
                         (self.folder / "cli.html").read_bytes())
        both = keydrape.Report(self.folder / "one", self.folder / "one").write(self.folder / "two.html")
        self.assertGreater(both.stat().st_size, (self.folder / "cli.html").stat().st_size)
        with self.assertRaisesRegex(keydrape.InputError, "gone"):
            keydrape.Report(self.folder / "gone").write()
        keydrape.Report(self.folder / "one").write(both)  # a page, which may be replaced
        self.assertEqual(both.read_bytes(), (self.folder / "cli.html").read_bytes())
        results = self.folder / "one/positions.npy"
        before = results.read_bytes()
        with self.assertRaisesRegex(keydrape.InputError, "positions.npy: found a file of that name"):
            keydrape.Report(self.folder / "one").write(results)
        self.assertEqual(results.read_bytes(), before)

    def test_memory_is_called_as_in_the_scene(self):
        scene = keydrape.Scene.from_dict({**tomllib.loads(SEARCH), "solver": {"memory_gb": 1e-6}},
                                         folder=self.folder)
        with self.assertRaisesRegex(keydrape.InputError,
                                    r"\[solver\] memory_gb: found 1e-06; expected at least 0.0"):
            keydrape.solve(scene, folder=self.folder / "out")
        with self.assertRaisesRegex(keydrape.InputError, "memory_gb: found 1e-06; expected at least 0.0"):
            keydrape.solve(scene)

    def test_scratch_is_used_without_a_folder(self):
        scene = keydrape.Scene.from_dict(
            {**tomllib.loads(SEARCH), "solver": {"scratch_gb": 0.1, "scratch_dir": "scratch"}},
            folder=self.folder)
        np.testing.assert_array_equal(keydrape.solve(scene).forces, keydrape.solve(self.scene).forces)
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])  # files there have no name

    def test_steps_without_a_gradient_are_refused_without_a_folder(self):
        scene = keydrape.Scene.from_dict({**tomllib.loads(SEARCH), "solver": {"integrator": "prefactored",
                                                                           "max_edge_stretch": 0.1}},
                                         folder=self.folder)
        keydrape.simulate(scene)
        with self.assertRaisesRegex(keydrape.InputError, "max_edge_stretch.*no gradient"):
            keydrape.solve(scene)

    def test_what_cannot_be_is_refused(self):
        def refused(pattern, call, *arguments, **options):
            with self.assertRaisesRegex(keydrape.InputError, pattern):
                call(*arguments, **options)

        refused("folder: found 'x' beside BuiltTask.*expected a Scene", keydrape.solve, self.scene.open(),
                folder="x")
        refused("resume: found True without a folder", keydrape.solve, self.scene, resume=True)
        refused("along: found 'x' without a folder", keydrape.simulate, self.scene, along="x")
        keydrape.simulate(self.scene, folder=self.folder / "out")
        for call in (keydrape.simulate, keydrape.solve):  # not the scene's own place, where takes may be
            refused("folder: found ''; expected the name", call, self.scene, folder="", force=True)
        refused("along: found ''; expected", keydrape.simulate, self.scene, folder=self.folder / "x",
                along="")
        refused("holds the results of a finished run", keydrape.solve, self.scene, folder=self.folder / "out")
        refused("observer: found a value of type int; expected a function", keydrape.solve, self.scene, 5,
                folder=self.folder / "out", force=True)
        self.assertTrue((self.folder / "out/simulated.pc2").exists())
        refused("observer: found a value of type str; .*name a folder as folder=", keydrape.solve, self.scene,
                str(self.folder / "out"))
        keydrape.solve(self.scene, folder=self.folder / "out", force=True)
        self.assertFalse((self.folder / "out/simulated.pc2").exists())
        self.assertEqual(self.scene.folder, self.folder / "search_out")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
