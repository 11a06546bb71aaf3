// One run in the player: its scene, its takes and what may be laid over them.

import { Scene } from 'three';
import { ArrowsView } from './arrows_view.js';
import { BodiesView, FloorGrid } from './bodies_view.js';
import { ClothView } from './cloth_view.js';
import { GhostsView } from './ghosts_view.js';

export class Panel {
  // `arrowScale`: metres of arrow for an acceleration of one m/s^2; the same in all panels, so that arrows
  // compare.
  constructor(run, bounds, arrowScale) {
    this.run = run;
    this.scene = new Scene();
    const main = run.mainTake;
    const free = run.uncontrolledTake;
    this.main = main ? new ClothView(run, main) : null;
    this.free = free && free !== main ? new ClothView(run, free) : null;
    this.faint = this.free ? new ClothView(run, free, { opacity: 0.35 }) : null; // beside the main one
    this.ghosts = new GhostsView(run);
    this.bodies = new BodiesView(run.colliders, bounds.extent);
    this.arrows = run.forces ? new ArrowsView(run, arrowScale) : null;
    this.grid = new FloorGrid(bounds.center, bounds.low[this.up], this.up, bounds.extent);
    for (const view of this.#views) this.scene.add(view.group ?? view.object);
  }

  get up() {
    return this.run.upAxis === 'Z' ? 2 : 1;
  }

  get #views() {
    return [this.main, this.free, this.faint, this.ghosts, this.bodies, this.arrows, this.grid].filter(
      Boolean,
    );
  }

  // The cloth that `take` ('controlled', 'uncontrolled', 'both') puts in front.
  front(take) {
    return take === 'uncontrolled' && this.free ? this.free : this.main;
  }

  // `heatMax`: the end of the colour map.
  update({ frame, take, surface, ghosts, arrows, wireframe, bodies }, heatMax) {
    const front = this.front(take);
    for (const cloth of [this.main, this.free, this.faint]) if (cloth) cloth.group.visible = cloth === front;
    if (this.faint) this.faint.group.visible = take === 'both';
    for (const cloth of [front, take === 'both' ? this.faint : null]) {
      cloth?.update(frame, cloth === this.faint ? 'shaded' : surface, heatMax);
      cloth?.setWireframe(wireframe);
    }
    this.ghosts.update(frame, ghosts);
    this.bodies.group.visible = bodies;
    if (!this.arrows) return;
    this.arrows.object.visible = arrows && front === this.main;
    if (this.arrows.object.visible) this.arrows.update(frame, front.x);
  }

  setColours(colours) {
    this.main?.setColours(colours.clothFront, colours.clothBack, colours.wire);
    this.free?.setColours(colours.free, colours.free, colours.wire);
    this.faint?.setColours(colours.free, colours.free, colours.wire);
    this.ghosts.setColour(colours.ghost);
    this.bodies.setColour(colours.body);
    this.arrows?.setColour(colours.arrow);
    this.grid.setColour(colours.grid);
  }
}
