"""The moving cloth that the readers are tested on, as a formula, and files of it that no code of
ours has written."""

import array
import math
import struct

SIDE, FRAMES, FIRST_FRAME, FPS = 100, 24, 1001, 24.0
SHOWN = (FIRST_FRAME, FIRST_FRAME + FRAMES // 2, FIRST_FRAME + FRAMES - 1)  # frames that are read back


def positions(frame):
    """[x0, y0, z0, x1, ...] of SIDE * SIDE vertices: a sheet of 1 m by 1.5 m that swings and ripples."""
    t = (frame - FIRST_FRAME) / FPS
    xyz = []
    for i in range(SIDE):
        for j in range(SIDE):
            u, v = j / (SIDE - 1), i / (SIDE - 1)
            angle = 0.9 * math.sin(2.0 * t) * v
            ripple = 0.05 * math.sin(9.0 * u + 5.0 * t) * v
            xyz += [u - 0.37 + 0.1 * t, 2.0 - 1.5 * v * math.cos(angle), 1.5 * v * math.sin(angle) + ripple]
    return xyz


def triangles():
    list_of_triangles = []
    for i in range(SIDE - 1):
        for j in range(SIDE - 1):
            a = i * SIDE + j
            list_of_triangles += [(a, a + SIDE, a + 1), (a + 1, a + SIDE, a + SIDE + 1)]
    return list_of_triangles


def size(xyz):
    """Diagonal of the bounding box."""
    return math.dist([min(xyz[a::3]) for a in range(3)], [max(xyz[a::3]) for a in range(3)])


def write_obj(path):
    """The first frame, with one texture coordinate a vertex."""
    xyz = positions(FIRST_FRAME)
    with open(path, "w") as file:
        for i in range(0, len(xyz), 3):
            file.write("v %r %r %r\n" % tuple(xyz[i:i + 3]))
        for i in range(SIDE):
            for j in range(SIDE):
                file.write("vt %r %r\n" % (j / (SIDE - 1), 1 - i / (SIDE - 1)))
        for t in triangles():
            file.write("f %d/%d %d/%d %d/%d\n" % tuple(v + 1 for v in t for _ in range(2)))


def write_npy(path, frames):
    """float64 (frames, n, 3), as numpy.save writes it."""
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, 3), }"
              % (len(frames), len(frames[0]) // 3))
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for xyz in frames:
            array.array("d", xyz).tofile(file)


def read_npy(path):
    """The frames of a float64 file with a header of version 1."""
    with open(path, "rb") as file:
        data = file.read()
    size_of_header = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size_of_header].decode(), {})
    assert header["descr"] == "<f8" and not header["fortran_order"], header
    values = array.array("d", data[10 + size_of_header:])
    count = math.prod(header["shape"][1:])
    return [list(values[f * count:(f + 1) * count]) for f in range(header["shape"][0])]
