#!/usr/bin/env python3
"""Whether each rule of style_test.py can fail: breaks it in a tiny tree, and asks that it alone reports."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is

import style_test

LONG_LINE = "// " + "x" * 108 + "\n"
WIDE_LINE = "// " + "wide " * 20 + "\n"

# A tree without a finding that has most of what the rules look at.
SOUND = {
    "README.md": "# Tiny\n\n## Laws\n\n1. Down.\n2. Plain.\n\n## More\n\n9. No [core](core/README.md).\n",
    "core/README.md": "# core\n\nBegin with core/mesh/mesh.h, or `core/mesh/*.cpp`.\n",
    "core/EQUATIONS.md": "# Equations\n\n    F = m a            (N1)\n",
    "core/mesh/mesh.h": "// As core/mesh/mesh (law 2), (N1).\nstruct Mesh {\n  int n;  // size\n};\n",
    "core/mesh/mesh.cpp": '#include "core/mesh/mesh.h"\n\nint f(Mesh m) {\n  return m.n;  // (M1)\n}\n',
    "core/mesh/law.h": "//   a = F/m      (M1)\n",
    "control/goal/goal.h": '#include "core/mesh/mesh.h"\n// "mutable" and printf( are words here.\n',
    "io/cli/main.cpp": '#include "control/goal/goal.h"\n\nint main() {\n  std::puts("mutable");\n}\n',
    "CMakeLists.txt": "project(tiny)  # a name\n",
}

# rule: files that break it, on top of SOUND
BROKEN = {
    "include upwards": {"core/mesh/up.h": '#include "control/goal/goal.h"\n'},
    "cycle of folders": {"core/mesh/a.h": '#include "core/base/b.h"\n',
                         "core/base/b.h": '#include "core/mesh/a.h"\n'},
    "full folder": {f"core/full/file_{k}.h": "\n" for k in range(41)},
    "long file": {"core/mesh/long.cpp": "\n" * 401},
    "long line": {"CMakeLists.txt": LONG_LINE.replace("//", "##")},
    "long function": {"core/mesh/f.cpp": "namespace k {\nA::A(int a)\n    : a_{a}, b_(a) {\n" +
                                         "  ++a;\n" * 70 + "}\n}\n"},
    "widow": {"core/mesh/widow.h": WIDE_LINE + "// and done\n"},
    "torn declaration": {"core/mesh/torn.h": "struct A {\n  int torn =\n      0;  // with a reason\n};\n"},
    "dynamic_cast": {"core/mesh/cast.cpp": "int* x = dynamic_cast<int*>(y);\n"},
    "mutable": {"core/mesh/hidden.h": "struct A {\n  mutable int a;\n};\n"},
    "printing": {"control/goal/print.cpp": 'void f() { std::printf("x"); }\n'},
    "forbidden word": {"core/mesh/word.h": "// TODO\n"},
    "unknown law": {"core/mesh/state.h": "// Plain data (law 9).\n"},
    "unknown equation": {"core/mesh/state.h": "// As in (Z9).\n"},
    "missing title": {"core/mesh/state.h": "// See core/EQUATIONS.md,\n// \"Gone\".\n"},
    "missing path": {"core/mesh/state.h": "// See core/mesh/gone.h.\n"},
    "missing file": {"core/README.md": "# core\n\nAdd to `mesh/mesh.{h,cpp}`, `gone_test`.\n"},
    "long prose": {"core/README.md": "x\n" * 121},
}

# Further ways to break a rule: (rule, files)
ALSO = [
    ("long line", {"core/mesh/wide.h": LONG_LINE}),
    ("long line", {"tests/wide.py": LONG_LINE.replace("//", "# ")}),
    ("long function", {"tests/f.py": "def f():\n" + "    pass\n" * 70}),
    ("widow", {"core/mesh/item.h": "// - " + "wide " * 19 + "\n//   done\n"}),
    ("widow", {"core/mesh/behind.h": "int a;  // " + "wide " * 18 + "\n        // done\n"}),
    ("forbidden word", {"core/mesh/words.h": "class MeshManager {};\n"}),
    ("forbidden word", {"io/README.md": "As DESIGN.md says.\n"}),
    ("unknown equation", {"core/mesh/state.h": "// As core/README.md, equation (N1), has it.\n"}),
    ("missing path", {"README.md": SOUND["README.md"] + "[gone](core/gone.md)\n"}),
    ("missing file", {"core/README.md": "# core\n\nAdd to `mesh/{mesh,gone}.h`.\n"}),
    ("missing file", {"README.md": SOUND["README.md"] + "Open `mesh.h`, then `goal/g*_test.cpp`.\n"}),
    ("long prose", {"README.md": SOUND["README.md"] + "x\n" * 250}),
    ("long prose", {"core/EQUATIONS.md": SOUND["core/EQUATIONS.md"] + "x\n" * 300}),
    ("long prose", {"core/decisions/0001-one.md": "x\n" * 31}),
]

# What looks like a fault and is none.
FINE = [
    {"core/mesh/f.cpp": "void f() {\n" + "  x();\n" * 68 + "}\n\nint g() {\n" + "  x();\n" * 68 + "}\n"},
    {"core/mesh/lambda.cpp": "void f() {\n  g([n = 0](int) mutable { return ++n; });\n}\n"},
    {"core/mesh/number.h": "constexpr int kMany = 1'000'000;  // don't\nconstexpr char kMark = '\"';\n"},
    {"core/mesh/list.h": "// " + "wide " * 20 + "\n//   two words\n"},
    {"core/mesh/two.h": "int two_lines_since_it_is_long =\n    " + "a + " * 20 + "a;  // reason\n"},
    {"core/README.md": "# core\n\n`NEW.h` as `mesh.{h,cpp}`, `mesh/m*.h`, `.cpp` and `mesh.*`; `f(m).h`.\n"},
    {"core/mesh/title.h": "// See core/EQUATIONS.md, \"Equations\", (N1).\n"},
    {"core/mesh/word.h": "// TODO(the standard lacks it until 2029)\n"},
]


def findings_in(files, exceptions):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **files}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return style_test.check(root, exceptions)


def main():
    failures = []

    def expect(rules, files, exceptions=None):
        found = findings_in(files, exceptions or {})
        if {finding.rule for finding in found} != set(rules):
            failures.append(f"{sorted(files)}: expected {sorted(rules)}, found {found}")

    for files in [{}] + FINE:
        expect([], files)
    for rule, files in list(BROKEN.items()) + ALSO:
        expect([rule], files)
    hidden = BROKEN["mutable"]
    expect([], hidden, {("mutable", "core/mesh/hidden.h"): 1})
    expect(["mutable", "stale exception"], hidden, {("mutable", "core/mesh/other.h"): 1})
    print("\n".join(failures) if failures else f"{len(BROKEN) + len(ALSO) + 2} breaches, each found")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
