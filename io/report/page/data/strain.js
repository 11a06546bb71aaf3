// How a shape stretches the cloth: lengths within each triangle against those of rest.obj. The figures of the program
// (core/inspect/strain.h) also know what changes the rest shape: rest = "uv", stretch_scale and channels that shrink.

export class Stretch {
  // `rest`: positions [m] (3n).
  constructor(rest, triangles) {
    this.triangles = triangles;
    const count = triangles.length / 3;
    // Of a triangle with its first edge along (l, 0) and its second to (a, b): l, a, b.
    this.shape = new Float64Array(3 * count);
    for (let t = 0; t < count; ++t) {
      const [u, v] = edges(rest, triangles, 3 * t);
      const l = Math.hypot(...u);
      const a = dot(u, v) / l;
      this.shape.set([l, a, Math.sqrt(Math.max(dot(v, v) - a * a, 0))], 3 * t);
    }
  }

  // Into `out` (n): by how much the cloth around a vertex is longer than at rest, in the direction and the triangle in
  // which it is longest, as a share; 0 where it is longer in none.
  read(x, out) {
    const { triangles, shape } = this;
    out.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const [l, a, b] = [shape[t], shape[t + 1], shape[t + 2]];
      if (!(l > 0) || !(b > 0)) continue; // no triangle at rest
      const p = 3 * triangles[t];
      const q = 3 * triangles[t + 1];
      const r = 3 * triangles[t + 2];
      let ff = 0;
      let gg = 0;
      let fg = 0;
      for (let c = 0; c < 3; ++c) {
        const f = (x[q + c] - x[p + c]) / l;
        const g = (x[r + c] - x[p + c] - a * f) / b;
        ff += f * f;
        gg += g * g;
        fg += f * g;
      }
      // The larger singular value of F = [f g], which maps (l, 0) and (a, b) onto the edges, less one.
      const half = 0.5 * (ff - gg);
      const stretch = Math.sqrt(0.5 * (ff + gg) + Math.sqrt(half * half + fg * fg)) - 1;
      for (let k = t; k < t + 3; ++k) if (stretch > out[triangles[k]]) out[triangles[k]] = stretch;
    }
    return out;
  }
}

function edges(x, triangles, t) {
  const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
  return [
    [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]],
    [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]],
  ];
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
