"""The page of compare.py: tables, charts, and what the figures say."""

import html
import math

import amplification
import crossover
from charts import COLORS, legend, number, picture, plot
from runs import BALL, FEW_DROPPED, FEW_HUNG, GRAVITY, SMALL, SUBSTEPS, masses_and_edges

STYLE = """:root{--ground:#fff;--ink:#222;--muted:#666;--line:#ddd;--c0:#1a1a1a;--c1:#0072b2;--c2:#d55e00;
--c3:#009e73;--c4:#b8317f;--c5:#7a5195;--c6:#8a6d00;--c7:#3a86c8;--c8:#a04000}
@media (prefers-color-scheme:dark){:root{--ground:#111316;--ink:#e8eaed;--muted:#9aa3ae;--line:#343a41;
--c0:#f2f2f2;--c1:#56b4e9;--c2:#f08a4b;--c3:#3ecf9f;--c4:#e07bb5;--c5:#b79ae0;--c6:#e0c04a;--c7:#8ab8ff;
--c8:#ffb380}}
body{font:15px/1.5 system-ui,sans-serif;max-width:66em;margin:2em auto;padding:0 1em;color:var(--ink)}
html{background:var(--ground);color-scheme:light dark}table{border-collapse:collapse;font-size:14px}
td,th{padding:.25em .7em;border-bottom:1px solid var(--line);text-align:right}th:first-child{text-align:left}
svg text{font:11px system-ui,sans-serif;fill:var(--ink)}.grid{stroke:var(--line)}
.level{stroke:var(--muted);stroke-dasharray:4}.charts,.pictures{display:flex;flex-wrap:wrap;gap:1em}
figure{margin:0}figcaption{font-size:13px;text-align:center}
.legend span{margin-right:1.2em;white-space:nowrap}
.note{color:var(--muted);font-size:13.5px}"""

SCHEMES = ("newton", "bdf2", *amplification.SCHEMES)


def cells_of_gradient(run):
    kind, error, order = run.gradient
    measured = ["" if error is None else f"{error:.0e}", "" if order is None else f"{order:.2f}"]
    return [html.escape(kind), *measured]


def table(runs, edges, with_ball):
    head = ["", "ms a step", "substeps", "ms a frame", "largest residual", "largest stretch"]
    head += ["deepest in the ball", "left at the end"] if with_ball else []
    head += ["gradient", "its error", "Taylor order"]
    rows = ""
    for run in runs:
        if run.frames:
            cells = [f"{run.milliseconds():.2f}", f"{run.substeps:,}", f"{run.of_frame():.0f}",
                     "" if run.scheme else number(run.residual()), f"{100 * run.stretch(edges):.1f} %"]
            if with_ball:
                cells += [f"{1e3 * run.depth():.1f} mm", f"{1e3 * run.speed_left():.0f} mm/s"]
            cells = "".join(f"<td>{cell}</td>" for cell in cells + cells_of_gradient(run))
        else:
            cells = f'<td colspan="{len(head) - 1}">{html.escape(run.why)}</td>'
        rows += f"<tr><th>{html.escape(run.name)}</th>{cells}</tr>"
    return f"<table><tr>{''.join(f'<th>{word}</th>' for word in head)}</tr>{rows}</table>"


def energy_chart(runs, masses):
    """Over frames; what is above where it began has gained some."""
    start = sum(m * GRAVITY * p[1] for m, p in zip(masses, runs[0].frames[0]))
    lines, values = [], [0.0]
    for run, color in zip(runs, COLORS):
        course = [1e3 * (value - start) for value in run.energy(masses)]
        values += [value for value in course if math.isfinite(value)]
        lines.append((run.name, color, list(enumerate(course, 1)), "", False))
    # What is stretched beyond all measure leaves the chart.
    most = 3 * max(abs(value) for _, value in lines[0][2])
    ends = (max(min(values), -most) - 0.05 * most, min(max(values), most) + 0.05 * most)
    chart = plot(lines, "Energy of motion, stretch and height, less that at the start [mJ]", "frame", "",
                 (0, len(lines[0][2])), ends, size=(760, 320), level=0.0)
    return chart + legend([(run.name, color, "") for run, color in zip(runs, COLORS)])


def verdict(runs, edges):
    """What the figures say, in a sentence each."""
    newton, others = runs[0], runs[1:]
    said = []
    for run in others:
        ratio = run.of_frame() / newton.of_frame()
        off = max(math.dist(p, q) for p, q in zip(run.frames[-1], newton.frames[-1]))
        said.append(f"<li><b>{html.escape(run.name)}</b>: {number(ratio)} times the time of {newton.name} "
                    f"for a frame, ends up to {1e3 * off:.0f} mm from it, "
                    f"{verdict_of_stretch(run, newton, edges)}.</li>")
    return f"<ul>{''.join(said)}</ul>"


