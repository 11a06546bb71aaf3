#!/usr/bin/python3
"""Parts of a task of arrays: they are what the scene file calls so."""

import pathlib
import tempfile
import unittest

import keydrape
import numpy as np
from sheets import closed_box, crossed_sheet, flat_sheet, hung, sheet, write_obj

FRAMES = 6


def last(task):
    return keydrape.simulate(task).positions[-1]


class AsInScenesTest(unittest.TestCase):
    def scene_positions(self, **tables):
        """Of a scene of sheet(4) with these tables, which `hung` has as a task."""
        with tempfile.TemporaryDirectory() as folder:
            write_obj(pathlib.Path(folder) / "rest.obj", *sheet(4))
            scene = keydrape.Scene.from_dict(
                {"shot": {"frames": f"0-{FRAMES}", "substeps": 2}, "cloth": {"rest": "rest.obj"},
                 "pin": [{"vertices": [0, 4]}], **tables}, folder=folder)
            return np.stack(keydrape.simulate(scene).positions)

    def assert_as_in_scene(self, fields, tables, **tolerance):
        mine = np.stack(keydrape.simulate(hung(frames=FRAMES, keyframes=[], **fields)).positions)
        np.testing.assert_allclose(mine, self.scene_positions(**tables), rtol=0, **tolerance)
        without = np.stack(keydrape.simulate(hung(frames=FRAMES, keyframes=[])).positions)
        self.assertGreater(np.abs(mine[-1] - without[-1]).max(), 1e-4)  # else nothing was tested

    def test_wind_in_time(self):
        velocity = np.outer(np.minimum(np.arange(FRAMES + 1), 3), [0.0, 0.0, 2.0])
        self.assert_as_in_scene({"wind": keydrape.Wind(velocity, lift=0.5)},
                                {"wind": {"velocity": [[0, [0, 0, 0]], [3, [0, 0, 6]]], "lift": 0.5}},
                                atol=1e-12)

    def test_pressure(self):
        self.assert_as_in_scene({"pressure": np.linspace(0.0, 30.0, FRAMES + 1)},
                                {"cloth": {"rest": "rest.obj", "pressure": [[0, 0], [FRAMES, 30]]}},
                                atol=1e-12)

    def test_moving_frame(self):
        path = keydrape.Path(np.arange(FRAMES + 1), np.outer(np.arange(FRAMES + 1), [0.0, 0.0, 0.05]))
        share = np.linspace(1.0, 0.0, FRAMES + 1)
        frame = keydrape.MovingFrame(path, inertia=share, air=0.5)
        self.assert_as_in_scene(
            {"moving_frame": frame, "wind": keydrape.Wind([0, 0, 1])},
            {"moving_frame": {"translate": [[0, [0, 0, 0]], [FRAMES, [0, 0, 0.05 * FRAMES]]],
                              "inertia": [[0, 1], [FRAMES, 0]], "air": 0.5}, "wind": {"velocity": [0, 0, 1]}},
            atol=1e-12)

    def test_creases(self):
        edges = [[2, 7], [7, 12]]
        angle = np.radians(np.linspace(0.0, 120.0, FRAMES + 1))
        self.assert_as_in_scene(
            {"creases": [keydrape.Crease(edges, angle, stiffness=5.0)]},
            {"crease": [{"edges": edges, "angle": [[0, 0], [FRAMES, 120]], "stiffness": 5}]}, atol=1e-12)

    def test_springs(self):
        self.assert_as_in_scene(
            {"springs": [keydrape.Spring([[20, 24], [0, 24]], 40.0, 0.0, damping=0.01)]},
            {"spring": [{"pairs": [[20, 24], [0, 24]], "stiffness": 40.0, "rest": "zero", "damping": 0.01}]},
            atol=0)
        self.assert_as_in_scene({"springs": [keydrape.Spring([[0, 24]], 40.0)]},
                                {"spring": [{"pairs": [[0, 24]], "stiffness": 40.0}]}, atol=0)

    def test_compression(self):
        fabric = {"wind": keydrape.Wind([0.0, 0.0, 4.0])}
        wind = {"wind": {"velocity": [0, 0, 4]}}
        for keys in ({"compression": "buckling"}, {"compression": "buckling", "fold_length": 0.02},
                     {"compression": 0.05}):
            self.assert_as_in_scene({**fabric, "fabric": keydrape.Fabric(**keys)},
                                    {**wind, "cloth": {"rest": "rest.obj", "material": keys}}, atol=1e-12)

    def test_rounds_and_stages(self):
        self.assert_as_in_scene({"integrator": "prefactored", "rounds": 4},
                                {"solver": {"integrator": "prefactored", "rounds": 4}}, atol=0)
        remembering = {"integrator": "prefactored", "rounds": 4, "rounds_memory": 3}
        self.assert_as_in_scene(remembering, {"solver": remembering}, atol=0)
        with self.assertRaisesRegex(keydrape.InputError, "rounds_memory: found a number, which has no"):
            hung(frames=FRAMES, keyframes=[], rounds_memory=3)
        self.assert_as_in_scene({"integrator": "descent"}, {"solver": {"integrator": "descent"}}, atol=0)
        self.assert_as_in_scene({"integrator": "predictor"}, {"solver": {"integrator": "predictor"}}, atol=0)
        with self.assertRaisesRegex(keydrape.InputError, "rounds: found a number, which has no effect"):
            hung(frames=FRAMES, keyframes=[], rounds=3)
        with self.assertRaisesRegex(keydrape.SimulationError, "explicit integrator bears"):
            keydrape.simulate(hung(frames=FRAMES, keyframes=[], integrator="explicit", scheme="rk4"))

    def test_every_scheme(self):
        soft = {"stretch": [1.0, 1.0], "shear": 0.1, "damping": 0.0}
        shot = {"frames": f"0-{FRAMES}", "substeps": 400}
        ends = []
        for scheme in ("symplectic", "verlet", "midpoint", "rk4", "euler"):
            steps = {"integrator": "explicit", "scheme": scheme}
            self.assert_as_in_scene({"fabric": keydrape.Fabric(**soft), "substeps": 400, **steps},
                                    {"shot": shot, "solver": steps,
                                     "cloth": {"rest": "rest.obj", "material": soft}}, atol=0)
            ends.append(last(hung(frames=FRAMES, keyframes=[], fabric=keydrape.Fabric(**soft), substeps=400,
                                  **steps)))
        for a, b in zip(ends, ends[1:]):
            self.assertGreater(np.abs(a - b).max(), 1e-9)
        with self.assertRaisesRegex(keydrape.InputError, 'scheme: found "rk4", which has no effect'):
            hung(frames=FRAMES, keyframes=[], scheme="rk4")

    def test_cloth_of_springs(self):
        for steps in ({"integrator": "newton"}, {"integrator": "prefactored", "rounds": 4}):
            self.assert_as_in_scene({"model": "springs", **steps},
                                    {"cloth": {"rest": "rest.obj", "model": "springs"}, "solver": steps},
                                    atol=0)
        as_sheet, as_springs = (last(hung(frames=FRAMES, keyframes=[], model=model))
                                for model in ("sheet", "springs"))
        self.assertGreater(np.abs(as_sheet - as_springs).max(), 1e-6)
        with self.assertRaisesRegex(keydrape.InputError, "springs knows no strain limit"):
            hung(model="springs", fabric=keydrape.Fabric(strain_limit=0.1))
        with self.assertRaisesRegex(keydrape.InputError, "not differentiated by channels of its fabric"):
            hung(model="springs", channels=[keydrape.Channel("material", numbers=["bend"])])

    def test_bdf2(self):
        self.assert_as_in_scene({"integrator": "bdf2"}, {"solver": {"integrator": "bdf2"}}, atol=0)

    def test_gravity_in_time(self):
        gravity = np.tile([0.0, -9.81, 0.0], (FRAMES + 1, 1))
        gravity[3:] = [3.0, 0.0, 0.0]
        self.assert_as_in_scene(
            {"gravity": gravity},
            {"shot": {"frames": f"0-{FRAMES}", "substeps": 2,
                      "gravity": [[0, [0, -9.81, 0]], [2, [0, -9.81, 0]], [3, [3, 0, 0]]]}},
            atol=1e-12)

    def test_a_sphere_on_a_path(self):
        frames = np.arange(FRAMES + 1)
        path = keydrape.Path(frames, np.outer(frames, [0.0, 0.0, 0.02]))
        self.assert_as_in_scene(
            {"colliders": [keydrape.Sphere([0.2, -0.2, -0.07], 0.05, path=path)]},
            {"collider": [{"sphere": {"center": [0.2, -0.2, -0.07], "radius": 0.05},
                           "translate": [[0, [0, 0, 0]], [FRAMES, [0, 0, 0.02 * FRAMES]]]}]},
            atol=1e-9)

    def test_a_draped_start(self):
        self.assert_as_in_scene({"drape": True}, {"cloth": {"rest": "rest.obj", "initial": "drape"}}, atol=0)
        run = keydrape.simulate(hung(frames=FRAMES, keyframes=[], drape=np.True_))
        self.assertLess(np.abs(run.positions[-1] - run.positions[0]).max(), 1e-4)


