// One run in the player: its scene, its takes and what may be laid over them.

import { Scene } from 'three';
import { ArrowsView } from './arrows_view.js';
import { BodiesView } from './bodies_view.js';
import { ClothView } from './cloth_view.js';
import { ContactsView } from './contacts_view.js';
import { FloorGrid } from './floor_grid.js';
import { GhostsView } from './ghosts_view.js';
import { Marker } from './marker.js';

const SEE_THROUGH = 0.35; // opacity of a cloth that stands beside another one
const CONTACT_SHARE = 0.016; // length of a contact's segment in the size of what is looked at

export class Panel {
  // `arrowScale`: metres of arrow for an acceleration of one m/s^2; the same in all panels, so that arrows
  // compare. `runs`: all of them, to be laid over this one.
  constructor(run, bounds, arrowScale, runs) {
    this.run = run;
    this.runs = runs;
    this.others = new Map(); // cloths of other runs, made when they are asked for
    this.scene = new Scene();
    const main = run.mainTake;
    const free = run.uncontrolledTake;
    this.main = main ? new ClothView(run, main) : null;
    this.free = free && free !== main ? new ClothView(run, free) : null;
    this.faint = this.free ? new ClothView(run, free, { opacity: SEE_THROUGH }) : null; // beside the main one
    this.ghosts = new GhostsView(run);
    this.bodies = new BodiesView(run, bounds.extent);
    this.arrows = run.forces && main ? new ArrowsView(run, arrowScale) : null;
    this.contacts = run.contacts ? new ContactsView(run, CONTACT_SHARE * bounds.extent) : null;
    this.marker = new Marker();
    this.grid = new FloorGrid(bounds.center, bounds.low[this.up], this.up, bounds.extent);
    for (const view of this.#views) this.scene.add(view.group ?? view.object);
  }

  get up() {
    return this.run.upAxis === 'Z' ? 2 : 1;
  }

  get #views() {
    const { main, free, faint, ghosts, bodies, arrows, contacts, marker, grid } = this;
    return [main, free, faint, ghosts, bodies, arrows, contacts, marker, grid].filter(Boolean);
  }

  // The cloth that `take` ('controlled', 'uncontrolled', 'both') puts in front.
  front(take) {
    return take === 'uncontrolled' && this.free ? this.free : this.main;
  }

  // The cloth of the run that this one is held against, at a frame; null: this is that run, or it has none.
  #other(against, frame) {
    const run = this.runs[against];
    if (!run?.mainTake || run === this.run) return null;
    if (!this.others.has(against)) {
      const made = new ClothView(run, run.mainTake, { opacity: SEE_THROUGH });
      if (this.colours) this.#colourOther(made);
      this.others.set(against, made);
      this.scene.add(made.group);
    }
    const other = this.others.get(against);
    other.update(frame, 'shaded', 0);
    return other;
  }

  // Whether vertex for vertex there is a distance between the two.
  #isLike(other) {
    return other !== null && other.run.vertexCount === this.run.vertexCount;
  }

  // `ends`: those of this panel's colour maps, by what they are of.
  update(state, ends) {
    const { frame, take, ghosts, arrows, contacts, wireframe, bodies } = state;
    const front = this.front(take);
    const isCompared = state.overlay || state.surface === 'apart';
    const other = isCompared ? this.#other(state.against, frame) : null;
    for (const each of this.others.values()) each.group.visible = state.overlay && each === other;
    other?.setWireframe(false);
    const surface = state.surface === 'apart' && !this.#isLike(other) ? 'shaded' : state.surface;
    for (const cloth of [this.main, this.free, this.faint]) if (cloth) cloth.group.visible = cloth === front;
    if (this.faint) this.faint.group.visible = take === 'both';
    for (const cloth of [front, take === 'both' ? this.faint : null]) {
      cloth?.update(frame, cloth === this.faint ? 'shaded' : surface, ends[surface] ?? 0, other?.x);
      cloth?.setWireframe(wireframe);
    }
    this.marker.update(state.mark?.run === this.run.index ? state.mark.vertex : null, front?.x);
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

  // Positions of the cloth that is laid over this one [m]; null: none is.
  overlaid() {
    const shown = [...this.others.values()].find((other) => other.group.visible);
    return shown ? [...shown.x] : null;
  }

  #colourOther(other) {
    other.setColours(this.colours.other, this.colours.other, this.colours.wire);
  }

  setColours(colours) {
    this.colours = colours;
    for (const other of this.others.values()) this.#colourOther(other);
    this.marker.setColour(colours.arrow);
    this.main?.setColours(colours.clothFront, colours.clothBack, colours.wire);
    this.free?.setColours(colours.free, colours.free, colours.wire);
    this.faint?.setColours(colours.free, colours.free, colours.wire);
    this.ghosts.setColour(colours.ghost);
    this.bodies.setColours(colours.body, colours.wire);
    this.arrows?.setColour(colours.arrow);
    this.grid.setColour(colours.grid);
  }
}
