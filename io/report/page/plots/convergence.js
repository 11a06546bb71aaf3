// How the search went.

import { h, section } from '../ui/dom.js';
import { AXES, convergencePlots } from './convergence_plots.js';
import { PlotGroup } from './plot_group.js';

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
    group.show(convergencePlots(searched, axis));
  });
  return {
    group,
    element: section('Convergence', h('label', { class: 'axis-choice' }, 'Against ', select), group.element),
  };
}