class MotionTest(unittest.TestCase):
    def lifted(self, body, **fields):
        vertices, triangles = flat_sheet()
        return last(keydrape.Task(vertices, triangles, FRAMES, substeps=2, colliders=[body], **fields))

    def test_meshes_move_by_a_path_or_by_their_vertices(self):
        corners, triangles = closed_box([0.05, -0.1, -0.25], [0.25, -0.01, -0.05])
        frames = np.arange(FRAMES + 1)
        way = np.outer(frames, [0.0, 0.01, 0.0])
        path = keydrape.Path(frames, way)
        at_frames = corners + way[:, None, :]
        resting = self.lifted(keydrape.Body(corners, triangles, 0.02))
        rigid = self.lifted(keydrape.Body(corners, triangles, 0.02, path=path))
        deforming = self.lifted(keydrape.Body(at_frames, triangles, 0.02))
        # An open mesh: only the lid.
        lid = triangles[[6, 7]]
        self.assertLess(np.abs(corners[lid][..., 1] + 0.01).max(), 1e-12)
        surface = self.lifted(keydrape.Surface(corners, lid, path=path))
        box = self.lifted(keydrape.Box([0.05, -0.1, -0.25], [0.25, -0.01, -0.05], path=path))

        def height(x):  # of the vertices over the middle of the lid
            return x.reshape(7, 7, 3)[2:5, 2:5, 1]

        self.assertLess(height(resting).max(), 0.0)
        for lifted in (rigid, deforming, surface, box):  # 6 cm, and what the grid stands out
            np.testing.assert_allclose(height(lifted), 0.054, atol=4e-3)
        np.testing.assert_allclose(self.lifted(keydrape.Surface(at_frames, lid)), surface, atol=1e-6)

    def test_a_path_turns(self):
        angles = np.deg2rad(np.arange(FRAMES + 1) * 6.0)
        zero, one = np.zeros_like(angles), np.ones_like(angles)
        about_y = np.stack([np.cos(angles), zero, np.sin(angles), zero, one, zero,
                            -np.sin(angles), zero, np.cos(angles)], axis=1).reshape(-1, 3, 3)
        middle = np.array([0.15, -0.06, -0.15])
        path = keydrape.Path(np.arange(FRAMES + 1), middle - about_y @ middle, about_y)
        box = keydrape.Box(middle - 0.05, middle + 0.05, friction=0.5, path=path)
        turned = self.lifted(box, start_velocities=np.tile([0.0, -0.4, 0.0], (49, 1)))
        resting = self.lifted(keydrape.Box(middle - 0.05, middle + 0.05, friction=0.5),
                              start_velocities=np.tile([0.0, -0.4, 0.0], (49, 1)))
        arm = turned - middle
        moved = turned - resting
        # The way it turns.
        self.assertGreater((arm[:, 2] * moved[:, 0] - arm[:, 0] * moved[:, 2]).sum(), 1e-3)


