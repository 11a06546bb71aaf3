// A plot of lines over a common axis, on uPlot: values under the pointer, one pointer for all plots of a
// group, log axes.

import uPlot from 'uplot';
import { h } from '../ui/dom.js';
import { number } from '../ui/format.js';

const HEIGHT = 230;
const LOGARITHMIC = 3;
const MOST_DECADES = 7;
const MOST_POINTS = 60; // beyond, dots are a smear
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]; // steps of an axis that counts
const LEGEND_DASHES = ['solid', 'dashed', 'dotted'];

// Values that a log axis has no place for are gaps.
const positive = (values) => values.map((value) => (value > 0 ? value : null));
const finite = (values) => values.map((value) => (Number.isFinite(value) ? value : null));

// On a log axis only powers of ten have a line and a number, and of many decades every second, third ...
function decades(axis) {
  const filter = (plot, ticks) => {
    const { min, max } = plot.scales.y;
    const stride = Math.max(1, Math.ceil(Math.log10(max / min) / MOST_DECADES));
    return ticks.map((tick) => {
      const power = Math.log10(tick);
      return Math.abs(power - Math.round(power)) < 1e-6 && Math.round(power) % stride === 0 ? tick : null;
    });
  };
  return { filter, grid: { ...axis.grid, filter }, ticks: { ...axis.ticks, filter } };
}

// Series may have x values of their own; uPlot wants one list of x for all.
function aligned(series, log) {
  const tables = series.map(({ x, y }) => [x, log ? positive(y) : finite(y)]);
  return tables.length > 1 ? uPlot.join(tables) : tables[0];
}

export class LinePlot {
  // { title, unit, xLabel, log, whole, group, series: [{ label, x, y, colour, dash }], onPick(x), marker() }.
  // `colour` and `dash` are indexes into the theme's; `series` without any point are left out. `whole`: x
  // counts something. `marker`: where a vertical line stands, or null.
  constructor(description) {
    this.description = description;
    this.host = h('div', { class: 'plot-canvas' });
    this.element = h(
      'figure',
      { class: 'plot' },
      h(
        'figcaption',
        {},
        description.title,
        description.unit ? h('span', { class: 'muted' }, ` ${description.unit}`) : null,
      ),
      this.host,
    );
    this.resizes = new ResizeObserver(() => this.#resize());
    this.resizes.observe(this.host);
  }

  // Else the pointer of its group still reaches it.
  destroy() {
    this.resizes.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  draw(theme) {
    this.theme = theme;
    this.plot?.destroy();
    this.plot = null;
    const width = this.host.clientWidth;
    if (width === 0) return; // #resize comes when there is room
    this.plot = new uPlot(
      this.#options(width),
      aligned(this.description.series, this.description.log),
      this.host,
    );
  }

  redraw() {
    this.plot?.redraw(false);
  }

  #resize() {
    const width = this.host.clientWidth;
    if (width === 0 || !this.theme) return;
    if (!this.plot) this.draw(this.theme);
    else if (this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
  }

  #options(width) {
    const { series, xLabel, log, whole, group, onPick } = this.description;
    const { muted, line } = this.theme.canvas;
    const xText = (x) => (whole ? String(Number(x.toFixed(3))) : number(x, 6)); // frames have seven digits
    const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const font = '12px system-ui, sans-serif';
    return {
      width,
      height: HEIGHT,
      padding: [10, 14, 0, 0],
      scales: { x: { time: false }, y: log ? { distr: LOGARITHMIC } : {} },
      axes: [
        {
          ...axis,
          font,
          label: xLabel,
          labelFont: font,
          labelSize: 20,
          incrs: whole ? WHOLE : undefined,
          values: (_, ticks) => ticks.map(xText),
        },
        {
          ...axis,
          font,
          size: 62,
          ...(log ? decades(axis) : {}),
          values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : number(tick, 2))),
        },
      ],
      cursor: { sync: { key: group }, points: { size: 7 } },
      legend: {
        live: true,
        markers: {
          width: 2,
          fill: 'none',
          dash: (_, k) => LEGEND_DASHES[(series[k - 1]?.dash ?? 0) % LEGEND_DASHES.length],
        },
      },
      series: [
        { label: xLabel, value: (_, x) => (x === null ? '–' : xText(x)) },
        ...series.map(({ label, x, colour, dash }) => ({
          label,
          stroke: this.theme.series(colour),
          dash: this.theme.dash(dash),
          width: 1.75,
          points: { show: x.length < MOST_POINTS, size: 5, fill: this.theme.series(colour) },
          value: (_, y) => number(y, 4),
        })),
      ],
      hooks: {
        draw: [(plot) => this.#drawMarker(plot)],
        ready: [
          (plot) =>
            onPick &&
            plot.over.addEventListener('click', () => {
              if (plot.cursor.idx !== null) onPick(plot.data[0][plot.cursor.idx]);
            }),
        ],
      },
    };
  }

  #drawMarker(plot) {
    const x = this.description.marker?.() ?? null;
    const { min, max } = plot.scales.x;
    if (x === null || x < min || x > max) return;
    const { ctx, bbox } = plot;
    const at = Math.round(plot.valToPos(x, 'x', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = this.theme.canvas.ink;
    ctx.setLineDash([]);
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = window.devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  // What is drawn, for scripts: { title, series: [{ label, x, y }] } as uPlot holds it.
  get values() {
    const [x, ...ys] = this.plot?.data ?? [[]];
    return {
      title: this.description.title,
      series: ys.map((y, k) => ({
        label: this.description.series[k].label,
        x: [...x],
        y: [...y],
      })),
    };
  }
}
