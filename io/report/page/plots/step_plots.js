// What there is to be drawn of the steps of runs, as LinePlot takes it.

import { seriesOf } from './series.js';

// Steps run within the frame interval that starts at `frame`, substeps from 1: the end of the step in frames.
const stepEnds = (run) => run.steps.map(({ frame, substep }) => frame + substep / run.substeps);
const column =
  (key, factor = 1) =>
  (run) =>
    run.steps.map((step) => (typeof step[key] === 'number' ? factor * step[key] : null));

// A logarithm has no place for 0 and below: there what matters most would be a gap.
const isPositive = (values) => values.every((value) => value === null || value > 0);

export function stepPlots(runs) {
  const distance = column('least_distance_m', 1e3);
  const plot = (title, unit, log, quantities) => ({
    title,
    unit,
    log,
    series: seriesOf(runs, quantities, stepEnds),
  });
  return [
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
    plot('Least distance', '[mm]', runs.map(distance).every(isPositive), [{ label: 'distance', values: distance }]),
    plot('Time of a step', '[ms]', false, [{ label: 'time', values: column('time_s', 1e3) }]),
  ];
}
