// The colour map with its ends, of which the upper one can be set.

import { h } from '../ui/dom.js';
import { colourMapCss } from './colour_map.js';

const KINDS = {
  miss: { title: 'Distance from the target ahead', unit: 'mm', factor: 1e3 },
  acceleration: { title: 'Control acceleration', unit: 'g', factor: 1 },
  strain: { title: 'Stretch', unit: '%', factor: 1e2 },
  apart: { title: 'Distance between the cloths', unit: 'mm', factor: 1e3 },
  contacts: { title: 'Distance between contact points', unit: 'mm', factor: 1e3 },
};

// A value of a kind with its unit.
export const valueText = (kind, value) =>
  `${Number((value * KINDS[kind].factor).toPrecision(3))} ${KINDS[kind].unit}`;

export class Legend {
  // `onchange(kind, max)` with max in SI units, or g.
  constructor(onchange) {
    this.title = h('span', { class: 'name' });
    this.input = h('input', { type: 'number', min: 0, step: 'any', 'aria-label': 'End of the colour map' });
    this.input.addEventListener('change', () => {
      const value = Number(this.input.value) / KINDS[this.kind].factor;
      if (value > 0) onchange(this.kind, value);
      else this.#write(); // says what holds
    });
    this.unit = h('span');
    this.note = h('div', { class: 'note muted' });
    this.element = h(
      'div',
      { class: 'legend' },
      this.title,
      h('div', { class: 'ramp', style: `background: ${colourMapCss}`, 'aria-hidden': 'true' }),
      h('div', { class: 'ends' }, h('span', {}, '0'), h('span', {}, this.input, ' ', this.unit)),
      this.note,
    );
  }

  // Another `kind` than those hides it. `note`: sentences about what is shown. An end that is being typed
  // stays as it is.
  update(kind, max, note) {
    const isTyped = kind === this.kind && this.input === document.activeElement;
    this.note.textContent = note;
    this.kind = kind;
    this.max = max;
    this.element.hidden = !(kind in KINDS);
    if (this.element.hidden) return;
    this.title.textContent = KINDS[kind].title;
    this.unit.textContent = KINDS[kind].unit;
    if (!isTyped) this.#write();
  }

  #write() {
    this.input.value = Number((this.max * KINDS[this.kind].factor).toPrecision(3));
  }
}
