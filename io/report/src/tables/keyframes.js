// Keyframes against their tolerance, side by side where there are several runs.

import { h, section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

function verdict(keyframe) {
  if (!keyframe) return '–';
  if (keyframe.tolerance_m === null) return h('span', { class: 'verdict free' }, '◆ no tolerance');
  return keyframe.reached
    ? h('span', { class: 'verdict reached' }, '● reached')
    : h('span', { class: 'verdict missed' }, '▲ missed');
}

const share = (k) => (k.uncontrolled_rms_m > 0 ? k.rms_m / k.uncontrolled_rms_m : null);

function one(run) {
  const rows = run.summary.keyframes.map((k) => [
    String(k.frame),
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
  const frames = [...new Set(runs.flatMap((run) => run.summary.keyframes.map((k) => k.frame)))].sort(
    (a, b) => a - b,
  );
  const rows = frames.map((frame) => [
    String(frame),
    ...runs.flatMap((run) => {
      const k = run.summary.keyframes.find((keyframe) => keyframe.frame === frame);
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
  const ended = runs.filter((run) => run.summary?.keyframes.length > 0);
  if (ended.length === 0) return null;
  return section('Keyframes', ended.length === 1 ? one(ended[0]) : several(ended));
}
