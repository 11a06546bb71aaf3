"""Runs a scene and its copies, and says of each copy whether it agrees."""

import json
import random
import re
import shutil
import subprocess
import time

import numpy as np

import draw
import relations
import scene as scenes

BOUND = 1e-8  # of positions, over the cloth's size
ROUNDING, NUDGE = 1e-13, 1e-6  # of the size
TRIES = 6
EFFORT = 0.02  # of efforts of two searches; and this many g, where there is hardly any
LITTLE_EFFORT = 1e-3
FAR = 3.0  # efforts so many times apart are no two ways to the same end: one search ended on its way
OUT_OF_ITERATIONS = "the limit on Newton iterations was reached"
MANY_ITERATIONS = 3000  # ten times as many as by default
TIME_LIMIT = 600


def gist(message):
    """Of what a program said last, what a copy of the scene says too: key and kind, no numbers or names."""
    last = message.strip().splitlines()[-1] if message.strip() else ""
    words = re.sub(r"[-+]?[0-9](?:[0-9.e+-]|,(?=[0-9]))*", "#", re.sub(r"/\S*/", "", last))
    return words.split(", nearest ")[0].split(", the first ")[0]


class Result:
    """What the program made of a scene, in a folder of its own."""

    def __init__(self, program, command, scene, folder, relation=None, interrupt_after=None):
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier call
        shuffle = relation.shuffle if relation else None
        scenes.write(scene, folder, None if shuffle is None else random.Random(shuffle))
        options = relation.options if relation else ()
        self.words = [program, command, "shot.toml", "-o", "out", "--quiet", *options]
        if command == "solve":
            self.words.append("--no-report")
        begin = time.monotonic()
        if interrupt_after is not None:
            self.interrupt(folder, interrupt_after)
        begun = interrupt_after is not None and (folder / "out").exists()
        self.run(folder, "--resume" if begun else "--force")
        self.seconds = time.monotonic() - begin
        if "holds the results of a finished run" in self.said:  # it was done before the signal came
            self.code, self.said = 0, ""
        self.positions = self.summary = None
        if self.code in (0, 4):
            self.positions = np.load(folder / "out" / "positions.npy")
            self.summary = json.loads((folder / "out" / "summary.json").read_text())

    def run(self, folder, option):
        try:
            ended = subprocess.run([*self.words, option], cwd=folder, capture_output=True, text=True,
                                   timeout=TIME_LIMIT, check=False)
            self.code, self.said = ended.returncode, ended.stderr
        except subprocess.TimeoutExpired:
            self.code, self.said = -1, f"ran for more than {TIME_LIMIT} s"

    def interrupt(self, folder, seconds):
        running = subprocess.Popen(self.words, cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        running.kill()
        running.wait()

    def has_result(self):
        return self.positions is not None


def distance(a, b, size):
    return float(np.abs(a - b).max()) / size if a.shape == b.shape else float("inf")


class Sensitivity:
    """How far a scene's result moves where its start hardly does; made when it is asked for."""

    def __init__(self, program, scene, base, folder):
        self.program, self.scene, self.base, self.folder = program, scene, base, folder
        self.known, self.ends = {}, {}

    def effect(self, share, attempt):
        if (share, attempt) not in self.known:
            nudged = relations.nudged(self.scene, np.random.default_rng([self.scene.seed, 2, attempt]), share)
            ran = Result(self.program, "simulate", nudged, self.folder / f"nudged{share:g}-{attempt}")
            self.known[share, attempt] = (distance(ran.positions, self.base.positions, self.scene.size())
                                          if ran.has_result() else float("inf"))
        return self.known[share, attempt]

    def end_of_copy(self, attempt):
        """The result of a copy that is moved and renumbered, and not mirrored; or None."""
        if attempt not in self.ends:
            rng = np.random.default_rng([self.scene.seed, 3, attempt])
            copy, back = relations.moved_and_renumbered(self.scene, rng)
            ran = Result(self.program, "simulate", copy, self.folder / f"copy{attempt}")
            self.ends[attempt] = back(ran.positions) if ran.has_result() else None
        return self.ends[attempt]

    def is_one_of_two_ends(self, positions):
        """Whether of other copies some end there, and some where the scene does: what an order of sums
        chooses from, as at a saddle. All copies are of one kind: no defect of a relation explains itself."""
        ends = [self.end_of_copy(attempt) for attempt in range(TRIES)]
        size = self.scene.size()

        def is_known(place):
            return any(end is not None and distance(end, place, size) <= BOUND for end in ends)

        return is_known(self.base.positions) and is_known(positions)

    def explains(self, error, positions):
        """Whether an error is what a nudge makes, or another order; and that in words."""
        effect = self.effect(ROUNDING, 0)
        if error <= 1e3 * effect:
            return True, f"of a nudge of {ROUNDING:g} {effect:.1e}"
        most = 0.0
        for attempt in range(TRIES):
            most = max(most, self.effect(NUDGE, attempt))
            if most > 1e3 * NUDGE and error <= 10 * most:
                return True, f"of a nudge of {NUDGE:g} {most:.1e}"
        if self.is_one_of_two_ends(positions):
            return True, "where other copies end too, and others where it does"
        return False, f"of nudges of {ROUNDING:g} and {NUDGE:g} {effect:.1e} and {most:.1e}"


def compare_refusals(base, copy):
    if base.code == copy.code and gist(base.said) == gist(copy.said):
        return "refused", ""
    return "failed", f"exit {base.code}: {base.said!r} against {copy.code}: {copy.said!r}"


def compare_positions(relation, base, copy, size, sensitivity):
    back = relation.back(copy.positions)
    if relation.is_exact:
        if np.array_equal(back, base.positions):
            return "agreed", ""
        return "failed", f"not the same bits: {distance(back, base.positions, size):.2e}"
    error = distance(back, base.positions, size)
    if error <= BOUND:
        return "agreed", ""
    explained, words = sensitivity.explains(error, back)
    return "sensitive" if explained else "failed", f"{error:.1e}, {words}"


def compare_searches(base, copy):
    """Both meet their keyframe, or neither; with the same effort."""
    reached = [all(k["reached"] for k in result.summary["keyframes"]) for result in (base, copy)]
    effort = [result.summary["effort"]["rms_g"] for result in (base, copy)]
    words = f"reached {reached[0]} and {reached[1]}, effort {effort[0]:.4g} and {effort[1]:.4g} g"
    if reached[0] and reached[1] and max(effort) > FAR * min(effort) + LITTLE_EFFORT:
        return "failed", words
    near = abs(effort[0] - effort[1]) <= EFFORT * max(effort) + LITTLE_EFFORT
    return ("agreed", "") if reached[0] == reached[1] and near else ("differs", words)


def judged(program, command, scene, folder, only):
    """The base's result and [(relation, verdict, why)]."""
    base = Result(program, command, scene, folder / "base")
    verdicts = []
    if base.code not in (0, 3, 4, 5):
        verdicts.append(("base", "failed", f"exit {base.code}: {base.said}"))
    sensitivity = Sensitivity(program, scene, base, folder)
    for relation in (relations.searched if command == "solve" else relations.simulated)(scene):
        if only and relation.name != only:
            continue
        when = random.Random(scene.seed).uniform(0, base.seconds) if relation.is_interrupted else None
        inside = folder / relation.name.replace(" ", "-")
        copy = Result(program, command, relation.scene, inside, relation, when)
        least = re.search(r"memory_gb: found .* expected at least ([0-9.e-]+)", copy.said)
        if relation.needs_memory and least:
            given = relations.with_memory(scene, 1.02 * float(least[1]))
            copy = Result(program, command, given, folder / "enough-memory", relation)
        if base.has_result() != copy.has_result() and OUT_OF_ITERATIONS in base.said + copy.said:
            given = [relations.with_iterations(each, MANY_ITERATIONS) for each in (scene, relation.scene)]
            both = Result(program, command, given[0], folder / "base-longer"), Result(
                program, command, given[1], inside, relation)
        else:
            both = base, copy
        if not (both[0].has_result() and both[1].has_result()):
            verdict, why = compare_refusals(*both)
        elif command == "solve" and not relation.is_exact:
            verdict, why = compare_searches(*both)
        else:
            verdict, why = compare_positions(relation, *both, scene.size(), sensitivity)
        verdicts.append((relation.name, verdict, why))
    return base, verdicts


def judge(program, command, seed, work, only):
    """Of one scene its number, exit code, message and the verdicts; keeps the folder where one failed."""
    folder = work / f"{command}{seed}"
    if command == "solve":
        scene, hidden = draw.draw_search(seed)
        posed = Result(program, "simulate", hidden, folder / "hidden")
        if posed.code not in (0, 3, 5):
            return seed, posed.code, posed.said, [("hidden", "failed", f"exit {posed.code}: {posed.said}")]
        if not posed.has_result():
            shutil.rmtree(folder)
            return seed, posed.code, posed.said, []
        scene = draw.with_keyframe(scene, posed.positions[-1])
    else:
        scene = draw.draw(seed)
    base, verdicts = judged(program, command, scene, folder, only)
    if all(verdict != "failed" for _, verdict, _ in verdicts):
        shutil.rmtree(folder)
    return seed, base.code, base.said, verdicts
