// The player: panels, clock, time line and options, and the loop that draws them.

import { readApart } from '../data/run.js';
import { h } from '../ui/dom.js';
import { abilitiesOf } from './abilities.js';
import { boundsOf, viewDirection } from './bounds.js';
import { Clock } from './clock.js';
import { Export } from './export.js';
import { Legend, valueText } from './legend.js';
import { optionsPanel } from './options.js';
import { Panel } from './panel.js';
import { Scales } from './scales.js';
import { Stage } from './stage.js';
import { Timeline } from './timeline.js';

export const GHOSTS = ['off', 'ahead', 'all'];
const ARROW_SHARE = 0.14; // length of a large arrow in the size of what is looked at
const STANDARD_GRAVITY = 9.80665;

export class Player {
  #drawn = { count: 0, busy: 0 };
  #paperCanvas = document.createElement('canvas'); // for pictures
  #against = null; // the run that the scale of distances between cloths is of

  constructor(runs, store, theme) {
    this.runs = runs;
    this.store = store;
    this.abilities = abilitiesOf(runs);
    this.bounds = boundsOf(runs);
    this.clock = new Clock(
      Math.min(...runs.map((run) => run.firstFrame)),
      Math.max(...runs.map((run) => run.lastFrame)),
      runs[0].fps,
    );
    this.scales = new Scales(runs);
    const large = this.scales.end('acceleration'); // [g]
    const arrowScale = large > 0 ? (ARROW_SHARE * this.bounds.extent) / (large * STANDARD_GRAVITY) : 0;
    this.panels = runs.map((run) => new Panel(run, this.bounds, arrowScale, runs));

    this.labels = h('div', { class: 'panel-labels' });
    this.host = h('div', { class: 'stage' }, this.labels);
    this.stage = new Stage(this.host);
    this.stage.canvas.setAttribute('role', 'img');
    this.stage.look(this.bounds, viewDirection(runs[0], this.panels[0].up), this.panels[0].up);
    this.timeline = new Timeline(runs, this.clock, {
      play: () => this.play(),
      seek: (frame) => this.seek(frame),
      speed: (factor) => this.setSpeed(factor),
    });
    const setEnd = (kind, max) => {
      this.scales.choose(kind, max);
      this.#update();
    };
    this.legend = new Legend(setEnd);
    this.contactsLegend = new Legend(setEnd);
    this.export = new Export(this);
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
      optionsPanel(store, this.abilities, {
        surface: this.legend.element,
        contacts: this.contactsLegend.element,
        export: this.stage.renderer ? this.export.element : null,
      }),
    );

    theme.subscribe(({ canvas }) => {
      for (const panel of this.panels) panel.setColours(canvas);
      this.stage.setBackground(canvas.stage);
    });
    store.subscribe((_, changed) => {
      if (changed.has('show')) this.stage.setPanels(this.shown);
      this.#update();
    });
    window.addEventListener('beforeprint', () => {
      if (this.stage.renderer) this.paper.src = this.picture().toDataURL('image/png');
    });
    const loop = (now) => {
      this.#tick(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  // The panels that are shown: all, or one.
  get shown() {
    const one = this.panels[this.store.state.show];
    return one ? [one] : this.panels;
  }

  // Pictures, which the page's end would lose.
  get isSaving() {
    return this.export.isSaving;
  }

  // What is shown now, with its frame and the names of the runs.
  picture() {
    const { frame } = this.store.state;
    const named = (panel) => (this.runs.length > 1 ? `${panel.run.title}   ${frame}` : `${frame}`);
    return this.stage.copyTo(this.#paperCanvas, this.shown.map(named));
  }

  // What lengths in the picture mean.
  #scales(large) {
    const { cell } = this.panels[0].grid;
    const sentences = [`Grid ${Number(cell.toPrecision(1))} m.`];
    const arrows = this.panels.find((panel) => panel.arrows)?.arrows;
    if (large > 0 && arrows) {
      const perCell = (large * cell) / (ARROW_SHARE * this.bounds.extent);
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

  // How far the cloths are from the one that they are held against, at the frames of targets and the ends.
  #measureApart(against) {
    if (this.#against === against) return;
    this.#against = against;
    const base = this.runs[against];
    const frames = this.runs.flatMap((run) => [run.lastFrame, ...run.keyframes.map(({ frame }) => frame)]);
    const figures = this.runs.map((run) => {
      let [max, sum, count] = [0, 0, 0];
      const isLike = run !== base && run.mainTake && base.mainTake && run.vertexCount === base.vertexCount;
      for (const frame of isLike ? new Set(frames) : []) {
        const [x, y] = [run, base].map((each) =>
          each.readPositions(each.mainTake, frame, new Float32Array(3 * run.vertexCount)),
        );
        for (const value of readApart(x, y, new Float32Array(run.vertexCount))) {
          max = Math.max(max, value);
          sum += value * value;
          ++count;
        }
      }
      return { max, rms: Math.sqrt(sum / Math.max(1, count)) };
    });
    this.scales.set('apart', figures);
  }

  #label(panel, { surface, scale, against, overlay }) {
    const { run } = panel;
    if (this.runs.length === 1) return '';
    const isBase = run.index === against && (overlay || surface === 'apart');
    const isColoured = !isBase || surface !== 'apart';
    const end = scale === 'own' && isColoured ? this.scales.end(surface, scale, run.index) : 0;
    return `${run.title}${isBase ? ' (reference)' : ''}${end > 0 ? `: 0 to ${valueText(surface, end)}` : ''}`;
  }

  // Of the cloths that are shown, at this frame.
  #largestShown(surface) {
    let [value, vertex, title] = [0, -1, ''];
    for (const panel of this.shown) {
      const front = panel.front(this.store.state.take);
      front?.heat.forEach((each, i) => {
        if (each > value) [value, vertex, title] = [each, i, panel.run.title];
      });
    }
    if (vertex < 0) return null;
    return `Now at most ${valueText(surface, value)}, at vertex ${vertex}${this.shown.length > 1 ? ` of ${title}` : ''}.`;
  }

  #relabel(texts) {
    const { children } = this.labels;
    if (children.length === texts.length && texts.every((text, k) => children[k].textContent === text))
      return;
    this.labels.replaceChildren(...texts.map((text) => h('span', {}, text)));
  }

