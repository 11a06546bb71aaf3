# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be known of a pose before a search: how it strains the cloth, the nearest that cloth can take."""

import os
import shutil
import tempfile

import bpy
import numpy as np
from bpy.props import StringProperty

from . import files, keyframes, modifiers, process, result, sampling, shot, strain
from .base import BackgroundOperator, KeydrapeOperator, Marked, cloth_of, leave_edit_mode
from .preferences import found_program


def keyframe_of(cloth, name, frame):
    """Of a shape key: the frame at which it is a keyframe, or the given one, and its block; of no name what
    is shown, without block. Raises ValueError for a shape key that does not exist."""
    if not name:
        return frame, None
    for at, block, _row in keyframes.keyframes_of(cloth):
        if block.name == name:
            return at, block
    keys = cloth.data.shape_keys
    if keys is None or name not in keys.key_blocks:
        raise ValueError('%s has no shape key "%s"' % (cloth.name, name))
    return frame, keys.key_blocks[name]


def strain_words(cloth, frame, world, folder, out):
    """The command line that measures positions (n, 3) in the world at a frame into a map `out`. Files go into
    `folder`."""
    alone = shot.Shot(cloth, folder, [frame, frame + 1])
    scene = alone.write_alone()
    pose = alone.path(alone.write_pose("pose", world))
    return ["strain", pose, "--scene", scene, "--frame", str(frame), "-o", out, "--force", "--json"]


def write_recorded(out, folder):
    """The cloth and its fabric as the run in `out` has recorded them, in metres: a scene file in `folder`."""
    record, scene = os.path.join(out, "shot"), os.path.join(folder, "shot.toml")
    with open(os.path.join(record, "scene.toml"), encoding="utf-8") as file:
        text = files.changed_toml(file.read(), {
            "[shot]": {"meters_per_unit": 1.0}, "[cloth.material]": {}, "[cloth.material.kes]": {},
            "[cloth]": {"rest": os.path.join(record, "rest.obj"), "initial": None}})
    with open(scene, "w", encoding="utf-8") as file:
        file.write(text)
    return scene


def show_strain(cloth, thing, what, said, out):
    """What the program has said and written of a pose or a run. Raises ValueError for one of another mesh;
    then everything stays as it was."""
    values = np.load(out)[0]
    if len(values) != len(thing.data.vertices):
        raise ValueError("%s has %d vertices, and %d were measured: its mesh was changed" %
                         (thing.name, len(thing.data.vertices), len(values)))
    strain.show(thing, cloth.keydrape, what, said["columns"], values, said["frames"])


def measure_again(cloth, name, frame, world, folder):
    """Of a pose whose strain is shown and that has changed."""
    out = os.path.join(folder, "strain.npy")
    run = process.Run(found_program(), strain_words(cloth, frame, world, folder, out))
    if run.wait() != process.DONE:
        raise ValueError(run.failure())
    show_strain(cloth, cloth, name, run.results(), out)


class KEYDRAPE_OT_check(BackgroundOperator):
    """Says what is known before a solve: how every target strains the cloth, how fast it has to get there,
    what is in the way, and how long the solve takes at most"""
    bl_idname = "keydrape.check"
    bl_label = "Check Targets"
    bl_options = {"REGISTER"}

    def words(self, context):
        cloth = cloth_of(context)
        leave_edit_mode(context.object)  # of a cloth in it the cage would be taken for where it is
        cloth.keydrape.is_cloth = True
        self.remarks = shot.remarks(context.scene)
        return ["solve", shot.write_shot(cloth), "--dry-run"]

    def finish(self, context, code):
        if code != process.DONE:
            raise ValueError(self.process.failure())
        told = self.process.printed("reach") + ["time: " + line for line in self.process.printed("time")]
        context.window_manager.keydrape.told = "\n".join(told)
        for warning in self.warnings():
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, "%s: %d targets, %d warnings" %
                    (self.cloth().name, len(told) - 1, len(self.warnings())))
        return {"FINISHED"}


