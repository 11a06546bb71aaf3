"""Lines and pictures as SVG, in the page's colours."""

import html
import math

COLORS = [f"var(--c{k})" for k in range(9)]


def number(value):
    """As short as it can be read."""
    if value == 0:
        return "0"
    if 100 <= abs(value) < 1e5:
        return f"{value:,.0f}"
    if 1e-3 <= abs(value) < 100:
        return f"{value:.3g}"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    digits = value / 10 ** power
    return f"10^{power}" if abs(digits - 1) < 1e-6 else f"{digits:.2g}e{power}"


def superscript(text):
    if not text.startswith("10^"):
        return html.escape(text)
    return f'10<tspan dy="-4" font-size="9">{text[3:]}</tspan>'


class Axis:
    """Values to places between two ends, in steps of ten or evenly."""

    def __init__(self, low, high, begin, end, is_log):
        self.is_log, self.begin, self.end = is_log, begin, end
        self.low, self.high = (math.log10(low), math.log10(high)) if is_log else (low, high)

    def place(self, value):
        value = math.log10(value) if self.is_log else value
        return self.begin + (self.end - self.begin) * (value - self.low) / (self.high - self.low)

    def ticks(self):
        if self.is_log:
            powers = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
            every = max(1, math.ceil(len(powers) / 6))
            return [10.0 ** power for power in powers if power % every == 0]
        wide = self.high - self.low
        step = 10 ** math.floor(math.log10(wide / 3))
        step *= next(factor for factor in (1, 2, 5, 10) if wide / (factor * step) <= 6)
        first = math.ceil(self.low / step - 1e-9)
        return [step * k for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def plot(lines, title, x_label, y_label, x_range, y_range, is_log=(False, False), size=(316, 250),
         level=None):
    """`lines`: (name, colour, [(x, y)], dashes, whether points are marked)."""
    width, height = size
    x = Axis(*x_range, 52, width - 12, is_log[0])
    y = Axis(*y_range, height - 40, 26, is_log[1])
    drawn = f'<text x="52" y="15" font-weight="600">{html.escape(title)}</text>'
    for tick in x.ticks():
        at = f"{x.place(tick):.1f}"
        drawn += (f'<line class="grid" x1="{at}" x2="{at}" y1="26" y2="{height - 40}"/>'
                  f'<text x="{at}" y="{height - 26}" text-anchor="middle">{superscript(number(tick))}</text>')
    for tick in y.ticks():
        at = y.place(tick)
        drawn += (f'<line class="grid" x1="52" x2="{width - 12}" y1="{at:.1f}" y2="{at:.1f}"/>'
                  f'<text x="48" y="{at + 4:.1f}" text-anchor="end">{superscript(number(tick))}</text>')
    if level is not None:
        at = f"{y.place(level):.1f}"
        drawn += f'<line class="level" x1="52" x2="{width - 12}" y1="{at}" y2="{at}"/>'
    drawn += (f'<text x="{(width + 40) / 2:.0f}" y="{height - 6}" text-anchor="middle">{x_label}</text>'
              f'<text transform="translate(11 {height / 2 - 10:.0f}) rotate(-90)" text-anchor="middle">'
              f"{y_label}</text>")
    inside = ""  # what leaves the ranges is cut off there
    for name, color, points, dashes, marked in lines:
        places = [(x.place(a), min(max(y.place(b), -9999), 9999)) for a, b in points]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        inside += (f'<polyline points="{path}" fill="none" style="stroke:{color}" stroke-width="1.8" '
                  f'stroke-dasharray="{dashes}"><title>{html.escape(name)}</title></polyline>')
        if marked:
            inside += "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" style="fill:{color}"/>'
                              for a, b in places)
    area = f"{width - 64} {height - 66}"
    drawn += (f'<svg x="52" y="26" width="{width - 64}" height="{height - 66}" viewBox="52 26 {area}">'
              f"{inside}</svg>")
    label = html.escape(title)
    box = f'viewBox="0 0 {width} {height}" width="{width}"'
    return f'<svg {box} role="img" aria-label="{label}">{drawn}</svg>'


def legend(entries):
    """`entries`: (name, colour, dashes)."""
    keys = "".join(
        f'<span><svg width="26" height="10"><line x1="0" x2="26" y1="5" y2="5" style="stroke:{color}" '
        f'stroke-width="2.5" stroke-dasharray="{dashes}"/></svg> {html.escape(name)}</span>'
        for name, color, dashes in entries)
    return f'<p class="legend">{keys}</p>'


def picture(name, points, triangles, ball):
    """Shaded triangles, from the front and a little above; `ball`: centre and radius, or None."""
    def project(p):
        x, y, z = p[0] - 0.5, p[1] + 0.35, p[2] - 0.5
        x, z = 0.87 * x - 0.5 * z, 0.5 * x + 0.87 * z
        return 110 + 95 * x, 95 - 95 * (0.94 * y - 0.34 * z), 0.34 * y + 0.94 * z
    points = [project(p) for p in points]
    shapes = []
    for t in triangles:
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = (points[v] for v in t)
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        slope = (z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0)
        light = int(60 + 180 * abs(area) / (math.hypot(area, 150 * slope) + 1e-9))
        front, back = (light, light, min(255, light + 20)), (light, int(0.8 * light), int(0.6 * light))
        color = "rgb({},{},{})".format(*(front if area < 0 else back))
        path = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}Z"
        drawn = f'<path d="{path}" fill="{color}" stroke="{color}" stroke-width="0.4"/>'
        shapes.append(((z0 + z1 + z2) / 3, drawn))
    if ball:
        x, y, z = project(ball[0])
        shapes.append((z, f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{95 * ball[1]:.1f}" fill="#7a9"/>'))
    drawn = "".join(shape for _, shape in sorted(shapes, key=lambda s: s[0]))
    label = html.escape(name)
    return f'<svg viewBox="0 0 220 210" width="220" role="img" aria-label="{label}">{drawn}</svg>'
