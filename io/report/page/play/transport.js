// Play, pause, step, reset; where in the shot the stage is, and how fast it goes.

import { h } from '../ui/dom.js';
import * as format from '../ui/format.js';

const WINDOW = 1000; // [ms], over which frames are counted
const SPEEDS = [
  [1, '1×'],
  [0.5, '½×'],
  [0.25, '¼×'],
  [0.125, '⅛×'],
];

// A button that gives the keyboard back once it has been clicked: the next blank plays.
const button = (attributes, action, ...children) =>
  h(
    'button',
    {
      ...attributes,
      onclick(event) {
        if (event.detail > 0) event.currentTarget.blur();
        action();
      },
    },
    ...children,
  );

export class Transport {
  #times = [];

  // `keyframes`: frames of the scene's.
  constructor(run, keyframes, act) {
    this.act = act;
    this.scenes = keyframes;
    this.playing = false;
    this.play = button({ class: 'play' }, () => this.toggle());
    this.step = button({ title: 'Key →' }, () => act.send('step'), 'Step');
    this.reset = button({ title: 'Key Home' }, () => act.send('reset'), 'Reset');
    this.speed = h(
      'select',
      {
        'aria-label': 'Speed of time',
        title: 'Slower time to act in',
        onchange: () => {
          act.send('speed', { factor: Number(this.speed.value) });
          this.speed.blur();
        },
      },
      ...SPEEDS.map(([value, text]) => h('option', { value }, text)),
    );
    this.done = h('div', { class: 'done' });
    this.marks = h('div', { class: 'marks' });
    this.frame = h('output', { class: 'frame', 'aria-label': 'Frame' });
    this.figures = h('p', { class: 'muted figures', 'aria-label': 'Speed' });
    this.element = h(
      'div',
      {},
      h(
        'div',
        { class: 'transport' },
        this.play,
        this.step,
        this.reset,
        this.speed,
        h('div', { class: 'course' }, h('div', { class: 'rail' }, this.done), this.marks),
        this.frame,
      ),
      this.figures,
    );
    const { firstFrame, lastFrame, fps, substeps } = run;
    this.status({
      playing: false,
      frame: firstFrame,
      keyframes: [],
      frames: [firstFrame, lastFrame],
      fps,
      substeps,
      speed: 1,
    });
  }

  toggle() {
    this.act.send(this.playing ? 'pause' : 'play');
  }

  status({ playing, frame, keyframes, frames, fps, substeps, speed }) {
    this.playing = playing;
    this.factor = speed;
    this.speed.value = `${speed}`;
    this.fps = fps;
    this.substeps = substeps;
    this.play.textContent = playing ? '❚❚' : '►';
    this.play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.play.title = 'Space';
    [this.first, this.last] = frames;
    const mark = (kind) => (at) =>
      h(
        'span',
        { class: `mark ${kind}`, style: `--at: ${this.#share(at)}`, title: `Keyframe ${at}` },
        `${at}`,
      );
    const own = keyframes.map(mark('own'));
    this.marks.replaceChildren(...this.scenes.filter((at) => !keyframes.includes(at)).map(mark('')), ...own);
    this.#place(frame);
  }

  #share(frame) {
    return (frame - this.first) / Math.max(1, this.last - this.first);
  }

  #place(frame) {
    this.frame.textContent = `${frame}`;
    this.done.style.width = `${100 * this.#share(frame)}%`;
  }

  // A frame has come that took so many seconds.
  arrived({ frame, seconds }, now) {
    this.#place(frame);
    this.#times.push(now);
    while (this.#times[0] < now - WINDOW) this.#times.shift();
    if (seconds > 0) this.seconds = seconds;
  }

  get framesPerSecond() {
    const { length } = this.#times;
    const span = this.#times[length - 1] - this.#times[0];
    return length > 1 && span > 0 ? (1000 * (length - 1)) / span : 0;
  }

  // `latency`: from the pointer to the picture [ms]; null: nothing is held.
  tell(latency) {
    const { substeps, fps } = this;
    const asked = format.frameRate(fps * this.factor);
    const rate = this.playing ? `${format.number(this.framesPerSecond, 2)} of ${asked} frames/s` : 'paused';
    const texts = [rate];
    if (this.seconds) {
      const each = `${format.number((1e3 * this.seconds) / substeps, 2)} ms a step`;
      texts.push(substeps > 1 ? `${each}, ${substeps} steps a frame` : each);
    }
    if (latency !== null) texts.push(`${Math.round(latency)} ms from hand to picture`);
    this.figures.textContent = texts.join(' · ');
  }
}
