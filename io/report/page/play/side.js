// What can be done beside the picture, and what has come of it.

import { h } from '../ui/dom.js';
import * as format from '../ui/format.js';

const MOST_NOTES = 6;
const SIGNS = { done: '●', refused: '◆', failed: '▲' };

const group = (title, ...children) => h('fieldset', {}, h('legend', {}, title), ...children);

function checkbox(label, title, onchange) {
  const input = h('input', { type: 'checkbox', onchange: () => onchange(input.checked) });
  return { input, element: h('label', { title }, input, label) };
}

export class Side {
  // `act`: { send(word, more), set(patch) }; `has`: { keyframes }.
  constructor(act, has) {
    this.wind = checkbox('Wind', 'The wind of the scene', (on) => act.send('wind', { on }));
    this.bodies = checkbox('Bodies', 'The bodies of the scene', (on) => act.send('bodies', { on }));
    this.wireframe = checkbox('Wireframe', 'Key W', (on) => act.set({ wireframe: on }));
    this.ghosts = checkbox('Next keyframe', 'Key G', (on) => act.set({ ghosts: on ? 'ahead' : 'off' }));
    this.ghosts.input.checked = true;
    this.keyframe = h(
      'button',
      { class: 'wide', title: 'Key K', onclick: () => act.send('keyframe') },
      'Make this a keyframe',
    );
    this.pins = h('button', { class: 'wide', onclick: () => act.send('record pins') }, 'Drags as pins');
    this.track = h('button', { class: 'wide', onclick: () => act.send('record track') }, 'Cloth as track');
    this.solve = h('button', { class: 'wide', onclick: () => act.send(this.solving ? 'stop solve' : 'solve') });
    this.progress = h('progress', { max: 1, value: 0, 'aria-label': 'Search' });
    this.said = h('p', { class: 'said muted' });
    this.report = h('a', { target: '_blank', rel: 'noopener', hidden: true }, 'Open its report');
    this.file = h('p', { class: 'muted file' });
    this.notes = h('ol', { class: 'notes', role: 'log', 'aria-label': 'What happened' });
    this.element = h(
      'div',
      { class: 'options' },
      group(
        'Stage',
        h(
          'div',
          { class: 'choices' },
          this.wind.element,
          this.bodies.element,
          this.wireframe.element,
          has.keyframes ? this.ghosts.element : null,
        ),
      ),
      group('Record', h('div', { class: 'buttons' }, this.keyframe, this.pins, this.track), this.file),
      group(
        'Solve',
        h('div', { class: 'buttons' }, this.solve),
        this.progress,
        this.said,
        h('p', {}, this.report),
      ),
      this.notes,
    );
    this.status({ solving: false, drags: 0, scene: '', wind: null, bodies: null });
    this.solveStatus({ running: false, fraction: 0, text: '', report: null, reached: null });
  }

  status({ solving, drags, scene, wind, bodies }) {
    this.solving = solving;
    for (const [{ element, input }, on] of [
      [this.wind, wind],
      [this.bodies, bodies],
    ]) {
      element.hidden = on === null;
      input.checked = on !== false;
    }
    this.pins.disabled = drags === 0;
    this.pins.textContent =
      drags === 0 ? 'Drags as pins' : drags === 1 ? 'The drag as a pin' : `${drags} drags as pins`;
    this.solve.textContent = solving ? 'Stop' : 'Solve';
    this.file.textContent = scene
      ? `In ${scene}, a copy; your scene stays as it is.`
      : 'Goes to a copy of the scene; your file stays as it is.';
  }

  solveStatus({ running, fraction, text, report, reached }) {
    this.progress.hidden = !running;
    this.progress.value = fraction;
    const sign = reached === null ? '' : reached ? '● ' : '▲ ';
    this.said.textContent = `${sign}${running ? `${format.percent(Number(fraction.toFixed(3)))} · ` : ''}${text}`;
    this.said.className = `said ${reached === null ? 'muted' : reached ? 'verdict reached' : 'verdict missed'}`;
    this.report.hidden = report === null;
    if (report !== null) this.report.href = report;
  }

  note({ kind, text }) {
    this.notes.prepend(h('li', { class: kind }, `${SIGNS[kind] ?? ''} ${text}`));
    while (this.notes.children.length > MOST_NOTES) this.notes.lastChild.remove();
  }
}
