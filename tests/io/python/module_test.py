#!/usr/bin/python3
"""The Python module: arrays, derivatives, errors, interrupts. ctest says where the module is."""

import gc
import os
import pathlib
import resource
import signal
import sys
import tempfile
import threading
import time
import tomllib
import types
import unittest

import keydrape
import numpy as np
from sheets import closed_box, hung, sheet, write_small_search


class MeshTest(unittest.TestCase):
    def test_a_mesh_of_ones_own_is_read_in_metres(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mesh.obj")
            with open(path, "w", encoding="ascii") as file:
                file.write("v 0 0 0\nv 100 0 0\nv 0 100 5\nv 100 100 0\nf 1 2 3\nf 2 4 3\n")
            vertices, triangles = keydrape.read_mesh(path, meters_per_unit=0.01)
            np.testing.assert_allclose(vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0.05], [1, 1, 0]])
            np.testing.assert_array_equal(triangles, [[0, 1, 2], [1, 3, 2]])
            self.assertEqual(len(keydrape.simulate(keydrape.Task(vertices, triangles, frames=2,
                                                                 pins=[keydrape.Pin([0])]))), 9)
            with self.assertRaisesRegex(keydrape.InputError, "gone.obj"):
                keydrape.read_mesh(os.path.join(folder, "gone.obj"))
            for unit in (0.0, -1.0, np.nan, np.inf):
                with self.assertRaisesRegex(keydrape.InputError,
                                            f"meters_per_unit: found {unit:g}; expected a finite number abo"):
                    keydrape.read_mesh(path, meters_per_unit=unit)


class ArraysTest(unittest.TestCase):
    def test_positions_are_the_librarys_memory(self):
        run = keydrape.simulate(hung())
        first, again = run.positions[3], run.positions[3]
        self.assertEqual(first.ctypes.data, again.ctypes.data)
        self.assertEqual(run.velocities[3].ctypes.data, run.velocities[3].ctypes.data)
        self.assertNotEqual(run.positions[2].ctypes.data, first.ctypes.data)
        self.assertFalse(first.flags.writeable)
        self.assertEqual(len(run), 9)

    def test_arrays_outlive_their_run(self):
        position = keydrape.simulate(hung()).positions[-1]
        kept = position.copy()
        gc.collect()
        keydrape.simulate(hung(cells=5))
        np.testing.assert_array_equal(position, kept)

    def test_any_layout_of_forces_is_read(self):
        task = hung()
        forces = np.random.default_rng(1).normal(0.0, 1e-3, (task.step_count, task.vertex_count, 3))
        plain = np.stack(keydrape.rollout(task, forces).positions)
        self.assertFalse(np.array_equal(plain, np.stack(keydrape.rollout(task).positions)))
        for other in (np.asfortranarray(forces), forces.tolist()):
            np.testing.assert_array_equal(np.stack(keydrape.rollout(task, other).positions), plain)

    def test_steps_by_themselves_make_the_run(self):
        task = hung(newton_tolerance=1e-13)
        run = keydrape.simulate(task)
        x, v = run.positions[0], run.velocities[0]
        for n in range(task.step_count):
            after = keydrape.step(task, n, x, v)
            x, v = after.x, after.v
        np.testing.assert_allclose(x, run.positions[-1], atol=1e-9)


