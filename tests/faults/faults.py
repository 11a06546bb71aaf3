"""Writes that fail, memory that ends and a clock that jumps, under every command that writes.

    python3 tests/faults/faults.py KEYDRAPE CALLS MEMORY CLOCK [--table] [--only COMMAND]

Each command runs once on a small shot, which counts its calls; then again and again with one of them
made to fail (failing_calls.cpp): the first ones, some between, the last. Expected each time: one error,
which names the file and the system's reason; exit code 3, or that of the run where what failed is no
result of it; files that are there are whole; no temporary file; nothing elsewhere. And then the same
command, unharmed, does what it did at first. Likewise with budgets of memory (ending_memory.cpp) between
what the program has when it begins and the most that it takes: then it says so, exit code 5, and what it
leaves can be gone on from. A clock that is set while the program runs, forth and back (jumping_clock.cpp),
changes nothing. --table prints what each said.
"""

import argparse
import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SIDE = 4
FAULTS = (("open", errno.EMFILE, ""), ("open", errno.ENOSPC, "+"), ("write", errno.ENOSPC, "+"),
          ("write", errno.EIO, ""), ("fsync", errno.EIO, ""), ("rename", errno.EIO, ""),
          ("mkdir", errno.EROFS, "+"))
# Of the memory between what --version takes and the most: at which budgets.
BUDGETS = (0.02, 0.2, 0.35, 0.5, 0.65, 0.8, 0.97)
# What every second reading of the clock is off by: a day, and beyond 1970 and 2106.
JUMPS = (86400, -86400, -2_000_000_000, 5_000_000_000)
SECONDS = 60
# Logs grow line by line; a summary holds times, a lock who runs since when.
TIMED = {"run.lock", "summary.json", "convergence.jsonl", "steps.jsonl", "keydrape.log", "report.html",
         "checkpoint.json", "checkpoint_a.npy", "checkpoint_b.npy"}


def sheet(swing):
    text = "".join(f"v {0.1 * (i % SIDE)} {-0.1 * (i // SIDE)} {swing * (i // SIDE)}\n"
                   for i in range(SIDE * SIDE))
    for row in range(1, SIDE):
        for k in range(1, SIDE):
            a = (row - 1) * SIDE + k
            text += f"f {a} {a + SIDE} {a + SIDE + 1} {a + 1}\n"
    return text


SCENE = ('[shot]\nframes = "1001-1004"\nsubsteps = 2\n[cloth]\nrest = "rest.obj"\n'
         '[[pin]]\nvertices = [0, 3]\n[[keyframe]]\nframe = 1004\nmesh = "key.obj"\ntolerance = 0.1\n'
         '[control]\nmax_forward_simulations = 3\n'
         '[output]\ncaches = ["pc2", "npy", "obj"]\n')

COMMANDS = {
    "simulate": ["simulate", "scene.toml", "-o", "out", "--progress", "none", "--threads", "1", "--force"],
    "solve": ["solve", "scene.toml", "-o", "out", "--progress", "none", "--threads", "1", "--force"],
    "convert": ["convert", "take/controlled.pc2", "out/copy.usda", "--mesh", "rest.obj", "--force"],
    "report": ["report", "take"],
    "drape": ["drape", "scene.toml", "-o", "out/draped", "--force"],
    "new": ["new", "shot", "--mesh", "rest.obj"],
}


class Shot:
    """A folder with a scene and the results of a run of it."""

    def __init__(self, keydrape, library, folder):
        self.keydrape, self.library, self.folder = keydrape, library, folder
        folder.mkdir()
        for name, text in (("rest.obj", sheet(0)), ("key.obj", sheet(0.04)), ("scene.toml", SCENE)):
            (folder / name).write_text(text)
        self.run(["solve", "scene.toml", "-o", "take", "--progress", "none", "--quiet", "--threads", "1"])
        (folder / "out").mkdir()
        (folder / "out" / "mine.txt").write_text("not a result")

    def run(self, words, library=None, **environment):
        settings = dict(os.environ, LD_PRELOAD=str(library or self.library),
                        KEYDRAPE_FAULT_FOLDER=str(self.folder), **environment)
        return subprocess.run([self.keydrape, *words], cwd=self.folder, env=settings, capture_output=True,
                              text=True, timeout=SECONDS)

    def files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes()
                for path in sorted(self.folder.rglob("*")) if path.is_file()}


