// The player: panels, clock, time line and options, and the loop that draws them.

import { h } from '../ui/dom.js';
import { boundsOf, viewDirection } from './bounds.js';
import { Clock } from './clock.js';
import { Legend } from './legend.js';
import { optionsPanel } from './options.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { Timeline } from './timeline.js';

export const GHOSTS = ['off', 'ahead', 'all'];
const ARROW_SHARE = 0.14; // length of a large arrow in the size of what is looked at
const STANDARD_GRAVITY = 9.80665;

export class Player {
  #drawn = { count: 0, busy: 0 };
  #ends; // of the colour maps

  constructor(runs, store, theme) {
    this.runs = runs;
    this.store = store;
    this.bounds = boundsOf(runs);
    this.clock = new Clock(
      Math.min(...runs.map((run) => run.firstFrame)),
      Math.max(...runs.map((run) => run.lastFrame)),
      runs[0].fps,
    );
    const large = largeAcceleration(runs); // [g]
    this.#ends = { miss: largestMiss(runs), acceleration: large, contacts: largestContactDistance(runs) };
    const arrowScale = large > 0 ? (ARROW_SHARE * this.bounds.extent) / (large * STANDARD_GRAVITY) : 0;
    this.panels = runs.map((run) => new Panel(run, this.bounds, arrowScale));

    const labels =
      runs.length > 1
        ? h('div', { class: 'panel-labels' }, ...runs.map((run) => h('span', {}, run.title)))
        : null;
    this.host = h('div', { class: 'stage' }, labels);
    this.stage = new Stage(this.host);
    this.stage.canvas.setAttribute('role', 'img');
    this.stage.setPanels(this.panels);
    this.stage.look(this.bounds, viewDirection(runs[0], this.panels[0].up), this.panels[0].up);
    this.timeline = new Timeline(runs, this.clock, {
      play: () => this.play(),
      seek: (frame) => this.seek(frame),
      speed: (factor) => this.setSpeed(factor),
    });
    const setEnd = (kind, max) => {
      this.#ends[kind] = max;
      this.#update();
    };
    this.legend = new Legend(setEnd);
    this.contactsLegend = new Legend(setEnd);
    this.paper = h('img', { class: 'paper', alt: 'The cloth when this page was printed' });
    this.element = h(
      'div',
      { class: 'player' },
      h(
        'div',
        { class: 'view' },
        this.host,
        this.paper,
        this.timeline.element,
        h('p', { class: 'muted caption' }, this.#scales(large), ' Drag to orbit, wheel to zoom, ? for keys.'),
      ),
      optionsPanel(store, this.#abilities(), {
        surface: this.legend.element,
        contacts: this.contactsLegend.element,
      }),
    );

    theme.subscribe(({ canvas }) => {
      for (const panel of this.panels) panel.setColours(canvas);
      this.stage.setBackground(canvas.stage);
    });
    store.subscribe(() => this.#update());
    window.addEventListener('beforeprint', () => {
      this.paper.src = this.stage.snapshot() ?? '';
    });
    const loop = (now) => {
      this.#tick(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  // What lengths in the picture mean.
  #scales(large) {
    const { cell } = this.panels[0].grid;
    const sentences = [`Grid ${Number(cell.toPrecision(1))} m.`];
    if (large > 0) {
      const perCell = (large * cell) / (ARROW_SHARE * this.bounds.extent);
      const { arrows } = this.panels.find((panel) => panel.arrows);
      const share = arrows.vertices.length / arrows.run.vertexCount;
      sentences.push(
        `Arrows: ${Number(perCell.toPrecision(2))} g are as long as a cell` +
          `${share < 1 ? `; ${Math.round(100 * share)} % of the vertices have one` : ''}.`,
      );
    }
    if (this.runs.some((run) => run.bodies.some((body) => !body.isDrawn)))
      sentences.push('A level set without a surface in its record is not shown.');
    return sentences.join(' ');
  }

  #abilities() {
    const some = (test) => this.runs.some(test);
    const name = this.runs[0].mainTake?.name ?? 'controlled';
    return {
      hasFree: some((run) => run.uncontrolledTake && run.uncontrolledTake !== run.mainTake),
      hasForces: some((run) => run.forces),
      hasContacts: some((run) => run.contacts),
      hasKeyframes: some((run) => run.hasTargets),
      hasBodies: some((run) => run.bodies.length > 0),
      hasUvs: some((run) => run.uvs),
      mainName: name[0].toUpperCase() + name.slice(1),
    };
  }

  // Of all runs that have contacts: how many pairs there are at a frame, and how many of them are drawn.
  #contactCounts(frame) {
    return this.runs
      .filter((run) => run.contacts)
      .map((run) => {
        const f = frame - run.firstFrame;
        const { layers, bodies } = run.contacts.all(f);
        const shown = run.contacts.count(f);
        const kept = shown < layers + bodies ? `; the nearest ${shown} are drawn` : '';
        return `${this.runs.length > 1 ? `${run.title}: ` : ''}${layers} of the cloth with itself, ${bodies} with bodies${kept}.`;
      })
      .join(' ');
  }