class DerivativesTest(unittest.TestCase):
    """vjp against jvp, and jvp against Richardson's central differences of whole runs."""

    def errors(self, task, difference_size, force_size=1e-3):
        rng = np.random.default_rng(3)
        shape = (task.step_count, task.vertex_count, 3)
        forces, d_forces = rng.normal(0.0, force_size, shape), rng.normal(0.0, force_size, shape)
        channels = keydrape.rollout(task).channels
        d_channels = [rng.normal(0.0, 0.1, p.shape) * np.maximum(np.abs(p), 1e-3) for p in channels]
        dJ_dx, dJ_dv = rng.normal(size=(2, shape[0] + 1, *shape[1:]))
        run = keydrape.rollout(task, forces, channels)
        gradient = run.vjp(dJ_dx, dJ_dv)
        dx, dv = run.jvp(d_forces, d_channels)
        forward = (dJ_dx * dx).sum() + (dJ_dv * dv).sum()
        backward = (gradient.forces * d_forces).sum()
        backward += sum((g * d).sum() for g, d in zip(gradient.channels, d_channels, strict=True))

        def goal(e):
            at = keydrape.rollout(task, forces + e * d_forces,
                                  [p + e * d for p, d in zip(channels, d_channels, strict=True)])
            return (dJ_dx * np.stack(at.positions)).sum() + (dJ_dv * np.stack(at.velocities)).sum()

        def central(e):
            return (goal(e) - goal(-e)) / (2 * e)

        difference = (4 * central(difference_size / 2) - central(difference_size)) / 3
        return abs(forward / backward - 1), abs(difference / backward - 1)

    def test_forces_and_channels(self):
        task = hung(newton_tolerance=1e-14, wind=keydrape.Wind([1.0, 0.0, 0.5]), channels=[
            keydrape.Channel("material", numbers=["bend", "warp", "density"]), keydrape.Channel("throw"),
            keydrape.Channel("wind", knots_every=2), keydrape.Channel("pin", pin=0, knots_every=2),
            keydrape.Channel("stretch-scale", knots_every=2)])
        product, difference = self.errors(task, 1e-3)
        self.assertLess(product, 1e-11)
        self.assertLess(difference, 1e-7)

    def test_by_channels_of_cloth_that_starts_draped(self):
        """Other cloth comes to rest elsewhere, and starts there."""
        task = hung(newton_tolerance=1e-14, drape=True,
                    channels=[keydrape.Channel("material", numbers=["warp", "density"])])
        product, difference = self.errors(task, 1e-3)
        self.assertLess(product, 1e-10)
        self.assertLess(difference, 1e-5)
        seed = np.zeros((task.step_count + 1, task.vertex_count, 3))
        seed[-1] = np.random.default_rng(4).normal(size=seed[-1].shape)
        run = keydrape.rollout(task)
        given = keydrape.rollout(task, channels=run.channels)
        np.testing.assert_allclose(run.vjp(seed).channels[0], given.vjp(seed).channels[0], rtol=0.02)

    def test_along_the_way_of_a_search_in_windows(self):
        pose = sheet(4)[0] + [0.0, 0.0, 0.02]
        task = hung(frames=8, integrator="prefactored", windows=(5, 1), max_forward_simulations=4,
                    keyframes=[keydrape.Keyframe(frame, pose) for frame in (4, 8)])
        result = keydrape.solve(task)
        seed = np.random.default_rng(4).normal(size=(task.step_count + 1, task.vertex_count, 3))
        found = result.trajectory.vjp(seed).forces
        by_state = types.MappingProxyType(dict(enumerate(seed)))
        np.testing.assert_array_equal(found, result.trajectory.vjp(by_state).forces)
        again = keydrape.rollout(task, result.forces).vjp(seed).forces
        np.testing.assert_allclose(found, again, atol=1e-4 * np.abs(again).max())

    def test_channels_that_steps_refuse_are_refused_every_time(self):
        task = hung(integrator="prefactored", channels=[keydrape.Channel("material", numbers=["density"])])
        run = keydrape.simulate(task)
        for _ in range(2):
            with self.assertRaisesRegex(keydrape.DerivativeError, 'of kind "material" has no derivatives'):
                run.vjp()

    def test_in_a_moving_frame(self):
        path = keydrape.Path([0, 2, 4], [[0, 0, 0], [0.02, 0.01, 0], [0, 0.03, 0.02]])
        task = hung(newton_tolerance=1e-14, wind=keydrape.Wind([1.0, 0.0, 0.5]),
                    moving_frame=keydrape.MovingFrame(path, inertia=0.7, air=0.4),
                    channels=[keydrape.Channel("material", numbers=["density"]), keydrape.Channel("throw"),
                              keydrape.Channel("wind", knots_every=2)])
        product, difference = self.errors(task, 1e-3)
        self.assertLess(product, 1e-11)
        self.assertLess(difference, 1e-7)

    def test_through_contact(self):
        vertices, triangles = sheet(5, 0.3)
        flat = np.column_stack([vertices[:, 0], 0.2 * vertices[:, 2], vertices[:, 1]])
        task = keydrape.Task(flat, triangles[:, ::-1], 5, substeps=4, newton_tolerance=1e-14,
                             start_velocities=np.tile([0.0, -0.5, 0.0], (36, 1)),
                             colliders=[keydrape.Sphere([0.15, -0.108, -0.15], 0.1, friction=0.3)])
        free = keydrape.Task(flat, triangles[:, ::-1], 5, substeps=4, newton_tolerance=1e-14,
                             start_velocities=np.tile([0.0, -0.5, 0.0], (36, 1)))
        apart = np.abs(keydrape.simulate(task).positions[-1] - keydrape.simulate(free).positions[-1]).max()
        self.assertGreater(apart, 0.03)  # else nothing touches
        product, difference = self.errors(task, 3e-5, 1e-4)
        self.assertLess(product, 1e-11)
        self.assertLess(difference, 1e-6)

    def test_of_the_start_and_of_some_states(self):
        task = hung(newton_tolerance=1e-14)
        run = keydrape.simulate(task)
        rng = np.random.default_rng(5)
        seed, d_x, d_v = rng.normal(size=(3, task.vertex_count, 3))
        dx, _ = run.jvp(start_x=d_x, start_v=d_v)
        gradient = run.vjp({5: seed})
        self.assertAlmostEqual((seed * dx[5]).sum(),
                               (gradient.start_x * d_x).sum() + (gradient.start_v * d_v).sum(), delta=1e-9)
        self.assertTrue((gradient.forces[5:] == 0).all())
        np.testing.assert_allclose(run.vjp({np.int64(5): seed}).forces, gradient.forces, rtol=1e-9)

    def test_check_says_that_they_are_exact(self):
        self.assertTrue(keydrape.check(hung(frames=3)).is_exact)