  // What the colours do not tell.
  #surfaceNote({ surface, scale, against, take }) {
    const ofMain = this.shown.filter((panel) => panel.front(take) === panel.main); // as scales are
    const beyond = this.scales.beyond(
      surface,
      scale,
      ofMain.map(({ run }) => run.index),
    );
    const name = (run) => (this.runs.length > 1 ? `, in ${this.runs[run].title}` : '');
    const notes = [];
    if (surface === 'strain')
      notes.push('Lengths against rest.obj, in the triangle around that is stretched most.');
    if (scale === 'own' && this.shown.length > 1) notes.push('Each run’s colours end where its name says.');
    const most = ['miss', 'strain', 'apart'].includes(surface) ? this.#largestShown(surface) : null;
    if (most) notes.push(most);
    if (surface === 'apart') {
      const base = this.runs[against];
      const others = this.shown.filter(({ run }) => run !== base);
      if (others.length === 0) notes.push('Choose two runs.');
      else if (others.some(({ run }) => run.vertexCount === base.vertexCount))
        notes.push(`From the cloth of ${base.title}, frame by frame.`);
      else notes.push(`There is none from ${base.title}, which has other vertices.`);
    }
    if (beyond)
      notes.push(
        `The largest is ${valueText(surface, beyond.value)}${name(beyond.run)}; it has the end’s colour.`,
      );
    return notes.join(' ');
  }

  #update() {
    const { state } = this.store;
    const begin = performance.now();
    if (state.surface === 'apart') this.#measureApart(state.against);
    const ends = (run) =>
      Object.fromEntries(
        ['miss', 'acceleration', 'contacts', 'strain', 'apart'].map((kind) => [
          kind,
          this.scales.end(kind, state.scale, run.index),
        ]),
      );
    for (const panel of this.shown) panel.update(state, ends(panel.run));
    this.#drawn.busy += performance.now() - begin;
    const shown = this.shown[0].run.index;
    this.legend.update(
      state.surface,
      this.scales.end(state.surface, state.scale, shown),
      this.#surfaceNote(state),
    );
    const contactsEnd = this.scales.end('contacts', state.scale, shown);
    this.contactsLegend.update(
      state.contacts && state.take !== 'uncontrolled' && contactsEnd > 0 ? 'contacts' : null,
      contactsEnd,
      this.#contactCounts(state.frame),
    );
    this.#relabel(this.shown.map((panel) => this.#label(panel, state)));
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

  // To a vertex of a run at a frame: marked, and looked at.
  goTo({ run, frame, vertex }) {
    this.seek(frame);
    const { show } = this.store.state;
    this.store.set({ mark: { run, vertex }, show: show < 0 ? show : run, take: 'controlled' });
    this.stage.lookAt(this.panels[run].main.x.subarray(3 * vertex, 3 * vertex + 3));
    this.host.scrollIntoView({ block: 'nearest' });
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