class SpringTest(unittest.TestCase):
    def test_force_of_a_spring(self):
        """In a short step v = dt k (l - L) / m along the spring, but for the cloth's, of order dt^3."""
        vertices, triangles = sheet(4)
        k, dt, shortened = 50.0, 1e-6, 0.02
        length = np.linalg.norm(vertices[24] - vertices[0])
        task = keydrape.Task(vertices, triangles, 1, fps=1 / dt, substeps=1, gravity=[0, 0, 0],
                             fabric=keydrape.Fabric(damping=0.0), newton_tolerance=1e-12,
                             springs=[keydrape.Spring([[0, 24]], k, length - shortened)])
        v = keydrape.simulate(task).velocities[1]
        along = (vertices[24] - vertices[0]) / length
        np.testing.assert_allclose(v[0], along * dt * k * shortened / task.masses[0], rtol=1e-4)
        np.testing.assert_allclose((task.masses[:, None] * v).sum(axis=0), 0.0, atol=1e-12)


class StepTest(unittest.TestCase):
    def test_steps_of_bdf2_by_themselves_make_the_run(self):
        task = hung(newton_tolerance=1e-13, integrator="bdf2")
        run = keydrape.simulate(task)
        x, v, before = run.positions[0], run.velocities[0], None
        for n in range(task.step_count):
            after = keydrape.step(task, n, x, v, before=before)
            before, (x, v) = (x, v), (after.x, after.v)
        np.testing.assert_allclose(x, run.positions[-1], atol=1e-9)
        np.testing.assert_allclose(v, run.velocities[-1], atol=1e-7)
        with self.assertRaisesRegex(keydrape.InputError, "before: found None; expected .* of state 2"):
            keydrape.step(task, 3, x, v)
        with self.assertRaisesRegex(keydrape.InputError, "before: expected positions and velocities"):
            keydrape.step(task, 3, x, v, before=x)

    def test_steps_know_what_crosses_from_the_start(self):
        rest, triangles, start = crossed_sheet()
        with tempfile.TemporaryDirectory() as folder:
            write_obj(pathlib.Path(folder) / "rest.obj", rest, triangles)
            write_obj(pathlib.Path(folder) / "start.obj", start, triangles)
            task = keydrape.Scene.from_dict(
                {"shot": {"frames": "1-9", "substeps": 4}, "pin": [{"vertices": [0, 1, 2, 3, 4, 5]}],
                 "cloth": {"rest": "rest.obj", "initial": "start.obj"},
                 "contact": {"start_crossings": "exempt"}}, folder=folder).open()
        self.assertIn("goes through itself", "".join(task.warnings))
        run, crossings = keydrape.simulate(task), None
        for n in range(task.step_count):
            after = keydrape.step(task, n, run.positions[n], run.velocities[n], crossings=crossings)
            np.testing.assert_allclose(after.x, run.positions[n + 1], atol=1e-7)
            crossings = after.crossings
        x, v = run.positions[3], run.velocities[3]
        after = keydrape.step(task, 3, x, v, crossings=run.crossings[3])
        np.testing.assert_allclose(after.x, run.positions[4], atol=1e-7)
        with self.assertRaisesRegex(keydrape.InputError, "crossings: found None; expected those of state 3"):
            keydrape.step(task, 3, x, v)
        other = hung()
        of_other = keydrape.step(other, 0, other.rest, 0 * other.rest).crossings
        with self.assertRaisesRegex(keydrape.InputError, "crossings: found those of another task"):
            keydrape.step(task, 3, x, v, crossings=of_other)

    def test_derivatives_of_bdf2(self):
        task = hung(newton_tolerance=1e-14, integrator="bdf2")
        run, rng = keydrape.simulate(task), np.random.default_rng(2)
        d = rng.normal(0.0, 1e-3, (task.step_count, task.vertex_count, 3))
        seed = rng.normal(size=(task.step_count + 1, task.vertex_count, 3))
        dx, _ = run.jvp(d)
        self.assertAlmostEqual((seed * dx).sum() / (run.vjp(seed).forces * d).sum(), 1.0, delta=1e-11)


