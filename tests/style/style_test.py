#!/usr/bin/env python3
"""The style of the tree as a test. style_test.py [ROOT]

Prints one line a finding, `file:line: rule: what`, and exits with 1 if there is any. The rules stand in
folders.py, layout.py, words.py and references.py. What is forbidden to say stands in words.txt; what is
allowed in spite of a rule stands in exceptions.txt, each with its reason.
"""

import os
import sys

sys.dont_write_bytecode = True  # the tree stays as it is

import folders
import layout
import references
import words
from tree import Finding, Tree

HERE = os.path.dirname(os.path.abspath(__file__))
EXCEPTIONS = os.path.join(HERE, "exceptions.txt")
RULES = folders.RULES + layout.RULES + words.RULES + references.RULES


def read_exceptions(path):
    """{(rule, file): line}; a line: rule | file | reason."""
    exceptions = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                rule, name, reason = (part.strip() for part in line.split(" | "))
                assert reason, f"{path}:{number}: a reason is missing"
                exceptions[rule, name] = number
    return exceptions


def check(root, exceptions):
    tree = Tree(root)
    findings = [finding for rule in RULES for finding in rule(tree)]
    used = {(finding.rule, finding.file) for finding in findings}
    findings += [Finding("tests/style/exceptions.txt", number, "stale exception", ", ".join(exception))
                 for exception, number in exceptions.items() if exception not in used]
    return sorted(finding for finding in findings if (finding.rule, finding.file) not in exceptions)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))
    findings = check(os.path.abspath(root), read_exceptions(EXCEPTIONS))
    for finding in findings:
        print(f"{finding.file}:{finding.line}: {finding.rule}: {finding.what}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
