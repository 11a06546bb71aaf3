"""Who may include whom, and how many files fill a folder."""

import collections
import itertools
import os
import re

from tree import LAYERS, SOURCES, Finding, layer_of

FLOORS = {"core": 0, "control": 1, "io": 2, "examples": 3, "tests": 3}
MOST_FILES = 40
MOST_PERMUTED = 7  # folders of a cycle whose order is found by trying all

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def includes(tree):
    """(source, line, path) for each include of a file of the tree."""
    for source in tree.cpp:
        for match in INCLUDE.finditer(source.text):
            if layer_of(match.group(1)) in FLOORS:
                yield source, source.place(match.start())[0], match.group(1)


def include_upwards(tree):
    """core < control < io < examples, tests."""
    for source, line, path in includes(tree):
        own = layer_of(source.path)
        if own in FLOORS and FLOORS[layer_of(path)] > FLOORS[own]:
            yield Finding(source.path, line, "include upwards", f"{own} includes {path}")


def include_cycle(tree):
    """Inside a layer, folders that include one another; names the fewest includes that close the circle."""
    for layer in LAYERS:
        uses = collections.defaultdict(lambda: collections.defaultdict(list))
        for source, line, path in includes(tree):
            folder = os.path.dirname(path)
            if layer_of(source.path) == layer == layer_of(path) and folder != source.folder:
                uses[source.folder][folder].append((source.path, line, path))
        for cycle in cycles(uses):
            floor = {folder: k for k, folder in enumerate(best_order(cycle, uses))}
            names = ", ".join(sorted(cycle))
            for a, b in itertools.permutations(cycle, 2):
                for file, line, path in uses[a][b] if floor[a] < floor[b] else ():
                    yield Finding(file, line, "cycle of folders", f"{path} closes {names}")


def cycles(uses):
    """The strongly connected sets of two folders or more."""
    def reach(folder):
        seen, left = set(), [folder]
        while left:
            for other in list(uses[left.pop()]):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        return seen
    reached = {folder: reach(folder) for folder in list(uses)}
    found = {frozenset(b for b in seen if a in reached.get(b, ()))
             for a, seen in reached.items() if a in seen}
    return sorted(found, key=sorted)


def best_order(cycle, uses):
    """The order of floors, lowest first, in which fewest includes point upwards."""
    def upwards(order):
        return sum(len(uses[a][b]) for a, b in itertools.combinations(order, 2))
    if len(cycle) <= MOST_PERMUTED:
        return min(itertools.permutations(sorted(cycle)), key=upwards)
    return sorted(cycle, key=lambda a: (sum(len(uses[a][b]) for b in cycle), a))


def full_folder(tree):
    counts = collections.Counter(os.path.dirname(path) for path in tree.paths if path.endswith(SOURCES))
    for folder, count in counts.items():
        if count > MOST_FILES:
            yield Finding(folder, 1, "full folder", f"{count} source files, at most {MOST_FILES}")


RULES = (include_upwards, include_cycle, full_folder)
