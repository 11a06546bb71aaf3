"""Words and constructs that code does without, but where exceptions.txt has the reason."""

import os
import re

from tree import Finding, layer_of

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = os.path.join(HERE, "words.txt")

PRINTING = re.compile(r"\bstd::(cout|cerr|clog|print|println)\b|\b(v?f?printf|f?puts|putchar)\s*\("
                      r"|\bspdlog::(trace|debug|info|warn|error|critical|log)\b"
                      r"|\blog_(info|warning|error|text)\(|\bfmt::print")
MAY_PRINT = ("io/cli", "tests", "examples")


def dynamic_cast(tree):
    yield from occurrences(tree.cpp, re.compile(r"\bdynamic_(?:pointer_)?cast\b"), "dynamic_cast",
                           "says what a virtual function or a concept should")


def mutable(tree):
    hidden = re.compile(r"(?<!\) )\bmutable\b")  # not that of a lambda
    yield from occurrences(tree.cpp, hidden, "mutable", "hides state from `const`")


def printing(tree):
    quiet = [source for source in tree.cpp
             if layer_of(source.path) in ("core", "control", "io") and not is_below(source.path, MAY_PRINT)]
    yield from occurrences(quiet, PRINTING, "printing", "only io/cli, tests and examples print")


def occurrences(sources, pattern, rule, what):
    for source in sources:
        for match in pattern.finditer(source.code):
            yield Finding(source.path, source.place(match.start())[0], rule, f"{match.group()}: {what}")


def forbidden_word(tree):
    """words.txt: what is not to be said, where, and what instead."""
    for pattern, folders, instead in read_words(WORDS):
        for source in tree.sources + tree.prose:
            if is_below(source.path, folders) and not is_below(source.path, ("tests/style",)):
                for match in pattern.finditer(source.text):
                    yield Finding(source.path, source.place(match.start())[0], "forbidden word",
                                  f'"{match.group()}": {instead}')


def read_words(path):
    words = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                pattern, folders, instead = (part.strip() for part in line.split(" | "))
                where = () if folders == "everywhere" else folders.split()
                words.append((re.compile(pattern), where, instead))
    return words


def is_below(path, folders):
    return folders == () or any(path == folder or path.startswith(folder + "/") for folder in folders)


RULES = (dynamic_cast, mutable, printing, forbidden_word)
