# SPDX-License-Identifier: GPL-3.0-or-later
"""How the cloth is strained, as attributes and colours of its vertices. The program measures
(`keydrape strain`); here its figures are shown."""

import json

import bpy
import numpy as np

# Attributes: strains as shares of lengths at rest, shear in radians; and the colours.
KINDS = [("felt", "What the Fabric Feels", "The larger of stretch and squeeze, as far as the fabric resists "
          "it: what the program warns of"),
         ("stretch", "Stretch", "The largest, in whichever direction"),
         ("squeeze", "Squeeze", "The largest, in whichever direction"),
         ("warp", "Warp", "Along the warp; below 0: shorter"),
         ("weft", "Weft", "Along the weft; below 0: shorter"),
         ("shear_rad", "Shear", "Of the angle between warp and weft")]
COLOUR = "Keydrape strain"
# Custom properties: what the program said, as JSON; what its columns are; the name of the file of a run's
# map, which is beside its take.
FIGURES, COLUMNS, MAP = "keydrape_strain", "keydrape_strain_columns", "keydrape_strain_map"
OF = "keydrape_strain_of"  # and of what it is
SHEAR_END = 0.5  # rad: woven cloth locks at about this angle; not tuned
USUAL_LIMIT = 0.05  # for a legend before anything was measured

# Cividis, as in the report, up to what the fabric hardly goes beyond, and through red to dark beyond; sRGB.
_UP = [(0, 34, 78), (59, 73, 108), (112, 113, 115), (165, 156, 116), (254, 232, 56), (226, 88, 34),
       (150, 0, 50)]
_UP_AT = [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1]
# Shorter to longer.
_BOTH = [(24, 38, 120), (92, 150, 226), (222, 222, 222), (250, 214, 60), (190, 20, 30)]
_BOTH_AT = [0, 0.25, 0.5, 0.75, 1]
SWATCHES = 5


def is_signed(kind):
    return kind in ("warp", "weft")


def colours(kind, shares):
    """sRGB (n, 3) of shares of the scale: 0 to 1, or -1 to 1 where a strain may be negative."""
    stops, at = (_BOTH, _BOTH_AT) if is_signed(kind) else (_UP, _UP_AT)
    places = (np.asarray(shares) + 1) / 2 if is_signed(kind) else np.asarray(shares)
    return np.stack([np.interp(places, at, [stop[c] / 255 for stop in stops]) for c in range(3)], axis=-1)


def linear(srgb):
    """IEC 61966-2-1: colours of vertices are in linear light."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def swatch(kind, k):
    """The colour of the legend's entry k."""
    return tuple(float(c) for c in colours(kind, legend_shares(kind)[k]))


def legend_shares(kind):
    return np.linspace(-1 if is_signed(kind) else 0, 1, SWATCHES)


def end_of(settings, figures):
    """The strain at which the colours end."""
    if settings.strain_end > 0:
        return settings.strain_end
    if settings.strain_of == "shear_rad":
        return SHEAR_END
    return 2 * (figures["limit"] if figures else USUAL_LIMIT)


def text_of(kind, value):
    return "%.3g\N{DEGREE SIGN}" % np.degrees(value) if kind == "shear_rad" else "%.3g %%" % (100 * value)


def legend(settings, figures):
    """[(strain, its text)] of the swatches."""
    values = legend_shares(settings.strain_of) * end_of(settings, figures)
    return [(value, text_of(settings.strain_of, value)) for value in values]


def figures_of(thing, frame):
    """What the program said of the shape that is shown, or None."""
    frames = frames_of(thing)
    return frames[entry(frames, frame)]["strain"] if frames else None


def frames_of(thing):
    return json.loads(thing.get(FIGURES, "[]"))


def entry(frames, frame):
    """Of a frame among those that were measured, of one outside the nearest."""
    return min(max(frame - frames[0]["frame"], 0), len(frames) - 1)


