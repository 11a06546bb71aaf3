"""The sheet, its runs by the program, and what is read from their folders."""

import json
import math
import re
import struct
import subprocess
import time

FPS, SUBSTEPS, GRAVITY, DENSITY = 24, 4, 9.81, 0.104
BALL = ((0.5, -0.35, 0.5), 0.22)
# Vertices along a side, and frames, of the sheet on which gradients are tested: hung, without damping, longer
# runs amplify rounding until differences say nothing; dropped, shorter ones touch nothing.
SMALL, FEW_HUNG, FEW_DROPPED = 8, 5, 8


def sheet(side):
    vertices = [(i / (side - 1), 0.01 * math.sin(9 * i / side + 4 * j / side), j / (side - 1))
                for i in range(side) for j in range(side)]
    triangles = []
    for i in range(side - 1):
        for j in range(side - 1):
            a = i * side + j
            b, c, d = a + side, a + 1, a + side + 1
            triangles += [(a, c, b), (b, c, d)] if (i + j) % 2 else [(a, c, d), (a, d, b)]
    return vertices, triangles


def masses_and_edges(vertices, triangles):
    masses, edges = [0.0] * len(vertices), {}
    for t in triangles:
        u, v = ([q - p for p, q in zip(vertices[t[0]], vertices[t[k]])] for k in (1, 2))
        normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        for k in range(3):
            masses[t[k]] += DENSITY * math.hypot(*normal) / 6
            edge = tuple(sorted((t[k], t[(k + 1) % 3])))
            edges[edge] = math.dist(vertices[edge[0]], vertices[edge[1]])
    return masses, list(edges.items())


def write_sheet(path, side):
    vertices, triangles = sheet(side)
    points = "".join("v {!r} {!r} {!r}\n".format(*v) for v in vertices)
    path.write_text(points + "".join("f {} {} {}\n".format(*(k + 1 for k in t)) for t in triangles))
    return vertices, triangles