  #tick(now) {
    if (this.clock.playing) this.store.set({ frame: this.clock.frameAt(now) });
    const begin = performance.now();
    if (!this.stage.draw()) return;
    ++this.#drawn.count;
    this.#drawn.busy += performance.now() - begin;
  }

  #update() {
    const { state } = this.store;
    const begin = performance.now();
    for (const panel of this.panels) panel.update(state, this.#ends);
    this.#drawn.busy += performance.now() - begin;
    this.legend.update(state.surface, this.#ends[state.surface]);
    this.contactsLegend.update(
      state.contacts && state.take !== 'uncontrolled' && this.#ends.contacts > 0 ? 'contacts' : null,
      this.#ends.contacts,
      this.#contactCounts(state.frame),
    );
    this.timeline.update(state.frame, this.clock.playing);
    this.stage.canvas.setAttribute('aria-label', `The cloth at frame ${state.frame}`);
    this.stage.invalidate();
  }

  // Frames drawn since the last call, and how long they took without waiting for the display [ms].
  takeStatistics() {
    const statistics = this.#drawn;
    this.#drawn = { count: 0, busy: 0 };
    return statistics;
  }

  play() {
    if (this.clock.playing) this.clock.stop();
    else this.clock.start(this.store.state.frame);
    this.#update();
  }

  seek(frame) {
    this.clock.stop();
    this.store.set({
      frame: Math.max(this.clock.firstFrame, Math.min(this.clock.lastFrame, Math.round(frame))),
    });
    this.timeline.update(this.store.state.frame, false);
  }

  setSpeed(factor) {
    this.clock.speed = factor;
    if (this.clock.playing) this.clock.start(this.store.state.frame);
  }

  // To the next keyframe (1) or the one before (-1).
  seekKeyframe(direction) {
    const { frame } = this.store.state;
    const frames = this.runs
      .flatMap((run) => [...run.keyframes, ...run.tracks.flatMap(trackEnds)].map(({ frame }) => frame))
      .sort((a, b) => a - b);
    const next = direction > 0 ? frames.find((f) => f > frame) : frames.findLast((f) => f < frame);
    if (next !== undefined) this.seek(next);
  }

  cycleGhosts() {
    this.store.set({ ghosts: GHOSTS[(GHOSTS.indexOf(this.store.state.ghosts) + 1) % GHOSTS.length] });
  }

  get view() {
    return { position: this.stage.camera.position.toArray(), target: this.stage.controls.target.toArray() };
  }
  set view({ position, target }) {
    this.stage.camera.position.set(...position);
    this.stage.controls.target.set(...target);
    this.stage.controls.update();
  }
}

const trackEnds = (track) => [{ frame: track.frames[0] }, { frame: track.frames.at(-1) }];

// A large control acceleration [g], for the end of the colour map and the length of arrows: the peak, unless
// that is a spike at a few vertices beside which all others would vanish.
function largeAcceleration(runs) {
  const all = (key) => Math.max(0, ...runs.flatMap((run) => run.acceleration?.[key] ?? []));
  return Math.min(all('peak_g'), 4 * all('rms_g'));
}

// The end of the miss's colour map [m]: the largest that a keyframe is left with in the controlled takes,
// since what is looked for there is where it is worst.
function largestMiss(runs) {
  const misses = runs
    .filter((run) => run.mainTake)
    .flatMap((run) => [
      ...run.keyframes.map((keyframe) => keyframe.misses[run.mainTake.name]?.max ?? 0),
      ...run.tracks.map((track) => track.largestMiss(run.mainTake.name)),
    ]);
  return Math.max(0, ...misses) || 0.01;
}

// The end of the colour map of contacts [m]: the range of the widest barrier, as far as any pair fills it.
function largestContactDistance(runs) {
  return Math.max(0, ...runs.map((run) => run.contacts?.largestDistance ?? 0));
}
