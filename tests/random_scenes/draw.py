"""Draws small scenes: meshes, fabrics, pins, bodies, air, creases, keyframes. The same for the same seed."""

import collections
import math

import numpy as np

from scene import Direction, Frame, Frames, Keyed, Motion, Point, Pose, Scene, Vertices

FABRICS = ("cotton", "silk", "denim", "wool", "jersey", "jeans", "leather", "rubber")


def sheet(rng, columns, rows):
    x, y = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, rows / columns, rows), indexing="ij")
    positions = np.stack([x, np.zeros_like(x), y], axis=-1).reshape(-1, 3)
    positions[:, [0, 2]] += rng.uniform(-0.12, 0.12, (len(positions), 2)) / columns
    triangles = []
    for i in range(columns - 1):
        for j in range(rows - 1):
            a, b, c, d = i * rows + j, (i + 1) * rows + j, i * rows + j + 1, (i + 1) * rows + j + 1
            triangles += [(a, c, b), (b, c, d)] if rng.random() < 0.5 else [(a, c, d), (a, d, b)]
    return positions, triangles


def tube(rng, around, rows):
    angle = 2 * math.pi * np.arange(around) / around
    positions = np.array([(0.3 * math.cos(a), 0.8 * j / rows, 0.3 * math.sin(a))
                          for j in range(rows) for a in angle])
    triangles = []
    for j in range(rows - 1):
        for i in range(around):
            a, b = j * around + i, j * around + (i + 1) % around
            triangles += [(a, a + around, b), (b, a + around, b + around)]
    return positions, triangles


def disk(rng, around, rings):
    positions, triangles = [(0.0, 0.0, 0.0)], []
    for k in range(1, rings + 1):
        for i in range(around):
            a = 2 * math.pi * (i + 0.5 * (k % 2)) / around
            positions.append((0.5 * k / rings * math.cos(a), 0.0, 0.5 * k / rings * math.sin(a)))
    for i in range(around):
        triangles.append((0, 1 + i, 1 + (i + 1) % around))
        for k in range(1, rings):  # a ring is half a step on from the one within
            inner, outer, back = 1 + (k - 1) * around, 1 + k * around, k % 2 == 0
            near, far = outer + (i - back) % around, outer + (i + 1 - back) % around
            triangles += [(inner + i, near, far), (inner + i, far, inner + (i + 1) % around)]
    return np.array(positions), triangles


def two_sheets(rng, columns, rows):
    first, triangles = sheet(rng, columns, rows)
    second, others = sheet(rng, columns, rows)
    second = second + [0.1, -0.25, 0.1]
    return np.concatenate([first, second]), triangles + [tuple(v + len(first) for v in t) for t in others]


def draw_mesh(rng):
    kind = rng.integers(5)
    if kind == 0:
        positions, triangles = tube(rng, int(rng.integers(5, 9)), int(rng.integers(3, 6)))
    elif kind == 1:
        positions, triangles = disk(rng, int(rng.integers(5, 9)), int(rng.integers(2, 4)))
    elif kind == 2:
        positions, triangles = two_sheets(rng, int(rng.integers(2, 5)), int(rng.integers(3, 6)))
    else:
        positions, triangles = sheet(rng, int(rng.integers(2, 7)), int(rng.integers(3, 8)))
    warp = np.array([0.0, 1.0, 0.0]) if kind == 0 else np.array([math.cos(kind), 0.0, math.sin(kind)])
    warp = warp + rng.uniform(-0.15, 0.15, 3)
    if rng.random() < 0.6:  # not flat, so that not all at the start is balanced
        bumps = rng.normal(size=(3, 3))
        positions = positions + 0.02 * np.sin(5 * positions @ bumps)
    scale = math.exp(rng.uniform(math.log(0.1), math.log(3.0)))
    return scale * positions + rng.uniform(-1, 1, 3), np.array(triangles), warp


def direction(rng):
    d = rng.normal(size=3)
    return d / np.linalg.norm(d)


