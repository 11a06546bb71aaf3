"""Modules of the add-on without Blender."""

import importlib
import importlib.util
import os
import sys
import types
from unittest import mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
ADDON = os.path.join(ROOT, "io", "blender", "keydrape")
STOOD_IN = ("bpy", "bpy.app", "bpy.app.handlers", "bpy.props", "numpy")


def load(name):
    """One that knows nothing of Blender, nor of its neighbours."""
    spec = importlib.util.spec_from_file_location("keydrape_" + name, os.path.join(ADDON, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_among_neighbours(name):
    """One that imports others, Blender or numpy, with stand-ins for the latter two, which have what its
    test gives them."""
    if "keydrape" not in sys.modules:
        stand_ins = {each: mock.MagicMock() for each in STOOD_IN}
        stand_ins["numpy"].float32 = float
        stand_ins["bpy"].types = types.SimpleNamespace(AddonPreferences=object, Operator=object)
        package = types.ModuleType("keydrape")
        package.__path__ = [ADDON]
        sys.modules.update(stand_ins, keydrape=package)
    return importlib.import_module("keydrape." + name)