def sentences(figures):
    """The figures, a line each."""
    lines = []
    for name, key in (("stretched", "stretch"), ("squeezed", "squeeze")):
        worst = figures[key]
        lines.append("%s by at most %s, near vertex %d; 99 %% of it within %s" % (
            name, text_of(key, worst["strain"]), worst["vertex"], text_of(key, figures[key + "_99"])))
    lines.append("warp %+.3g %%, weft %+.3g %%, shear %s" %
                 (100 * figures["warp"], 100 * figures["weft"], text_of("shear_rad", figures["shear_rad"])))
    lines.append("%.0f %% of its area beyond %s, which the fabric hardly goes beyond" %
                 (100 * figures["area_beyond"], text_of("felt", figures["limit"])))
    return lines


def attribute_name(kind):
    return "strain_" + kind


def attribute(mesh, name, data_type):
    """Of points, made anew where it is of another type."""
    found = mesh.attributes.get(name)
    if found is not None and (found.data_type, found.domain) != (data_type, "POINT"):
        mesh.attributes.remove(found)
        found = None
    return found or mesh.attributes.new(name, data_type, "POINT")


def show(thing, settings, what, columns, values, frames):
    """Puts a map of what is named so onto an object's vertices: values (n, 6) with these columns; frames:
    what the program said of each."""
    thing[FIGURES], thing[COLUMNS], thing[OF] = json.dumps(frames), ",".join(columns), what
    write(thing, settings, columns, values, frames[0]["strain"])
    thing.data.color_attributes.active_color = thing.data.color_attributes[COLOUR]


def write(thing, settings, columns, values, figures):
    mesh = thing.data
    for kind, column in zip(columns, values.T):
        attribute(mesh, attribute_name(kind), "FLOAT").data.foreach_set("value", column.astype(np.float32))
    colour(thing, settings, figures)


def colour(thing, settings, figures):
    mesh, kind = thing.data, settings.strain_of
    strains = np.empty(len(mesh.vertices), dtype=np.float32)
    mesh.attributes[attribute_name(kind)].data.foreach_get("value", strains)
    shares = np.clip(strains / end_of(settings, figures), -1, 1)
    rgba = np.ones((len(strains), 4), dtype=np.float32)
    rgba[:, :3] = linear(colours(kind, shares))
    attribute(mesh, COLOUR, "FLOAT_COLOR").data.foreach_set("color", rgba.ravel())
    mesh.update()


def show_frame(thing, settings, frame, path):
    """Of a run's map, that frame or the last one."""
    values, frames = np.load(path, mmap_mode="r"), frames_of(thing)
    at = entry(frames, frame)
    if not thing.data.is_editmode and values.shape[1] == len(thing.data.vertices):
        write(thing, settings, thing[COLUMNS].split(","), values[at], frames[at]["strain"])


def hide(thing):
    mesh = thing.data
    for name in [COLOUR, *(attribute_name(kind) for kind, *_ in KINDS)]:
        if mesh.attributes.get(name):
            mesh.attributes.remove(mesh.attributes[name])
    for name in (FIGURES, COLUMNS, MAP, OF):
        if name in thing:
            del thing[name]
    mesh.update()


def is_shown(thing):
    return thing is not None and FIGURES in thing


def shown_of(cloth):
    """The cloth and its results that show a map."""
    return [thing for thing in bpy.data.objects
            if is_shown(thing) and (thing == cloth or thing.get("keydrape_cloth") == cloth)]


def recolour(settings, context):
    """After another kind or end was chosen."""
    for thing in shown_of(settings.id_data):
        if not thing.data.is_editmode:  # attributes cannot be written there
            colour(thing, settings, figures_of(thing, context.scene.frame_current))


# Of a 3D view in solid mode: colours of vertices as they are, or as they come out of the box.
SHADING, USUAL_SHADING = ("VERTEX", "FLAT"), ("MATERIAL", "STUDIO")


def shading_of(screen):
    return [area.spaces.active.shading for area in screen.areas if area.type == "VIEW_3D"] if screen else []


def shade(screen):
    for shading in shading_of(screen):
        shading.color_type, shading.light = SHADING


def unshade(screen):
    """Of the views that show strain; others were set by somebody."""
    for shading in shading_of(screen):
        if (shading.color_type, shading.light) == SHADING:
            shading.color_type, shading.light = USUAL_SHADING
