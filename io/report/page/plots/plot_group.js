// Plots that share their axis and their pointer, redrawn when the theme changes.

import { h } from '../ui/dom.js';
import { LinePlot } from './line_plot.js';

const hasPoints = ({ y }) => y.some((value) => Number.isFinite(value));

export class PlotGroup {
  constructor(theme) {
    this.theme = theme;
    this.plots = [];
    this.element = h('div', { class: 'plots' });
    theme.subscribe(() => this.draw());
  }

  // Descriptions as LinePlot takes them; series and plots without a single value are left out.
  show(descriptions) {
    const filled = descriptions
      .map((description) => ({ ...description, series: description.series.filter(hasPoints) }))
      .filter(({ series }) => series.length > 0);
    for (const plot of this.plots) plot.destroy();
    this.plots = filled.map((description) => new LinePlot(description));
    this.element.replaceChildren(...this.plots.map((plot) => plot.element));
    this.draw();
  }

  draw() {
    for (const plot of this.plots) plot.draw(this.theme);
  }
  redraw() {
    for (const plot of this.plots) plot.redraw();
  }
}

function labelOf(run, label, runCount, quantityCount) {
  if (runCount === 1) return label;
  return quantityCount === 1 ? run.title : `${run.title}: ${label}`;
}

// One series for each run and quantity. A colour means a run where runs are compared, and a quantity where
// there is one run; the dash means the other.
export function seriesOf(runs, quantities, x) {
  return runs.flatMap((run, r) =>
    quantities.map(({ label, values }, q) => ({
      label: labelOf(run, label, runs.length, quantities.length),
      x: x(run),
      y: values(run),
      colour: runs.length > 1 ? r : q,
      dash: runs.length > 1 && quantities.length === 1 ? r : q,
    })),
  );
}