def maybe_keyed(rng, frames, draw):
    if rng.random() < 0.5:
        return draw()
    middle = int(rng.integers(frames.first + 1, frames.last))
    return Keyed([(frames.first, draw()), (middle, draw()), (frames.last, draw())])


def draw_material(rng):
    table = {"preset": str(rng.choice(FABRICS))}
    if rng.random() < 0.3:
        table["density"] = float(rng.uniform(0.05, 0.8))
    if rng.random() < 0.3:
        table["stretch"] = [float(rng.uniform(50, 3000)), float(rng.uniform(50, 3000))]
    if rng.random() < 0.3:
        table["bend"] = float(10 ** rng.uniform(-6, -3))
    if rng.random() < 0.3:
        table["damping"] = float(rng.uniform(0, 0.02))
    if rng.random() < 0.2:
        table["compression"] = float(rng.uniform(0.1, 1.0))
    if rng.random() < 0.15:
        table["strain_limit"] = float(rng.uniform(0.05, 0.3))
    return table


def inner_edges(triangles):
    sides = ((int(t[a]), int(t[(a + 1) % 3])) for t in triangles for a in range(3))
    count = collections.Counter(tuple(sorted(side)) for side in sides)
    return sorted(edge for edge, triangles_beside in count.items() if triangles_beside == 2)


def draw_pins(rng, scene, frames, size):
    count = len(scene.positions)
    for _ in range(int(rng.integers(0, 3))):
        taken = {v for name, table in scene.tables if name == "[[pin]]" for v in table["vertices"].numbers}
        free = [v for v in range(count) if v not in taken]
        some = rng.choice(free, size=min(len(free), int(rng.integers(1, 5))), replace=False)
        numbers = sorted(int(v) for v in some)
        table = {"vertices": Vertices(numbers)}
        kind = rng.integers(5)
        if kind == 0:
            table["stiffness"] = maybe_keyed(rng, frames, lambda: float(rng.uniform(5, 500)))
            table["damping"] = float(rng.uniform(0, 0.05))
        elif kind == 1:
            table[str(rng.choice(["axis", "normal"]))] = Direction(direction(rng))
        if rng.random() < 0.4:
            share = np.linspace(0, 1, frames.last - frames.first + 1)[:, None, None]
            way = share * direction(rng) * size * 0.15
            table["motion"] = Motion(scene.positions[numbers][None] + way, f"pin{len(scene.tables)}.npy")
        scene.tables.append(("[[pin]]", table))


def draw_bodies(rng, scene, frames, size):
    low = scene.positions.min(axis=0)
    middle = scene.positions.mean(axis=0)
    for _ in range(int(rng.choice([0, 0, 1, 1, 2]))):
        below = np.array([middle[0], low[1], middle[2]])
        below += size * rng.uniform([-0.2, -0.45, -0.2], [0.2, -0.25, 0.2])
        kind = rng.integers(4)
        if kind == 0:
            table = {"sphere": {"center": Point(below), "radius": float(rng.uniform(0.05, 0.2) * size)}}
        elif kind == 1:
            table = {"plane": {"point": Point(below), "normal": Direction(direction(rng) * 0.2 + [0, 1, 0])}}
        elif kind == 2:
            way = direction(rng) * 0.2 * size
            table = {"capsule": {"start": Point(below - way), "end": Point(below + way),
                                 "radius": float(0.04 * size)}}
        else:
            table = {"box": {"min": Point(below - 0.15 * size),
                             "max": Point(below + 0.15 * size * rng.uniform(0.3, 0.9, 3))}}
        if rng.random() < 0.4:
            table["translate"] = Keyed([(frames.first, Direction(np.zeros(3))),
                                        (frames.last, Direction(direction(rng) * size * 0.1))])
        if rng.random() < 0.4:
            table["friction"] = float(rng.uniform(0, 0.8))
        scene.tables.append(("[[collider]]", table))


