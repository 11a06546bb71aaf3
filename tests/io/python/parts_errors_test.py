#!/usr/bin/python3
"""Parts of a task of arrays that cannot be: errors name the part, and the index."""

import os
import re
import unittest

import keydrape
import numpy as np
from sheets import closed_box, flat_sheet, hung, sheet


class ErrorsTest(unittest.TestCase):
    def refused(self, pattern, **fields):
        with self.assertRaisesRegex(keydrape.InputError, pattern):
            hung(**fields)

    def test_creases(self):
        self.refused(r"creases\[0\].edges\[0\]: found 0 and 12", creases=[keydrape.Crease([[0, 12]], 1.0)])
        self.refused(r"creases\[0\].angle: found 3.5", creases=[keydrape.Crease([[2, 7]], 3.5)])
        self.refused("creases: found .+, which has no effect; expected it only with a fabric whose bend is",
                     fabric=keydrape.Fabric(bend=0.0), creases=[keydrape.Crease([[2, 7]], 1.0)])
        hung(fabric=keydrape.Fabric(bend=1e-30), creases=[keydrape.Crease([[2, 7]], 1.0)])

    def test_motions(self):
        corners, triangles = closed_box([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
        turn = np.stack([np.eye(3), np.diag([-1.0, -1.0, 1.0])])

        def body(**fields):
            return {"colliders": [keydrape.Body(**{"vertices": corners, "triangles": triangles, **fields})]}

        self.refused(r"colliders\[0\].path.frames\[1\]: found 2 after 2; expected frames that ascend",
                     **body(path=keydrape.Path([2, 2], np.zeros((2, 3)))))
        self.refused(r"path.translations: found an array of shape \(1, 3\); expected .* \(2, 3\)",
                     **body(path=keydrape.Path([0, 2], np.zeros((1, 3)))))
        self.refused(r"path.rotations\[1\]: found a turn of 180 degrees .* give a key in between",
                     **body(path=keydrape.Path([0, 2], np.zeros((2, 3)), turn)))
        self.refused(r"path.rotations\[0\]: found a matrix that is no rotation",
                     **body(path=keydrape.Path([0], np.zeros((1, 3)), [2 * np.eye(3)])))
        self.refused("path: found a path beside vertices of 5 frames",
                     **body(vertices=np.stack([corners] * 5), path=keydrape.Path([0], np.zeros((1, 3)))))
        self.refused(r"colliders\[0\].vertices\[1, 3, 2\]: found inf",
                     **body(vertices=np.where(np.arange(120).reshape(5, 8, 3) == 35, np.inf, corners)))
        self.refused(r"colliders\[0\].triangles\[0, 0\]: found 8; .* count from 0",
                     **body(triangles=[[8, 1, 2]]))
        self.refused(r"colliders\[0\]: .*open or thin is a Surface", **body(triangles=triangles[1:]))

    def test_other_parts(self):
        self.refused(r"wind.velocity: found an array of shape \(2, 2\)", wind=keydrape.Wind(np.zeros((2, 2))))
        self.refused(r"springs\[0\].pairs\[1, 1\]: found 25",
                     springs=[keydrape.Spring([[0, 1], [2, 25]], 1.0)])
        self.refused(r"springs\[0\].pairs\[1\]: found 2 twice",
                     springs=[keydrape.Spring([[0, 1], [2, 2]], 1.0)])
        self.refused(r"rest_length: found -1 of spring 1",
                     springs=[keydrape.Spring([[0, 1], [1, 2]], 1.0, [0.0, -1.0])])
        self.refused(r"springs\[0\].rest_length: found str; expected numbers",
                     springs=[keydrape.Spring([[0, 1]], 1.0, "x")])
        self.refused(r"strength\[2\]: found 0; expected numbers from", strength=[1.0, 1.0, 0.0, 1.0, 1.0])
        self.refused('integrator: found "bdf3"; expected one of "bdf2", "descent", "explicit", "newton", '
                     '"predictor", "prefactored"', integrator="bdf3")
        self.refused('model: found "net"; expected one of "sheet", "springs"', model="net")
        self.refused(r"windows: found \(2, 2\); expected .*an overlap of 1", windows=(2, 2))
        self.refused(r"windows: found \(3000000000, 12\); expected .*1,000,000 at most", windows=(3e9, 12))
        self.refused("windows: not together with knots_every", windows=(3, 1), knots_every=2)
        self.refused(r"keyframes\[0\].weights\[3\]: found -1",
                     keyframes=[keydrape.Keyframe(4, sheet(4)[0], weights=1.0 - 2.0 * (np.arange(25) == 3))])
        for key, value in (("velocities", np.ones((25, 3))), ("velocity_tolerance", 0.1)):
            self.refused(rf"keyframes\[0\].{key}: has no effect with a velocity_weight of 0; expected",
                         keyframes=[keydrape.Keyframe(4, sheet(4)[0], **{key: value})])
        self.refused(r"keyframes\[0\].tolerance_max: found 0.01; expected 0.02, as tolerance is, or more",
                     keyframes=[keydrape.Keyframe(4, sheet(4)[0], tolerance=0.02, tolerance_max=0.01)])
        self.refused(r"keyframes\[0\].until: found 9", keyframes=[keydrape.Keyframe(3, sheet(4)[0], until=9)])
        self.refused("compression: found 2; expected .*1 at most", fabric=keydrape.Fabric(compression=2.0))
        self.refused('compression: found "soft"; expected "buckling"',
                     fabric=keydrape.Fabric(compression="soft"))
        self.refused("fold_length: found 0.02, which has no effect", 
                     fabric=keydrape.Fabric(compression=0.5, fold_length=0.02))
        self.refused("bend: found 1e-31.*; expected 0, or a number from 1e-30 to 1e30",
                     fabric=keydrape.Fabric(bend=1e-31))
        self.refused("fold_length: found 0.02 with a bend of 0",
                     fabric=keydrape.Fabric(bend=0.0, fold_length=0.02))
        self.refused('contact.method: found "penalty" with self_contact = True',
                     contact=keydrape.Contact(method="penalty"))
        self.refused('contact.method: found "impulses"; expected one of "barrier", "penalty"',
                     contact=keydrape.Contact(method="impulses"))
        self.refused("start: .*no area", start=np.zeros((25, 3)))

    def test_what_is_no_number(self):
        self.refused("pressure: found None among objects; expected", pressure=[None] * 4 + [1.0])
        self.refused("strength: found None; expected", strength=None)
        self.refused(r"springs\[0\].rest_length: found None among objects; expected numbers",
                     springs=[keydrape.Spring([[0, 1]], 1.0, [None])])
        for name in ("substeps", "fps", "effort"):
            self.refused(f"{name}: found True; expected", **{name: True})

        class Broken:
            def __array__(self, *_, **__):
                raise RuntimeError("not on the host")

        with self.assertRaisesRegex(keydrape.InputError, r"found Broken \(RuntimeError: not on the host\)"):
            keydrape.Task(Broken(), [[0, 1, 2]], 2)
        with self.assertRaisesRegex(keydrape.InputError, "vertices: found none; expected"):
            keydrape.Task(np.zeros((0, 3)), [[0, 1, 2]], 2)

    def test_names_that_are_no_text(self):
        for call in (keydrape.read_mesh, keydrape.Scene):
            with self.assertRaises(keydrape.InputError) as caught:
                call(os.fsdecode(b"gone\xff.obj"))
            self.assertIn(r"gone\xff.obj", str(caught.exception))

    def test_what_would_have_no_effect(self):
        material = keydrape.Channel("material", numbers=["bend"])
        alone = {"forces": False, "channels": [material]}
        hung(**alone)
        for key, value in (("pushed", [3, 7]), ("strength", 0.5), ("strength", np.linspace(0.5, 1.0, 5)),
                           ("hold", "step"), ("modes", 2), ("knots_every", 2), ("max_acceleration", 1.0),
                           ("even", False), ("smooth_time", 1.0), ("smooth_space", 1.0), ("begin", "zero")):
            hung(channels=[material], **{key: value})
            self.refused(rf"{key}: found .+, which has no effect; expected it only without forces=False",
                         **alone, **{key: value})
        self.refused("pushed: found list, which has no effect", **alone, pushed=list(range(25)))
        hung(effort=1e-5)
        self.refused('even: found False, which has no effect; expected it only with effort = "auto"',
                     effort=1e-5, even=False)
        path = keydrape.Path([0, 4], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]])
        hung(moving_frame=keydrape.MovingFrame(path))
        for air in (0.5, np.linspace(1.0, 0.5, 5)):
            frame = keydrape.MovingFrame(path, air=air)
            hung(moving_frame=frame, wind=keydrape.Wind([1.0, 0.0, 0.0]))
            self.refused("moving_frame.air: found .+, which has no effect; expected it only with a wind",
                         moving_frame=frame)
        in_time = 'with kind = "wind", "pin" or "stretch-scale"'
        for kind, key, value, condition in (
                ("throw", "pin", 0, 'with kind = "pin"'), ("material", "pin", 0, 'with kind = "pin"'),
                ("wind", "numbers", ["bend"], 'with kind = "material"'),
                ("throw", "knots_every", 2, in_time), ("vertex-throw", "knots_every", 2, in_time),
                ("material", "knots_every", 2, in_time)):
            self.refused(rf"channels\[0\].{key}: found .+, which has no effect; expected it only {condition}",
                         channels=[keydrape.Channel(kind, **{key: value})])
        self.refused(r"channels\[0\].numbers: density cannot be looked for together with max_acceleration",
                     max_acceleration=1.0,
                     channels=[keydrape.Channel("material", numbers=["bend", "density"])])

    def test_numbers_that_no_shot_can_mean(self):
        vertices, triangles = sheet(4)
        for key, value in (("strain_limit", 1e300), ("fold_length", 1.1e30), ("density", np.inf),
                           ("thickness", np.nan)):
            self.refused(rf"fabric.{key}: found .+; expected a number from 1e-30 to 1e30",
                         fabric=keydrape.Fabric(**{key: value}))
        self.refused(r"contact.activation: found 1e\+300; expected a number from 1e-30 to 1e30",
                     contact=keydrape.Contact(activation=1e300))
        hung(fabric=keydrape.Fabric(strain_limit=1e30, fold_length=1e30))
        self.refused("fabric.stretch: found 1e-310; expected numbers from 1e-30 to 1e",
                     fabric=keydrape.Fabric(stretch=[1.0, 1e-310]))
        hung(fabric=keydrape.Fabric(stretch=[1e-30, 1e-30]))
        with self.assertRaisesRegex(keydrape.InputError, r"vertices\[1, 0\]: found 1.*e\+99; expected"):
            keydrape.Task(vertices * 1e100, triangles, 2)
        self.refused(r"keyframes\[0\].positions\[0, 0\]: found -1.1e\+30; expected numbers from -1e\+30 to",
                     keyframes=[keydrape.Keyframe(4, np.full((25, 3), -1.1e30))])

    def test_explicit_steps_have_no_tolerance(self):
        for integrator in ("newton", "bdf2", "prefactored", "predictor", "descent"):
            hung(integrator=integrator, newton_tolerance=1e-6)
        hung(integrator="explicit", newton_tolerance=1e-8)
        self.refused("newton_tolerance: found 1e-06, which has no effect; expected it only with an "
                     'integrator other than "explicit"', integrator="explicit", newton_tolerance=1e-6)

    def test_springs_know_no_shear_nor_compression(self):
        hung(model="springs", fabric=keydrape.Fabric(stretch=[50.0, 90.0], bend=1e-5, damping=0.01))
        for key, value in (("shear", 5.0), ("compression", "buckling"), ("compression", 0.5),
                           ("fold_length", 0.02)):
            fabric = keydrape.Fabric(**{key: value})
            hung(fabric=fabric)
            self.refused(
                rf'fabric.{key}: found .+, which has no effect; expected it only with model = "sheet"',
                model="springs", fabric=fabric)

    def test_contact_that_touches_nothing(self):
        far = [keydrape.Sphere([0.0, 0.0, -5.0], 0.1)]
        self.refused("contact.friction: found 0.5, which has no effect; expected it only with self_contact",
                     contact=keydrape.Contact(self_contact=False, friction=0.5), colliders=far)
        rough = [keydrape.Sphere([0.0, 0.0, -5.0], 0.1, friction=0.5)]
        for key, value in (("thickness", 2e-3), ("activation", 2e-3), ("stiffness", 1.0),
                           ("sliding_speed", 1e-3)):
            contact = keydrape.Contact(self_contact=False, **{key: value})
            hung(contact=contact, colliders=rough)
            self.refused(rf"contact.{key}: found .+, which has no effect; expected it only with colliders",
                         contact=contact)

    def test_nothing_slides_without_friction(self):
        speed = {"sliding_speed": 1e-3}
        corners, triangles = closed_box([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
        alone = keydrape.Contact(self_contact=False, **speed)
        frictionless = "contact.sliding_speed: found 0.001, .*; expected it only with a friction above 0"
        self.refused(frictionless, contact=keydrape.Contact(**speed))
        for friction in (0.0, np.zeros(5)):
            self.refused(frictionless, contact=alone, colliders=[
                keydrape.Plane([0.0, -5.0, 0.0], [0.0, 1.0, 0.0], friction=friction)])
        hung(contact=keydrape.Contact(friction=0.5, **speed))
        hung(contact=alone, colliders=[
            keydrape.Surface(corners, triangles, friction=[0.0, 0.0, 0.0, 0.0, 0.1])])

    def test_channels(self):
        for numbers in (5, None, "bend"):
            self.refused(rf"channels\[0\].numbers: found {numbers!r}; expected a list of names",
                         channels=[keydrape.Channel("material", numbers=numbers)])
        self.refused(r"channels\[0\].numbers: found 5, which has no effect",
                     channels=[keydrape.Channel("throw", numbers=5)])
        kinds = {"throw": 6, "vertex-throw": 75}
        task = hung(channels=[keydrape.Channel(kind) for kind in kinds])
        self.assertEqual(task.channel_sizes, list(kinds.items()))
        with self.assertRaisesRegex(keydrape.InputError, r"channels\[1\]: .* of kind vertex-throw has"):
            keydrape.rollout(task, channels=[np.zeros(6), np.zeros(6)])

    def test_one_a_frame_is_one_for_each(self):
        """hung() has 4 frames, and so 5 values, from frame 0 on."""
        corners, triangles = closed_box([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
        for count in (1, 4, 6):
            parts = {
                "gravity": {"gravity": np.zeros((count, 3))},
                "pressure": {"pressure": np.zeros(count)},
                "strength": {"strength": np.ones(count)},
                "wind.velocity": {"wind": keydrape.Wind(np.zeros((count, 3)))},
                r"colliders\[0\].vertices": {
                    "colliders": [keydrape.Body(np.stack([corners] * count), triangles)]},
                r"colliders\[0\].friction": {
                    "colliders": [keydrape.Body(corners, triangles, friction=np.zeros(count))]},
            }
            for name, fields in parts.items():
                self.refused(rf"{name}: found an array of shape \({count},.*\(5,.*0 and the last", **fields)

    def test_pins_that_disagree(self):
        vertices, triangles = sheet(4)
        still, path = vertices[[0]], vertices[[0]] + np.outer(np.arange(5), [0.0, 0.0, 0.01])[:, None, :]

        def task(*pins):
            return keydrape.Task(vertices, triangles, 4, pins=pins)

        first = keydrape.Pin([4, 0])
        with self.assertRaisesRegex(keydrape.InputError,
                                    r"pins\[2\]: found vertex 0 at frame 1 at another place than pins\[1\]"):
            task(keydrape.Pin([3], stiffness=1.0), first, keydrape.Pin([0], path))
        task(first, keydrape.Pin([0], still))
        task(first, keydrape.Pin([0], path, stiffness=10.0))

    def test_pins_that_hold_nothing(self):
        vertices, triangles = sheet(4)
        keydrape.Task(vertices, triangles, 2, pins=[keydrape.Pin([0], stiffness=[0.0, 0.0, 1.0])])
        with self.assertRaisesRegex(keydrape.InputError, r"pins\[0\].stiffness: found zeros alone; expected"):
            keydrape.Task(vertices, triangles, 2, pins=[keydrape.Pin([0], stiffness=np.zeros(3))])

    def test_starts(self):
        vertices, triangles = flat_sheet()
        corners, faces = closed_box([0.05, -0.1, -0.25], [0.25, 0.1, -0.05])
        with self.assertRaisesRegex(keydrape.InputError, r"colliders\[0\]: .*goes through this surface"):
            keydrape.Task(vertices, triangles, 2, colliders=[keydrape.Surface(corners, faces)])
        folded = vertices.copy()
        folded[vertices[:, 0] > 0.15, 0] = 0.3 - vertices[vertices[:, 0] > 0.15, 0]
        with self.assertRaisesRegex(keydrape.InputError, "contact.self_contact: at the start"):
            keydrape.Task(vertices, triangles, 2, start=folded, contact=keydrape.Contact())
        with self.assertRaisesRegex(keydrape.InputError, "drape: found True, but .* does not come to rest"):
            keydrape.Task(vertices, triangles, 2, drape=True)


class RunsTest(unittest.TestCase):
    def test_there_is_no_run_of_nothing(self):
        vertices, _ = sheet(4)
        for call, arguments in ((keydrape.solve, ()), (keydrape.simulate, ()), (keydrape.rollout, ()),
                                (keydrape.check, ()), (keydrape.step, (0, vertices, vertices))):
            with self.assertRaises(TypeError):
                call(None, *arguments)

    def failure(self, run, *arguments):
        with self.assertRaises(keydrape.SimulationError) as caught:
            run(*arguments)
        self.assertNotIn("residual", str(caught.exception))
        return caught.exception

    def test_explicit_steps_that_are_too_long(self):
        task = hung(integrator="explicit")
        too_long = "explicit integrator bears; expected at least ([0-9]+) substeps$"
        failure = self.failure(keydrape.simulate, task)
        self.assertRegex(str(failure), too_long)
        enough = int(re.search(too_long, str(failure))[1])
        self.assertAlmostEqual(failure.trajectory.residuals[-1], 0.9 * enough / task.substeps, delta=0.5)
        self.assertRegex(str(self.failure(keydrape.step, task, 0, task.rest, 0 * task.rest)), too_long)
        task = hung(integrator="explicit", frames=1, substeps=enough)
        keydrape.step(task, 0, task.rest, 0 * task.rest)

    def test_pins_that_block_the_way(self):
        vertices, triangles = sheet(4)
        apart = vertices[[0, 4]] + np.arange(3)[:, None, None] * [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]
        task = keydrape.Task(vertices, triangles, 2, substeps=1, pins=[keydrape.Pin([0, 4], apart)],
                             fabric=keydrape.Fabric(strain_limit=0.05))
        failure = self.failure(keydrape.simulate, task)
        self.assertRegex(str(failure), "no free way was found, in [0-9]+ places?; try more substeps, slower")
        self.assertEqual(failure.trajectory.residuals, [np.inf])


if __name__ == "__main__":
    unittest.main()