class ErrorsTest(unittest.TestCase):
    def refused(self, pattern, call, *arguments, **fields):
        with self.assertRaisesRegex(keydrape.InputError, pattern) as caught:
            call(*arguments, **fields)
        self.assertIsInstance(caught.exception, ValueError)

    def test_arrays_that_do_not_fit(self):
        task, (vertices, triangles) = hung(), sheet(4)
        self.refused(r"vertices: found an array of shape \(25, 2\)",
                     keydrape.Task, vertices[:, :2], triangles, 3)
        self.refused(r"triangles\[31, 2\]: found 25; expected whole .* 0 to 24.*count from 0",
                     keydrape.Task, vertices, triangles + 1, 3)
        self.refused(r"triangles\[0, 0\]: found -1; expected", keydrape.Task, vertices, triangles - 1, 3)
        self.refused(r"vertices\[0, 0\]: found nan; expected finite numbers", keydrape.Task,
                     vertices * np.nan, triangles, 3)
        self.refused("expected numbers of shape .any, 3.*give its transpose", keydrape.Task, vertices.T,
                     triangles, 3)
        self.refused("vertices: found str", keydrape.Task, "vertices", triangles, 3)
        self.refused("has no area", keydrape.Task, vertices * 0, triangles, 3)
        self.refused("forces: found an array of shape", keydrape.rollout, task, np.zeros((1, 25, 3)))
        self.refused("forces: found an array of <U1; expected numbers", keydrape.rollout, task,
                     np.full((3, 25, 3), "1"))
        self.refused("forces: found an array of complex128; expected numbers", keydrape.rollout, task,
                     np.full((3, 25, 3), 1 + 5j))
        for text in ("1", b"1"):
            self.refused("forces: found text among objects; expected numbers", keydrape.rollout, task,
                         np.full((8, 25, 3), text, dtype=object))
        hidden = np.ma.masked_array(np.zeros((8, 25, 3)), mask=np.arange(600).reshape(8, 25, 3) == 7)
        self.refused("forces: found masked entries; expected .*; give array.filled", keydrape.rollout, task,
                     hidden)
        keydrape.rollout(task, np.ma.masked_array(hidden.data, mask=False))
        self.refused("channels: expected a list of 0", keydrape.rollout, task, None, [1.0])
        run = keydrape.simulate(task)
        for key in (99, -1, 1 << 70, "1", 1.0):
            self.refused(rf"dJ_dx: found the key {key!r}; expected", run.vjp, {key: vertices})
        mask = vertices[:, 1] > -0.01
        for vertices_of_pin in (mask, mask.tolist()):
            self.refused(r"pins\[0\].vertices: found truth values; expected vertex numbers; give numpy.flatn",
                         keydrape.Task, vertices, triangles, 3, pins=[keydrape.Pin(vertices_of_pin)])
        self.assertEqual(keydrape.Task(vertices, triangles, 3, pins=[keydrape.Pin(np.flatnonzero(mask))]
                                       ).vertex_count, 25)

    def test_parts_that_cannot_be(self):
        def task(**fields):
            return keydrape.Task(*sheet(4), 3, **fields)

        self.refused('fabric.preset: found "cottn"', task, fabric="cottn")
        self.refused("fabric.bend: found -1", task, fabric=keydrape.Fabric(bend=-1.0))
        self.refused(r"pins\[0\].vertices\[0\]: found 25", task, pins=[keydrape.Pin([25])])
        self.refused(r"pins\[0\].vertices: found 3 twice", task, pins=[keydrape.Pin([3, 3])])
        self.refused(r"pins\[0\]: found int", task, pins=[3])
        self.refused(r"keyframes\[0\].frame: found 4", task, keyframes=[keydrape.Keyframe(4, sheet(4)[0])])
        self.refused(r"colliders\[0\]: at the start \d+ vertices.*deepest by .* give another start",
                     task, colliders=[keydrape.Sphere([0, 0, 0], 0.1)])
        self.refused("expected a wind", task, channels=[keydrape.Channel("wind")])
        self.refused('method: found "newton"', task, method="newton")
        self.refused("has no keyframes", keydrape.solve, task())
        self.refused("check: the task has no keyframes with weight", keydrape.check, task())
        self.refused(r"memory_gb: found 1e-06; expected at least 0.0\d* for this task", keydrape.solve,
                     hung(memory_gb=1e-6))
        self.refused("drape: found 1; expected True or False", task, drape=1)

    def test_a_dict_is_what_a_file_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write_small_search(pathlib.Path(folder))
            text = path.read_text()
            path.write_text(text + "[wind]\nvelocity = [0, 0, 3]\n[contact]\n")
            tables = {**tomllib.loads(text), "wind": {"velocity": [0, 0, 3]}, "contact": {}}
            calm = np.stack(keydrape.simulate(keydrape.Scene.from_dict(tomllib.loads(text), folder=folder)
                                              ).positions)
            windy = np.stack(keydrape.simulate(keydrape.Scene.from_dict(tables, folder=folder)).positions)
            np.testing.assert_array_equal(windy, np.stack(keydrape.simulate(keydrape.Scene(path)).positions))
            self.assertGreater(np.abs(windy - calm).max(), 0.01)

    def test_what_the_program_refuses_to_search(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write_small_search(pathlib.Path(folder))
            tables = tomllib.loads(path.read_text())
            for keyframe in tables["keyframe"]:
                keyframe["weight"] = 0
            task = keydrape.Scene.from_dict(tables, folder=folder).open()
            self.refused("nothing to solve for", keydrape.solve, task)
            self.refused("no keyframes with weight", keydrape.check, task)
            limited = {**tomllib.loads(path.read_text()), "solver": {"integrator": "linearized"}}
            limited["cloth"]["material"] = {"strain_limit": 0.1}
            task = keydrape.Scene.from_dict(limited, folder=folder).open()
            self.refused("no exact gradient", keydrape.check, task)

    def test_scenes_have_the_programs_texts(self):
        self.refused(r"nope.toml: cannot be read", keydrape.Scene, "nope.toml")
        self.refused(r"scene: \[shot\]: unknown key framse|\[shot\] framse", keydrape.Scene.from_dict,
                     {"shot": {"framse": "1-3"}, "cloth": {"rest": __file__}})
        self.refused(r"\[cloth\] rest: found .*but there is no file", keydrape.Scene.from_dict,
                     {"shot": {"frames": "1-3"}, "cloth": {"rest": "x.obj"}})
        self.refused("shot: found object", keydrape.Scene.from_dict, {"shot": {"frames": object()}})

    def test_a_run_that_fails_is_kept(self):
        task = hung(frames=4)
        forces = np.full((task.step_count, task.vertex_count, 3), 0.0)
        forces[3:] = 1e250
        with self.assertRaisesRegex(keydrape.SimulationError, "failed at frame 1") as caught:
            keydrape.rollout(task, forces)
        self.assertGreaterEqual(len(caught.exception.trajectory), 4)
        with self.assertRaises(keydrape.DerivativeError):
            caught.exception.trajectory.vjp()


class SearchTest(unittest.TestCase):
    def long_task(self):
        return hung(cells=8, frames=24, effort=1e-9, max_forward_simulations=100000)

    def test_an_observer_hears_of_iterations_and_ends_them(self):
        heard = []

        def observer(iteration):
            heard.append(iteration.number)
            return iteration.number >= 2

        result = keydrape.solve(self.long_task(), observer)
        self.assertTrue(result.is_stopped)
        self.assertEqual(heard[:3], [0, 1, 2])
        self.assertEqual([at.number for at in result.history], heard)

    def test_what_an_observer_raises_comes_out(self):
        def observer(_):
            raise ZeroDivisionError("of the observer")

        with self.assertRaisesRegex(ZeroDivisionError, "of the observer"):
            keydrape.solve(hung(), observer)

    def test_an_observer_that_answers_something_else_is_refused(self):
        with self.assertRaisesRegex(keydrape.InputError, "observer: found an answer of type list; expected"):
            keydrape.solve(hung(), lambda iteration: [iteration])
        for answer in (0, 1, 1.5, np.float64(0.0), "", np.array([True])):
            with self.assertRaisesRegex(keydrape.InputError, f"an answer of type {type(answer).__name__};"):
                keydrape.solve(hung(), lambda iteration: answer)
        self.assertTrue(keydrape.solve(self.long_task(), lambda iteration: np.True_).is_stopped)

    def test_ctrl_c_keeps_the_best(self):
        def observer(iteration):
            if iteration.number == 1:
                threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

        with self.assertRaises(KeyboardInterrupt) as caught:
            keydrape.solve(self.long_task(), observer)
        result = caught.exception.result
        self.assertTrue(result.is_stopped)
        self.assertLess(result.misses[0], result.targets[0].uncontrolled_rms)
        np.testing.assert_array_equal(
            np.stack(result.trajectory.positions).shape, (49, 81, 3))

    def longest_silence_during(self, work):
        """For how long another thread did not come to run meanwhile, as a share of the whole."""
        runs, done = [], threading.Event()

        def run():
            while not done.is_set():
                runs.append(time.perf_counter())
                time.sleep(1e-4)

        thread = threading.Thread(target=run)
        thread.start()
        begin = time.perf_counter()
        work()
        end = time.perf_counter()
        done.set()
        thread.join()
        moments = [begin, *(at for at in runs if begin < at < end), end]
        return max(after - before for before, after in zip(moments, moments[1:])) / (end - begin)

    def test_other_threads_run_meanwhile(self):
        task = hung(cells=20, frames=8)
        self.assertLess(self.longest_silence_during(lambda: keydrape.simulate(task)), 0.5)

    def test_other_threads_run_while_bodies_are_read(self):
        body = keydrape.Body(*closed_box([-0.1, -1.1, -0.1], [0.1, -0.9, 0.1]), voxel=0.2 / 60)
        self.assertLess(self.longest_silence_during(lambda: hung(colliders=[body])), 0.5)

    def test_a_result_is_its_forces(self):
        task = hung()
        result = keydrape.solve(task)
        again = keydrape.rollout(task, result.forces)
        np.testing.assert_allclose(again.positions[-1], result.trajectory.positions[-1], atol=1e-6)

    def test_solves_do_not_grow_memory(self):
        # States of its run take 29 kB: kept of each solve they come to more than is allowed.
        task = hung(cells=10, frames=2, max_forward_simulations=4)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        solves = int(os.environ.get("KEYDRAPE_SOLVES", "50"))
        for _ in range(10):
            keydrape.solve(task).forces.sum()
        gc.collect()
        before = resident()
        for _ in range(solves):
            keydrape.solve(task).forces.sum()
        gc.collect()
        grown = resident() - before
        print(f"{solves} solves: {grown} bytes more", file=sys.stderr)
        self.assertLess(grown, 1 << 20)


if __name__ == "__main__":
    unittest.main()
