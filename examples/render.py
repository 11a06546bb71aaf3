"""Renders frames of a keydrape result with Blender's Cycles; started by examples/render, which see.

One PNG a tile in TILE_DIR: controlled_FRAME.png and uncontrolled_FRAME.png, or simulated_FRAME.png. At a
frame that has a keyframe of the whole cloth it is drawn as well: its outline in orange, and unless
summary.json says that the controlled cloth reached it, its surface too, translucent. Surfaces and landmarks
are not. Keyframes and bodies are those of the result's record (shot/), bodies in grey; of a plane, a square
under the cloth.
"""

import json
import struct
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

TILE = (480, 400)  # pixels
SAMPLES = 32
VIEW = (0.45, 0.3, 1.0)  # from the cloth towards the camera; X right, Y up
LENS_TANGENT = 0.2  # half the picture's width / distance
FRONT, BACK, GHOST = (0.04, 0.17, 0.42), (0.62, 0.56, 0.44), (1.0, 0.25, 0.02)
BODY = (0.33, 0.33, 0.33)


def read_obj(path):
    """Positions (n, 3) and polygons of an OBJ file, vertices counted from 0."""
    positions, polygons = [], []
    for line in path.read_text().splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            positions.append([float(word) for word in words[:3]])
        elif key == "f":
            polygons.append([int(word.split("/")[0]) - 1 for word in words])
    return np.array(positions), polygons


def read_pc2(path):
    """Samples (frames, n, 3) of a PC2 point cache."""
    content = path.read_bytes()
    point_count, _, _, sample_count = struct.unpack_from("<iffi", content, 16)
    return np.frombuffer(content, "<f4", offset=32).reshape(sample_count, point_count, 3)


def upright(points, shot):
    """Points (.., 3) of a record as they are where Y points up."""
    if shot["up_axis"] == "Y":
        return points
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def poses_of(record_dir, shot):
    """Positions (n, 3) of the keyframes of the whole cloth, by frame, in the unit of the caches."""
    kinds = [(key["frame"], key["kind"]) for key in shot["keyframes"]]
    if not kinds:
        return {}
    targets = np.load(record_dir / "keyframes.npy") / shot["meters_per_unit"]
    return {frame: target for (frame, kind), target in zip(kinds, targets) if kind == "pose"}


def cloth_material():
    """Matt cloth, one colour in front and one behind."""
    material = bpy.data.materials.new("cloth")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.8
    side, mix = nodes.new("ShaderNodeNewGeometry"), nodes.new("ShaderNodeMixRGB")
    mix.inputs["Color1"].default_value, mix.inputs["Color2"].default_value = (*FRONT, 1), (*BACK, 1)
    links.new(side.outputs["Backfacing"], mix.inputs["Fac"])
    links.new(mix.outputs["Color"], shader.inputs["Base Color"])
    return material


def ghost_material(opacity):
    """Glows evenly, so that it reads as a mark and not as cloth."""
    material = bpy.data.materials.new("ghost")
    material.use_nodes, material.cycles.sample_as_light = True, False
    nodes, links = material.node_tree.nodes, material.node_tree.links
    kinds = ("BsdfTransparent", "Emission", "MixShader")
    clear, glow, mix = (nodes.new(f"ShaderNode{kind}") for kind in kinds)
    glow.inputs["Color"].default_value = (*GHOST, 1)
    mix.inputs["Fac"].default_value = opacity
    links.new(clear.outputs[0], mix.inputs[1])
    links.new(glow.outputs[0], mix.inputs[2])
    links.new(mix.outputs[0], nodes["Material Output"].inputs["Surface"])
    return material


def body_material():
    material = bpy.data.materials.new("body")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*BODY, 1)
    shader.inputs["Roughness"].default_value = 0.6
    return material


def add_object(name, data, material):
    """Puts mesh or curve data into the scene."""
    data.materials.append(material)
    scene_object = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(scene_object)
    return scene_object


def add_surface(positions, polygons, material):
    mesh = bpy.data.meshes.new("surface")
    mesh.from_pydata(positions.tolist(), [], polygons)
    mesh.polygons.foreach_set("use_smooth", [True] * len(polygons))
    return add_object("surface", mesh, material)


