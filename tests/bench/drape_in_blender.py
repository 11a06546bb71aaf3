"""A sheet dropped on a ball in Blender's own cloth; tests/bench/peers runs this within Blender.

  blender -b --factory-startup --python drape_in_blender.py --
          REST.npy TRIANGLES.npy FRAMES RADIUS QUALITY OUT

Units are metres, z points up. OUT: positions of all frames (.npy), and on stdout the seconds that they took.
"""

import sys
import time

import bpy
import numpy as np

THICKNESS = 0.001  # m, half of it on either side


def add_mesh(name, vertices, triangles):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(v) for v in vertices], [], [tuple(t) for t in triangles])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def add_ball(radius):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=radius)
    ball = bpy.context.object
    ball.modifiers.new("Collision", "COLLISION")
    ball.collision.thickness_outer = 0.5 * THICKNESS
    ball.collision.cloth_friction = 5.0


def add_cloth(thing, vertices, quality):
    """Blender's own preset for cotton, with the mass per area of keydrape's."""
    settings = thing.modifiers.new("Cloth", "CLOTH")
    cloth, contact = settings.settings, settings.collision_settings
    area = np.prod(np.ptp(vertices, axis=0)[:2])
    cloth.quality = quality
    cloth.mass = 0.15 * area / len(vertices)
    cloth.tension_stiffness = cloth.compression_stiffness = cloth.shear_stiffness = 15
    cloth.bending_stiffness = 0.5
    cloth.tension_damping = cloth.compression_damping = cloth.shear_damping = 5
    contact.collision_quality = quality
    contact.distance_min = 0.5 * THICKNESS
    contact.use_self_collision = True
    contact.self_distance_min = THICKNESS
    settings.point_cache.frame_start = 1
    return settings


def main():
    rest, triangles, frames, radius, quality, out = sys.argv[sys.argv.index("--") + 1:]
    vertices, triangles, frames = np.load(rest), np.load(triangles), int(frames)
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    scene.render.fps = 24
    add_ball(float(radius))
    sheet = add_mesh("sheet", vertices, triangles)
    settings = add_cloth(sheet, vertices, int(quality))
    scene.frame_start, scene.frame_end = 1, frames
    settings.point_cache.frame_end = frames
    positions = np.empty((frames, len(vertices), 3))
    begin = time.perf_counter()
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        deformed = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        deformed.vertices.foreach_get("co", positions[frame - 1].reshape(-1))
    print(f"seconds {time.perf_counter() - begin:.3f}")
    np.save(out, positions)


main()