def read_npy(path):
    """Frames of (x, y, z) lists, from float64 of shape (frames, vertices, 3)."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    words = re.search(r"\(([^)]*)\)", data[10:10 + size].decode())[1].split(",")
    frames, vertices = (int(word) for word in words[:2])
    values = struct.unpack(f"<{frames * vertices * 3}d", data[10 + size:])
    points = [values[3 * k:3 * k + 3] for k in range(frames * vertices)]
    return [points[f * vertices:(f + 1) * vertices] for f in range(frames)]


class Shot:
    """What all runs of a part of the page have in common."""

    def __init__(self, program, out, side, frames, is_hung):
        self.program, self.out, self.side, self.frames, self.is_hung = program, out, side, frames, is_hung

    def scene(self, lines, substeps=SUBSTEPS, is_small=False):
        few = FEW_HUNG if self.is_hung else FEW_DROPPED
        side, frames = (SMALL, few) if is_small else (self.side, self.frames)
        mesh = "small.obj" if is_small else "sheet.obj"
        text = (f'[shot]\nframes = "1-{frames}"\nfps = {FPS}\nsubsteps = {substeps}\n[cloth]\n'
                f'rest = "{mesh}"\n[cloth.material]\npreset = "cotton"\n')
        if self.is_hung:  # without damping: what energy is lost, the integrator has taken
            return text + f"damping = 0\n[[pin]]\nvertices = {[0, side * (side - 1)]}\n" + lines
        center = ", ".join(str(x) for x in BALL[0])
        ball = f"[[collider]]\nsphere = {{ center = [{center}], radius = {BALL[1]} }}\nfriction = 0.3\n"
        return text + ball + lines

    def call(self, name, text, words):
        """Writes the scene and runs the program on it."""
        (self.out / f"{name}.toml").write_text(text)
        return subprocess.run([self.program, words[0], f"{name}.toml", *words[1:]], cwd=self.out,
                              capture_output=True, text=True, check=False)

    def explicit_limits(self, is_small=False):
        """{scheme: {"substeps", "longest_step_s"}}, as a dry run of implicit Euler says."""
        text = self.scene('[contact]\nself = false\n[solver]\nintegrator = "newton"\n', is_small=is_small)
        ended = self.call("limits", text, ["simulate", "--dry-run", "--json"])
        if ended.returncode != 0:
            raise SystemExit(ended.stderr)
        return json.loads(ended.stdout)["explicit_steps"]


class Run:
    """One way through the shot: its figures, and why there are none."""

    def __init__(self, shot, name, lines, scheme=None):
        self.name, self.why, self.substeps, self.shot, self.lines = name, "", SUBSTEPS, shot, lines
        self.scheme, self.folder = scheme, re.sub(r"[^a-z0-9]+", "-", name.lower())
        if scheme:
            # In motion it is stiffer than at first.
            self.substeps = self.substeps_of(shot.explicit_limits(), 1.1)
        begin = time.monotonic()
        ended = shot.call(self.folder, shot.scene(lines, self.substeps),
                          ["simulate", "-o", self.folder, "--force", "--quiet"])
        self.seconds = time.monotonic() - begin
        self.frames = []
        if ended.returncode != 0:
            self.why = ended.stderr.strip().splitlines()[-1]
            return
        self.frames = read_npy(shot.out / self.folder / "positions.npy")
        records = (shot.out / self.folder / "steps.jsonl").read_text().splitlines()
        self.steps = [json.loads(line) for line in records]

    def substeps_of(self, limits, margin):
        return math.ceil(margin * limits[self.scheme]["substeps"])

    def energy(self, masses):
        """Of motion, stretch and height, a frame [J]."""
        last = self.steps[self.substeps - 1::self.substeps]
        height = [sum(m * GRAVITY * p[1] for m, p in zip(masses, frame)) for frame in self.frames[1:]]
        return [step["kinetic_J"] + step["elastic_J"] + h for step, h in zip(last, height)]

    def milliseconds(self):
        return 1e3 * sum(step["time_s"] for step in self.steps) / len(self.steps)

    def of_frame(self):
        return self.substeps * self.milliseconds()

    def residual(self):
        return max((step["residual"] for step in self.steps), default=0.0)

    def stretch(self, edges):
        """Of the edge that is longest against its rest in any frame."""
        return max(math.dist(frame[a], frame[b]) / length - 1
                   for frame in self.frames for (a, b), length in edges)

    def depth(self):
        return max(max(0.0, BALL[1] - math.dist(p, BALL[0])) for frame in self.frames for p in frame)

    def speed_left(self):
        """RMS over vertices and the last fifth of the frames, from one to the next [m/s]."""
        few = self.frames[-max(2, len(self.frames) // 5):]
        ways = [math.dist(p, q) ** 2 for a, b in zip(few, few[1:]) for p, q in zip(a, b)]
        return FPS * math.sqrt(sum(ways) / len(ways))

    def check_gradient(self):
        """(kind, error of central differences or None, Taylor order or None), by `keydrape check`."""
        substeps = SUBSTEPS
        if self.scheme:
            substeps = self.substeps_of(self.shot.explicit_limits(is_small=True), 1.2)
        text = self.shot.scene(self.lines, substeps, is_small=True)
        ended = self.shot.call(f"{self.folder}-check", text, ["check", "--json", "--quiet"])
        if ended.returncode == 3:
            return "none", None, None
        if ended.returncode not in (0, 5):
            raise SystemExit(ended.stderr)
        found = json.loads(ended.stdout)
        is_solved = any(f'"{word}"' in self.lines for word in ("newton", "bdf2"))
        kind = "exact" if is_solved else "exact, of what it does"
        if ended.returncode == 5:
            kind = "beyond what check allows"
        return kind, found["central_difference_error"], found["taylor_order_mean"]
