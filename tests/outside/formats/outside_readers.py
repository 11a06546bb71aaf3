#!/usr/bin/env python3
"""Reads what keydrape writes with programs that nobody here wrote, and the other way round.

    outside_readers.py KEYDRAPE blender|paraview|gltf|usd|numpy|speed

Compares positions at the first, middle and last frame with the formula of cloth.py; the largest deviation
must be below 1e-6 of the cloth's size. Exits with 77 (skipped, for ctest) where the reader is absent.
"""

import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import cloth

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-6  # of the size


def skip(what, how):
    print("SKIPPED: %s is not there; %s" % (what, how), flush=True)
    sys.exit(77)


def need(program, how):
    if shutil.which(program) is None:
        skip(program, how)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit("FAILED (%d): %s\n%s%s" % (done.returncode, " ".join(command), done.stdout, done.stderr))
    return done.stdout


def convert(*arguments):
    begin = time.monotonic()
    run([KEYDRAPE, "convert", "--quiet", "--force", *arguments])
    return time.monotonic() - begin


def check(name, found):
    """`found`: {frame: positions}. Prints and tests the largest deviation."""
    assert sorted(map(int, found)) == sorted(cloth.SHOWN), sorted(found)
    worst = 0.0
    for frame, xyz in found.items():
        expected = cloth.positions(int(frame))
        if len(xyz) != len(expected):
            sys.exit("%s: %d numbers at frame %s instead of %d" % (name, len(xyz), frame, len(expected)))
        worst = max(worst, max(abs(a - b) for a, b in zip(xyz, expected)))
    relative = worst / cloth.size(cloth.positions(cloth.FIRST_FRAME))
    print("%-40s largest deviation %.2e m, %.2e of the size" % (name, worst, relative), flush=True)
    if not relative < TOLERANCE:
        sys.exit("FAILED: %s: deviates by more than %g of the size" % (name, TOLERANCE))


def check_cache(name, cache, *options):
    """What keydrape reads from a cache of the shown frames' range."""
    convert(cache, "back.npy", *options)
    frames = cloth.read_npy("back.npy")
    check(name, {frame: frames[frame - cloth.FIRST_FRAME] for frame in cloth.SHOWN})


def y_up(xyz):
    return [c for i in range(0, len(xyz), 3) for c in (xyz[i], xyz[i + 2], -xyz[i + 1])]


def blender():
    need("blender", "apt-get install blender python3-numpy")
    for out in ("out.pc2", "out.mdd", "out.####.obj", "out.####.ply"):
        convert("in.npy", out, "--mesh", "rest.obj", "--first-frame", str(cloth.FIRST_FRAME))
    text = run(["blender", "-b", "-t", "1", "--factory-startup", "--python-exit-code", "3", "--python",
                os.path.join(HERE, "read_with_blender.py"), "--", str(cloth.FIRST_FRAME), str(cloth.FRAMES)],
               env=dict(os.environ, OMP_NUM_THREADS="1"))
    for complaint in ("Vertex count mismatch", "Vertex coordinate read failed", "Invalid header"):
        assert complaint not in text, text
    for name, found in json.load(open("found.json")).items():
        check("Blender reads " + name, found)
    first = ["--first-frame", str(cloth.FIRST_FRAME)]
    check_cache("keydrape reads Blender's PC2", "blender.pc2", *first)
    check_cache("keydrape reads Blender's MDD", "blender.mdd", *first)
    check_cache("keydrape reads Blender's OBJ", "blender.####.obj")
    for kind in ("ascii", "binary"):
        check("keydrape reads Blender's PLY (%s)" % kind,
              {frame: in_order("blender_%s.%04d.ply" % (kind, frame)) for frame in cloth.SHOWN})


def in_order(ply):
    """Positions of the vertices in our order: Blender's PLY exporter numbers them by the faces
    that come first."""
    convert(ply, "back.obj")
    lines = [line.split() for line in open("back.obj")]
    points = [[float(w) for w in words[1:]] for words in lines if words[0] == "v"]
    faces = [[int(w) - 1 for w in words[1:]] for words in lines if words[0] == "f"]
    xyz = [[math.nan] * 3] * len(points)
    for face, triangle in zip(faces, cloth.triangles(), strict=True):
        for corner, vertex in zip(face, triangle):
            xyz[vertex] = points[corner]
    return [c for point in xyz for c in point]


