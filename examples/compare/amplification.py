"""By how much a step multiplies an oscillation: closed forms, core/step/EQUATIONS.md and core/EQUATIONS.md.

Of x'' = -w^2 x - 2 z w x' over a step of h, s = w h. The linearised step, rounds with one matrix and the
predictor are implicit Euler here, since P is H where there is one spring, along its way.
"""

import cmath

# Stages of (R8): c, a_ij, b_ij, a_i, b_i.
SCHEMES = {
    "symplectic": ([0], [[]], [[]], [1], [1]),
    "verlet": ([0, 1], [[], [1 / 2]], [[], [1]], [1 / 2, 0], [1 / 2, 1 / 2]),
    "midpoint": ([0, 1 / 2], [[], [0]], [[], [1 / 2]], [1 / 2, 0], [0, 1]),
    "rk4": ([0, 1 / 2, 1 / 2, 1], [[], [0], [1 / 4, 0], [0, 1 / 2, 0]],
            [[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 6, 1 / 6, 0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
    "euler": ([0], [[]], [[]], [0], [1]),
}


def larger_root(b, c):
    """|x|, the larger one, of x^2 + b x + c = 0."""
    root = cmath.sqrt(b * b - 4 * c)
    return max(abs(-b + root), abs(-b - root)) / 2


def explicit(scheme, s, z):
    c, of_x, of_v, end_x, end_v = SCHEMES[scheme]
    columns = []
    for x, v in ((1.0, 0.0), (0.0, 1.0)):
        a = []
        for i, share in enumerate(c):
            at_x = x + share * v + sum(w * a_j for w, a_j in zip(of_x[i], a))
            at_v = v + sum(w * a_j for w, a_j in zip(of_v[i], a))
            a.append(-s * s * at_x - 2 * z * s * at_v)
        columns.append((x + v + sum(w * a_i for w, a_i in zip(end_x, a)),
                        v + sum(w * a_i for w, a_i in zip(end_v, a))))
    (xx, vx), (xv, vv) = columns
    return larger_root(-(xx + vv), xx * vv - xv * vx)


def implicit_euler(s, z):
    """(2), (3) of core/EQUATIONS.md: (1 + 2 z s + s^2) x_2 - (2 + 2 z s) x_1 + x_0 = 0."""
    whole = 1 + 2 * z * s + s * s
    return larger_root(-(2 + 2 * z * s) / whole, 1 / whole)


def bdf2(s, z):
    """(I1), (I2): 3/2 x^2 - 2 x + 1/2 = l x^2 for both l = -z s +- i s (1 - z^2)^(1/2)."""
    found = []
    for sign in (1, -1):
        whole = 1.5 + z * s + sign * s * cmath.sqrt(z * z - 1)
        found.append(larger_root(-2 / whole, 0.5 / whole))
    return max(found)


def modulus(method, s, z):
    """Of "newton", "bdf2" or an explicit scheme."""
    if method in SCHEMES:
        return explicit(method, s, z)
    return implicit_euler(s, z) if method == "newton" else bdf2(s, z)


def limit(scheme, z):
    """The largest s up to which no oscillation of this damping grows; 0 where all do."""
    grows = lambda s: explicit(scheme, s, z) > 1 + 1e-9
    step = 0.004
    s = step
    if grows(s):
        return 0.0
    while s < 4 and not grows(s):
        s += step
    return s - step / 2