def add_outline(positions, polygons, material, radius):
    """Tubes along the edges that have one polygon."""
    count = {}
    for polygon in polygons:
        for i, j in zip(polygon, polygon[1:] + polygon[:1]):
            edge = (min(i, j), max(i, j))
            count[edge] = count.get(edge, 0) + 1
    curve = bpy.data.curves.new("outline", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", radius
    for edge in (edge for edge, uses in count.items() if uses == 1):
        spline = curve.splines.new("POLY")
        spline.points.add(1)
        for point, vertex in zip(spline.points, edge):
            point.co = (*positions[vertex], 1)
    return add_object("outline", curve, material)


def revolved(profile, start, axis):
    """Surface (positions, polygons) round `axis` of a profile of (radius, distance along axis from start)."""
    side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    side /= np.linalg.norm(side)
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    around = np.outer(np.cos(angles), side) + np.outer(np.sin(angles), np.cross(axis, side))
    positions = np.concatenate([start + r * around + h * axis for r, h in profile])
    n, polygons = len(angles), []
    for ring in range(len(profile) - 1):
        for i in range(n):
            j = (i + 1) % n
            polygons.append([ring * n + i, ring * n + j, (ring + 1) * n + j, (ring + 1) * n + i])
    return positions, polygons


def capsule_surface(start, end, radius):
    """A ball where `start` is `end`."""
    length = np.linalg.norm(end - start)
    axis = (end - start) / length if length > 0 else np.array([0.0, 1.0, 0.0])
    bend = np.linspace(-np.pi / 2, np.pi / 2, 33)
    lower, upper = bend[:17], bend[16:]
    profile = [(radius * np.cos(a), radius * np.sin(a)) for a in lower]
    profile += [(radius * np.cos(a), length + radius * np.sin(a)) for a in upper]
    return revolved(profile, start, axis)


def box_surface(low, high):
    ends = np.stack([low, high])
    positions = np.array([[ends[x, 0], ends[y, 1], ends[z, 2]]
                          for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return positions, [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def plane_surface(point, normal, cloth):
    """A square as wide as the cloth's box is long, below its middle."""
    normal = normal / np.linalg.norm(normal)
    middle, width = (cloth.min(axis=0) + cloth.max(axis=0)) / 2, np.linalg.norm(np.ptp(cloth, axis=0))
    side = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    side *= width / 2 / np.linalg.norm(side)
    other, centre = np.cross(normal, side), middle - ((middle - point) @ normal) * normal
    return centre + np.array([-side - other, side - other, side + other, other - side]), [[0, 1, 2, 3]]


class Body:
    """Body `number` of a result's record (io/run/recorded_body.h has the form), in the unit of the meshes:
    its surface, and where it is at a frame. `cloth`: points of the cloth."""

    def __init__(self, number, shape, record_dir, shot, cloth):
        self.shot, self.first_frame, self.unit = shot, shot["frames"][0], shot["meters_per_unit"]
        kind = shape["kind"]
        self.in_camera, self.smooth = kind != "plane", kind != "box"
        length = lambda key: np.array(shape[key], float) / self.unit
        if kind == "sphere":
            surface = capsule_surface(length("center"), length("center"), length("radius"))
        elif kind == "capsule":
            surface = capsule_surface(length("start"), length("end"), length("radius"))
        elif kind == "box":
            surface = box_surface(length("min"), length("max"))
        elif kind == "plane":
            surface = plane_surface(length("point"), np.array(shape["normal"], float), cloth)
        else:
            surface = length("positions"), shape["triangles"]
        self.positions, self.polygons = surface
        self.motion = shape["motion"]
        if self.motion != "none":
            self.samples = np.load(record_dir / f"collider_{number}.npy")

    def positions_at(self, frame):
        if self.motion == "none":
            return self.positions
        sample = self.samples[min(frame - self.first_frame, len(self.samples) - 1)]
        if self.motion == "deforming":
            return sample / self.unit
        x, y, z, w = sample[:4]
        turn = np.array(Quaternion((w, x, y, z)).to_matrix())
        return self.positions @ turn.T + sample[4:] / self.unit

    def add(self, frame, material):
        surface = add_surface(upright(self.positions_at(frame), self.shot), self.polygons, material)
        surface.data.polygons.foreach_set("use_smooth", [self.smooth] * len(self.polygons))
        return surface


def set_up_camera(points):
    """A camera that looks along -VIEW and has all `points` (n, 3) in the picture."""
    toward = np.array(VIEW) / np.linalg.norm(VIEW)
    right = np.cross((0, 1, 0), toward)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(toward, right), toward])  # rows: right, up, back
    local = points @ axes.T
    centre = (local.min(axis=0) + local.max(axis=0)) / 2
    x, y, z = (local - centre).T
    tangent = 0.94 * LENS_TANGENT  # leaves a margin
    distance = (z + np.maximum(np.abs(x), np.abs(y) * TILE[0] / TILE[1]) / tangent).max()
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.sensor_width, camera.lens = "HORIZONTAL", 36.0, 18.0 / LENS_TANGENT  # mm
    camera_object = bpy.data.objects.new("camera", camera)
    bpy.context.collection.objects.link(camera_object)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes.T, (centre + [0, 0, distance]) @ axes
    camera_object.matrix_world = Matrix(pose.tolist())
    bpy.context.scene.camera = camera_object
    return axes


def set_up_light(axes):
    """A grey backdrop that sheds no light, a sun from the left and a weak one from the right."""
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.72, 0.72, 0.72, 1)
    world.cycles_visibility.diffuse = False
    bpy.context.scene.world = world
    # Direction towards the sun (right, up, back of the camera), strength, casts shadows.
    suns = (((-1.0, 0.7, 0.35), 4.5, True), ((1.0, 0.1, 0.8), 0.7, False))
    for direction, strength, casts_shadow in suns:
        sun = bpy.data.lights.new("sun", "SUN")
        sun.energy, sun.angle, sun.cycles.cast_shadow = strength, 0.05, casts_shadow
        sun_object = bpy.data.objects.new("sun", sun)
        sun_object.rotation_mode = "QUATERNION"
        # A sun shines along its own -Z.
        sun_object.rotation_quaternion = Vector(direction @ axes).to_track_quat("Z", "Y")
        bpy.context.collection.objects.link(sun_object)


def set_up_render():
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.seed = SAMPLES, False, 0
    scene.cycles.max_bounces = 0
    scene.cycles.transparent_max_bounces = 32
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = TILE
    scene.render.image_settings.file_format = "PNG"


def main():
    result_dir, tile_dir = (Path(word) for word in sys.argv[sys.argv.index("--") + 1 :][:2])
    frames = [int(word) for word in sys.argv[sys.argv.index("--") + 3 :]]
    record_dir = result_dir / "shot"
    shot = json.loads((record_dir / "shot.json").read_text())
    first_frame, last_frame = shot["frames"]
    if missing := [frame for frame in frames if not first_frame <= frame <= last_frame]:
        raise ValueError(f"{result_dir}: has frames {first_frame} to {last_frame}; found {missing[0]}")
    rest, polygons = read_obj(record_dir / "rest.obj")
    keyframes = {frame: upright(pose, shot) for frame, pose in poses_of(record_dir, shot).items()}
    caches = {
        name: read_pc2(result_dir / f"{name}.pc2").astype(float)[[frame - first_frame for frame in frames]]
        for name in ("controlled", "uncontrolled", "simulated")
        if (result_dir / f"{name}.pc2").exists()
    }

    summary = result_dir / "summary.json"
    report = json.loads(summary.read_text()) if summary.exists() else {}
    reached = {key["frame"] for key in report.get("keyframes", []) if key["reached"]}
    if not caches:
        raise FileNotFoundError(f"{result_dir}: no controlled.pc2, uncontrolled.pc2 or simulated.pc2")

    bpy.ops.wm.read_factory_settings(use_empty=True)
    set_up_render()
    points = np.concatenate(list(caches.values())).reshape(-1, 3)
    bodies = [
        Body(number, shape, record_dir, shot, points)
        for number, shape in enumerate(shot["colliders"])
        if shape["kind"] != "vdb" or "triangles" in shape  # a level set without a surface in its record
    ]
    caches = {name: upright(samples, shot) for name, samples in caches.items()}
    shown = [upright(points, shot)] + [keyframes[frame] for frame in frames if frame in keyframes]
    shown += [
        upright(body.positions_at(frame), shot) for body in bodies if body.in_camera for frame in frames
    ]
    set_up_light(set_up_camera(np.concatenate(shown)))
    radius = 0.002 * np.linalg.norm(np.ptp(rest, axis=0)) / shot["meters_per_unit"]
    cloth, ghost, line = cloth_material(), ghost_material(0.3), ghost_material(1.0)
    solid = body_material()
    for name, samples in caches.items():
        for frame, positions in zip(frames, samples):
            drawn = [add_surface(positions, polygons, cloth)]
            if frame in keyframes:
                drawn.append(add_outline(keyframes[frame], polygons, line, radius))
                if name == "uncontrolled" or frame not in reached:
                    # A little behind: Cycles would let a ghost that coincides with the cloth hide it.
                    behind = keyframes[frame] - radius * np.array(VIEW) / np.linalg.norm(VIEW)
                    drawn.append(add_surface(behind, polygons, ghost))
                for mark in drawn[1:]:
                    mark.visible_shadow = mark.visible_diffuse = mark.visible_glossy = False
            drawn += [body.add(frame, solid) for body in bodies]
            bpy.context.scene.render.filepath = str(tile_dir / f"{name}_{frame}.png")
            bpy.ops.render.render(write_still=True)
            for scene_object in drawn:
                bpy.data.objects.remove(scene_object)


main()
