"""Writes scenes in which cloth meets itself as much as it can: DIR/shot.toml with its meshes and motions.

  scenes.py SCENE DIR --vertices N [--seed S] [--frames F]

wrung   a sheet of 1 m wrung by its ends, two turns
pile    five sheets dropped on a ball, 5 cm apart (N vertices each)
spun    a sheet on a ball and the floor; the ball turns at 180 degrees/s from t = 1 s (Li et al. 2021, C-IPC)

Rest positions are jittered by 1e-4 m with the seed. Needs no packages.
"""
import argparse
import math
import pathlib
import random
import struct

MATERIAL = """
[cloth.material]
preset = "cotton"
stretch = [1000, 1000]
shear = 100
damping = 0.01
thickness = 0.001
"""


def square(cells, side, height, rng, first=0):
    """Vertices and triangles (from 1) of a square in the plane y = height, its diagonals alternating."""
    n = cells + 1
    jitter = lambda: rng.uniform(-1e-4, 1e-4)
    vertices = [(side * (i / cells - 0.5) + jitter(), height + jitter(), side * (j / cells - 0.5) + jitter())
                for j in range(n) for i in range(n)]
    triangles = []
    for j in range(cells):
        for i in range(cells):
            a = first + j * n + i + 1
            b, c, d = a + 1, a + n, a + n + 1
            triangles += [(a, c, b), (b, c, d)] if (i + j) % 2 else [(a, c, d), (a, d, b)]
    return vertices, triangles


def write_obj(path, vertices, triangles):
    with open(path, "w") as out:
        out.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices)
        out.writelines(f"f {a} {b} {c}\n" for a, b, c in triangles)


def write_npy(path, frames):
    """frames[f][k] = (x, y, z), as float64."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(frames)}, {len(frames[0])}, 3), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for frame in frames:
            for p in frame:
                out.write(struct.pack("<3d", *p))


def shot(frames, substeps):
    return (f'[shot]\nframes = "1-{frames}"\nfps = 24\nsubsteps = {substeps}\n\n'
            f'[cloth]\nrest = "cloth.obj"\n{MATERIAL}\n')


def wrung(folder, cells, frames, rng):
    vertices, triangles = square(cells, 1.0, 0.0, rng)
    write_obj(folder / "cloth.obj", vertices, triangles)
    ends = [k for k in range(len(vertices)) if k % (cells + 1) in (0, cells)]
    motion = []
    for f in range(frames):
        s = f / (frames - 1)
        angle, closer = 2 * math.pi * s, 1 - 0.25 * s  # each end one turn, against the other
        positions = []
        for k in ends:
            x, y, z = vertices[k]
            sense = math.copysign(1.0, x)
            c, si = math.cos(angle), sense * math.sin(angle)
            positions.append((x * closer, y * c - z * si, y * si + z * c))
        motion.append(positions)
    write_npy(folder / "ends.npy", motion)
    return shot(frames, 4) + f"""[[pin]]
vertices = {ends}
motion = "ends.npy"

[contact]
friction = 0
"""


def pile(folder, cells, frames, rng):
    vertices, triangles = [], []
    for k in range(5):
        v, t = square(cells, 1.0, 0.56 + 0.05 * k, rng, len(vertices))
        vertices += v
        triangles += t
    write_obj(folder / "cloth.obj", vertices, triangles)
    return shot(frames, 4) + """[contact]
friction = 0.1

[[collider]]
sphere = { center = [0, 0, 0], radius = 0.5 }
point_spacing = 0.02
"""


def spun(folder, cells, frames, rng):
    vertices, triangles = square(cells, 1.2, 0.68, rng)
    write_obj(folder / "cloth.obj", vertices, triangles)
    keys = [[f, [0, 7.5 * max(0, f - 25), 0]] for f in (1, 25, max(26, frames))]
    return shot(frames, 4) + f"""[contact]
friction = 0.4

[[collider]]
sphere = {{ center = [0, 0.36, 0], radius = 0.3 }}
rotate = {keys}
point_spacing = 0.02

[[collider]]
plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
point_spacing = 0.02
"""


def main():
    scenes = {"wrung": wrung, "pile": pile, "spun": spun}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=scenes)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--vertices", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--frames", type=int, default=48)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cells = max(2, round(math.sqrt(arguments.vertices)) - 1)
    text = scenes[arguments.scene](arguments.folder, cells, arguments.frames, random.Random(arguments.seed))
    (arguments.folder / "shot.toml").write_text(text)


if __name__ == "__main__":
    main()
