#!/usr/bin/python3
"""Every integrator and every method of contact on the same sheet, on one page.

  examples/compare/compare.py OUT [--program KEYDRAPE] [--side N] [--frames N]

Makes a sheet of N x N vertices and 1 m, hung from two corners, and takes it through a second by each
integrator; then drops it on a ball, in contact by each method. An explicit integrator is refused with the
substeps that would do, and gets them. OUT/compare.html has the energy over time, what a step costs and how
far it is from solved, the largest stretch, how deep cloth is in the ball, the last frame as a picture, and of
each what its gradient is. Each run's files are in OUT as well.
"""

import argparse
import html
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import time

FPS, SUBSTEPS, GRAVITY, DENSITY = 24, 4, 9.81, 0.104
BALL = ((0.5, -0.35, 0.5), 0.22)

# Name, [solver] lines, and what its gradient is.
INTEGRATORS = [
    ("newton", 'integrator = "newton"', "exact"),
    ("bdf2", 'integrator = "bdf2"', "exact"),
    ("linearized", 'integrator = "linearized"', "exact without contact"),
    ("prefactored, 10 rounds", 'integrator = "prefactored"', "exact, of the rounds"),
    ("predictor", 'integrator = "predictor"', "exact, of the round"),
    ("descent, 32 rounds", 'integrator = "descent"', "exact, of the rounds"),
    ("explicit, symplectic", 'integrator = "explicit"\nscheme = "symplectic"', "exact, of the stages"),
    ("explicit, Runge-Kutta 4", 'integrator = "explicit"\nscheme = "rk4"', "exact, not for a search"),
]
# Name, integrator, [contact] lines.
CONTACTS = [
    ("barrier, newton", "newton", 'method = "barrier"', "exact"),
    ("barrier, linearized", "linearized", 'method = "barrier"', "none"),
    ("penalty, newton", "newton", 'method = "penalty"\nself = false', "exact"),
    ("impulses", "linearized", 'method = "impulses"', "none"),
    ("constraint", "linearized", 'method = "constraint"\nself = false', "none"),
    ("filter", "linearized", 'method = "filter"\nself = false', "none"),
    ("projection", "linearized", 'method = "projection"\nself = false', "none"),
]


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


