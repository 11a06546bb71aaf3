// Transport and time line: keyframes as ticks with their miss, told apart by shape as well as by colour.

import { h } from '../ui/dom.js';
import * as format from '../ui/format.js';

// reached: within its tolerance; missed: not; free: it has none; unknown: the take ends before it.
function outcome(keyframe, take) {
  const miss = take ? keyframe.misses[take.name] : null;
  if (!miss) return { state: 'unknown', sign: '○', miss: null };
  if (keyframe.tolerance === null) return { state: 'free', sign: '◆', miss };
  return miss.rms <= keyframe.tolerance
    ? { state: 'reached', sign: '●', miss }
    : { state: 'missed', sign: '▲', miss };
}

const WORDS = { reached: 'reached', missed: 'missed', free: 'no tolerance', unknown: 'not simulated' };

function sentence({ run, keyframe, miss, state }, named) {
  const found = format.length(miss?.rms);
  const allowed = format.length(keyframe.tolerance);
  return (
    `${named ? `${run.title}: ` : ''}keyframe ${keyframe.frame}, ` +
    `miss ${found} RMS, tolerance ${allowed}, ${WORDS[state]}`
  );
}

export class Timeline {
  // `actions`: { play(), seek(frame), speed(factor) }
  constructor(runs, clock, actions) {
    this.runs = runs;
    this.clock = clock;
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
    this.ticks = h('div', { class: 'ticks' }, ...this.#ticks(actions));
    this.element = h(
      'div',
      { class: 'transport' },
      this.button,
      h('div', { class: 'track' }, this.slider, this.ticks),
      this.frame,
      speed,
    );
  }

  #ticks(actions) {
    const frames = this.runs.flatMap((run) => run.keyframes.map(({ frame }) => frame));
    return [...new Set(frames)].sort((a, b) => a - b).map((frame) => this.#tick(frame, actions));
  }

  // One for all runs that have a keyframe at `frame`; it looks like the worst of them.
  #tick(frame, actions) {
    const { firstFrame, lastFrame } = this.clock;
    const outcomes = this.runs.flatMap((run) =>
      run.keyframes
        .filter((keyframe) => keyframe.frame === frame)
        .map((keyframe) => ({ run, keyframe, ...outcome(keyframe, run.mainTake) })),
    );
    const worst = outcomes.find(({ state }) => state === 'missed') ?? outcomes[0];
    const miss = this.runs.length === 1 && worst.miss ? format.length(worst.miss.rms) : '';
    const title = outcomes.map((entry) => sentence(entry, this.runs.length > 1)).join('\n');
    const share = (frame - firstFrame) / Math.max(1, lastFrame - firstFrame);
    const edge = share > 0.9 ? ' at-end' : share < 0.1 ? ' at-start' : '';
    return h(
      'button',
      {
        class: `tick ${worst.state}${edge}`,
        style: `--at: ${share}`,
        title,
        'aria-label': title,
        onclick: () => actions.seek(frame),
      },
      h('span', { class: 'sign', 'aria-hidden': 'true' }, worst.sign),
      h('span', { class: 'text' }, String(frame), miss ? h('small', {}, miss) : null),
    );
  }

  update(frame, playing) {
    this.slider.value = frame;
    this.frame.textContent = frame;
    this.button.textContent = playing ? '❚❚' : '▶';
    this.button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  }
}