def paraview():
    need("pvbatch", "apt-get install paraview python3-paraview xvfb")
    need("xvfb-run", "apt-get install xvfb xauth")
    for out in ("out.pvd", "out.####.ply", "out.####.obj"):
        convert("in.npy", out, "--mesh", "rest.obj", "--first-frame", str(cloth.FIRST_FRAME))
    write_small_scene()
    run([KEYDRAPE, "simulate", "small.toml", "--quiet", "--force", "-o", "small",
         "--forces", "small_forces.npy"])
    run(["xvfb-run", "-a", "pvbatch", os.path.join(HERE, "read_with_paraview.py"), str(cloth.FIRST_FRAME),
         str(cloth.FRAMES)])
    found = json.load(open("found.json"))
    fields = found.pop("fields")
    for name, frames in found.items():
        check("ParaView reads " + name, frames)
    check_fields(fields)


SMALL_FRAMES, SMALL_SIDE, SMALL_SUBSTEPS = 6, 5, 2


def write_small_scene():
    """A sheet that hangs at its upper edge, pushed by known forces, with a keyframe to miss."""
    def sheet(z):
        n = SMALL_SIDE
        text = "".join("v %r %r %r\n" % (0.1 * j, -0.1 * i, z * i) for i in range(n) for j in range(n))
        for i in range(n - 1):
            for j in range(n - 1):
                a = i * n + j + 1
                text += "f %d %d %d\nf %d %d %d\n" % (a, a + n, a + 1, a + 1, a + n, a + n + 1)
        return text
    open("small_rest.obj", "w").write(sheet(0.0))
    open("small_key.obj", "w").write(sheet(0.01))
    vertices = SMALL_SIDE ** 2
    forces = [[0.001 * (f + 1) * c for i in range(vertices) for c in (0.1, 0.0, 1.0 + 0.1 * i)]
              for f in range(SMALL_FRAMES)]
    cloth.write_npy("small_forces.npy", forces)
    open("small.toml", "w").write("""
[shot]
frames = "1001-1006"
substeps = 2
[cloth]
rest = "small_rest.obj"
[cloth.material]
density = 0.15
[[pin]]
vertices = [0, 1, 2, 3, 4]
[[keyframe]]
frame = 1004
mesh = "small_key.obj"
[output]
caches = ["vtp", "ply", "npy", "usda", "glb", "mdd"]
""")


def check_fields(fields):
    """Point and cell data of small.pvd as ParaView has them, and a frame of the PLY sequence."""
    worst = {}

    def compare(name, found, expected, scale):
        assert len(found) == len(expected), (name, len(found), len(expected))
        deviation = max(abs(a - b) for a, b in zip(found, expected)) / scale
        worst[name] = max(worst.get(name, 0.0), deviation)

    frames = cloth.read_npy("small/positions.npy")
    forces = cloth.read_npy("small_forces.npy")
    key = [float(w) for line in open("small_key.obj") if line.startswith("v ") for w in line.split()[1:]]
    steps = [json.loads(line) for line in open("small/steps.jsonl")]
    for f in range(SMALL_FRAMES):
        data = fields[str(1001 + f)]
        force = forces[f] if f + 1 < SMALL_FRAMES else [0.0] * len(forces[f])
        compare("force", data["force"], force, 0.01)
        miss = [math.dist(frames[f][i:i + 3], key[i:i + 3]) if f == 3 else 0.0 for i in range(0, len(key), 3)]
        compare("miss", data["miss"], miss, 0.1)
        if f > 0:
            energy = sum(data["energy_density"]) * 0.005  # every triangle measures half of 0.1 m by 0.1 m
            compare("energy_density", [energy], [steps[SMALL_SUBSTEPS * f - 1]["elastic_J"]],
                    max(s["elastic_J"] for s in steps))
        ratio = [a * m for a, m in zip(data["acceleration"], (m for m in data["mass"] for _ in range(3)))]
        compare("acceleration", ratio, force, 0.01)
    for name, deviation in worst.items():
        print("ParaView reads %-25s largest deviation %.2e of the scale" % ("field " + name, deviation))
        assert deviation < 1e-5, name


def gltf():
    need_node_modules()
    convert("in.npy", "out.glb", "--mesh", "rest.obj", "--first-frame", str(cloth.FIRST_FRAME))
    report = json.loads(run(["node", os.path.join(HERE, "validate_glb.mjs"), "out.glb"]))
    print("gltf-validator: %(numErrors)d errors, %(numWarnings)d warnings, %(numInfos)d infos, "
          "%(numHints)d hints" % report)
    assert report["numErrors"] == report["numWarnings"] == 0, report
    read_with_three("out.glb", "three.js reads GLB")
    convert("in.npy", "still.glb", "--mesh", "rest.obj", "--first-frame", "1001", "--frames", "1001")
    report = json.loads(run(["node", os.path.join(HERE, "validate_glb.mjs"), "still.glb"]))
    assert report["numErrors"] == report["numWarnings"] == 0, report
    convert("in.npy", "out.mdd", "--first-frame", str(cloth.FIRST_FRAME))
    read_with_three("out.mdd", "three.js reads MDD")