def is_whole(name, content):
    """Of files whose bytes change from run to run: whether they can be read."""
    try:
        for text in content.splitlines() if name.endswith(".jsonl") else [content]:
            if name.endswith((".json", ".jsonl")):
                json.loads(text)
    except ValueError:
        return False
    return not name.endswith(".html") or content.rstrip().endswith(b"</html>")


class Judge:
    def __init__(self, shot, words, clean, before):
        self.shot, self.words, self.clean, self.before = shot, words, clean, before

    def is_log(self):
        """Only the log lacks something, which stops nothing."""
        log = "out/keydrape.log"
        return log in self.clean and len(self.shot.files().get(log, b"")) < len(self.clean[log])

    def complaints(self, result, error):
        found = []
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        reason = os.strerror(error)
        if result.returncode < 0:
            return [f"ended by signal {-result.returncode}"]
        if "unexpected" in result.stderr:
            found.append("an error that nobody expected")
        if result.returncode in (0, 4):
            if reason not in result.stderr and not self.is_log():
                found.append("says nothing of it")
        else:
            if result.returncode != 3:
                found.append(f"exit code {result.returncode}")
            if len(errors) != 1:
                found.append(f"{len(errors)} errors")
            elif reason not in errors[0]:
                found.append("no reason")
        return found + self.damage()

    def damage(self):
        found = []
        after = self.shot.files()
        for name, content in after.items():
            short = pathlib.Path(name).name
            if name.endswith(".tmp"):
                found.append(f"left {name}")
            elif short in TIMED:
                if not is_whole(short, content):
                    found.append(f"torn {name}")
            elif content not in (self.clean.get(name), self.before.get(name)):
                found.append(f"other {name}")
        for name in self.before:
            if name not in after and name not in self.clean:
                found.append(f"lost {name}")
            elif name not in after and not name.startswith("out/"):  # which --force empties
                found.append(f"lost {name}")
        return found


def peak_of(shot, words, library, file):
    """The most memory that a command had in use [bytes]."""
    shot.run(words, library, KEYDRAPE_MEMORY_PEAK=str(file))
    peak = max(int(line) for line in file.read_text().split())
    file.unlink()
    return peak


def has_said_done(judge):
    """Whether this run has written that it is done."""
    name = "out/summary.json"
    text = judge.shot.files().get(name)
    return text not in (None, judge.before.get(name)) and json.loads(text)["status"] in ("done", "missed")


def complaints_of_memory(result, judge):
    if result.returncode < 0:
        return [f"ended by signal {-result.returncode}: {result.stderr.strip()[-200:]}"]
    found = []
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    if "unexpected" in result.stderr:
        found.append("an error that nobody expected")
    if result.returncode == 5 and has_said_done(judge):
        found.append("failed after it was done")
    if result.returncode not in (0, 4):
        if result.returncode != 5:
            found.append(f"exit code {result.returncode}")
        if len(errors) != 1 or "out of memory" not in errors[0]:
            found.append(f"says {errors}")
    elif "memory" not in result.stderr and not judge.shot.files().keys() >= judge.clean.keys():
        # Else what was refused was not needed: a smaller block did, or a growing vector kept its size.
        found.append("says nothing of it")
    return found + judge.damage()


def under_budgets(model, work, name, words, library, has_table):
    """As under_faults, of memory."""
    copied(model, work)
    before = model.files()
    base = peak_of(model, ["--version"], library, work / "peak")
    first = model.run(words)
    clean = model.files()
    copied(model, work)
    most = peak_of(model, words, library, work / "peak")
    failures = 0
    for share in BUDGETS:
        budget = int(base + share * (most - base))
        copied(model, work)
        result = model.run(words, library, KEYDRAPE_MEMORY_BUDGET=str(budget))
        complaints = complaints_of_memory(result, Judge(model, words, clean, before))
        again = model.run(words)
        if again.returncode != first.returncode and name != "new":
            complaints.append(f"afterwards exit code {again.returncode}: {again.stderr.strip()[-200:]}")
        failures += len(complaints) > 0
        if has_table or complaints:
            said = [line for line in result.stderr.splitlines() if line.startswith("error: ")][-1:] or [""]
            verdict = "; ".join(complaints) or "as expected"
            budgets = f"memory {budget} of {base} to {most}"
            print(f"{name} | {budgets} | {result.returncode} | {said[0]} | {verdict}", flush=True)
    copied(model, work)
    shutil.rmtree(work / "kept")
    return failures


