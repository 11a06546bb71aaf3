# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that keydrape reads, written from plain arrays. Knows nothing of Blender."""

import re
import struct

import numpy as np


def write_obj(path, positions, faces, groups=None, uvs=None):
    """positions (n, 3); faces: lists of vertices from 0; groups {name: vertices}; uvs: a pair for each corner
    of each face, in their order, or None. Vertices keep their order and number."""
    lines = ["v %r %r %r" % tuple(map(float, p)) for p in positions]
    if uvs is not None:
        lines += ["vt %r %r" % tuple(map(float, uv)) for uv in uvs]
    corner = 0
    for face in faces:
        words = []
        for vertex in face:
            corner += 1
            words.append("%d/%d" % (vertex + 1, corner) if uvs is not None else "%d" % (vertex + 1))
        lines.append("f " + " ".join(words))
    for name, vertices in (groups or {}).items():
        lines += ["g " + name, "p " + " ".join("%d" % (v + 1) for v in vertices)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def write_pc2(path, first_frame, frames):
    """frames (F, n, 3): one sample a frame."""
    samples = np.ascontiguousarray(frames, dtype="<f4")
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, samples.shape[1], first_frame, 1.0,
                               samples.shape[0]))
        file.write(samples.tobytes())


def write_weights(path, weights):
    """One weight in [0, 1] for each vertex."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join("%r" % float(w) for w in weights) + "\n")


def plain(name):
    """A name of something in Blender as that of a file. None ends with a dot: "..", for one, is a folder."""
    return re.sub(r"[^\w@.-]|\.(?=\.*$)", "_", name)


def short(number):
    """The shortest number that is the same in single precision: Blender's properties keep no more."""
    return float(str(np.float32(number)))


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"%s"' % escaped
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(toml_value, value))
    return repr(value)


# What says where a value of TOML ends: brackets and newlines, but none of a string or of a comment. A string
# over several lines may have up to two quotes before the three that end it.
TOML_PART = re.compile(r'"""(?:\\.|[^\\])*?""""{0,2}|"(?:\\.|[^"\\\n])*"'
                       r"|'''.*?''''{0,2}|'[^'\n]*'|#[^\n]*|[][{}\n]", re.DOTALL)


def toml_entries(text):
    """Titles, keys with their values, empty lines and comments, each with all of its lines."""
    text, begin, depth = text + "\n", 0, 0
    for part in TOML_PART.finditer(text):
        depth += (part.group() in ("[", "{")) - (part.group() in ("]", "}"))
        if part.group() == "\n" and depth == 0:
            yield text[begin:part.end()]
            begin = part.end()


def toml_name(text):
    """A title or a key as it is mostly written: [ "cloth" . material ] is [cloth.material]."""
    return re.sub(r"[\s\"']", "", text)


def changed_toml(text, tables):
    """Of a scene file's text these tables alone, title: {key: value}, with these values; None leaves out."""
    kept, title = [], None
    for entry in toml_entries(text):
        if entry.lstrip().startswith("["):
            title = toml_name(entry.partition("#")[0])
            if title in tables:
                kept += [entry, toml_lines(tables[title])]
        elif title in tables and toml_name(entry.partition("=")[0]) not in tables[title]:
            kept.append(entry)
    return "".join(kept)


def toml_lines(values):
    """Keys whose value is None are left out."""
    return "".join("%s = %s\n" % (key, toml_value(v)) for key, v in values.items() if v is not None)


def write_toml(path, tables):
    """tables: (title, {key: value}) in their order, the title with its brackets; keys whose value is None
    are left out."""
    text = ""
    for title, values in tables:
        text += "%s%s\n" % ("\n" if text else "", title)
        text += toml_lines(values)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
