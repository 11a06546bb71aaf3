// In what the scenes of several runs differ, and what their forces come to.

import { h, section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

const LONGEST = 60; // characters of a value

const short = (text) =>
  text.length > LONGEST ? h('span', { title: text }, `${text.slice(0, LONGEST - 1)}…`) : text;

// A key that a scene leaves out has its default.
const value = (text, fallback) =>
  text === null ? h('span', { class: 'muted' }, fallback ? `${fallback} (default)` : '–') : short(text);

function differences({ scene_differences: list, runs }) {
  if (list.length === 0) return h('p', {}, 'The scenes are the same, key by key.');
  return table(
    'Keys in which the scenes differ',
    ['Key', ...runs.map((run) => run.title)],
    list.map((row) => [row.key, ...row.values.map((text) => value(text, row.default))]),
    'texts',
  );
}

// Peak and RMS; with relative_to also of what was put on top of the take.
function forces(runs) {
  const pushed = runs.filter((run) => run.summary?.effort?.rms_g > 0 || run.relativeTo);
  if (pushed.length === 0) return null;
  const isOnTop = pushed.some((run) => run.relativeTo);
  const onTop = (cells) => (isOnTop ? cells : []);
  return table(
    'Control acceleration',
    ['Run', 'RMS', 'Peak', ...onTop(['On top of', 'Added, RMS', 'Added, peak'])],
    pushed.map(({ title, relativeTo, summary }) => [
      title,
      format.gravities(summary?.effort.rms_g),
      format.gravities(summary?.effort.peak_g),
      ...onTop([
        relativeTo ?? '–',
        format.gravities(summary?.effort.added?.rms_g),
        format.gravities(summary?.effort.added?.peak_g),
      ]),
    ]),
  );
}

// Of one run: what relative_to has added, where there is such a take.
export function comparisonSection(report) {
  const { runs } = report;
  if (runs.length > 1) {
    const pushes = forces(runs);
    return section(
      'What differs',
      differences(report),
      ...(pushes ? [h('h3', {}, 'Control acceleration'), pushes] : []),
    );
  }
  return runs[0].relativeTo && runs[0].summary ? section('On top of an accepted take', forces(runs)) : null;
}