def under_clocks(model, work, name, words, library, has_table):
    """As under_faults, of a clock that jumps: the command does as it did."""
    copied(model, work)
    first = model.run(words)
    clean = model.files()
    failures = 0
    for jump in JUMPS:
        copied(model, work)
        result = model.run(words, library, KEYDRAPE_CLOCK_JUMP=str(jump))
        complaints = Judge(model, words, clean, clean).damage()
        after = model.files()
        if result.returncode != first.returncode:
            complaints.append(f"exit code {result.returncode}: {result.stderr.strip()[-200:]}")
        if after.keys() != clean.keys():
            complaints.append(f"leaves {sorted(after.keys() ^ clean.keys())}")
        dates = {line[:10] for line in after.get("out/keydrape.log", b"").splitlines()}
        if len(dates) == 1:
            complaints.append("the clock of its log did not jump")
        failures += len(complaints) > 0
        if has_table or complaints:
            verdict = "; ".join(complaints) or "as expected"
            print(f"{name} | clock {jump:+} s | {result.returncode} | | {verdict}", flush=True)
    copied(model, work)
    shutil.rmtree(work / "kept")
    return failures


def counted(lines, kind):
    return sum(line == kind for line in lines)


def places(count):
    """Which calls fail: the first three, the last, two between."""
    return sorted({n for n in (1, 2, 3, count // 3, 2 * count // 3, count) if 1 <= n <= count})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("keydrape", type=pathlib.Path)
    parser.add_argument("calls", type=pathlib.Path, help="the library that lets system calls fail")
    parser.add_argument("memory", type=pathlib.Path, help="the one that lets memory end")
    parser.add_argument("clock", type=pathlib.Path, help="the one whose clock jumps")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", help="one command")
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        model = Shot(arguments.keydrape.resolve(), arguments.calls.resolve(), work / "model")
        for name, words in COMMANDS.items():
            if arguments.only in (None, name):
                failures += under_faults(model, work, name, words, arguments.table)
                failures += under_budgets(model, work, name, words, arguments.memory.resolve(),
                                          arguments.table)
                failures += under_clocks(model, work, name, words, arguments.clock.resolve(), arguments.table)
        if sorted(path.name for path in work.iterdir()) != ["model"]:
            failures += 1
            print(f"outside: {sorted(path.name for path in work.iterdir())}")
    print(f"{failures} failures")
    return failures > 0


def copied(model, work):
    """The model under its own name: what a command writes may name its folder."""
    keep = work / "kept"
    if not keep.exists():
        shutil.copytree(model.folder, keep)
    shutil.rmtree(model.folder)
    shutil.copytree(keep, model.folder)


def under_faults(model, work, name, words, has_table):
    copied(model, work)
    before = model.files()
    counts = work / "counts"
    first = model.run(words, KEYDRAPE_FAULT_COUNTS=str(counts))
    clean, lines = model.files(), counts.read_text().splitlines() if counts.exists() else []
    counts.unlink(missing_ok=True)
    if first.returncode not in (0, 4):
        shutil.rmtree(work / "kept")
        print(f"{name}: without a fault: {first.returncode}: {first.stderr}")
        return 1
    failures = 0
    for kind, error, more in FAULTS:
        rows = {}
        for number in places(counted(lines, kind)):
            copied(model, work)
            result = model.run(words, KEYDRAPE_FAULT=f"{kind} {number}{more} {error}")
            complaints = Judge(model, words, clean, before).complaints(result, error)
            again = model.run(words)
            if again.returncode != first.returncode and name != "new":
                complaints.append(f"afterwards exit code {again.returncode}: {again.stderr.strip()[-200:]}")
            said = [line for line in result.stderr.splitlines()
                    if line.startswith("error: ") or os.strerror(error) in line]
            rows.setdefault((result.returncode, tuple(complaints)), []).append((number, said[-1:] or [""]))
        for (code, complaints), cases in rows.items():
            failures += len(complaints) > 0
            if has_table or complaints:
                numbers = ",".join(str(number) for number, _ in cases)
                fault = f"{kind} {numbers}{more} of {counted(lines, kind)} {errno.errorcode[error]}"
                verdict = "; ".join(complaints) or "as expected"
                print(f"{name} | {fault} | {code} | {cases[0][1][0]} | {verdict}", flush=True)
    copied(model, work)
    shutil.rmtree(work / "kept")
    return failures


if __name__ == "__main__":
    sys.exit(main())
