// Keyframes against their tolerance, side by side where there are several runs.

import { namesOf, namesOfTracks, verdictOf } from '../data/targets.js';
import { worstVertex } from '../data/worst.js';
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
  if (!vertices) return null;
  const { vertex, miss_m: miss } = vertices.farthest[0];
  const count = vertices.count === 1 ? '1 vertex is' : `${vertices.count} vertices are`;
  return `${count} beyond ${format.length(vertices.beyond_m)}, the farthest, ${vertex}, ${format.length(miss)} off`;
}

// What a one-sided distance hides: a surface that the cloth lies on a part of.
function bare({ coverage }) {
  if (!coverage?.left_bare) return null;
  return `${format.percent(coverage.bare)} of the surface is farther than ${format.length(coverage.within_m)} from the cloth`;
}

// What keeps a pose out of reach, known before the search; runs of before that do not have it.
function strained({ reach, most_strained: most }) {
  const known = reach ?? most?.reach;
  if (!known?.strained) return null;
  const { area_beyond: area, limit } = known.strain;
  return `it strains ${format.percent(area)} of its area beyond ${format.percent(limit)}`;
}

// What the RMS over the frames of a track hides: its tolerance holds in every one.
function atWorst({ worst }) {
  if (typeof worst?.rms_m !== 'number') return null;
  return `at worst ${format.length(worst.rms_m)} RMS, at frame ${worst.frame}`;
}

function verdict(keyframe) {
  const rms = keyframe.worst?.rms_m ?? keyframe.rms_m;
  const state = verdictOf(
    { rms, max: keyframe.max_m, velocity: keyframe.velocity_rms_m_s },
    {
      tolerance: keyframe.tolerance_m,
      velocityTolerance: keyframe.velocity_tolerance_m_s,
      maxTolerance: keyframe.tolerance_max_m ?? null,
    },
  );
  const texts = [atWorst(keyframe), far(keyframe), bare(keyframe), strained(keyframe)];
  const more = texts.filter(Boolean).join('; ');
  return h(
    'div',
    { class: 'outcome' },
    h('span', { class: `verdict ${state}` }, TEXTS[state]),
    more ? h('small', {}, ` ${more}`) : null,
  );
}

// Of a miss that is within the tolerance by itself, a share says nothing.
const share = (k) => (k.uncontrolled_rms_m > (k.tolerance_m ?? 0) ? k.rms_m / k.uncontrolled_rms_m : null);

const hasVelocity = (target) => typeof target.velocity_rms_m_s === 'number';

// Keyframes, and tracks, which are one row each.
function targets({ keyframes, tracks = [] }) {
  const names = namesOf(keyframes.map(({ frame }) => frame));
  const namesOfThose = namesOfTracks(tracks.map(({ range }) => range));
  return [
    ...keyframes.map((keyframe, k) => ({ ...keyframe, name: names[k], at: keyframe.frame })),
    ...tracks.map((track, k) => ({ ...track, name: namesOfThose[k], at: track.range[0] })),
  ];
}

// The vertex that is farthest off, which a click shows.
function farthest(run, target, player) {
  const keyframe = run.keyframes.find(({ name }) => name === target.name);
  const worst = keyframe && worstVertex(keyframe, run.mainTake);
  if (!worst) return '–';
  const { frame } = keyframe;
  return h(
    'button',
    {
      class: 'place',
      title: `Show vertex ${worst.vertex} at frame ${frame}`,
      onclick: () => player.goTo({ run: run.index, frame, vertex: worst.vertex }),
    },
    `${worst.vertex}, ${format.length(worst.distance)}`,
  );
}

// What it would be without the search's forces: where that is another thing than the column's name says, with its name.
function unforcedCell(run, k, column) {
  const length = format.length(k.uncontrolled_rms_m);
  return run.unforcedName === column ? length : h('span', {}, length, ' ', h('small', {}, run.unforcedName));
}

// A row for each target of each run, those of one target below each other.
function targetsTable(runs, player) {
  const named = runs.length > 1;
  const rows = runs.flatMap((run) => targets(run.summary).map((k) => ({ run, k })));
  const order = [...new Set(rows.map(({ k }) => k.name))];
  rows.sort(
    (a, b) =>
      a.k.at - b.k.at || order.indexOf(a.k.name) - order.indexOf(b.k.name) || a.run.index - b.run.index,
  );
  const withVelocities = rows.some(({ k }) => hasVelocity(k));
  const withMaxima = rows.some(({ k }) => typeof k.tolerance_max_m === 'number');
  const ofMaxima = (...cells) => (withMaxima ? cells : []);
  const ofVelocities = (...cells) => (withVelocities ? cells : []);
  const ofRuns = (...cells) => (named ? cells : []);
  const names = new Set(runs.map((run) => run.unforcedName));
  const unforced = names.size === 1 ? [...names][0] : 'uncontrolled';
  const ofOne = (...cells) => (named ? [] : cells);
  return table(
    'Distance from each keyframe',
    [
      'Frame',
      ...ofRuns('Run'),
      'Tolerance',
      'Miss, RMS',
      ...ofMaxima('Largest: tolerance'),
      'Largest',
      'Worst vertex',
      `${unforced[0].toUpperCase()}${unforced.slice(1)}, RMS`,
      ...ofOne(`Of ${unforced}`),
      ...ofVelocities('Velocities: tolerance', 'Velocities: miss, RMS'),
      'Outcome',
    ],
    rows.map(({ run, k }) => [
      k.name,
      ...ofRuns(run.title),
      format.length(k.tolerance_m),
      format.length(k.rms_m),
      ...ofMaxima(format.length(k.tolerance_max_m)),
      format.length(k.max_m),
      farthest(run, k, player),
      unforcedCell(run, k, unforced),
      ...ofOne(format.percent(share(k))),
      ...ofVelocities(format.speed(k.velocity_tolerance_m_s), format.speed(k.velocity_rms_m_s)),
      verdict(k),
    ]),
    'keyframes',
  );
}

export function keyframesSection(runs, player) {
  const ended = runs.filter((run) => run.summary && targets(run.summary).length > 0);
  if (ended.length === 0) return null;
  return section('Keyframes', targetsTable(ended, player));
}
