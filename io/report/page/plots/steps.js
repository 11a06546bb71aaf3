// How each time step of the last forward run went, and what the control did, over frames. A click takes the
// player there.

import { section } from '../ui/dom.js';
import { PlotGroup, seriesOf } from './plot_group.js';

// Steps run within the frame interval that starts at `frame`, substeps from 1: the end of the step in frames.
const stepEnds = (run) => run.steps.map(({ frame, substep }) => frame + substep / run.substeps);
const column =
  (key, factor = 1) =>
  (run) =>
    run.steps.map((step) => (typeof step[key] === 'number' ? factor * step[key] : null));

function frameGroup(theme, store, player, descriptions) {
  const group = new PlotGroup(theme);
  group.show(
    descriptions.map((description) => ({
      ...description,
      xLabel: 'Frame',
      whole: true,
      group: 'frames',
      marker: () => store.state.frame,
      onPick: (frame) => player.seek(frame),
    })),
  );
  store.subscribe((_, changed) => {
    if (changed.has('frame')) group.redraw();
  });
  return group;
}

export function solverSection(runs, theme, store, player) {
  const stepped = runs.filter((run) => run.steps.length > 0);
  if (stepped.length === 0) return null;
  const plot = (title, unit, log, quantities) => ({
    title,
    unit,
    log,
    series: seriesOf(stepped, quantities, stepEnds),
  });
  const group = frameGroup(theme, store, player, [
    plot('Newton iterations and factorisations', 'per step', false, [
      { label: 'Newton iterations', values: column('newton_iterations') },
      { label: 'factorisations', values: column('factorizations') },
    ]),
    plot('Conjugate gradient iterations', 'per step', false, [
      { label: 'CG iterations', values: column('cg_iterations') },
    ]),
    plot('Newton residual at the end of the step', 'of the cloth’s weight', true, [
      { label: 'residual', values: column('residual') },
    ]),
    plot('Energy', '[J]', false, [
      { label: 'kinetic', values: column('kinetic_J') },
      { label: 'elastic', values: column('elastic_J') },
    ]),
    plot('Least distance', '[mm]', true, [{ label: 'distance', values: column('least_distance_m', 1e3) }]),
    plot('Time of a step', '[ms]', false, [{ label: 'time', values: column('time_s', 1e3) }]),
  ]);
  return { group, element: section('Solver', group.element) };
}

export function controlSection(runs, theme, store, player) {
  const controlled = runs.filter((run) => run.acceleration);
  if (controlled.length === 0) return null;
  const frames = (run) => run.acceleration.peak_g.map((_, f) => run.firstFrame + f);
  const group = frameGroup(theme, store, player, [
    {
      title: 'Control acceleration in each frame interval',
      unit: '[g]',
      log: false,
      series: seriesOf(
        controlled,
        [
          { label: 'peak', values: (run) => run.acceleration.peak_g },
          { label: 'RMS', values: (run) => run.acceleration.rms_g },
        ],
        frames,
      ),
    },
  ]);
  return { group, element: section('Control', group.element) };
}
