# SPDX-License-Identifier: GPL-3.0-or-later
"""Defaults, ranges, words and meanings of the scene file's keys, out of the program's own table: schema.json
is what `keydrape schema` says, put here when the add-on is built. Knows nothing of Blender."""

import json
import os

SCHEMA = os.path.join(os.path.dirname(__file__), "schema.json")

try:
    with open(SCHEMA, encoding="utf-8") as file:
        KEYS = json.load(file)
except OSError as error:
    raise ImportError("keydrape: %s; install keydrape_blender.zip, which the build makes, and not the folder "
                      "of sources" % error) from error


def find(path):
    """The schema of a key, "control.channel.scale". Raises KeyError for one that does not exist."""
    found = KEYS
    for name in path.split("."):
        found = table(found)["properties"][name]
    return found


def table(schema):
    """Of a key that may also be a word, or be written many times: that which has keys of its own."""
    if "items" in schema:
        schema = schema["items"]
    return next((each for each in schema.get("anyOf", ()) if "properties" in each), schema)


def default(path):
    """None: the key has none, or one that depends on others, which stands in its meaning."""
    return find(path).get("default")


def words(path):
    """Those that a key may be, the default first."""
    found = list(find(path)["enum"])
    first = default(path)
    return sorted(found, key=lambda word: word != first)


def meaning(path):
    """For a tooltip, to which Blender adds the last period."""
    text = find(path)["description"]
    return text[0].upper() + text[1:].rstrip(".")


ZERO = ". 0: as said by default"
LEAST = 1e-6  # of what has to be above 0, as far as a slider can say it


def number(path, name):
    """The arguments of a Blender property of a number. A key without default is 0 where the scene leaves it
    to the program."""
    key = find(path)
    key = next((each for each in key.get("anyOf", ()) if each.get("type") in ("number", "integer")), key)
    value, text = default(path), meaning(path)
    found = {"name": name, "description": text}
    if isinstance(value, (int, float)):
        found["default"] = value
        found["min"] = key.get("minimum", LEAST)
    else:
        found["default"] = 0
        if "minimum" in key or "exclusiveMinimum" in key:
            found["min"] = 0
        found["description"] = text + ZERO
    if "maximum" in key:
        found["max"] = key["maximum"]
    if key["type"] == "integer":
        found.update((name, int(value)) for name, value in found.items() if name in ("default", "min", "max"))
    return found


def choices(path, labels):
    """The items of a Blender property of a word, the default first; labels: {word: (label, what it does)} of
    those that have better names than themselves."""
    return [(word, *labels.get(word, (word.replace("-", " ").title(), ""))) for word in words(path)]
