// How each time step of the last forward run went, and what the control did, over frames. A click takes the
// player there.

import { section } from '../ui/dom.js';
import { PlotGroup } from './plot_group.js';
import { seriesOf } from './series.js';
import { stepPlots } from './step_plots.js';

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
  const group = frameGroup(theme, store, player, stepPlots(stepped));
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