class SearchTest(unittest.TestCase):
    def test_strength_in_time(self):
        weak_first = np.where(np.arange(9) < 4, 0.01, 1.0)
        sizes = []
        for strength in (1.0, weak_first):
            task = hung(frames=8, effort=1e-4, strength=strength, begin="zero")
            forces = np.linalg.norm(keydrape.solve(task).forces.reshape(8, -1), axis=1)
            sizes.append(forces[:3].max() / forces[4:].max())
        self.assertLess(sizes[1], 0.05 * sizes[0])

    def test_windows(self):
        pose = sheet(4)[0] + [0.0, 0.0, 0.02]
        keyframes = [keydrape.Keyframe(4, pose, weights=np.arange(25) > 4),
                     keydrape.Keyframe(8, pose, weights=np.arange(25) > 4)]
        whole = hung(frames=8, keyframes=keyframes)
        task = hung(frames=8, keyframes=keyframes, windows=(5, 1))
        result, at_once = keydrape.solve(task), keydrape.solve(whole)
        self.assertTrue(all(miss < 0.5 * target.uncontrolled_rms
                            for miss, target in zip(result.misses, result.targets, strict=True)))
        self.assertFalse(np.array_equal(result.forces, at_once.forces))

    def test_max_acceleration_beside_channels(self):
        largest = []
        for limit in (None, 0.01):
            task = hung(max_acceleration=limit, channels=[
                keydrape.Channel("throw"), keydrape.Channel("material", numbers=["bend", "warp"])])
            forces = np.linalg.norm(keydrape.solve(task).forces, axis=2)
            largest.append((forces / task.masses).max() / 9.80665)  # [g]
        self.assertGreater(largest[0], 0.01)
        self.assertLessEqual(largest[1], 0.01)

    def test_a_keyframe_within_frames(self):
        run = keydrape.simulate(hung(frames=6, keyframes=[]))
        pose = run.positions[2 * 4]  # where the cloth is at frame 4 by itself
        task = hung(frames=6, keyframes=[keydrape.Keyframe(3, pose, until=6)])
        result = keydrape.solve(task)
        self.assertEqual(result.targets[0].state, 2 * 4)
        self.assertLess(result.misses[0], 1e-6)


if __name__ == "__main__":
    unittest.main()
