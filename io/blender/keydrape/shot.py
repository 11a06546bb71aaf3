# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth object and its scene as a folder that keydrape solves: shot.toml, rest.obj, keyframes,
caches. Everything is in world space, in Blender's axes and the scene's unit; up_axis and
meters_per_unit say so, once."""

import os

import bpy
import numpy as np

from . import control, files, keyframes, modifiers, result, sampling, targets
from .assumed import HARD_WEIGHT
from .files import short

EARTH = 9.81  # m/s^2
USUAL = 3.0  # times as much, or as little, is no slip of a unit
OF_SHEET = ("shear", "compression", "strain_limit")  # of the fabric: springs know none of them


def folder_of(cloth):
    """Where the shot of a cloth is written. Raises ValueError for a folder beside a file that was never
    saved, for one of no certain place, and for one that another cloth, or its result, has."""
    if cloth.keydrape.folder.startswith("//") and not bpy.data.filepath:
        raise ValueError("save the .blend first, or name a folder that does not begin with //")
    folder = own_folder(cloth)
    if not os.path.isabs(folder):
        raise ValueError('%s: the folder is "%s"; name one from the root, or one beside the .blend: '
                         '//keydrape' % (cloth.name, cloth.keydrape.folder))
    for other in bpy.data.objects:
        is_cloth = other != cloth and other.keydrape.is_cloth and other.users_scene  # none: it was deleted
        # In small letters: not every disk tells capitals apart.
        if is_cloth and own_folder(other).lower() == folder.lower():
            raise ValueError("%s and %s are both written to %s; rename one, or give it a folder of its own" %
                             (cloth.name, other.name, folder))
    check_take(cloth, folder)
    return folder


def check_take(cloth, folder):
    """Raises ValueError where a run in `folder` would replace the take that another cloth's result shows:
    that cloth had this name when it was run."""
    for thing in bpy.data.objects:
        if thing.get(result.FOLDER) is None or not thing.users_scene:
            continue
        other, out = thing.get("keydrape_cloth"), result.folder_of(thing)
        is_other = other not in (None, cloth) and other.users_scene  # else it was deleted
        if is_other and os.path.dirname(out).lower() == os.path.normpath(folder).lower():
            raise ValueError("%s shows the take of %s in %s, which would be replaced; run %s first, or give "
                             "%s a folder of its own" % (thing.name, other.name, out, other.name, cloth.name))


def own_folder(cloth):
    folder = cloth.keydrape.folder
    return os.path.join(bpy.path.abspath(folder), files.plain(cloth.name)) if folder else ""


def gravity_of(scene):
    """[m/s^2], whatever the scene's unit."""
    return [short(g) for g in scene.gravity] if scene.use_gravity else [0.0, 0.0, 0.0]


def remarks(scene):
    """What may be a slip in the scene, a sentence each."""
    size = float(np.linalg.norm(gravity_of(scene)))
    if size == 0 or EARTH / USUAL <= size <= EARTH * USUAL:
        return []
    return ["gravity is taken as %.4g m/s2, %.3g times that of the earth: its numbers count in metres, "
            "though Blender shows them in the scene's unit; for the earth's enter %.4g at Scene > Gravity" %
            (size, size / EARTH, -EARTH * sampling.unit())]


def check_time(scene):
    """Raises ValueError for time that is stretched: caches would be played at other frames."""
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        raise ValueError("the scene's time is stretched, %d frames to %d, and results would be shown at "
                         "other frames; set Output > Frame Range > Time Stretching to equal numbers" %
                         (old, new))


def bodies_of(settings):
    """Lines of the table of bodies that name one."""
    return [row for row in settings.bodies if row.body is not None]


def touches(settings):
    """Whether the cloth has anything to keep a gap to."""
    return settings.self_contact or len(bodies_of(settings)) > 0


def write_shot(cloth):
    """Writes the folder and returns the scene file. Raises ValueError for what cannot be a shot."""
    folder = folder_of(cloth)
    os.makedirs(folder, exist_ok=True)
    return Shot(cloth, folder).write()