def usd():
    need_node_modules()
    convert("in.npy", "out.usda", "--mesh", "rest.obj", "--first-frame", str(cloth.FIRST_FRAME))
    found = read_with_three("out.usda", "three.js reads USDA")
    layer = found["layer"]
    assert layer["metersPerUnit"] == 1 and layer["upAxis"] == "Y", layer
    assert layer["timeCodesPerSecond"] == layer["framesPerSecond"] == 24, layer
    xyz = {f: cloth.positions(f) for f in (cloth.SHOWN[1] - 1, cloth.SHOWN[1] + 1)}
    velocity = [12.0 * (b - a) for a, b in zip(*xyz.values())]
    worst = max(abs(a - b) for a, b in zip(found["velocity"], velocity))
    print("three.js reads velocities, largest deviation %.2e m/s" % worst)
    assert worst < 1e-5
    assert found["triangles"] == [v for t in cloth.triangles() for v in t]
    check_cache("keydrape reads its own USDA", "out.usda")
    convert("out.usda", "centimetres.usda", "--meters-per-unit", "0.01", "--up-axis", "Z")
    turned = read_with_three("centimetres.usda", None)
    check("USDA in centimetres, Z up, turned back",
          {f: y_up([0.01 * c for c in xyz]) for f, xyz in turned["frames"].items()})
    convert("centimetres.usda", "metres.usda", "--meters-per-unit", "1", "--up-axis", "Y")
    check_cache("keydrape turns it back", "metres.usda")


def numpy():
    """Both ways, in the interpreter that has it: another python3 may come first on the PATH."""
    def has_numpy(python):
        return (shutil.which(python) and
                subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0)
    python = next(filter(has_numpy, (sys.executable, "/usr/bin/python3")), None)
    if python is None:
        skip("numpy", "apt-get install python3-numpy")
    first = ["--first-frame", str(cloth.FIRST_FRAME)]
    run([python, "-c", "import numpy; numpy.save('numpy.npy', numpy.load('in.npy').astype('<f8'))"])
    convert("numpy.npy", "out.npy", *first)
    run([python, "-c", "import json, numpy; x = numpy.load('out.npy'); "
         "json.dump({str(%d + f): x[f].ravel().tolist() for f in range(len(x))}, open('found.json', 'w'))"
         % cloth.FIRST_FRAME])
    found = json.load(open("found.json"))
    check("NumPy writes, keydrape copies, NumPy reads", {frame: found[str(frame)] for frame in cloth.SHOWN})


def need_node_modules():
    need("node", "apt-get install nodejs npm")
    if not os.path.isdir(os.path.join(HERE, "node_modules", "three")):
        skip("three.js", "tests/run installs it (npm ci --ignore-scripts in " + HERE + ")")


def read_with_three(path, name):
    run(["node", os.path.join(HERE, "read_with_three.mjs"), path, "found.json", str(cloth.FIRST_FRAME),
         *map(str, cloth.SHOWN)])
    found = json.load(open("found.json"))
    if name is not None:
        check(name, found["frames"])
    return found


def speed():
    """Every conversion of 24 frames of 10,000 vertices, in seconds: by the clock, and of processor time,
    which others on the machine do not lengthen."""
    slowest = ("", 0.0, 0.0)
    names = ("npy", "pc2", "mdd", "usda", "####.obj", "####.ply", "glb", "pvd")
    for source in names[:-2]:  # the last two are only written
        for target in names:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = convert("in." + source, "out." + target, "--mesh", "rest.obj", *first_frame(source))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print("%-8s -> %-8s %.2f s, %.2f s of processor time" % (source, target, seconds, busy),
                  flush=True)
            slowest = max(slowest, ("%s -> %s" % (source, target), seconds, busy), key=lambda each: each[2])
            if source == names[0] and target in names[1:-2]:
                convert("in.npy", "in." + target, "--mesh", "rest.obj", *first_frame("npy"))
    print("slowest: %s, %.2f s, %.2f s of processor time" % slowest)


def first_frame(source):
    """Of formats that do not say it."""
    return ["--first-frame", str(cloth.FIRST_FRAME)] if source == "npy" else []


KEYDRAPE = os.path.abspath(sys.argv[1])
TESTS = {"blender": blender, "paraview": paraview, "gltf": gltf, "usd": usd, "numpy": numpy, "speed": speed}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="keydrape-formats-") as folder:
        os.chdir(folder)
        cloth.write_obj("rest.obj")
        cloth.write_npy("in.npy", [cloth.positions(cloth.FIRST_FRAME + f) for f in range(cloth.FRAMES)])
        TESTS[sys.argv[2]]()
        os.chdir(HERE)