def verdict_of_stretch(run, newton, edges):
    mine, least = run.stretch(edges), newton.stretch(edges)
    if mine > 2 * least + 0.01:
        return f"stretches by up to {100 * mine:.0f} % on its way, where that comes to {100 * least:.0f} %"
    return f"stretches no more than {100 * mine:.0f} %"


def part(title, text, runs, mesh, ball):
    masses, edges = masses_and_edges(*mesh)
    done = [run for run in runs if run.frames]
    pictures = "".join(f"<figure>{picture(run.name, run.frames[-1], mesh[1], ball)}"
                       f"<figcaption>{html.escape(run.name)}</figcaption></figure>" for run in done)
    return (f"<h2>{title}</h2><p>{text}</p>{table(runs, edges, bool(ball))}{energy_chart(done, masses)}"
            f'{verdict(done, edges)}<div class="pictures">{pictures}</div>')


def stability(limits):
    """Amplification of an oscillation, and the longest explicit steps."""
    grid = [0.02 * 1.07 ** k for k in range(80)]
    grid = [s for s in grid if s <= 4] + [4.0]
    charts = ""
    for damping in (0.0, 0.1):
        lines = []
        for k, method in enumerate(SCHEMES):
            points = [(s, amplification.modulus(method, s, damping)) for s in grid]
            dashes = "5 4" if method == "verlet" else ""
            lines.append((method, COLORS[k], points, dashes, False))
        charts += plot(lines, f"Amplification in a step, damping ratio {damping:g}", "omega h", "|z|",
                       (0.02, 4.0), (0.4, 1.6), (True, False), level=1.0)
    lines = []
    for k, scheme in enumerate(amplification.SCHEMES):
        points = [(0.02 * j, amplification.limit(scheme, 0.02 * j)) for j in range(51)]
        lines.append((scheme, COLORS[2 + k], points, "5 4" if scheme == "verlet" else "", False))
    charts += plot(lines, "Stable below: omega h by damping ratio", "damping ratio", "omega h", (0, 1),
                   (0, 3))
    rows = "".join(f"<tr><th>{scheme}</th><td>{1e3 * found['longest_step_s']:.3g}</td>"
                   f"<td>{found['substeps']:,}</td></tr>" for scheme, found in limits.items())
    names = [(name, COLORS[k], "5 4" if name == "verlet" else "") for k, name in enumerate(SCHEMES)]
    return (f"""<h2>Stability</h2><p>By how much a step multiplies an oscillation x'' = -w² x - 2 d w x':
above 1 it grows. From the closed forms (I1), (I2) and (R8) of the equations, which the tests hold the
program to. The linearised step, rounds with one matrix and the predictor do to one spring what newton does;
newton takes the more energy out the longer the step, bdf2 far less of slow motion. Explicit schemes end at a
bound.</p>
<div class="charts">{charts}</div>{legend(names)}
<p>For the sheet above <code>keydrape simulate --dry-run</code> finds, at {SUBSTEPS} substeps a frame:</p>
<table><tr><th>scheme</th><th>longest step [ms]</th><th>substeps that it asks for</th></tr>{rows}</table>
<p class="note">midpoint and euler grow at any step without damping; their limits let a motion grow e-fold
in a second.</p>""")


def page(of_integrators, of_contacts, mesh, limits, rows, source, seconds):
    text = (f"A sheet of cotton without damping, {round(math.sqrt(len(mesh[0])))} vertices along a side of "
            f"1 m, {len(of_integrators[0].frames)} frames of {SUBSTEPS} steps. A residual of 1e-8 of the "
            "weight is a solved step. Largest stretch: of an edge, in any frame.")
    checked = ('<p class="note">Gradients: central differences and Taylor order (2 where it is exact), by '
               f"<code>keydrape check</code> on a sheet of {SMALL} x {SMALL} vertices over {FEW_HUNG} frames "
               f"where it hangs, {FEW_DROPPED} where it is dropped. None: check and solve refuse the scene, "
               "and say why.</p>")
    of_ball = ("Depth is of vertices; contact keeps 1 mm off. Left: RMS speed over the last fifth of the "
               "frames.")
    return ("<!doctype html><html lang=en><meta charset=utf-8><title>Integrators and contact side by side"
            f"</title><style>{STYLE}</style><h1>The same sheet by every integrator and contact</h1>"
            + part("Hung from two corners", text, of_integrators, mesh, None) + checked
            + part("Dropped on a ball", of_ball, of_contacts, mesh, BALL)
            + stability(limits) + crossover.section(rows, source)
            + f'<p class="note">Made in {seconds:.0f} s.</p></html>')
