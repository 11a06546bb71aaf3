// One run in the player: its scene, its takes and what may be laid over them.

import { Scene } from 'three';
import { ArrowsView } from './arrows_view.js';
import { BodiesView } from './bodies_view.js';
import { ClothView } from './cloth_view.js';
import { ContactsView } from './contacts_view.js';
import { FloorGrid } from './floor_grid.js';
import { GhostsView } from './ghosts_view.js';

const CONTACT_SHARE = 0.016; // length of a contact's segment in the size of what is looked at

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
    this.bodies = new BodiesView(run, bounds.extent);
    this.arrows = run.forces ? new ArrowsView(run, arrowScale) : null;
    this.contacts = run.contacts ? new ContactsView(run, CONTACT_SHARE * bounds.extent) : null;
    this.grid = new FloorGrid(bounds.center, bounds.low[this.up], this.up, bounds.extent);
    for (const view of this.#views) this.scene.add(view.group ?? view.object);
  }

  get up() {
    return this.run.upAxis === 'Z' ? 2 : 1;
  }

  get #views() {
    const { main, free, faint, ghosts, bodies, arrows, contacts, grid } = this;
    return [main, free, faint, ghosts, bodies, arrows, contacts, grid].filter(Boolean);
  }

  // The cloth that `take` ('controlled', 'uncontrolled', 'both') puts in front.
  front(take) {
    return take === 'uncontrolled' && this.free ? this.free : this.main;
  }

  // `ends`: those of the colour maps, by what they are of.
  update({ frame, take, surface, ghosts, arrows, contacts, wireframe, bodies }, ends) {
    const front = this.front(take);
    for (const cloth of [this.main, this.free, this.faint]) if (cloth) cloth.group.visible = cloth === front;
    if (this.faint) this.faint.group.visible = take === 'both';
    for (const cloth of [front, take === 'both' ? this.faint : null]) {
      cloth?.update(frame, cloth === this.faint ? 'shaded' : surface, ends[surface] ?? 0);
      cloth?.setWireframe(wireframe);
    }
    this.ghosts.update(frame, ghosts, front?.x);
    this.bodies.group.visible = bodies;
    if (bodies) this.bodies.update(frame);
    // Forces and contacts are the main take's.
    if (this.arrows) {
      this.arrows.object.visible = arrows && front === this.main;
      if (this.arrows.object.visible) this.arrows.update(frame, front.x);
    }
    if (this.contacts) {
      this.contacts.object.visible = contacts && front === this.main;
      if (this.contacts.object.visible) this.contacts.update(frame, ends.contacts);
    }
  }

  setColours(colours) {
    this.main?.setColours(colours.clothFront, colours.clothBack, colours.wire);
    this.free?.setColours(colours.free, colours.free, colours.wire);
    this.faint?.setColours(colours.free, colours.free, colours.wire);
    this.ghosts.setColour(colours.ghost);
    this.bodies.setColours(colours.body, colours.wire);
    this.arrows?.setColour(colours.arrow);
    this.grid.setColour(colours.grid);
  }
}
