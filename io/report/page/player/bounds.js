// Where to look: the box of everything that moves, over all runs, and a first view of it.

export function boundsOf(runs) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const include = (x) => {
    for (let c = 0; c < 3; ++c) {
      low[c] = Math.min(low[c], x[c]);
      high[c] = Math.max(high[c], x[c]);
    }
  };
  for (const run of runs) {
    for (const { target } of run.keyframes) {
      for (let i = 0; i < target.length; i += 3) include(target.subarray(i, i + 3));
    }
    for (const { surface } of run.keyframes) {
      for (let i = 0; i < (surface?.positions.length ?? 0); i += 3)
        include(surface.positions.subarray(i, i + 3));
    }
    for (const { motion } of [...run.takes, ...run.tracks]) {
      const box = motion.box();
      include(box.low);
      include(box.high);
    }
  }
  if (!Number.isFinite(low[0])) return { center: [0, 0, 0], low: [0, 0, 0], extent: 1 };
  const center = low.map((value, c) => (value + high[c]) / 2);
  return { center, low, extent: Math.hypot(...low.map((value, c) => high[c] - value)) || 1 };
}

// The direction in which a cloth's area faces at rest, as a horizontal unit vector; a bit to the side of it
// and from above one sees its shape.
export function viewDirection(run, up) {
  const x = new Float32Array(3 * run.vertexCount);
  if (run.mainTake) run.readPositions(run.mainTake, run.firstFrame, x);
  const sums = [0, 0, 0];
  for (let t = 0; t < run.triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * run.triangles[t + k]);
    const u = [0, 1, 2].map((k) => x[b + k] - x[a + k]);
    const v = [0, 1, 2].map((k) => x[c + k] - x[a + k]);
    for (let k = 0; k < 3; ++k) sums[k] += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
  }
  sums[up] = 0;
  const size = Math.hypot(...sums);
  const side = up === 1 ? [0, 0, 1] : [0, -1, 0];
  const facing = size > 0 ? sums.map((value) => value / size) : side;
  return turned(facing, up, 0.6).map((value, c) => 0.95 * value + (c === up ? 0.3 : 0));
}

// `v` turned about the up axis by an angle.
function turned(v, up, angle) {
  const [a, b] = up === 1 ? [2, 0] : [0, 1];
  const out = [0, 0, 0];
  out[a] = Math.cos(angle) * v[a] - Math.sin(angle) * v[b];
  out[b] = Math.sin(angle) * v[a] + Math.cos(angle) * v[b];
  return out;
}
