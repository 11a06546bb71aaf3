"""Runs with or without a folder of their files, and reports of such folders."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable

from . import _keydrape
from .scene import Scene

_Path = str | os.PathLike[str]


def _scene_for(task: _keydrape.BuiltTask | Scene, folder: _Path) -> _keydrape.Scene:
    if isinstance(task, Scene):
        return task._scene
    raise _keydrape.InputError(
        f"folder: found {os.fspath(folder)!r} beside {type(task).__name__}; a run's folder holds its scene "
        "as well; expected a Scene, as Scene(path) and Scene.from_dict make it, and not what open() returns")


def _refuse_unnamed(**folders: _Path | None) -> None:
    for name, path in folders.items():
        if path is not None and not os.fspath(path):
            raise _keydrape.InputError(
                f"{name}: found ''; expected the name of a folder; leave it out for none")


def _opened(task: _keydrape.BuiltTask | Scene, **options: object) -> _keydrape.BuiltTask:
    for name, value in options.items():
        if value:
            raise _keydrape.InputError(f"{name}: found {value!r} without a folder; expected one beside it")
    return task.open() if isinstance(task, Scene) else task


def simulate(
    task: _keydrape.BuiltTask | Scene,
    *,
    folder: _Path | None = None,
    resume: bool = False,
    force: bool = False,
    along: _Path | None = None,
) -> _keydrape.Trajectory:
    """The cloth without control.

    `folder`: a Scene's run leaves there what `keydrape simulate` does, and the same bits. `resume` goes on
    with the steps that an interrupted run left there; `force` removes what another run left (messages call
    it --force). `along`: the folder of a take to repeat. Ctrl-C: KeyboardInterrupt; with a folder what there
    is until then is written, and is the exception's `trajectory`. Raises InputError, OutputError,
    SimulationError.
    """
    _refuse_unnamed(folder=folder, along=along)
    if folder is None:
        return _keydrape.simulate(_opened(task, resume=resume, force=force, along=along))
    return _keydrape.simulate_scene(_scene_for(task, folder), folder, resume, force, along or "")


def solve(
    task: _keydrape.BuiltTask | Scene,
    observer: Callable[[_keydrape.Iteration], bool | None] | None = None,
    *,
    folder: _Path | None = None,
    resume: bool = False,
    force: bool = False,
    report: bool = True,
) -> _keydrape.Result:
    """Looks for the smallest forces that meet the task's keyframes.

    `observer` is called with every Iteration; where it answers True the search ends with the best so far.
    Ctrl-C does, too: KeyboardInterrupt is raised then, and its `result` is the best so far. Of a search in
    windows there is none until all are found: `folder` and `resume` go on with those that are.
    `folder`: a Scene's search leaves there what `keydrape solve` does, and the same bits: caches, forces,
    summary.json, a checkpoint, keydrape.log, and report.html unless `report` is False. `resume` goes on from
    the folder's checkpoint; `force` removes what another run left. Raises InputError, OutputError,
    SimulationError.
    """
    _refuse_unnamed(folder=folder)
    if folder is None:
        return _keydrape.solve(_opened(task, resume=resume, force=force), observer)
    return _keydrape.solve_scene(_scene_for(task, folder), folder, observer, resume, force, report)


class Report:
    """A page to play and judge runs, as `keydrape report` writes it."""

    def __init__(self, *folders: _Path) -> None:
        """Of one folder, or of several to compare; of a folder of takes, all in it."""
        self.folders = [pathlib.Path(folder) for folder in folders]

    def write(self, path: _Path | None = None) -> pathlib.Path:
        """Writes the page, and returns its path. None: report.html in the folder, or, of several, here.

        A page that is there is replaced, and no other file.

        Raises InputError: a folder holds no run; another file has the page's name; the module was built
        without the page. OutputError.
        """
        if path is None:
            path = self.folders[0] / "report.html" if len(self.folders) == 1 else "report.html"
        _keydrape.write_report(self.folders, path)
        return pathlib.Path(path)
