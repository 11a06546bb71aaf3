"""Modules of the add-on that know nothing of Blender, by themselves."""

import importlib.util
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
ADDON = os.path.join(ROOT, "io", "blender", "keydrape")


def load(name):
    spec = importlib.util.spec_from_file_location("keydrape_" + name, os.path.join(ADDON, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
