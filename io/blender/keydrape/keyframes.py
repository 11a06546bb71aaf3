# SPDX-License-Identifier: GPL-3.0-or-later
"""Which shape keys are keyframes, and how a sculpt becomes one."""

import re

import numpy as np

from . import sampling

NAME = re.compile(r"^key@(\d+)$")


def name_of(frame):
    return "key@%d" % frame


def keyframes_of(cloth):
    """[(frame, shape key, row of the table or None)], ascending. The table's word counts more than a name's.
    Raises ValueError for a row whose shape key does not exist."""
    keys = cloth.data.shape_keys
    blocks = keys.key_blocks if keys else {}
    found = []
    for row in cloth.keydrape.keyframes:
        if row.shape_key not in blocks:
            raise ValueError('keyframe at frame %d: %s has no shape key "%s"'
                             % (row.frame, cloth.name, row.shape_key))
        found.append((row.frame, blocks[row.shape_key], row))
    in_table = {row.shape_key for row in cloth.keydrape.keyframes}
    for block in blocks.values() if keys else ():
        match = NAME.match(block.name)
        if match and block.name not in in_table:
            found.append((int(match.group(1)), block, None))
    return sorted(found, key=lambda each: each[0])


def make_keyframe(cloth, frame, positions, shape_of=lambda block, positions: positions):
    """A shape key key@frame with positions (n, 3) in the cloth's space, or what shape_of makes of them, shown
    alone and ready to be sculpted on. One of that name is written over. Raises ValueError for positions of
    another mesh, and as shape_of does; then the cloth stays as it was."""
    if len(positions) != len(cloth.data.vertices):
        raise ValueError("the shape has %d vertices and %s %d: one of the meshes was changed after the run; "
                         "solve or simulate again" % (len(positions), cloth.name, len(cloth.data.vertices)))
    had_keys = cloth.data.shape_keys is not None
    if not had_keys:
        cloth.shape_key_add(name="Basis", from_mix=False)
    found = cloth.data.shape_keys.key_blocks.get(name_of(frame))
    block = found or cloth.shape_key_add(name=name_of(frame), from_mix=False)
    try:
        local = shape_of(block, positions)
    except ValueError:
        if found is None:
            cloth.shape_key_remove(block)
        if not had_keys:
            cloth.shape_key_clear()
        raise
    set_shape(cloth, block, local)
    show_alone(cloth, block)
    return block


def set_shape(cloth, block, local):
    """Positions (n, 3) in the cloth's space of one of its shape keys."""
    block.data.foreach_set("co", np.asarray(local, dtype=np.float32).ravel())
    cloth.data.update()


def show_alone(cloth, block):
    """Of all shape keys, and ready to be sculpted on."""
    blocks = cloth.data.shape_keys.key_blocks
    for other in blocks[1:]:
        other.value = 1.0 if other == block else 0.0
    cloth.active_shape_key_index = list(blocks).index(block)
    cloth.data.update()


def put_back(cloth, block, local):
    """Gives a keyframe another shape, positions (n, 3) in the cloth's space, and keeps what it was as a shape
    key that is no keyframe, which is returned."""
    kept = cloth.shape_key_add(name="%s as sculpted" % block.name, from_mix=False)
    set_shape(cloth, kept, sampling.coordinates(block.data, len(cloth.data.vertices)))
    kept.value = 0.0
    set_shape(cloth, block, local)
    show_alone(cloth, block)
    return kept


def shown_shape(cloth):
    """The mix of the shape keys as it is shown, without modifiers (n, 3), in the cloth's space."""
    keys = cloth.data.shape_keys
    count = len(cloth.data.vertices)
    rest = sampling.rest_local(cloth)
    if keys is None:
        return rest
    if cloth.show_only_shape_key:
        return sampling.coordinates(cloth.active_shape_key.data, count)
    shape = rest.copy()
    for block in keys.key_blocks[1:]:
        if block.mute or block.value == 0.0:
            continue
        relative = sampling.coordinates(block.relative_key.data, count)
        share = block.value * weights_of(cloth, block.vertex_group)
        shape += share[:, None] * (sampling.coordinates(block.data, count) - relative)
    return shape


def weights_of(cloth, group_name):
    """Of every vertex in a vertex group (n); ones for no group. Raises ValueError for one that does not
    exist, or is empty."""
    count = len(cloth.data.vertices)
    if not group_name:
        return np.ones(count)
    group = cloth.vertex_groups.get(group_name)
    if group is None:
        raise ValueError('%s has no vertex group "%s"' % (cloth.name, group_name))
    weights = np.zeros(count)
    for vertex in cloth.data.vertices:
        for element in vertex.groups:
            if element.group == group.index:
                weights[vertex.index] = element.weight
    if not weights.any():
        raise ValueError('vertex group "%s" of %s is empty' % (group_name, cloth.name))
    return weights
