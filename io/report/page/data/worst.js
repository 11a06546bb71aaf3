// Where a run is worst: what one wants to see first.

import { sizeOf, tightest } from './targets.js';

// The vertex of a keyframe that a take is farthest from: { vertex, distance [m] }; null where nothing is known.
export function worstVertex(keyframe, take) {
  const miss = take ? keyframe.misses[take.name] : null;
  if (!miss) return null;
  let vertex = -1;
  for (let i = 0; i < miss.distance.length; ++i)
    if (keyframe.weight[i] > 0 && (vertex < 0 || miss.distance[i] > miss.distance[vertex])) vertex = i;
  return vertex < 0 ? null : { vertex, distance: miss.distance[vertex] };
}

// What every target of a run has missed by: [{ frame, name, rms [m], tightest (targets.js), size }].
function misses(run) {
  const take = run.mainTake;
  if (!take) return [];
  const missOf = (frame, name, miss, target) => ({
    frame,
    name,
    rms: miss.rms,
    tightest: tightest(miss, target),
    size: sizeOf(miss, target),
  });
  const keyframes = run.keyframes
    .filter((keyframe) => keyframe.misses[take.name])
    .map((keyframe) => missOf(keyframe.frame, keyframe.name, keyframe.misses[take.name], keyframe));
  const called = (track) => (run.tracks.length > 1 ? `track ${track.name}` : 'the track');
  const tracks = run.tracks.flatMap((track) =>
    (track.misses[take.name]?.rms_m ?? []).map((rms, k) =>
      missOf(track.frames[k], `${track.frames[k]} of ${called(track)}`, { rms }, track),
    ),
  );
  return [...keyframes, ...tracks];
}

// The target that a run has missed by most; null: it has none, or does not come to one.
export function worstTarget(run) {
  return misses(run).reduce((worst, each) => (!worst || each.size > worst.size ? each : worst), null);
}

// The frame to open at: the last that there is of a run that has failed, else the worst target of all runs.
export function worstFrame(runs) {
  const failed = runs.find((run) => run.summary?.status === 'failed' && run.mainTake);
  if (failed) return failed.firstFrame + failed.mainTake.motion.frameCount - 1;
  const worst = runs.map(worstTarget).filter(Boolean);
  return worst.sort((a, b) => b.size - a.size)[0]?.frame ?? runs[0].firstFrame;
}
