// How the search went: objective, gradient and misses against iterations, forward runs or time.

import { namesOf } from '../data/targets.js';
import { h, section } from '../ui/dom.js';
import { PlotGroup } from './plot_group.js';
import { seriesOf } from './series.js';

export const AXES = {
  iteration: 'Iteration',
  forward_simulations: 'Forward runs',
  time_s: 'Time [s]',
};

const column = (key) => (run) => run.convergence.map((line) => line[key]);

// Of the keyframe of that name. A line has those of the run in the scene's order, or only those of a window, which are
// told apart by their frames.
function missOf(name, kind) {
  return (run) => {
    const { index } = run.keyframes.find((keyframe) => keyframe.name === name) ?? {};
    return run.convergence.map(({ keyframes }) => {
      const isWhole = keyframes.length === run.keyframes.length;
      const place = isWhole ? index : namesOf(keyframes.map(({ frame }) => frame)).indexOf(name);
      const keyframe = keyframes[place];
      return keyframe ? 1e3 * keyframe[kind] : null;
    });
  };
}

const rangeText = ([first, last]) => `${first}–${last}`;

function missOfTrack(range, kind) {
  return (run) =>
    run.convergence.map((line) => {
      const track = line.tracks?.find((entry) => rangeText(entry.range) === range);
      return track ? 1e3 * track[kind] : null;
    });
}

function descriptions(runs, axis) {
  const names = [...new Set(runs.flatMap((run) => run.keyframes.map(({ name }) => name)))];
  const ranges = [
    ...new Set(
      runs.flatMap(({ convergence }) =>
        convergence.flatMap(({ tracks }) => (tracks ?? []).map(({ range }) => rangeText(range))),
      ),
    ),
  ];
  const misses = (kind) => [
    ...names.map((name) => ({ label: `frame ${name}`, values: missOf(name, kind) })),
    ...ranges.map((range) => ({ label: `track ${range}`, values: missOfTrack(range, kind) })),
  ];
  const plot = (title, unit, quantities) => ({
    title,
    unit,
    log: true,
    whole: axis !== 'time_s',
    xLabel: AXES[axis],
    group: `convergence-${axis}`,
    series: seriesOf(runs, quantities, column(axis)),
  });
  return [
    plot('Objective', '', [
      { label: 'objective', values: column('objective') },
      { label: 'keyframes', values: column('keyframe_term') },
      { label: 'effort', values: column('effort_term') },
    ]),
    plot('Gradient norm', '', [{ label: 'gradient norm', values: column('gradient_norm') }]),
    plot('Miss of each keyframe, RMS', '[mm]', misses('rms_m')),
    plot('Miss of each keyframe, largest', '[mm]', misses('max_m')),
  ];
}

// null where no run has searched.
export function convergenceSection(runs, theme, store) {
  const searched = runs.filter((run) => run.convergence.length > 0);
  if (searched.length === 0) return null;
  const group = new PlotGroup(theme);
  const select = h(
    'select',
    { onchange: () => store.set({ axis: select.value }) },
    ...Object.entries(AXES).map(([key, label]) => h('option', { value: key }, label)),
  );
  store.subscribe(({ axis }, changed) => {
    if (!changed.has('axis')) return;
    select.value = axis;
    group.show(descriptions(searched, axis));
  });
  return {
    group,
    element: section('Convergence', h('label', { class: 'axis-choice' }, 'Against ', select), group.element),
  };
}
