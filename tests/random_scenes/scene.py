"""A scene as values that can be moved, mirrored, renumbered and shifted in time, and its files."""

import copy
import dataclasses

import numpy as np


@dataclasses.dataclass
class Point:
    """A place [m]."""

    at: np.ndarray


@dataclasses.dataclass
class Direction:
    """A direction, a velocity, an acceleration or a way [any unit]."""

    along: np.ndarray


@dataclasses.dataclass
class Keyed:
    """A value in time: (frame, value)."""

    keys: list


@dataclasses.dataclass
class Frames:
    first: int
    last: int


@dataclasses.dataclass
class Frame:
    number: int


@dataclasses.dataclass
class Vertices:
    """Vertex numbers; pairs of them where `width` is 2."""

    numbers: list
    width: int = 1


@dataclasses.dataclass
class Motion:
    """Places of vertices in every frame [m], shape (frames, vertices, 3); a file of its own."""

    places: np.ndarray
    file: str


@dataclasses.dataclass
class Pose:
    """Places of every vertex [m], shape (vertices, 3); a file of its own."""

    places: np.ndarray
    file: str


@dataclasses.dataclass
class Scene:
    positions: np.ndarray  # (vertices, 3) [m]
    triangles: np.ndarray
    tables: list  # (name, {key: value}); a name that begins with [[ stands as often as there are such tables
    meters_per_unit: float = 1.0
    seed: int = 0

    def copy(self):
        return copy.deepcopy(self)

    def table(self, name):
        return next((table for other, table in self.tables if other == name), None)

    def all(self, name):
        return [table for other, table in self.tables if other == name]

    def has(self, name):
        return self.table(name) is not None

    def size(self):
        return float(np.linalg.norm(np.ptp(self.positions, axis=0)))


def map_values(value, change):
    """The value with `change` applied to every typed value within."""
    if isinstance(value, Keyed):
        return change(Keyed([(frame, map_values(key, change)) for frame, key in value.keys]))
    if isinstance(value, dict):
        return {key: map_values(inner, change) for key, inner in value.items()}
    return change(value)


def mapped(scene, change):
    result = scene.copy()
    result.tables = [(name, map_values(table, change)) for name, table in result.tables]
    return result


def number(value):
    return repr(float(value))


def vector(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def toml(value):
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() | np.floating():
            return number(value)
        case str():
            return f'"{value}"'
        case Point():
            return vector(value.at)
        case Direction():
            return vector(value.along)
        case Keyed():
            return "[" + ", ".join(f"[{frame}, {toml(key)}]" for frame, key in value.keys) + "]"
        case Frames():
            return f'"{value.first}-{value.last}"'
        case Frame():
            return str(value.number)
        case Vertices() if value.width == 2:
            return "[" + ", ".join(f"[{a}, {b}]" for a, b in value.numbers) + "]"
        case Vertices():
            return "[" + ", ".join(map(str, value.numbers)) + "]"
        case Motion() | Pose():
            return f'"{value.file}"'
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(toml(inner) for inner in value) + "]"
    raise TypeError(f"no TOML for {value!r}")


def write_obj(path, positions, triangles):
    lines = ["v {!r} {!r} {!r}".format(*map(float, p)) for p in positions]
    lines += ["f {} {} {}".format(*(int(v) + 1 for v in t)) for t in triangles]
    path.write_text("\n".join(lines) + "\n")


def files_within(value):
    if isinstance(value, (Motion, Pose)):
        yield value
    elif isinstance(value, Keyed):
        for _, key in value.keys:
            yield from files_within(key)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from files_within(inner)


def write(scene, folder, rng=None):
    """Writes shot.toml and its files; with rng, tables and keys in an order of its choice."""
    folder.mkdir(parents=True, exist_ok=True)
    unit = scene.meters_per_unit
    write_obj(folder / "rest.obj", scene.positions / unit, scene.triangles)
    for _, table in scene.tables:
        for file in files_within(table):
            if isinstance(file, Motion):
                np.save(folder / file.file, file.places)  # .npy is in metres
            else:
                write_obj(folder / file.file, file.places / unit, scene.triangles)
    tables = list(scene.tables)
    if rng is not None:  # tables of one name keep their order: it has a meaning
        names = [name for name, _ in tables]
        order = list(dict.fromkeys(names))
        rng.shuffle(order)
        tables = [(name, table) for wanted in order for name, table in tables if name == wanted]
    lines = []
    for name, table in tables:
        lines.append(name)
        keys = list(table.items())
        if name == "[shot]" and unit != 1.0:
            keys.append(("meters_per_unit", unit))
        if name == "[cloth]":
            keys.insert(0, ("rest", "rest.obj"))
        if rng is not None:
            rng.shuffle(keys)
        lines += [f"{key} = {toml(value)}" for key, value in keys]
    (folder / "shot.toml").write_text("\n".join(lines) + "\n")
