"""What panels hide has no effect, and the program refuses it: it is not written."""

import types
import unittest
from unittest import mock

import addon


class KeysTest(unittest.TestCase):
    def setUp(self):
        self.control, self.shot = (addon.load_among_neighbours(name) for name in ("control", "shot"))
        self.settings = types.SimpleNamespace(
            effort=0.0, runs=3, max_acceleration=2.5, use_forces=True, forces="", edit_take=False,
            part="WHOLE", self_contact=True, thickness=0.25, bodies=[], channels=[], drag=1.0,
            cloth_model="sheet", fabric="denim", density=0.5, stretch=(2000.0, 1000.0), shear=50.0, bend=0.5,
            damping=0.5, strain_limit=0.25, compression="stretch")

    def written(self):
        """A shot with these settings, as far as keys need one."""
        shot = object.__new__(self.shot.Shot)
        shot.settings, shot.frames = self.settings, [1001, 1002]
        return shot

    def given(self, keys):
        return {name: value for name, value in keys.items() if value is not None}

    def test_forces_have_a_limit_where_there_are_some(self):
        keys = self.given(self.control.control_keys(self.written()))
        self.assertEqual(keys, {"effort": "auto", "max_forward_simulations": 3, "max_acceleration": 2.5})
        self.settings.use_forces, self.settings.forces = False, "painted"
        keys = self.given(self.control.control_keys(self.written()))
        self.assertEqual(keys, {"effort": "auto", "max_forward_simulations": 3, "forces": False})

    def test_a_gap_is_kept_to_something(self):
        body, no_body = types.SimpleNamespace(body="floor"), types.SimpleNamespace(body=None)
        for itself, bodies, has_gap in ((True, [], True), (False, [no_body, body], True),
                                        (False, [no_body], False), (False, [], False)):
            self.settings.self_contact, self.settings.bodies = itself, bodies
            expected = {"self": itself, "thickness": 0.25} if has_gap else {"self": itself}
            self.assertEqual(self.given(self.written().contact_keys()), expected)
            self.assertEqual(self.shot.touches(self.settings), has_gap)

    def test_springs_have_numbers_of_their_own_alone(self):
        sheet = self.given(self.written().fabric_keys())
        self.settings.cloth_model = "springs"
        springs = self.given(self.written().fabric_keys())
        self.assertEqual(springs, {name: value for name, value in sheet.items()
                                   if name not in ("shear", "compression", "strain_limit")})
        self.assertEqual(len(springs), len(sheet) - 3)

    def test_strain_is_of_the_fabric_that_runs_have(self):
        self.settings.cloth_model = "springs"
        shot, files = self.written(), self.shot.files
        shot.scene, shot.folder, shot.cloth = mock.Mock(), "", mock.Mock()
        for name in ("sample", "shot_keys", "write_rest"):
            setattr(shot, name, mock.Mock())
        with mock.patch.object(files, "write_toml") as write:
            shot.write_alone()
        tables = dict(write.call_args.args[1])
        self.assertEqual(tables["[cloth.material]"], shot.fabric_keys())

    def test_air_that_nothing_feels_has_no_table(self):
        def titles(drag, blows, channels):
            self.settings.drag = drag
            self.settings.channels = [types.SimpleNamespace(kind=kind) for kind in channels]
            velocity = mock.MagicMock()
            velocity.any.return_value = blows
            return [title for title, _ in self.written().wind_tables(velocity)]
        with mock.patch.object(self.shot.sampling, "is_still", return_value=True):
            self.assertEqual(titles(0.0, False, ["pin"]), [])
            for drag, blows, channels in ((1.0, False, []), (0.0, True, []), (0.0, False, ["pin", "wind"])):
                self.assertEqual(titles(drag, blows, channels), ["[wind]"])


if __name__ == "__main__":
    unittest.main()
