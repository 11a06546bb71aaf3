// Transport and time line.

import { h } from '../ui/dom.js';
import { keyframeTicks, trackRows } from './timeline_marks.js';

export class Timeline {
  // `actions`: { play(), seek(frame), speed(factor) }
  constructor(runs, clock, actions) {
    this.button = h('button', { class: 'play', onclick: actions.play, 'aria-label': 'Play' });
    this.slider = h('input', {
      type: 'range',
      min: clock.firstFrame,
      max: clock.lastFrame,
      step: 1,
      'aria-label': 'Frame',
      oninput: (event) => actions.seek(Number(event.target.value)),
    });
    this.frame = h('output', { class: 'frame', 'aria-label': 'Frame shown' });
    const speed = h(
      'select',
      { 'aria-label': 'Speed', onchange: (event) => actions.speed(Number(event.target.value)) },
      ...[
        ['¼×', 0.25],
        ['½×', 0.5],
        ['1×', 1],
        ['2×', 2],
      ].map(([text, value]) => h('option', { value, selected: value === 1 }, text)),
    );
    this.element = h(
      'div',
      { class: 'transport' },
      this.button,
      h(
        'div',
        { class: 'track' },
        this.slider,
        ...trackRows(runs, clock, actions.seek),
        keyframeTicks(runs, clock, actions.seek),
      ),
      this.frame,
      speed,
    );
  }

  update(frame, playing) {
    this.slider.value = frame;
    this.frame.textContent = frame;
    this.button.textContent = playing ? '❚❚' : '▶';
    this.button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  }
}
