// Keyframes against their tolerance, side by side where there are several runs.

import { h, section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

function verdict(keyframe) {
  if (!keyframe) return '–';
  const isFree = keyframe.tolerance_m === null && keyframe.velocity_tolerance_m_s === undefined;
  if (isFree) return h('span', { class: 'verdict free' }, '◆ no tolerance');
  return keyframe.reached
    ? h('span', { class: 'verdict reached' }, '● reached')
    : h('span', { class: 'verdict missed' }, '▲ missed');
}

// Of a miss that is within the tolerance by itself, a share says nothing.
const share = (k) => (k.uncontrolled_rms_m > (k.tolerance_m ?? 0) ? k.rms_m / k.uncontrolled_rms_m : null);

// Keyframes, and tracks, which are one row each.
const targets = (summary) => [
  ...summary.keyframes.map((k) => ({ ...k, name: String(k.frame), at: k.frame })),
  ...(summary.tracks ?? []).map((t) => ({ ...t, name: `${t.range[0]}–${t.range[1]}`, at: t.range[0] })),
];

function one(run) {
  const rows = targets(run.summary).map((k) => [
    k.name,
    format.length(k.tolerance_m),
    format.length(k.rms_m),
    format.length(k.max_m),
    format.length(k.uncontrolled_rms_m),
    format.percent(share(k)),
    verdict(k),
  ]);
  return table(
    'Distance from each keyframe',
    ['Frame', 'Tolerance', 'Miss, RMS', 'Miss, largest', 'Uncontrolled, RMS', 'Of uncontrolled', 'Outcome'],
    rows,
  );
}

function several(runs) {
  const all = runs.flatMap((run) => targets(run.summary)).sort((a, b) => a.at - b.at);
  const names = [...new Set(all.map(({ name }) => name))];
  const rows = names.map((name) => [
    name,
    ...runs.flatMap((run) => {
      const k = targets(run.summary).find((target) => target.name === name);
      return [format.length(k?.rms_m), format.length(k?.max_m), verdict(k)];
    }),
  ]);
  return table(
    'Distance from each keyframe',
    ['Frame', ...runs.flatMap((run) => [`${run.title}: RMS`, 'largest', 'outcome'])],
    rows,
  );
}

export function keyframesSection(runs) {
  const ended = runs.filter((run) => run.summary && targets(run.summary).length > 0);
  if (ended.length === 0) return null;
  return section('Keyframes', ended.length === 1 ? one(ended[0]) : several(ended));
}
