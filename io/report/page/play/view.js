// The stage as a picture: the report's panel, whose cloth is the one that came last.

import { Panel } from '../player/panel.js';
import { Stage } from '../player/stage.js';
import { boundsOf, viewDirection } from '../player/bounds.js';
import { h } from '../ui/dom.js';

const ROOM = 1.35;

export class View {
  constructor(run, store, theme) {
    this.run = run;
    this.x = new Float32Array(3 * run.vertexCount); // [m], of the frame that is shown
    run.readPositions(run.mainTake, run.firstFrame, this.x);
    this.bounds = boundsOf([run]);
    this.panel = new Panel(run, this.bounds, 0, [run]);
    this.direction = viewDirection(run, this.panel.up);
    run.readPositions = (take, frame, out) => {
      out.set(this.x);
      return out;
    };
    this.host = h('div', { class: 'stage' });
    this.stage = new Stage(this.host);
    this.stage.canvas.setAttribute('role', 'img');
    this.stage.canvas.setAttribute('aria-label', 'The cloth, live');
    // From farther off than the report: cloth falls, and is led away.
    const around = { ...this.bounds, extent: ROOM * this.bounds.extent };
    this.stage.look(around, this.direction, this.panel.up);
    this.stage.setPanels([this.panel]);
    theme.subscribe(({ canvas }) => {
      this.panel.setColours(canvas);
      this.stage.setBackground(canvas.stage);
    });
    this.store = store;
    store.subscribe(() => this.#update());
  }

  // `positions` [m] at a frame.
  show(frame, positions) {
    this.x.set(positions);
    this.frame = frame;
    this.#update();
  }

  #update() {
    const { wireframe, ghosts, bodies } = this.store.state;
    this.panel.main.frame = null; // other positions, whatever the frame
    this.panel.update(
      {
        frame: this.frame ?? this.run.firstFrame,
        take: 'controlled',
        surface: 'shaded',
        ghosts,
        wireframe,
        bodies,
        arrows: false,
        contacts: false,
        overlay: false,
        mark: null,
      },
      {},
    );
    this.stage.invalidate();
  }
}