def read_npy(path):
    """Frames of (x, y, z) lists, from float64 of shape (frames, vertices, 3)."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    words = re.search(r"\(([^)]*)\)", data[10:10 + size].decode())[1].split(",")
    frames, vertices = (int(word) for word in words[:2])
    values = struct.unpack(f"<{frames * vertices * 3}d", data[10 + size:])
    points = [values[3 * k:3 * k + 3] for k in range(frames * vertices)]
    return [points[f * vertices:(f + 1) * vertices] for f in range(frames)]


def scene_text(frames, substeps, pins, rest):
    shot = f'[shot]\nframes = "1-{frames}"\nfps = {FPS}\nsubsteps = {substeps}\n'
    cloth = '[cloth]\nrest = "sheet.obj"\n[cloth.material]\npreset = "cotton"\n'
    return shot + cloth + (f"[[pin]]\nvertices = {pins}\n" if pins else "") + rest


class Run:
    """One way through the shot: its figures, and why there are none."""

    def __init__(self, program, out, name, frames, pins, rest, gradient):
        self.name, self.gradient, self.why, self.substeps = name, gradient, "", SUBSTEPS
        folder = re.sub(r"[^a-z0-9]+", "-", name.lower())
        for _ in range(2):
            (out / f"{folder}.toml").write_text(scene_text(frames, self.substeps, pins, rest))
            begin = time.monotonic()
            words = [program, "simulate", f"{folder}.toml", "-o", folder, "--force", "--quiet"]
            ended = subprocess.run(words, cwd=out, capture_output=True, text=True, check=False)
            self.seconds = time.monotonic() - begin
            more = re.search(r"substeps.*expected at least (\d[\d,]*)", ended.stderr)
            if ended.returncode == 0 or not more:
                break
            # What an explicit one asks for, and some more.
            self.substeps = int(1.1 * int(more[1].replace(",", "")))
        self.frames = []
        if ended.returncode != 0:
            self.why = ended.stderr.strip().splitlines()[-1]
            return
        self.frames = read_npy(out / folder / "positions.npy")
        self.steps = [json.loads(line) for line in (out / folder / "steps.jsonl").read_text().splitlines()]

    def energy(self, masses):
        """Of motion, stretch and height, a frame [J]."""
        last = self.steps[self.substeps - 1::self.substeps]
        height = [sum(m * GRAVITY * p[1] for m, p in zip(masses, frame)) for frame in self.frames[1:]]
        return [step["kinetic_J"] + step["elastic_J"] + h for step, h in zip(last, height)]

    def milliseconds(self):
        return 1e3 * sum(step["time_s"] for step in self.steps) / len(self.steps)

    def residual(self):
        return max((step["residual"] for step in self.steps), default=0.0)

    def stretch(self, edges):
        return max(math.dist(self.frames[-1][a], self.frames[-1][b]) / length - 1 for (a, b), length in edges)

    def depth(self):
        return max(max(0.0, BALL[1] - math.dist(p, BALL[0])) for frame in self.frames for p in frame)


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


def picture(run, triangles, with_ball):
    """The last frame as shaded triangles, from the front and a little above."""
    def project(p):
        x, y, z = p[0] - 0.5, p[1] + 0.35, p[2] - 0.5
        x, z = 0.87 * x - 0.5 * z, 0.5 * x + 0.87 * z
        return 110 + 95 * x, 95 - 95 * (0.94 * y - 0.34 * z), 0.34 * y + 0.94 * z
    points = [project(p) for p in run.frames[-1]]
    shapes = []
    for t in triangles:
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = (points[v] for v in t)
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        slope = (z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0)
        light = int(60 + 180 * abs(area) / (math.hypot(area, 150 * slope) + 1e-9))
        front, back = (light, light, min(255, light + 20)), (light, int(0.8 * light), int(0.6 * light))
        color = "rgb({},{},{})".format(*(front if area < 0 else back))
        path = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}Z"
        drawn = f'<path d="{path}" fill="{color}" stroke="{color}" stroke-width="0.4"/>'
        shapes.append(((z0 + z1 + z2) / 3, drawn))
    if with_ball:
        x, y, z = project(BALL[0])
        shapes.append((z, f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{95 * BALL[1]:.1f}" fill="#7a9"/>'))
    drawn = "".join(shape for _, shape in sorted(shapes, key=lambda s: s[0]))
    label = html.escape(run.name)
    return f'<svg viewBox="0 0 220 210" width="220" role="img" aria-label="{label}">{drawn}</svg>'


COLORS = ("#1b6", "#06c", "#e80", "#c2185b", "#7b1fa2", "#795548", "#444", "#0097a7")


def plot(runs, masses):
    """Energy over frames; what is above where it began has gained some."""
    lines = [(run.name, run.energy(masses)) for run in runs if run.frames]
    start = sum(m * GRAVITY * p[1] for m, p in zip(masses, runs[0].frames[0]))
    values = [v - start for _, line in lines for v in line if math.isfinite(v)]
    low, high = min(values + [0.0]), max(values + [0.0]) + 1e-9
    height = lambda v: 20 + 240 * (high - (v - start)) / (high - low)
    y = f"{height(start):.1f}"
    drawn = f'<line x1="40" x2="700" y1="{y}" y2="{y}" stroke="#999" stroke-dasharray="4"/>'
    legend = ""
    for (name, line), color in zip(lines, COLORS):
        wide = 660 / max(1, len(line) - 1)
        points = " ".join(f"{40 + wide * k:.1f},{height(v):.1f}" for k, v in enumerate(line))
        drawn += (f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2">'
                  f"<title>{html.escape(name)}</title></polyline>")
        legend += f'<span style="color:{color}">&#9632; {html.escape(name)}</span> '
    texts = (f'<text x="40" y="14" font-size="12">{high:.3f} J above the start</text>'
             f'<text x="40" y="276" font-size="12">{low:.3f} J; a frame each</text>')
    return f'<svg viewBox="0 0 720 280" width="720">{drawn}{texts}</svg><p>{legend}</p>'


def table(runs, edges, with_ball):
    head = ["", "ms a step", "substeps", "ms a frame", "largest residual", "largest stretch"]
    rows = ""
    for run in runs:
        if not run.frames:
            why = html.escape(run.why)
            rows += f'<tr><th>{html.escape(run.name)}</th><td colspan="7">{why}</td></tr>'
            continue
        cells = [f"{run.milliseconds():.2f}", f"{run.substeps:,}", f"{run.substeps * run.milliseconds():.0f}",
                 f"{run.residual():.1e}", f"{100 * run.stretch(edges):.2f} %"]
        if with_ball:
            cells.append(f"{1e3 * run.depth():.2f} mm")
        cells.append(run.gradient)
        cells = "".join(f"<td>{cell}</td>" for cell in cells)
        rows += f"<tr><th>{html.escape(run.name)}</th>{cells}</tr>"
    head += ["deepest in the ball"] if with_ball else []
    head = "".join(f"<th>{word}</th>" for word in head + ["gradient"])
    return f"<table><tr>{head}</tr>{rows}</table>"


def verdict(runs, edges):
    """What the figures say, in a sentence each."""
    done = {run.name: run for run in runs if run.frames}
    newton = done["newton"]
    said = []
    for name, run in done.items():
        if run is newton:
            continue
        ratio = run.substeps * run.milliseconds() / (newton.substeps * newton.milliseconds())
        off = max(math.dist(p, q) for p, q in zip(run.frames[-1], newton.frames[-1]))
        longest = 100 * run.stretch(edges)
        said.append(f"<li><b>{html.escape(name)}</b>: {ratio:.2g} times the time of newton for a frame, ends "
                    f"up to {1e3 * off:.0f} mm from it, stretched by {longest:.1f} % at most.</li>")
    return "<ul>" + "".join(said) + "</ul>"


STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
body{background:#fff}table{border-collapse:collapse}td,th{padding:.25em .7em;border-bottom:1px solid #ddd}
td,th{text-align:right}th:first-child{text-align:left}
.pictures{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0}figcaption{font-size:13px;text-align:center}"""


