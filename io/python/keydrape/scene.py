"""Scenes, from files or from dicts."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

from . import _keydrape


def _toml_value(value: Any, where: str) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)  # "inf" and "nan" as TOML has them
    if isinstance(value, str):
        return '"' + "".join(_escaped(c) for c in value) + '"'
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{_toml_value(str(k), where)} = {_toml_value(v, where)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml_value(v, where) for v in value) + "]"
    raise _keydrape.InputError(f"{where}: found {type(value).__name__}; expected numbers, texts, "
                               "True or False, lists and dicts of them")


def _escaped(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    return c if " " <= c != "\x7f" else f"\\u{ord(c):04x}"


class Scene:
    """A scene as the program reads it: `Scene("flag.toml")`, or `Scene.from_dict({...}, folder=...)`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads a scene file. Raises InputError with the program's own text."""
        self._scene = _keydrape.Scene(path)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".",
                  name: str = "scene") -> Scene:
        """A scene whose tables and keys are those of a scene file: {"shot": {"frames": "1001-1024"}, ...}.

        Files that it names are looked for in `folder`. Raises InputError, which says table and key.
        """
        text = "".join(f"{_toml_value(str(key), name)} = {_toml_value(value, f'{name}: {key}')}\n"
                       for key, value in tables.items())
        scene = cls.__new__(cls)
        scene._scene = _keydrape.Scene.from_text(text, os.path.join(folder, name))
        return scene

    @property
    def name(self) -> str:
        return self._scene.name

    @property
    def folder(self) -> pathlib.Path:
        """Where the program puts this scene's results, [output] dir."""
        return self._scene.folder

    def open(self) -> _keydrape.BuiltTask:
        """Reads the scene's meshes and caches, and builds the cloth. Raises InputError."""
        return self._scene.open()
