// A run in one sentence, for the top of the page.

import { worstTarget } from './data/worst.js';
import * as format from './ui/format.js';

// Of a target, any of which it may have.
const TOLERANCES = ['tolerance_m', 'tolerance_max_m', 'velocity_tolerance_m_s'];

const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

function targets({ summary }) {
  const all = [...summary.keyframes, ...(summary.tracks ?? [])];
  const asked = all.filter((target) => TOLERANCES.some((key) => typeof target[key] === 'number'));
  const reached = asked.filter((target) => target.reached).length;
  if (asked.length === 0)
    return all.length > 0 ? `${plural(all.length, 'target')} without a tolerance` : null;
  const whole = asked.length === 2 ? 'both' : `all ${asked.length}`;
  if (asked.length === 1) return reached === 1 ? 'the target is met' : 'the target is missed';
  if (reached === asked.length) return `${whole} targets are met`;
  return reached === 0 ? `${whole} targets are missed` : `${reached} of ${asked.length} targets are met`;
}

// What has missed, in a few words for the headline.
export function missedText({ keyframes, tracks = [] }) {
  const anyMissed = (targets) => targets.some(({ reached }) => reached === false);
  if (!anyMissed(tracks)) return 'a keyframe missed its tolerance';
  return `${anyMissed(keyframes) ? 'a keyframe and a track missed their' : 'a track missed its'} tolerance`;
}

// By the tolerance that it is missed by most.
function off({ rms, tightest }) {
  if (!tightest) return `${format.length(rms)} off`;
  const { of, miss, tolerance } = tightest;
  const [what, text] = {
    rms: ['', format.length],
    max: ['a vertex ', format.length],
    velocity: ['velocities ', format.speed],
  }[of];
  return `${what}${text(miss)} off, ${text(tolerance)} allowed`;
}

// In brackets behind that.
function worst(run) {
  const target = worstTarget(run);
  if (!target) return '';
  const one = run.keyframes.length + run.tracks.length === 1;
  return ` (${one ? '' : `the worst, frame ${target.name}: `}${off(target)})`;
}

function forces({ summary }) {
  const { rms_g: rms, peak_g: peak, added } = summary.effort;
  if (!(rms > 0)) return null;
  const ofTake = added ? `, ${format.gravities(added.rms_g)} of it added to the accepted take` : '';
  return `forces of ${format.gravities(rms)} RMS, ${format.gravities(peak)} at most${ofTake}`;
}

function work({ summary, convergence }) {
  const runs = summary.work.forward_simulations;
  return `${convergence.length > 0 ? `${plural(runs, 'run')} in ` : 'in '}${format.duration(summary.time_s.total)}`;
}

function moved(run) {
  const { fastest_m_s: speed, fastest_frame: frame } = run.summary.motion ?? {};
  return run.hasTargets || speed === undefined ? null : `fastest ${format.speed(speed)} in frame ${frame}`;
}

// Where a search in windows is. What comes behind its window nobody knows yet: the cloth stands still there.
function place({ searchedWindow: window, firstFrame, lastFrame, mainTake }) {
  if (!window) return '';
  const [first, last] = window.frames;
  const end = firstFrame + mainTake.motion.frameCount - 1;
  const known = end < lastFrame ? `; the cloth is known up to frame ${end}` : '';
  return `, in window ${window.number} of ${window.count} (frames ${first}–${last})${known}`;
}

function begun(run) {
  if (!run.summary)
    return run.convergence.length > 0 ? `after ${plural(run.iterationCount, 'iteration')}${place(run)}` : null;
  if (run.searchedWindow) return `interrupted${place(run)}`;
  const frames = run.summary.frames_done;
  if (frames < run.frameCount) return `${frames} of ${run.frameCount} frames`;
  return run.hasTargets ? null : `${run.frameCount} frames`;
}

// With a capital and a full stop; empty: there is nothing to be said yet.
export function sentence(run) {
  const met = run.summary ? targets(run) : null;
  // A search that was killed before its first take leaves the cloth without control alone.
  const soFar = run.mainTake && run.mainTake === run.uncontrolledTake ? 'without control' : 'so far';
  const outcome = met || worst(run) ? `${met ?? soFar}${worst(run)}` : null;
  const parts = [begun(run), outcome];
  if (run.summary) parts.push(forces(run), moved(run), work(run));
  const text = parts.filter(Boolean).join('; ');
  return text === '' ? '' : `${text[0].toUpperCase()}${text.slice(1)}.`;
}
