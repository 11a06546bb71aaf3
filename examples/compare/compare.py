#!/usr/bin/python3
"""Every integrator and every method of contact on the same sheet, on one page.

  examples/compare/compare.py OUT [--program KEYDRAPE] [--side N] [--frames N] [--rounds FILE.json]
                              [--bench KEYDRAPE_BENCH [--vertices N]...]

Makes a sheet of N x N vertices and 1 m, hung from two corners, and takes it through a second by each
integrator; then drops it on a ball, in contact by each method. Explicit integrators get the substeps that
`keydrape simulate --dry-run` asks for. OUT/compare.html has the energy over time, what a step costs and how
far it is from solved, the largest stretch, how deep cloth is in the ball, the last frame as a picture, of
each what its gradient is and how exact `keydrape check` finds it, stability, and what is left of the
residual after how much time: from rounds.json beside this file, or measured with --bench, at 1024 vertices
unless --vertices says which. Each run's files are in OUT as well.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

import page
import runs

# Name, [solver] lines, and the scheme of explicit ones.
INTEGRATORS = [
    ("newton", 'integrator = "newton"', None),
    ("bdf2", 'integrator = "bdf2"', None),
    ("linearized", 'integrator = "linearized"', None),
    ("prefactored, 10 rounds", 'integrator = "prefactored"\nrounds = 10', None),
    ("prefactored, 10 rounds, 5 remembered",
     'integrator = "prefactored"\nrounds = 10\nrounds_memory = 5', None),
    ("predictor", 'integrator = "predictor"', None),
    ("descent, 32 rounds", 'integrator = "descent"\nrounds = 32', None),
    ("explicit, symplectic", 'integrator = "explicit"\nscheme = "symplectic"', "symplectic"),
    ("explicit, Runge-Kutta 4", 'integrator = "explicit"\nscheme = "rk4"', "rk4"),
]
# Name, integrator, [contact] lines.
CONTACTS = [
    ("barrier, newton", "newton", 'method = "barrier"'),
    ("barrier, linearized", "linearized", 'method = "barrier"'),
    ("penalty, newton", "newton", 'method = "penalty"\nself = false'),
    ("penalty, prefactored", "prefactored", 'method = "penalty"\nself = false'),
    ("impulses", "linearized", 'method = "impulses"'),
    ("constraint", "linearized", 'method = "constraint"\nself = false'),
    ("filter", "linearized", 'method = "filter"\nself = false'),
    ("projection", "linearized", 'method = "projection"\nself = false'),
]


def told(run):
    run.gradient = run.check_gradient()
    print(f"{run.name}: {run.why or f'{run.seconds:.1f} s'}; gradient {run.gradient[0]}", flush=True)
    return run


def measured_rounds(given, out):
    """The rows of the benchmark, and where they are from."""
    if not given.bench:
        return json.loads(given.rounds.read_text())["rounds"]["rows"], given.rounds.name
    file = out / "rounds.json"
    sizes = [word for count in given.vertices or [1024] for word in ("--vertices", str(count))]
    words = [given.bench, "rounds", "--json", str(file), *sizes]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return json.loads(file.read_text())["rounds"]["rows"], "measured for this page"


def main():
    as_it_stands = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_it_stands)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--program", default="keydrape")
    parser.add_argument("--side", type=int, default=24, help="vertices along a side")
    parser.add_argument("--frames", type=int, default=24)
    kept = pathlib.Path(__file__).with_name("rounds.json")
    parser.add_argument("--rounds", type=pathlib.Path, default=kept,
                        help="what keydrape_bench rounds --json has written")
    parser.add_argument("--bench", help="keydrape_bench, to measure that now")
    parser.add_argument("--vertices", type=int, action="append", help="of the sheets to measure")
    given = parser.parse_args()
    out, begin = given.out, time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    program = str(pathlib.Path(given.program).resolve()) if "/" in given.program else given.program
    mesh = runs.write_sheet(out / "sheet.obj", given.side)
    runs.write_sheet(out / "small.obj", runs.SMALL)
    hung, dropped = (runs.Shot(program, out, given.side, given.frames, is_hung) for is_hung in (True, False))
    of_integrators = [told(runs.Run(hung, name, f"[contact]\nself = false\n[solver]\n{solver}\n", scheme))
                      for name, solver, scheme in INTEGRATORS]
    of_contacts = [told(runs.Run(dropped, name, f"[contact]\nthickness = 0.002\n{contact}\n[solver]\n"
                                 f'integrator = "{integrator}"\n'))
                   for name, integrator, contact in CONTACTS]
    rows, source = measured_rounds(given, out)
    seconds = time.monotonic() - begin
    (out / "compare.html").write_text(
        page.page(of_integrators, of_contacts, mesh, hung.explicit_limits(), rows, source, seconds))
    print(f"{seconds:.0f} s: {out / 'compare.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
