// Plots that share their axis and their pointer, redrawn when the theme changes.

import { h } from '../ui/dom.js';
import { LinePlot } from './line_plot.js';
import { filled } from './series.js';

export class PlotGroup {
  constructor(theme) {
    this.theme = theme;
    this.plots = [];
    this.element = h('div', { class: 'plots' });
    theme.subscribe(() => this.draw());
  }

  // Descriptions as LinePlot takes them; series and plots without anything to show are left out.
  show(descriptions) {
    for (const plot of this.plots) plot.destroy();
    this.plots = filled(descriptions).map((description) => new LinePlot(description));
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
