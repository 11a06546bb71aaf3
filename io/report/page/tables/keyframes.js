// Keyframes against their tolerance, side by side where there are several runs.

import { namesOf, verdictOf } from '../data/targets.js';
import { h, section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

const TEXTS = {
  reached: '● reached',
  missed: '▲ missed',
  free: '◆ no tolerance',
  unknown: '○ not known',
};

// What a mean hides: vertices that are farther off than the tolerance can mean.
function far({ far_vertices: vertices }) {
  if (!vertices) return '';
  const { vertex, miss_m: miss } = vertices.farthest[0];
  const count = vertices.count === 1 ? '1 vertex is' : `${vertices.count} vertices are`;
  return `; ${count} beyond ${format.length(vertices.beyond_m)}, the farthest, ${vertex}, ${format.length(miss)} off`;
}

// What keeps a pose out of reach, known before the search; runs of before that do not have it.
function strained({ reach, most_strained: most }) {
  const known = reach ?? most?.reach;
  if (!known?.strained) return '';
  const { area_beyond: area, limit } = known.strain;
  return `; strains ${format.percent(area)} of its area beyond ${format.percent(limit)}`;
}

function verdict(keyframe) {
  if (!keyframe) return '–';
  const state = verdictOf(
    { rms: keyframe.rms_m, max: keyframe.max_m, velocity: keyframe.velocity_rms_m_s },
    {
      tolerance: keyframe.tolerance_m,
      velocityTolerance: keyframe.velocity_tolerance_m_s,
      maxTolerance: keyframe.tolerance_max_m ?? null,
    },
  );
  return h('span', { class: `verdict ${state}` }, TEXTS[state] + far(keyframe) + strained(keyframe));
}

// Of a miss that is within the tolerance by itself, a share says nothing.
const share = (k) => (k.uncontrolled_rms_m > (k.tolerance_m ?? 0) ? k.rms_m / k.uncontrolled_rms_m : null);

const hasVelocity = (target) => typeof target.velocity_rms_m_s === 'number';

function named(keyframes) {
  const names = namesOf(keyframes.map(({ frame }) => frame));
  return keyframes.map((keyframe, k) => ({ ...keyframe, name: names[k], at: keyframe.frame }));
}

// Keyframes, and tracks, which are one row each.
const targets = (summary) => [
  ...named(summary.keyframes),
  ...(summary.tracks ?? []).map((t) => ({ ...t, name: `${t.range[0]}–${t.range[1]}`, at: t.range[0] })),
];

function one(run) {
  const all = targets(run.summary);
  const withVelocities = all.some(hasVelocity);
  const ofVelocities = (...cells) => (withVelocities ? cells : []);
  const rows = all.map((k) => [
    k.name,
    format.length(k.tolerance_m),
    format.length(k.rms_m),
    format.length(k.max_m),
    format.length(k.uncontrolled_rms_m),
    format.percent(share(k)),
    ...ofVelocities(format.speed(k.velocity_tolerance_m_s), format.speed(k.velocity_rms_m_s)),
    verdict(k),
  ]);
  return table(
    'Distance from each keyframe',
    [
      'Frame',
      'Tolerance',
      'Miss, RMS',
      'Miss, largest',
      'Uncontrolled, RMS',
      'Of uncontrolled',
      ...ofVelocities('Velocities: tolerance', 'Velocities: miss, RMS'),
      'Outcome',
    ],
    rows,
  );
}

function several(runs) {
  const all = runs.flatMap((run) => targets(run.summary)).sort((a, b) => a.at - b.at);
  const names = [...new Set(all.map(({ name }) => name))];
  const withVelocities = all.some(hasVelocity);
  const ofVelocities = (cell) => (withVelocities ? [cell] : []);
  const rows = names.map((name) => [
    name,
    ...runs.flatMap((run) => {
      const k = targets(run.summary).find((target) => target.name === name);
      const velocity = ofVelocities(format.speed(k?.velocity_rms_m_s));
      return [format.length(k?.rms_m), format.length(k?.max_m), ...velocity, verdict(k)];
    }),
  ]);
  return table(
    'Distance from each keyframe',
    [
      'Frame',
      ...runs.flatMap((run) => [`${run.title}: RMS`, 'largest', ...ofVelocities('velocities'), 'outcome']),
    ],
    rows,
  );
}

export function keyframesSection(runs) {
  const ended = runs.filter((run) => run.summary && targets(run.summary).length > 0);
  if (ended.length === 0) return null;
  return section('Keyframes', ended.length === 1 ? one(ended[0]) : several(ended));
}
