"""Whatever can be set of a cloth stands in a panel: a key without a place is one that no artist has."""

import ast
import os
import unittest

import addon

# Kept by the add-on itself.
OWN = {"is_cloth", "assumed"}


def tree_of(name):
    with open(os.path.join(addon.ADDON, name), encoding="utf-8") as file:
        return ast.parse(file.read())


class DrawnTest(unittest.TestCase):
    def test_every_property_of_a_cloth_is_drawn(self):
        settings = next(node for node in tree_of("properties.py").body
                        if isinstance(node, ast.ClassDef) and node.name == "ClothSettings")
        properties = {line.target.id for line in settings.body if isinstance(line, ast.AnnAssign)}
        self.assertGreater(len(properties), 40)
        named = {node.value for node in ast.walk(tree_of("panel.py")) if isinstance(node, ast.Constant)}
        self.assertEqual(properties - named - OWN, set())


if __name__ == "__main__":
    unittest.main()
