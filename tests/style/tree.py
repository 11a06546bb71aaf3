"""The files of the tree, their lines, and what of a C++ file is code and what is comment."""

import bisect
import collections
import functools
import os
import re
import subprocess

Finding = collections.namedtuple("Finding", "file line rule what")
Comment = collections.namedtuple("Comment", "line column text own_line")  # text: without its // or #

CPP = (".h", ".cpp")
SOURCES = CPP + (".py", ".js", ".mjs", ".css", ".cmake", "CMakeLists.txt")
LAYERS = ("core", "control", "io")

TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*  |  /\*.*?\*/  |  R"(?P<end>\w*)\(.*?\)(?P=end)"
        |  "(?:\\.|[^"\\\n])*"  |  (?<![0-9A-Za-z])'(?:\\[^\n']+|\\'|[^'\\\n])'""", re.S | re.X)
SHELL_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^#"'\n])*(#.*)?""")


class Source:
    """One text file."""

    def __init__(self, root, path):
        self.path = path
        self.folder = os.path.dirname(path)
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()

    @property
    def is_cpp(self):
        return self.path.endswith(CPP)

    @functools.cached_property
    def starts(self):
        return [0] + [match.end() for match in re.finditer("\n", self.text)]

    def place(self, offset):
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]

    @functools.cached_property
    def code(self):
        """C++: the text with comments blank and string literals emptied; the same lines and columns."""
        return "".join(self._split[0])

    @functools.cached_property
    def code_lines(self):
        return self.code.split("\n")

    @functools.cached_property
    def comments(self):
        """All line comments; those of a block, /* */, as one line each."""
        return self._split[1] if self.is_cpp else self._hash_comments()

    @functools.cached_property
    def _split(self):
        code, comments, last = [], [], 0
        for match in TOKEN.finditer(self.text):
            token = match.group()
            code.append(self.text[last:match.start()])
            if token.startswith("/"):
                code.append(re.sub(r"[^\n]", " ", token))
                line, column = self.place(match.start())
                for k, text in enumerate(token.split("\n")):
                    before = self.lines[line - 1][:column] if k == 0 else ""
                    comments.append(Comment(line + k, column, text.lstrip("/*"), not before.strip()))
            else:
                code.append(token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1])
            last = match.end()
        code.append(self.text[last:])
        return code, comments

    def _hash_comments(self):
        comments = []
        for number, line in enumerate(self.lines, 1):
            if "#" not in line:
                continue
            match = SHELL_COMMENT.match(line)
            if match.group(2) is not None:
                column = match.start(2)
                comments.append(Comment(number, column, match.group(2)[1:], not line[:column].strip()))
        return comments


class Tree:
    """All files below `root` that git knows, or all that there are where it is no repository."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(list_files(root))
        self.folders = {path[:slash.start()] for path in self.paths for slash in re.finditer("/", path)}
        self.sources = [self.open(path) for path in self.paths if path.endswith(SOURCES)]
        self.cpp = [source for source in self.sources if source.is_cpp]
        self.prose = [self.open(path) for path in self.paths if path.endswith(".md")]

    def open(self, path):
        return Source(self.root, path)

    def has(self, path):
        return path in self._path_set or path in self.folders

    @functools.cached_property
    def _path_set(self):
        return set(self.paths)


def list_files(root):
    try:
        known = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
        return {path for path in known if os.path.isfile(os.path.join(root, path))}
    except (OSError, subprocess.CalledProcessError):
        return {os.path.relpath(os.path.join(folder, name), root)
                for folder, _, names in os.walk(root) for name in names}


def layer_of(path):
    return path.split("/")[0]
