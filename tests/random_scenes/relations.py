"""What must not change a result, or only in a known way: a copy of the scene and how to read its result."""

import dataclasses
import random
import typing

import numpy as np

from scene import Direction, Frame, Frames, Keyed, Motion, Point, Pose, Vertices, mapped


@dataclasses.dataclass
class Relation:
    name: str
    scene: object
    back: typing.Callable  # positions (frames, vertices, 3) of the copy -> those that the scene should have
    is_exact: bool = False  # to the bit, else within a bound
    shuffle: int | None = None  # seed of an order of tables and keys
    options: tuple = ()
    needs_memory: bool = False  # refused with the least that will do, which it then gets
    is_interrupted: bool = False  # killed at a random moment, and resumed


def same(positions):
    return positions


def orthogonal_matrix(rng, scene, mirror):
    """A turn; of boxes, which lie along the axes, by right angles."""
    boxes = any("box" in table for name, table in scene.tables if name == "[[collider]]")
    if boxes:
        matrix = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    else:
        matrix, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    if (np.linalg.det(matrix) < 0) != mirror:
        matrix = -matrix
    return matrix


def moved(scene, rng, mirror):
    matrix = orthogonal_matrix(rng, scene, mirror)
    way = rng.uniform(-2, 2, 3)

    def places(p):
        return p @ matrix.T + way

    def change(value):
        match value:
            case Point():
                return Point(places(value.at))
            case Direction():
                return Direction(matrix @ value.along)
            case Motion():
                return Motion(places(value.places), value.file)
            case Pose():
                return Pose(places(value.places), value.file)
            case dict() if set(value) == {"min", "max"}:
                return value
        return value

    result = mapped(scene, change)
    for name, table in result.tables:
        if name == "[[collider]]" and "box" in table:
            corners = np.stack([table["box"]["min"].at, table["box"]["max"].at])
            table["box"] = {"min": Point(corners.min(axis=0)), "max": Point(corners.max(axis=0))}
    result.positions = places(scene.positions)
    if mirror:  # a triangle keeps its front
        result.triangles = scene.triangles[:, [0, 2, 1]]
    return result, lambda p: (p - way) @ matrix


def renumbered(scene, rng):
    count = len(scene.positions)
    new = rng.permutation(count)  # old -> new
    old = np.argsort(new)

    def change(value):
        match value:
            case Vertices(width=2):
                return Vertices([(int(new[a]), int(new[b])) for a, b in value.numbers], 2)
            case Vertices():
                return Vertices([int(new[v]) for v in value.numbers])
            case Pose():
                return Pose(value.places[old], value.file)
        return value

    result = mapped(scene, change)
    for name, table in result.tables:
        if name == "[[pin]]":  # a motion has its points in ascending order
            order = np.argsort(table["vertices"].numbers)
            table["vertices"] = Vertices([table["vertices"].numbers[k] for k in order])
            if "motion" in table:
                table["motion"] = Motion(table["motion"].places[:, order], table["motion"].file)
    result.positions = scene.positions[old]
    result.triangles = rng.permutation(new[scene.triangles])
    return result, lambda p: p[:, new]


def shifted(scene, by):
    def change(value):
        match value:
            case Frames():
                return Frames(value.first + by, value.last + by)
            case Frame():
                return Frame(value.number + by)
            case Keyed():
                return Keyed([(frame + by, key) for frame, key in value.keys])
        return value

    return mapped(scene, change)


def in_units(scene, meters):
    result = scene.copy()
    result.meters_per_unit = meters
    return result


def with_far_body(scene):
    result = scene.copy()
    place = scene.positions.mean(axis=0) + [900.0, 400.0, 700.0]
    result.tables.append(("[[collider]]", {"sphere": {"center": Point(place), "radius": 1.0}}))
    return result


def nudged(scene, rng, share):
    """Every vertex elsewhere by up to that share of the size: that tells how sensitive a scene is."""
    result = scene.copy()
    result.positions = scene.positions + share * scene.size() * rng.uniform(-1, 1, scene.positions.shape)
    return result


def moved_and_renumbered(scene, rng):
    there, moved_back = moved(scene, rng, False)
    result, numbered_back = renumbered(there, rng)
    return result, lambda p: moved_back(numbered_back(p))


def of_both(scene):
    """For simulations and searches alike."""
    rng = np.random.default_rng([scene.seed, 1])
    first = scene.table("[shot]")["frames"].first
    yield Relation("moved", *moved(scene, rng, False))
    yield Relation("renumbered", *renumbered(scene, rng))
    yield Relation("millimetres", in_units(scene, 0.001), same)
    yield Relation("frames shifted", shifted(scene, random.Random(scene.seed).randint(-first, 3000)), same)
    yield Relation("keys shuffled", scene, same, is_exact=True, shuffle=scene.seed)
    yield Relation("threads", scene, same, is_exact=True, options=("--threads", "2"))


def simulated(scene):
    yield from of_both(scene)
    yield Relation("mirrored", *moved(scene, np.random.default_rng([scene.seed, 5]), True))
    if scene.has("[[collider]]"):  # else it turns contact with bodies on
        yield Relation("far body", with_far_body(scene), same, is_exact=True)


def with_memory(scene, gigabytes):
    result = scene.copy()
    result.table("[solver]").update({"memory_gb": gigabytes, "scratch_gb": 1e-3})
    return result


def with_iterations(scene, count):
    result = scene.copy()
    result.table("[solver]").update({"max_newton_iterations": count})
    return result


def searched(scene):
    yield from of_both(scene)
    yield Relation("interrupted", scene, same, is_exact=True, is_interrupted=True)
    yield Relation("least memory", with_memory(scene, 1e-9), same, needs_memory=True)