def draw(seed):
    """Scene number `seed`."""
    rng = np.random.default_rng(seed)
    positions, triangles, warp = draw_mesh(rng)
    frames = Frames(int(rng.integers(1, 1200)), 0)
    frames.last = frames.first + int(rng.integers(3, 8))
    gravity = Direction(np.array([0, -9.81, 0]) if rng.random() < 0.7 else rng.normal(size=3) * 6)
    shot = {"frames": frames, "fps": 24, "substeps": int(rng.integers(1, 6)), "gravity": gravity}
    cloth = {"warp": Direction(warp)}
    if rng.random() < 0.3:
        cloth["bending"] = "hinge"
    tables = [("[shot]", shot), ("[cloth]", cloth), ("[cloth.material]", draw_material(rng))]
    scene = Scene(positions, triangles, tables, seed=seed)
    size = scene.size()
    if rng.random() < 0.5:
        velocity = maybe_keyed(rng, frames, lambda: Direction(rng.normal(size=3) * 3))
        scene.tables.append(("[wind]", {"velocity": velocity, "lift": float(rng.uniform(0, 1))}))
    draw_pins(rng, scene, frames, size)
    draw_bodies(rng, scene, frames, size)
    edges = inner_edges(triangles)
    if rng.random() < 0.2:
        pair = tuple(int(v) for v in rng.choice(len(positions), 2, replace=False))
        scene.tables.append(("[[spring]]", {"pairs": Vertices([pair], 2),
                                            "stiffness": float(rng.uniform(1, 200)),
                                            "rest": str(rng.choice(["mesh", "zero"]))}))
    if rng.random() < 0.2 and edges:
        some = rng.choice(len(edges), size=min(3, len(edges)), replace=False)
        angle = maybe_keyed(rng, frames, lambda: float(rng.uniform(-90, 90)))
        scene.tables.append(("[[crease]]", {"edges": Vertices([edges[k] for k in some], 2), "angle": angle}))
    if rng.random() < 0.2:
        scene.tables.append(("[moving_frame]", {
            "translate": Keyed([(frames.first, Direction(np.zeros(3))),
                                (frames.last, Direction(rng.normal(size=3) * size))]),
            "inertia": maybe_keyed(rng, frames, lambda: float(rng.uniform(0, 1)))}))
    bodies = scene.has("[[collider]]")
    contact = {"self": bool(rng.random() < 0.5)}
    if rng.random() < 0.4 and (bodies or contact["self"]):
        contact["friction"] = float(rng.uniform(0, 0.6))
        if not contact["self"] and all("friction" in body for body in scene.all("[[collider]]")):
            del contact["friction"]  # nothing would feel it
    if bodies or contact["self"]:
        contact["thickness"] = float(0.004 * size)
    scene.tables.append(("[contact]", contact))
    integrator = str(rng.choice(["newton", "newton", "bdf2", "linearized"]))
    solver = {"integrator": integrator, "newton_tolerance": 1e-10}
    may_block = bodies or contact["self"] or "strain_limit" in scene.table("[cloth.material]")
    if integrator == "linearized" and not may_block:
        del solver["newton_tolerance"]
    scene.tables.append(("[solver]", solver))
    return scene


def draw_search(seed):
    """Scene number `seed` to be searched, and the same in another wind: the pose is where that one ends."""
    rng = np.random.default_rng([seed, 3])
    scene = draw(seed)
    if scene.table("[solver]")["integrator"] == "linearized":
        scene.table("[solver]").update({"integrator": "newton", "newton_tolerance": 1e-10})
    hidden = scene.copy()
    hidden.tables = [(name, table) for name, table in hidden.tables if name != "[wind]"]
    hidden.tables.append(("[wind]", {"velocity": Direction(rng.normal(size=3) * 4)}))
    return scene, hidden


def with_keyframe(scene, places):
    """The scene with that pose in its last frame."""
    result = scene.copy()
    last = scene.table("[shot]")["frames"].last
    result.tables.append(("[[keyframe]]", {"frame": Frame(last), "mesh": Pose(places, "pose.obj"),
                                           "tolerance": 0.01 * scene.size()}))
    return result
