"""What is left against time: rounds with one matrix, and Newton to one tolerance or another."""

from charts import COLORS, legend, number, plot

NEWTON = ("newton", "newton, loose")
FACTORED = ("prefactored", "prefactored, remembering")
# Name on the page, names in the rows.
METHODS = [("newton, by iterations", NEWTON), ("linearized", ("linearized",)), ("predictor", ("predictor",)),
           ("prefactored", ("prefactored",)), ("descent", ("descent",)),
           ("prefactored, 5 remembered", ("prefactored, remembering",))]
SHOWN = {"residual": "residual over the weight", "off": "distance from the end"}


def points_of(rows, names, key):
    """(time over the solved step, what is left), in the order of time; without what is solved."""
    found = sorted((row["over newton"], row[key]) for row in rows if row["steps are"] in names)
    return [(time, left) for time, left in found if left > 0]


def least_by(points, time):
    """The least that is left by that time; None before the first end."""
    done = [left for at, left in points if at <= time]
    return min(done) if done else None


def rounds_ahead(rows, key):
    """With a factor, the last rounds that leave less than newton and linearized do by then; None: none."""
    others = points_of(rows, NEWTON + ("linearized",), key)
    ahead = [row for row in rows if row["steps are"] in FACTORED
             and row[key] < (least_by(others, row["over newton"]) or float("inf"))]
    return max(ahead, key=lambda row: row["over newton"], default=None)


def sentence(stretch, vertices, rows):
    texts = []
    for key, what in (("residual", "by the residual"), ("off", "by the distance")):
        row = rounds_ahead(rows, key)
        if row:
            time = number(row["over newton"])
            texts.append(f"{what} up to {row['rounds']} of {row['steps are']}, which leave "
                         f"{number(row[key])} at {time} of newton's time")
        else:
            texts.append(f"{what} never")
    best = min((row for row in rows if row["steps are"] == "newton, loose"), key=lambda r: r["over newton"])
    return (f"<li>{vertices:,} vertices of {stretch:g} N/m: rounds are ahead of all else "
            f"{'; '.join(texts)}. "
            f"The loosest newton leaves {number(best['residual'])} and {number(best['off'])} "
            f"at {number(best['over newton'])}.</li>")


def diagonal_is_ahead(rows):
    """Whether diagonal rounds have less of the residual left at any time than those with a factor."""
    factored = points_of(rows, FACTORED, "residual")
    for time, left in points_of(rows, ("descent",), "residual"):
        other = least_by(factored, time)
        if other is not None and left < other:
            return True
    return False


def conclusion(groups):
    """When rounds are worth it, over all sheets shown."""
    longest = max((row["over newton"] for row in (rounds_ahead(rows, "residual") for rows in groups.values())
                   if row), default=0.0)
    ends = sorted(row["off"] for row in (rounds_ahead(rows, "off") for rows in groups.values()) if row)
    ahead = sum(diagonal_is_ahead(rows) for rows in groups.values())
    least = min(row["off"] for rows in groups.values() for row in rows if row["steps are"] == "descent")
    return (f"<p>So: rounds are for whoever has less than about {number(longest)} of the time of a solved "
            "step; with more, newton with a loose tolerance leaves less. Where they are last ahead by the "
            f"distance they are {number(100 * ends[0])} to {number(100 * ends[-1])} % of the step's way off. "
            f"Diagonal rounds are ahead of those with a factor, at some time, on {ahead} of {len(groups)} "
            f"sheets, and {number(100 * least)} % of the way off at best: to compare with.</p>")


def ends_of(values, margin):
    return min(values) / margin, max(values) * margin


def section(rows, source):
    groups = {}
    for row in rows:
        groups.setdefault((row["stretch N/m"], row["vertices"]), []).append(row)
    x_range = ends_of([row["over newton"] for row in rows], 1.3)
    charts = ""
    for key, label in SHOWN.items():
        y_range = ends_of([row[key] for row in rows if row[key] > 0], 2)
        for (stretch, vertices), group in groups.items():
            lines = [(name, COLORS[k], points_of(group, names, key), "", True)
                     for k, (name, names) in enumerate(METHODS)]
            charts += plot(lines, f"{vertices:,} vertices, {stretch:g} N/m", "time over a solved step", label,
                           x_range, y_range, (True, True))
    said = "".join(sentence(*which, group) for which, group in groups.items())
    names = [(name, COLORS[k], "") for k, (name, _) in enumerate(METHODS)]
    return (f"""<h2>What is left after how much time</h2><p>One step of a swinging sheet, of soft and of stiff
cloth, by each method in so many rounds, or to one tolerance or another: what is left of the residual over the
weight, and of the distance to the solved step over its way, against the time over that of newton's whole
step. The factor of rounds is made once a shot and not counted. Figures: {source}, by
<code>keydrape_bench rounds</code>.</p>{legend(names)}<div class="charts">{charts}</div><ul>{said}</ul>"""
            + conclusion(groups))
