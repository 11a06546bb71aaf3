"""Lengths of files, functions and lines, and how comments stand on the page."""

import ast
import re

from tree import Finding

MOST_LINES = 400
MOST_LINES_OF_FUNCTION = 70
MOST_COLUMNS = 110
WIDE = 95         # columns: a paragraph with a line wider than this has room to be set without a widow
FEWEST_WORDS = 3  # of the last line of such a paragraph


def long_file(tree):
    for source in tree.sources:
        if len(source.lines) > MOST_LINES:
            yield Finding(source.path, MOST_LINES + 1, "long file",
                          f"{len(source.lines)} lines, at most {MOST_LINES}")


def long_line(tree):
    for source in tree.sources:
        if source.path.endswith((".js", ".mjs", ".css")):
            continue
        for number, line in enumerate(source.lines, 1):
            if len(line) > MOST_COLUMNS:
                yield Finding(source.path, number, "long line",
                              f"{len(line)} columns, at most {MOST_COLUMNS}")


def long_function(tree):
    for source in tree.sources:
        found = cpp_functions(source) if source.is_cpp else python_functions(source)
        for name, first, last in found:
            count = last - first + 1
            if count > MOST_LINES_OF_FUNCTION:
                yield Finding(source.path, first, "long function",
                              f"{name}: {count} lines, at most {MOST_LINES_OF_FUNCTION}")


def python_functions(source):
    if not source.path.endswith(".py"):
        return
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def cpp_functions(source):
    """(name, first line, last line) of each function; lambdas and blocks count as part of theirs."""
    scopes = []  # of each open brace: (kind, name, line), kind "scope", "function" or "other"
    head = 0     # where the declaration begins that the next brace may open
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda directive: re.sub(r"[^\n]", " ", directive.group()),
                  source.code, flags=re.M)
    for match in re.finditer(r"[{};]", code):
        k, mark = match.start(), match.group()
        outside = all(kind == "scope" for kind, _, _ in scopes)
        if mark == "{":
            scopes.append(opened(source, code[head:k], head) if outside else ("other", "", 0))
        elif mark == "}" and scopes:
            kind, name, first = scopes.pop()
            last = source.place(k)[0]
            if kind == "function" and re.match(r"\s*(,|\{)", code[k + 1:k + 200]):
                continue  # a member's braces in a list of initialisers: the body comes
            if kind == "function":
                yield name, first, last
            if all(kind == "scope" for kind, _, _ in scopes):
                head = k + 1
        if outside and mark != "}":
            if mark == ";" or scopes[-1][0] == "scope":
                head = k + 1


def opened(source, text, offset):
    declaration = re.sub(r"^\s*((public|private|protected)\s*:\s*)*", "", text)
    line = source.place(offset + len(text) - len(declaration))[0]
    without_template = re.sub(r"\btemplate\s*<[^{]*?>\s*(?=\w)", "", declaration)
    name = re.search(r"([\w:~]+|operator\W+)\s*\(", declaration)
    if SCOPE.match(without_template) and not re.match(r"(struct|class)\s[^{]*\)", without_template):
        return "scope", "", line
    if name and not re.search(r"(?<![=!<>])=(?!=)", declaration[:name.start()]):
        return "function", name.group(1), line
    return ("scope" if not declaration.strip() else "other"), "", line


def paragraphs(source):
    """Runs of comment lines that were set as one: the same column, no list item or formula between."""
    found, inner = [], 0
    for comment in source.comments:
        indent = len(comment.text) - len(comment.text.lstrip())
        item = re.match(r"\s*(-|\*|\d+\.)\s+", comment.text)
        follows = (found and comment.own_line and not item and comment.text.strip() and indent == inner and
                   found[-1].line == comment.line - 1 and found[-1].column == comment.column)
        if not follows:
            if len(found) > 1:
                yield found
            found = []
            inner = len(item.group()) if item else indent
        if comment.text.strip():
            found.append(comment)
        else:
            found = []
    if len(found) > 1:
        yield found


def widow(tree):
    for source in tree.sources:
        for paragraph in paragraphs(source):
            words = paragraph[-1].text.split()
            if len(words) < FEWEST_WORDS and len(source.lines[paragraph[-2].line - 1]) > WIDE:
                yield Finding(source.path, paragraph[-1].line, "widow",
                              f'"{" ".join(words)}" alone on a line')


def torn_declaration(tree):
    """A statement on two lines that has room on one, but for the comment behind it."""
    for source in tree.cpp:
        commented = {comment.line for comment in source.comments}
        for k in range(1, len(source.code_lines)):
            first, second = source.code_lines[k - 1].rstrip(), source.code_lines[k].strip()
            if not first or k in commented or k + 1 not in commented or not second.endswith(";"):
                continue
            begins = k == 1 or re.search(r"(^\s*|[;{}:])$", source.code_lines[k - 2].rstrip())
            whole = not re.search(r"[;{}:\\]$", first) and not re.match(r"\s*(template|else|#)", first)
            whole = whole and not re.match(r"\s*else\b", "".join(source.code_lines[k + 1:k + 2]))
            joined = len(first) + len(second) + (0 if first.endswith("(") else 1)
            if begins and whole and joined <= MOST_COLUMNS:
                yield Finding(source.path, k, "torn declaration",
                              "it fits on one line: the comment goes above it, or is made shorter")


RULES = (long_file, long_line, long_function, widow, torn_declaration)
