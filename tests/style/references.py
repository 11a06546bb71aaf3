"""What comments and READMEs point at has to be there; and READMEs keep within their bounds."""

import os
import re

from tree import LAYERS, Finding, layer_of

MOST_LINES_OF_README = {"": 250}  # by folder; else:
MOST_LINES_OF_LAYER = 120
MOST_LINES_OF_DECISION = 30
MOST_LINES_OF_EQUATIONS = 300

LAW = re.compile(r"\blaws? (\d+)(?:(?:,| and| to) (\d+))?")
TAG = re.compile(r"\(([A-Z]{1,2}\d+[a-z]?)\)")
IN_README = re.compile(r"README\.md,? (?:equations? )?\((?:[A-Z]{1,2})?\d+[a-z]?\)")
TITLE = re.compile(r'([\w./-]*\.md\b)\)?,? "([^"]+)"')
QUOTED = re.compile(r"(?<![\w./<>{}~$*:-])(?:core|control|io|tests|examples)/[\w./*@-]*[\w*]")
TICKED = re.compile(r"`([\w/{*][\w./{},*-]+)`")
OF_CODE = re.compile(r"(\.(h|cpp|py|js|mjs|cmake|\*)|_test)$")
STANDS_FOR_ANY = ("NEW", "NAME")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def unknown_law(tree):
    """`law N`: a number of the list below "Laws" in the root README.md."""
    laws = set()
    if tree.has("README.md"):
        text = tree.open("README.md").text
        section = re.search(r"^#+ (?:The )?[Ll]aws\b.*?$(.*?)(?=^#|\Z)", text, re.M | re.S)
        laws = set(re.findall(r"^\s*(\d+)\.", section.group(1), re.M)) if section else laws
    for source, line, text in said(tree):
        for match in LAW.finditer(text):
            for number in filter(None, match.groups()):
                if number not in laws:
                    yield Finding(source.path, line, "unknown law", f"README.md has no law {number}")


def unknown_equation(tree):
    """A tag as (A1): defined in an EQUATIONS.md, or in a header of the same folder or the file itself."""
    everywhere, in_folder = set(), {}
    for source in tree.prose:
        if os.path.basename(source.path) == "EQUATIONS.md":
            for line in source.lines:
                everywhere.update(re.findall(r"\((\w+)\)\s*$", line) if line.startswith("    ") else ())
                everywhere.update(re.findall(r"^\s*(?:[-*#|]+ *)*\((\w+)\)", line))
    for source in tree.cpp:
        for comment in source.comments:
            match = re.search(r"\S\s+\(([A-Z]{1,2}\d+[a-z]?)\)\s*$", comment.text)
            if match and comment.own_line and comment.text.startswith("  "):
                place = source.folder if source.path.endswith(".h") else source.path
                in_folder.setdefault(place, set()).add(match.group(1))
    for source in tree.cpp:
        if layer_of(source.path) not in LAYERS:
            continue
        defined = everywhere | in_folder.get(source.folder, set()) | in_folder.get(source.path, set())
        for comment in source.comments:
            for tag in TAG.findall(comment.text):
                if tag not in defined:
                    yield Finding(source.path, comment.line, "unknown equation",
                                  f"({tag}) is in no EQUATIONS.md")
    for source, line, match in matches_over_lines(tree, IN_README):
        if source.is_cpp:
            yield Finding(source.path, line, "unknown equation", f"{match.group()}: they are in EQUATIONS.md")


def missing_title(tree):
    """README.md, "A title": a heading of that file."""
    for source, line, match in matches_over_lines(tree, TITLE):
        path, title = match.groups()
        path = path if tree.has(path) else os.path.normpath(os.path.join(source.folder, path))
        headings = re.findall(r"^#+ .*", tree.open(path).text, re.M) if tree.has(path) else []
        if not any(title.lower() in heading.lower() for heading in headings):
            yield Finding(source.path, line, "missing title", f'{path} has no "{title}"')


def matches_over_lines(tree, pattern):
    """(source, line, match) in what is said, also where it goes on in the next line."""
    lines = list(said(tree)) + [(None, 0, "")]
    for (source, line, text), (following, _, rest) in zip(lines, lines[1:]):
        both = text + " " + rest.strip() if following is source else text
        for match in pattern.finditer(both):
            if match.start() < len(text):
                yield source, line, match


def missing_path(tree):
    """A file or folder that a comment or an .md names: itself, or its stem (.h and .cpp together)."""
    for source, line, text in said(tree):
        for match in QUOTED.finditer(text):
            if not exists(tree, match.group()):
                yield Finding(source.path, line, "missing path", match.group())
        for link in LINK.findall(text) if source.path.endswith(".md") else ():
            target = os.path.normpath(os.path.join(source.folder, link))
            if "://" not in link and not link.startswith("mailto:") and not tree.has(target):
                yield Finding(source.path, line, "missing path", f"link to {link}")


def missing_file(tree):
    """A file of code, or a test without its .cpp, that a README names from where its readers look on: in
    backticks, the end of a path, with {a,b} and *."""
    for source in tree.prose:
        if os.path.basename(source.path) != "README.md":
            continue
        for number, line in enumerate(source.lines, 1):
            for name in (name for ticked in TICKED.findall(line) for name in alternatives(ticked)):
                if not OF_CODE.search(name) or any(word in name for word in STANDS_FOR_ANY):
                    continue
                ending = re.compile(r"(.*/)?" + re.escape(name).replace(r"\*", "[^/]*") + r"(\.cpp)?")
                if not any(ending.fullmatch(path) for path in tree.paths):
                    yield Finding(source.path, number, "missing file", name)


def alternatives(name):
    """a/{b,c}.h: a/b.h and a/c.h."""
    braces = re.search(r"\{([^{}]*)\}", name)
    if not braces:
        return [name]
    before, behind = name[:braces.start()], name[braces.end():]
    return [whole for part in braces.group(1).split(",") for whole in alternatives(before + part + behind)]


def exists(tree, path):
    path = path.split("@")[0].rstrip("/")
    if "*" in path:
        pattern = re.compile(re.escape(path).replace(r"\*", "[^/]*"))
        return any(pattern.match(file) for file in tree.paths)
    return tree.has(path) or any(tree.has(path + end) for end in (".h", ".cpp"))


def said(tree):
    """(source, line, text) of all comments and all lines of prose."""
    for source in tree.sources:
        if source.folder != "tests/style" and not source.path.endswith((".js", ".mjs", ".css")):
            for comment in source.comments:
                yield source, comment.line, comment.text
    for source in tree.prose:
        for number, line in enumerate(source.lines, 1):
            yield source, number, line


def long_prose(tree):
    for source in tree.prose:
        name, bound = os.path.basename(source.path), None
        if name == "README.md":
            bound = MOST_LINES_OF_README.get(source.folder, MOST_LINES_OF_LAYER)
        elif name == "EQUATIONS.md":
            bound = MOST_LINES_OF_EQUATIONS
        elif os.path.basename(source.folder) == "decisions":
            bound = MOST_LINES_OF_DECISION
        if bound is not None and len(source.lines) > bound:
            yield Finding(source.path, bound + 1, "long prose", f"{len(source.lines)} lines, at most {bound}")


RULES = (unknown_law, unknown_equation, missing_title, missing_path, missing_file, long_prose)
