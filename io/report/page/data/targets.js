// What the cloth is to hit: keyframes, and tracks, which are one in each of many frames. Both have `frame`, `target`
// [m], `weight` of each vertex, and `misses` of each take.

// A keyframe. `kind`: 'pose', 'surface' (with its own `surface`; `target` is where the cloth is nearest to it) or
// 'landmarks' (the vertices that have weight).
export function openKeyframe(json, index, floats, integers) {
  const misses = {};
  for (const [take, miss] of Object.entries(json.misses)) {
    misses[take] = {
      rms: miss.rms_m,
      max: miss.max_m,
      velocity: miss.velocity_rms_m_s ?? null, // RMS [m/s]; null: velocities do not count, or are not known
      distance: floats(miss.distance),
    };
  }
  return {
    index, // among the run's keyframes, in the scene's order: summary.json lists them so
    frame: json.frame,
    window: json.window ?? null, // first and last frame that it could slide to
    kind: json.kind,
    tolerance: json.tolerance_m,
    velocityTolerance: json.velocity_tolerance_m_s ?? null,
    maxTolerance: json.tolerance_max_m ?? null, // of every single vertex
    target: floats(json.target),
    weight: floats(json.weight),
    surface: json.surface
      ? { positions: floats(json.surface.positions), triangles: integers(json.surface.triangles) }
      : null,
    misses,
  };
}

// What became of a keyframe. reached: within its tolerances; missed: not; free: it has none; unknown: the take ends
// before it, or holds no velocities, which would decide. As KeyframeOutcome::reached has it.
export function verdictOf(
  { rms, max = null, velocity = null },
  { tolerance, velocityTolerance = null, maxTolerance = null },
) {
  if (rms === undefined || rms === null) return 'unknown';
  if (tolerance === null && velocityTolerance === null && maxTolerance === null) return 'free';
  if (tolerance !== null && rms > tolerance) return 'missed';
  if (maxTolerance !== null && max !== null && max > maxTolerance) return 'missed';
  if (velocityTolerance === null) return 'reached';
  if (velocity === null) return 'unknown';
  return velocity <= velocityTolerance ? 'reached' : 'missed';
}

// The tolerance that a keyframe is missed by most, or comes nearest to: { of, miss, tolerance, share }, `of` being
// 'rms', 'max' or 'velocity' and `share` miss / tolerance; null: it has none, or nothing is known.
export function tightest(
  { rms = null, max = null, velocity = null },
  { tolerance = null, maxTolerance = null, velocityTolerance = null },
) {
  return [
    { of: 'rms', miss: rms, tolerance },
    { of: 'max', miss: max, tolerance: maxTolerance },
    { of: 'velocity', miss: velocity, tolerance: velocityTolerance },
  ]
    .filter((each) => each.miss !== null && each.tolerance !== null)
    .map((each) => ({ ...each, share: each.miss / each.tolerance }))
    .reduce((worst, each) => (!worst || each.share > worst.share ? each : worst), null);
}

// How large a miss is beside others: in tolerances; without one, what any tolerance would make of it comes behind those
// that have one.
export const sizeOf = (miss, tolerances) => tightest(miss, tolerances)?.share ?? 1e-6 * (miss.rms ?? 0);

// Names of keyframes that tell apart those of one frame: '20', and '20 (2)' for the second.
export function namesOf(frames) {
  const counts = new Map();
  return frames.map((frame) => {
    const count = (counts.get(frame) ?? 0) + 1;
    counts.set(frame, count);
    return count === 1 ? String(frame) : `${frame} (${count})`;
  });
}

// Likewise of tracks, by their first and last frame: '1–9', and '1–9 (2)' for the second over the same.
export const namesOfTracks = (ranges) => namesOf(ranges.map(([first, last]) => `${first}–${last}`));

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

  get range() {
    return [this.frames[0], this.frames.at(-1)];
  }

  // The largest miss of a take in any of its frames [m].
  largestMiss(take) {
    return Math.max(0, ...(this.misses[take]?.max_m ?? []));
  }
}
