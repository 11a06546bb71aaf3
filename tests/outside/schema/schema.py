#!/usr/bin/python3
"""schema.py KEYDRAPE EXAMPLES: the schema against a validator and a TOML parser that nobody here wrote.

All examples are valid; every scene that the reader refuses for one key alone is refused by the schema as
well. Exit code 77, with the reason, where python3-jsonschema is absent.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not there; examples/packages --tests installs it")
    sys.exit(77)

PROGRAM, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
SMALLEST = '[shot]\nframes = "1-3"\n[cloth]\nrest = "rest.obj"\n'
SHEET = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def output(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def is_repeated(schema, table):
    return schema["properties"].get(table, {}).get("type") == "array"


def wrong_values(key):
    """TOML texts that a key cannot hold, whatever else stands in the scene."""
    yield "1979-05-27"
    numeric = key["type"].startswith(("number", "integer", "[x, y, z]", "[warp"))
    low = key["range"].split()[1] if key["range"].startswith(">") else "-inf"
    if numeric and "[x" not in key["type"] and float(low) >= 0:
        yield "-1"
    if numeric and '"auto"' not in key["type"]:
        yield '"high"'
    if key["type"].startswith("integer"):
        yield "1.5"
    if key["type"] == "true or false":
        yield "1"
    if key["type"].startswith('"') and "first-last" not in key["type"]:
        yield '"nonsense"'
    if key["type"] == '"first-last" with first < last':
        yield '"1001"'


def main():
    schema = json.loads(output("schema"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    scenes = sorted(EXAMPLES.glob("*/*.toml"))
    assert scenes
    for scene in scenes:
        for error in validator.iter_errors(tomllib.loads(scene.read_text())):
            sys.exit(f"{scene}: {error.message}")

    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.toml")
        pathlib.Path(folder, "rest.obj").write_text(SHEET)
        for key in json.loads(output("explain", "--json")):
            table, name = key["table"], key["key"]
            header = f"[[{table}]]" if is_repeated(schema, table) else f"[{table}]"
            for value in wrong_values(key):
                lines = [line for line in SMALLEST.splitlines() if not line.startswith(f"{name} =")]
                if header not in lines:
                    lines.append(header)
                lines.insert(lines.index(header) + 1, f"{name} = {value}")
                path.write_text("\n".join(lines) + "\n")
                run = subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True)
                assert run.returncode == 3, f"the reader took\n{path.read_text()}"
                if validator.is_valid(tomllib.loads(path.read_text())):
                    sys.exit(f"the schema took what the reader refused ({run.stderr.strip()}):\n"
                             f"{path.read_text()}")
                refused += 1
        path.write_text(SMALLEST + "[wind]\nvelocty = [1, 0, 0]\n")
        assert not validator.is_valid(tomllib.loads(path.read_text()))
    assert refused > 150, refused
    print(f"{len(scenes)} scenes are valid, {refused} wrong ones are refused")


main()