class PoseOperator(BackgroundOperator):
    """About a shape key, or what is shown; its files are of no use afterwards."""
    bl_options = {"UNDO"}  # as operators.KEYDRAPE_OT_run
    shown = None  # a base.Marked, of a result
    shape_key: StringProperty(name="Shape key", description="Empty: what is shown at the current frame")

    def begin(self, context):
        leave_edit_mode(context.object)
        self.scratch = tempfile.mkdtemp(prefix="keydrape")
        try:
            super().begin(context)
        except BaseException:
            self.forget_files()
            raise

    def end(self, context, code):
        try:
            return super().end(context, code)
        finally:
            self.forget_files()

    def forget_files(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        if self.shown is not None:
            self.shown.forget()

    def pose_of(self, cloth, context):
        """Positions (n, 3) in the world; keeps the frame."""
        self.frame, block = keyframe_of(cloth, self.shape_key, context.scene.frame_current)
        return modifiers.shown_at(cloth, self.frame, block)

    def block_of(self, cloth):
        """Raises ValueError where it was removed meanwhile."""
        keys = cloth.data.shape_keys
        block = keys.key_blocks.get(self.shape_key) if keys else None
        if block is None:
            raise ValueError('shape key "%s" of %s is gone' % (self.shape_key, cloth.name))
        return block

    def check_done(self, code):
        if code == process.INTERRUPTED:
            raise ValueError("cancelled")
        if code != process.DONE:
            raise ValueError(self.process.failure())


class KEYDRAPE_OT_strain(PoseOperator):
    """Colours the cloth by its strain: a pose before it is searched for, or every frame of a result"""
    bl_idname = "keydrape.strain"
    bl_label = "Show Strain"

    def words(self, context):
        thing, cloth = context.object, cloth_of(context)
        self.map = os.path.join(self.scratch, "strain.npy")
        if thing is not cloth and not self.shape_key:
            self.shown, out = Marked(thing), result.folder_of(thing)
            folder, self.what = os.path.dirname(out), "the run"
            self.map = os.path.join(folder, "strain.npy")
            scene = write_recorded(out, self.scratch)
            return ["strain", os.path.join(out, "positions.npy"), "--scene", scene, "-o", self.map, "--force",
                    "--json"]
        world = self.pose_of(cloth, context)
        self.what = self.shape_key or "what was shown at frame %d" % self.frame
        return strain_words(cloth, self.frame, world, self.scratch, self.map)

    def finish(self, context, code):
        self.check_done(code)
        cloth = self.cloth()
        thing = self.shown.find() if self.shown else cloth
        said = self.process.results()
        leave_edit_mode(thing)
        block = self.block_of(cloth) if self.shape_key else None
        show_strain(cloth, thing, self.what, said, self.map)
        if block is not None:
            keyframes.show_alone(cloth, block)
        if thing is not cloth:
            thing[strain.MAP] = os.path.basename(self.map)
            strain.show_frame(thing, cloth.keydrape, context.scene.frame_current, result.map_of(thing))
        strain.shade(context.screen)
        figures = strain.figures_of(thing, context.scene.frame_current)
        self.report({"INFO"}, "%s: %s" % (self.shape_key or thing.name, strain.sentences(figures)[0]))
        return {"FINISHED"}


class KEYDRAPE_OT_hide_strain(KeydrapeOperator):
    """Takes the colours of strain away, and the attributes with them"""
    bl_idname = "keydrape.hide_strain"
    bl_label = "Hide Strain"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and strain.is_shown(context.object)

    def execute(self, context):
        leave_edit_mode(context.object)
        for thing in strain.shown_of(cloth_of(context)):
            strain.hide(thing)
        strain.unshade(context.screen)
        return {"FINISHED"}


class KEYDRAPE_OT_relax(PoseOperator):
    """Replaces a keyframe by the nearest pose that the cloth can take on, among its pins and bodies; what it
    was is kept as a shape key"""
    bl_idname = "keydrape.relax"
    bl_label = "Relax"

    def words(self, context):
        cloth = cloth_of(context)
        active = cloth.active_shape_key
        if not self.shape_key and (active is None or active == cloth.data.shape_keys.reference_key):
            raise ValueError("%s shows no keyframe; choose one among its shape keys" % cloth.name)
        self.shape_key = self.shape_key or active.name
        world = self.pose_of(cloth, context)
        around = shot.Shot(cloth, self.scratch)
        if self.frame not in around.frames:
            raise ValueError("frame %d of %s is outside of the scene's %d to %d" %
                             (self.frame, self.shape_key, around.frames[0], around.frames[-1]))
        scene = around.write(with_targets=False)
        pose = around.path(around.write_pose("pose", world))
        self.relaxed = around.path("relaxed.npy")
        return ["relax", pose, "--scene", scene, "--frame", str(self.frame), "-o", self.relaxed, "--json"]

    def finish(self, context, code):
        if code != process.FAILED or not os.path.exists(self.relaxed):  # else it is as far as it got
            self.check_done(code)
        cloth, said = self.cloth(), self.process.results()
        world = np.load(self.relaxed)[0] / sampling.unit()
        if len(world) != len(cloth.data.vertices):
            raise ValueError("the mesh of %s was changed meanwhile; relax again" % cloth.name)
        leave_edit_mode(cloth)
        block = self.block_of(cloth)
        kept = keyframes.put_back(cloth, block, modifiers.shape_for(cloth, block, self.frame, world))
        if strain.is_shown(cloth):
            measure_again(cloth, self.shape_key, self.frame, world, self.scratch)
        told = ["%s has moved by %.3g mm RMS, at most %.3g mm, at vertex %d; it was kept as %s" %
                (self.shape_key, 1e3 * said["moved_rms_m"], 1e3 * said["moved_max_m"], said["moved_vertex"],
                 kept.name)] if said["moved_vertex"] >= 0 else ["%s did not have to move" % self.shape_key]
        told.append("stretch %.3g %%, now %.3g %%; squeeze %.3g %%, now %.3g %%" % tuple(
            100 * said[when][what] for what in ("stretch", "squeeze") for when in ("before", "after")))
        context.window_manager.keydrape.told = "\n".join(told)
        for warning in self.process.warnings + self.process.errors:
            self.report({"WARNING"}, warning.replace(self.scratch + os.sep, ""))
        self.report({"INFO"}, told[0])
        return {"FINISHED"}


CLASSES = (KEYDRAPE_OT_check, KEYDRAPE_OT_strain, KEYDRAPE_OT_hide_strain, KEYDRAPE_OT_relax)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
