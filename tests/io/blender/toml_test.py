"""Tables of a scene file that somebody has written by hand, taken over with some of their values changed."""

import os
import tempfile
import unittest

import addon

TEXT = """# a scene
[shot]  # frames = [
frames = "1001-1010"
meters_per_unit = 0.01

[ "cloth" ]
rest = "r.obj"
pressure = [[1001, 0],  # not yet ]
[1005, 3],
  [1008, 5]
]
initial = [
  "a",
  "b" ]
note = '''
[cloth.material]
it's ["''''
"model" = "sheet"  # ['
text = \"""
[shot] \\\"""
[
"" ]\"""\"

[[pin]]
vertices = [
0, 1]

  [cloth.material]
preset = "silk[#"
[wind]
velocity = [1, 0, 0]"""

KEPT = """[shot]  # frames = [
meters_per_unit = 1.0
frames = "1001-1010"

[ "cloth" ]
rest = "/x.obj"
pressure = [[1001, 0],  # not yet ]
[1005, 3],
  [1008, 5]
]
note = '''
[cloth.material]
it's ["''''
"model" = "sheet"  # ['
text = \"""
[shot] \\\"""
[
"" ]\"""\"

  [cloth.material]
preset = "silk[#"
"""


class TomlTest(unittest.TestCase):
    def test_tables_keep_values_over_several_lines(self):
        files = addon.load_among_neighbours("files")
        self.assertEqual(files.changed_toml(TEXT, {
            "[shot]": {"meters_per_unit": 1.0}, "[cloth]": {"rest": "/x.obj", "initial": None},
            "[cloth.material]": {}}), KEPT)

    def test_a_title_may_be_the_end(self):
        files = addon.load_among_neighbours("files")
        self.assertEqual(files.changed_toml("[shot]", {"[shot]": {"fps": 24}}), "[shot]\nfps = 24\n")

    def test_strain_is_of_the_fabric_that_was_measured(self):
        reach = addon.load_among_neighbours("reach")
        material = "[cloth.material]\npreset = \"wool\"\n[cloth.material.kes]\nemt = [\n4.5,\n5.5]\n"
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "shot"))
            with open(os.path.join(folder, "shot", "scene.toml"), "w") as file:
                file.write(material + "[wind]\nvelocity = [1, 0, 0]\n")
            with open(reach.write_recorded(folder, folder)) as file:
                self.assertEqual(file.read(), material)


if __name__ == "__main__":
    unittest.main()
