// What stands under the time line: keyframes as ticks with their miss, the frames of tracks as bars, the frames that a
// keyframe could slide to as a line. Outcomes are told apart by shape as well as by colour.

import { sizeOf, verdictOf } from '../data/targets.js';
import { h } from '../ui/dom.js';
import * as format from '../ui/format.js';

const WORDS = { reached: 'reached', missed: 'missed', free: 'no tolerance', unknown: 'not known' };
const SIGNS = { reached: '●', missed: '▲', free: '◆', unknown: '○' };

// Where a frame stands on the line, from 0 to 1.
const shareOf = (frame, { firstFrame, lastFrame }) =>
  (frame - firstFrame) / Math.max(1, lastFrame - firstFrame);

const sentence = (name, rms, tolerance, state, others = '') =>
  `${name}, miss ${format.length(rms)} RMS, tolerance ${format.length(tolerance)}, ${others}${WORDS[state]}`;

// Of a keyframe whose velocities count.
const velocityText = (velocity, tolerance) =>
  velocity === null && tolerance === null
    ? ''
    : `velocities ${format.speed(velocity)} RMS, tolerance ${format.speed(tolerance)}, `;

// Of one whose farthest vertex counts.
const farthestText = (max, tolerance) =>
  tolerance === null ? '' : `farthest vertex ${format.length(max)}, tolerance ${format.length(tolerance)}, `;

function keyframeName({ name, window }) {
  return `keyframe ${name}${window ? `, chosen among ${window[0]} to ${window[1]}` : ''}`;
}

// Widths of a label over that of the line, with a miss and without, where a page is as narrow as still shows misses.
const WIDE_LABEL = 0.16;
const NARROW_LABEL = 0.08;
const MOST_ROWS = 3;

// For each frame the row in which its label does not run into another; MOST_ROWS where every row is taken.
export function labelRows(frames, clock, width) {
  const ends = [];
  return frames.map((frame) => {
    const begin = shareOf(frame, clock);
    const free = ends.findIndex((end) => end <= begin);
    const row = free < 0 ? Math.min(ends.length, MOST_ROWS) : free;
    if (row < MOST_ROWS) ends[row] = begin + width;
    return row;
  });
}

// What has become of the keyframes of all runs at a frame.
export function outcomesAt(frame, runs) {
  return runs.flatMap((run) =>
    run.keyframes
      .filter((keyframe) => keyframe.frame === frame)
      .map((keyframe) => {
        const { rms, max = null, velocity = null } = keyframe.misses[run.mainTake?.name] ?? {};
        const miss = { rms, max, velocity };
        return { run, keyframe, ...miss, state: verdictOf(miss, keyframe), size: sizeOf(miss, keyframe) };
      }),
  );
}

const FROM_WORST = ['missed', 'unknown', 'reached', 'free'];

// The first of those that nothing is worse than.
export function worstOutcome(outcomes) {
  const rank = ({ state }) => FROM_WORST.indexOf(state);
  return [...outcomes].sort((a, b) => rank(a) - rank(b) || b.size - a.size)[0];
}

// One for all runs that have a keyframe at `frame`; it looks like the worst of them. Its label stands in row `row`.
function tick(frame, row, runs, clock, seek) {
  const outcomes = outcomesAt(frame, runs);
  const worst = worstOutcome(outcomes);
  const miss = runs.length === 1 && worst.rms !== undefined ? format.length(worst.rms) : '';
  const title = outcomes
    .map(({ run, keyframe, rms, max, velocity, state }) => {
      const others =
        farthestText(max, keyframe.maxTolerance) + velocityText(velocity, keyframe.velocityTolerance);
      const name = `${runs.length > 1 ? `${run.title}: ` : ''}${keyframeName(keyframe)}`;
      return sentence(name, rms, keyframe.tolerance, state, others);
    })
    .join('\n');
  const share = shareOf(frame, clock);
  const edge = share > 0.9 ? ' at-end' : share < 0.1 ? ' at-start' : '';
  return h(
    'button',
    {
      class: `tick ${worst.state}${edge}${row < MOST_ROWS ? '' : ' unlabelled'}`,
      style: `--at: ${share}; --row: ${row}`,
      title,
      'aria-label': title,
      onclick: () => seek(frame),
    },
    h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[worst.state]),
    h('span', { class: 'text' }, String(frame), miss ? h('small', {}, miss) : null),
  );
}

// The frames that a keyframe could slide to.
function slide({ window }, clock) {
  const [from, to] = window.map((frame) => shareOf(frame, clock));
  return h('span', { class: 'slide', 'aria-hidden': 'true', style: `--at: ${from}; --to: ${to}` });
}

// The element that holds them all.
export function keyframeTicks(runs, clock, seek) {
  const keyframes = runs.flatMap((run) => run.keyframes);
  const frames = [...new Set(keyframes.map(({ frame }) => frame))].sort((a, b) => a - b);
  const rows = labelRows(frames, clock, runs.length === 1 ? WIDE_LABEL : NARROW_LABEL);
  return h(
    'div',
    { class: 'ticks', style: `--rows: ${Math.min(MOST_ROWS, 1 + Math.max(0, ...rows))}` },
    ...keyframes.filter(({ window }) => window).map((keyframe) => slide(keyframe, clock)),
    ...frames.map((frame, k) => tick(frame, rows[k], runs, clock, seek)),
  );
}

// A track as a row of bars, one for each of its frames; those that miss are long. It leads to its worst frame.
function trackRow(run, track, named, clock, seek) {
  const rms = track.misses[run.mainTake?.name]?.rms_m ?? [];
  const states = track.frames.map((_, k) => verdictOf({ rms: rms[k] }, track));
  const worst = rms.length > 0 ? rms.indexOf(Math.max(...rms)) : 0;
  const name = `${named ? `${run.title}: ` : ''}track ${track.name}, worst frame ${track.frames[worst]}`;
  const title = sentence(name, rms[worst], track.tolerance, states[worst]);
  const bars = track.frames.map((frame, k) =>
    h('span', {
      class: `bar ${states[k]}`,
      style: `--at: ${shareOf(frame, clock)}`,
      title: `${frame}: ${format.length(rms[k])} RMS`,
    }),
  );
  return h(
    'button',
    { class: 'track-row', title, 'aria-label': title, onclick: () => seek(track.frames[worst]) },
    ...bars,
  );
}

export const trackRows = (runs, clock, seek) =>
  runs.flatMap((run) => run.tracks.map((track) => trackRow(run, track, runs.length > 1, clock, seek)));