def section(title, text, runs, vertices_triangles, with_ball):
    vertices, triangles = vertices_triangles
    masses, edges = masses_and_edges(vertices, triangles)
    done = [run for run in runs if run.frames]
    pictures = "".join(f"<figure>{picture(run, triangles, with_ball)}"
                       f"<figcaption>{html.escape(run.name)}</figcaption></figure>" for run in done)
    return (f"<h2>{title}</h2><p>{text}</p>" + table(runs, edges, with_ball) + plot(runs, masses)
            + ("" if with_ball else verdict(runs, edges)) + f'<div class="pictures">{pictures}</div>')


def main():
    as_it_stands = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_it_stands)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--program", default="keydrape")
    parser.add_argument("--side", type=int, default=24, help="vertices along a side")
    parser.add_argument("--frames", type=int, default=24)
    given = parser.parse_args()
    out, side = given.out, given.side
    out.mkdir(parents=True, exist_ok=True)
    program = str(pathlib.Path(given.program).resolve()) if "/" in given.program else given.program
    vertices, triangles = sheet(side)
    points = "".join("v {!r} {!r} {!r}\n".format(*v) for v in vertices)
    faces = "".join("f {} {} {}\n".format(*(k + 1 for k in t)) for t in triangles)
    (out / "sheet.obj").write_text(points + faces)
    hung, dropped = [], []
    for name, solver, gradient in INTEGRATORS:
        rest = f"[contact]\nself = false\n[solver]\n{solver}\n"
        pins = [0, side * (side - 1)]
        hung.append(Run(program, out, name, given.frames, pins, rest, gradient))
        print(f"{name}: {hung[-1].why or f'{hung[-1].seconds:.1f} s'}", flush=True)
    sphere = "{ center = [%g, %g, %g], radius = %g }" % (*BALL[0], BALL[1])
    ball = f"[[collider]]\nsphere = {sphere}\nfriction = 0.3\n"
    for name, integrator, contact, gradient in CONTACTS:
        rest = f'{ball}[contact]\nthickness = 0.002\n{contact}\n[solver]\nintegrator = "{integrator}"\n'
        dropped.append(Run(program, out, name, given.frames, [], rest, gradient))
        print(f"{name}: {dropped[-1].why or f'{dropped[-1].seconds:.1f} s'}", flush=True)
    text = (f"A sheet of cotton, {side} x {side} vertices and 1 m, {given.frames} frames of {SUBSTEPS} "
            "steps. A residual of 1e-8 of the weight is a solved step.")
    of_ball = "Depth is of vertices; contact keeps 1 mm off."
    mesh = (vertices, triangles)
    page = ("<!doctype html><meta charset=utf-8><title>Integrators and contact side by side</title>"
            f"<style>{STYLE}</style><h1>The same sheet by every integrator and contact</h1>"
            + section("Hung from two corners", text, hung, mesh, False)
            + section("Dropped on a ball", of_ball, dropped, mesh, True))
    (out / "compare.html").write_text(page)
    print(out / "compare.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
