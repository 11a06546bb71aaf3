// What the cloth is to hit: keyframes, and tracks, which are one in each of many frames. Both have `frame`, `target`
// [m], `weight` of each vertex, and `misses` of each take.

// A keyframe. `kind`: 'pose', 'surface' (with its own `surface`; `target` is where the cloth is nearest to it) or
// 'landmarks' (the vertices that have weight).
export function openKeyframe(json, floats, integers) {
  const misses = {};
  for (const [take, miss] of Object.entries(json.misses)) {
    misses[take] = { rms: miss.rms_m, max: miss.max_m, distance: floats(miss.distance) };
  }
  return {
    frame: json.frame,
    window: json.window ?? null, // first and last frame that it could slide to
    kind: json.kind,
    tolerance: json.tolerance_m,
    target: floats(json.target),
    weight: floats(json.weight),
    surface: json.surface
      ? { positions: floats(json.surface.positions), triangles: integers(json.surface.triangles) }
      : null,
    misses,
  };
}

export class Track {
  #shown = -1;

  constructor(json, floats, motion) {
    this.frames = json.frames;
    this.tolerance = json.tolerance_m;
    this.weight = floats(json.weight);
    this.motion = motion(json.targets);
    this.misses = json.misses;
    this.target = new Float32Array(3 * this.motion.vertexCount);
  }

  // The one that the cloth is on its way to at `frame`, or null behind the last. There is one at a time: the next call
  // writes over its target.
  ahead(frame) {
    const index = this.frames.findIndex((each) => each >= frame);
    if (index < 0) return null;
    if (index !== this.#shown) this.motion.read(index, this.target);
    this.#shown = index;
    return { frame: this.frames[index], target: this.target, weight: this.weight, misses: {} };
  }

  // The largest miss of a take in any of its frames [m].
  largestMiss(take) {
    return Math.max(0, ...(this.misses[take]?.max_m ?? []));
  }
}