class Shot:
    def __init__(self, cloth, folder, frames=None):
        """frames: two or more in a row; else the scene's."""
        self.cloth, self.settings, self.folder = cloth, cloth.keydrape, folder
        self.scene = bpy.context.scene
        self.unit = sampling.unit()
        # Names of other files of the folder, in small letters: not every disk tells capitals apart.
        self.taken = {"rest", "initial", *("body%d" % (k + 1) for k in range(len(self.settings.bodies))),
                      *("surface%d" % (k + 1) for k in range(len(self.settings.surfaces))),
                      *("track%d" % (k + 1) for k in range(len(self.settings.tracks)))}
        self.frames = frames or list(range(self.scene.frame_start, self.scene.frame_end + 1))
        if len(self.frames) < 2:
            raise ValueError("the scene has one frame; a shot needs two or more")
        check_time(self.scene)
        if cloth.mode != "OBJECT":
            cloth.update_from_editmode()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, with_targets=True):
        """Without targets: the cloth, what holds it and what it lies on, alone."""
        bodies = bodies_of(self.settings)
        winds = [thing for thing in self.scene.objects if thing.field and thing.field.type == "WIND"]
        things = [self.cloth, *(row.body for row in bodies)]
        things += targets.things_of(self.settings) if with_targets else []
        poses = keyframes.keyframes_of(self.cloth) if with_targets else []
        for frame, block, _row in poses:
            targets.check_frame(self, 'shape key "%s"' % block.name, frame)
        wind = self.sample(things, winds, poses)
        sampled = self.sampled
        tables = [("[shot]", self.shot_keys()), ("[cloth]", self.cloth_keys()),
                  ("[cloth.material]", self.fabric_keys()), *self.wind_tables(wind)]
        tables += [("[[pin]]", self.pin_keys(k, row, sampled[self.cloth]))
                   for k, row in enumerate(self.settings.pins)]
        tables += [("[[collider]]", self.body_keys(k, row, *sampled[row.body]))
                   for k, row in enumerate(bodies)]
        tables.append(("[contact]", self.contact_keys()))
        if with_targets:
            tables += [("[[keyframe]]", self.keyframe_keys(*each)) for each in poses]
            tables += targets.tables(self) + control.tables(self)
        tables += [("[solver]", self.solver_keys()), ("[output]", {"dir": "out"})]
        files.write_toml(self.path("shot.toml"), tables)
        return self.path("shot.toml")

    def solver_keys(self):
        """How steps are taken, with what counts for such steps alone."""
        settings = self.settings
        keys = {"integrator": settings.integrator}
        if settings.integrator in ("prefactored", "descent") and settings.rounds > 0:
            keys["rounds"] = settings.rounds
        if settings.integrator == "prefactored":
            keys["rounds_memory"] = settings.rounds_memory
        if settings.integrator == "explicit":
            keys["scheme"] = settings.scheme
        return keys

    def write_alone(self):
        """The cloth and its fabric, with nothing around it, at rest as the whole shot has it."""
        frames, self.frames = self.frames, [self.scene.frame_start]
        self.sample([self.cloth], [], [])
        self.frames = frames
        files.write_toml(self.path("shot.toml"), [
            ("[shot]", self.shot_keys()), ("[cloth]", {"rest": self.write_rest()}),
            ("[cloth.material]", self.fabric_keys()), ("[contact]", {"self": False})])
        return self.path("shot.toml")

    def sample(self, things, winds, poses):
        """Keeps where things are, where keyframes are shown at their frames, and where the cloth begins;
        returns the wind."""
        self.shown = {}

        def take_poses(frame):
            for at, block, _row in poses:
                if at == frame:
                    self.shown[frame, block.name] = modifiers.shown_now(self.cloth, block)
        with sampling.silenced(self.cloth), modifiers.without_picture(self.cloth):
            self.sampled, wind = sampling.sample(things, winds, self.frames, take_poses)
        locals_, matrices = self.sampled[self.cloth]
        modifiers.check_count(self.cloth, locals_.shape[1])
        self.mirrored = sampling.is_mirrored(matrices[0])
        self.rest = sampling.in_world(matrices[0], sampling.rest_local(self.cloth))
        self.start = sampling.in_world(matrices[0], locals_[0])
        self.starts_at_rest = sampling.is_same(self.rest, self.start)
        if not self.starts_at_rest:  # modifiers move it; its lengths stay those of its mesh
            self.rest = sampling.laid_over(self.rest, self.start)
            self.starts_at_rest = sampling.is_same(self.rest, self.start)
        return wind

    def shot_keys(self):
        render = self.scene.render
        return {"name": files.plain(self.cloth.name), "fps": render.fps / render.fps_base,
                "frames": "%d-%d" % (self.frames[0], self.frames[-1]), "substeps": self.settings.substeps,
                "gravity": gravity_of(self.scene), "meters_per_unit": self.unit, "up_axis": "Z"}

    def cloth_keys(self):
        initial = "drape" if self.settings.starts_draped else None
        if initial is None and not self.starts_at_rest:
            initial = "initial.obj"
            files.write_obj(self.path(initial), self.start, [])
        return {"rest": self.write_rest(), "initial": initial,
                "model": self.settings.cloth_model if self.settings.cloth_model != "sheet" else None,
                "pressure": short(self.settings.pressure) or None}

    def write_rest(self):
        mesh = self.cloth.data
        faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
        uvs = None
        if self.settings.use_uvs and mesh.uv_layers.active:
            loops = [list(polygon.loop_indices) for polygon in mesh.polygons]
            loops = map(sampling.reversed_corners, loops) if self.mirrored else loops
            uvs = [mesh.uv_layers.active.data[loop].uv for face in loops for loop in face]
        if self.mirrored:
            faces = [sampling.reversed_corners(face) for face in faces]
        files.write_obj(self.path("rest.obj"), self.rest, faces, groups=control.groups(self), uvs=uvs)
        return "rest.obj"

    def fabric_keys(self):
        """The material, with what counts for its model alone."""
        settings = self.settings
        stretch = [short(k) for k in settings.stretch]
        if any(stretch) and not all(stretch):
            raise ValueError("Stretch: found %g and %g; give both numbers, or 0 for both" %
                             tuple(settings.stretch))
        keys = {"preset": settings.fabric, "density": short(settings.density) or None,
                "stretch": stretch if all(stretch) else None, "shear": short(settings.shear) or None,
                "bend": short(settings.bend) or None, "damping": short(settings.damping) or None,
                "strain_limit": short(settings.strain_limit) or None,
                "compression": 1 if settings.compression == "stretch" else None}
        return keys if settings.cloth_model == "sheet" else {**keys, **dict.fromkeys(OF_SHEET)}

    def contact_keys(self):
        keys = {"self": self.settings.self_contact}
        if touches(self.settings):
            keys["thickness"] = short(self.settings.thickness) or None
        return keys

    def wind_tables(self, velocity):
        """velocity (F, 3) [m/s]; wind that is animated gets keys. Air without drag has no table where it is
        still, and no channel makes it blow; of wind that nothing feels the program warns."""
        may_blow = velocity.any() or any(row.kind == "wind" for row in self.settings.channels)
        if short(self.settings.drag) == 0 and not may_blow:
            return []
        if sampling.is_still(velocity, np.abs(velocity).max()):
            keys = velocity[0].tolist()
        else:
            keys = [[frame, v.tolist()] for frame, v in zip(self.frames, velocity)]
        return [("[wind]", {"velocity": keys, "drag": short(self.settings.drag)})]

    def pin_keys(self, k, row, sampled):
        weights = keyframes.weights_of(self.cloth, row.group) if row.group else None
        if weights is None:
            raise ValueError("pin %d has no vertex group" % (k + 1))
        keys = {}
        if row.stiffness > 0:
            keys = {"weights": "pin%d.txt" % (k + 1), "stiffness": short(row.stiffness)}
            files.write_weights(self.path(keys["weights"]), weights)
        else:
            held = [int(v) for v in np.flatnonzero(weights >= HARD_WEIGHT)]
            if not held:
                raise ValueError('vertex group "%s" holds no vertex: none has a weight of %g or more' %
                                 (row.group, HARD_WEIGHT))
            keys["vertices"] = held
        world = sampling.in_world_all(*sampled)
        held_elsewhere = self.settings.starts_draped and not self.starts_at_rest
        if held_elsewhere or not sampling.is_still(world, np.ptp(world[0], axis=0).max()):
            keys["motion"] = "pin%d.pc2" % (k + 1)
            files.write_pc2(self.path(keys["motion"]), self.frames[0], world)
        return keys

    def body_keys(self, k, row, locals_, matrices):
        """A body that only moves gets a rigid motion, one that deforms a cache."""
        name = "body%d.obj" % (k + 1)
        world = sampling.in_world_all(locals_, matrices)
        files.write_obj(self.path(name), world[0], sampling.evaluated_triangles(row.body))
        keys = {"mesh": name, "friction": short(row.friction), "voxel": short(row.voxel) or None}
        size = np.ptp(locals_[0], axis=0).max()
        if sampling.is_still(world, np.ptp(world[0], axis=0).max()):
            return keys
        is_rigid = sampling.is_still(locals_, size)
        motion = sampling.rigid_motion(matrices, world[0], self.unit) if is_rigid else None
        if motion is None:
            keys["motion"] = "body%d.pc2" % (k + 1)
            files.write_pc2(self.path(keys["motion"]), self.frames[0], world)
            return keys
        keys["pivot"], rotations, translations = motion
        keys["rotate"] = [[frame, r] for frame, r in zip(self.frames, rotations)]
        keys["translate"] = [[frame, t] for frame, t in zip(self.frames, translations)]
        return keys

    def write_pose(self, name, world):
        """The cloth at positions (n, 3) in the world; the file's name, which is none of another pose's."""
        plain = stem = files.plain(name)
        count = 1
        while stem.lower() in self.taken:
            count += 1
            stem = "%s_%d" % (plain, count)
        self.taken.add(stem.lower())
        files.write_obj(self.path(stem + ".obj"), world, [])
        return stem + ".obj"

    def keyframe_keys(self, frame, block, row):
        """Where its shape key alone is shown at its frame, with modifiers."""
        name = self.write_pose(block.name, self.shown[frame, block.name])
        tolerance = row.tolerance if row else self.settings.tolerance
        keys = {"frame": frame, "mesh": name, "tolerance": short(tolerance) or None}
        if row:
            keys["tolerance_max"] = short(row.tolerance_max) or None
            keys["weight"], keys["window"] = short(row.weight), targets.slide(row, frame)
            keys["weights"] = targets.painted(self, name[:-4] + "_weights.txt", row.group)
        return keys
