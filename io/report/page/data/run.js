// One folder of results. Frames are the artist's numbers wherever they are called `frame`.

import { Body } from './bodies.js';
import { Contacts } from './contacts.js';
import { Motion, lowerNeighbours } from './motion_code.js';
import { Stretch } from './strain.js';
import { namesOf, namesOfTracks, openKeyframe, Track } from './targets.js';

const STANDARD_GRAVITY = 9.80665; // [m/s^2], as core/base/types.h has it

export class Run {
  constructor(json, buffer, index, title) {
    this.index = index;
    this.title = title || json.name; // beside the others of its page
    this.name = json.name;
    this.folder = json.folder;
    [this.firstFrame, this.lastFrame] = json.frames;
    this.fps = json.fps;
    this.substeps = json.substeps;
    this.upAxis = json.up_axis;
    this.vertexCount = json.vertices;
    this.summary = json.summary;
    this.convergence = json.convergence;
    this.steps = json.steps;
    this.scene = json.scene;
    this.warnings = json.warnings;
    this.relativeTo = json.relative_to ?? null; // the take that its forces are added to, as the scene names it
    this.acceleration = json.acceleration ?? null;
    this.searchedWindow = json.searched_window ?? null; // { frames, number, count } of the window that a search is in

    const floats = (place) => new Float32Array(buffer, place.offset, place.length);
    const integers = (place) => new Int32Array(buffer, place.offset, place.length);
    this.triangles = integers(json.triangles);
    this.uvs = json.uvs ? floats(json.uvs) : null;
    this.uvTriangles = json.uv_triangles ? integers(json.uv_triangles) : null;
    this.mass = floats(json.mass);
    this.stretch = new Stretch(floats(json.rest), this.triangles);

    const bytes = (place) => new Uint8Array(buffer, place.offset, place.length);
    this.bodies = json.colliders.map((body) => new Body(body, floats, integers, bytes));
    const neighbours = lowerNeighbours(this.triangles, this.vertexCount);
    const motion = (place) => new Motion(bytes(place), place, neighbours);
    this.takes = json.takes.map((take) => ({ ...take, motion: motion(take.motion) }));
    this.forces = json.forces ? motion(json.forces) : null;
    this.keyframes = json.keyframes
      .map((keyframe, index) => openKeyframe(keyframe, index, floats, integers))
      .sort((a, b) => a.frame - b.frame);
    namesOf(this.keyframes.map(({ frame }) => frame)).forEach((name, k) => (this.keyframes[k].name = name));
    this.tracks = json.tracks.map((track) => new Track(track, floats, motion));
    namesOfTracks(this.tracks.map(({ range }) => range)).forEach((name, k) => (this.tracks[k].name = name));
    this.contacts = json.contacts
      ? new Contacts(
          json.contacts,
          new Uint16Array(buffer, json.contacts.values.offset, json.contacts.values.length),
        )
      : null;
    this.force = new Float32Array(3 * this.vertexCount);
  }

  // The take that the run is about; null while nothing is there to be seen.
  get mainTake() {
    return this.takes.find((take) => take.name !== 'uncontrolled') ?? this.takes[0] ?? null;
  }
  get uncontrolledTake() {
    return this.takes.find((take) => take.name === 'uncontrolled') ?? null;
  }
  // What the run without the search's own forces is called: with relative_to it is under those of a take.
  get unforcedName() {
    return this.relativeTo ? 'accepted take' : 'uncontrolled';
  }
  // That the search has made. It may end with a line that repeats its result, in windows it does not.
  get iterationCount() {
    const last = this.convergence.at(-1);
    if (!last) return 0;
    const said = JSON.stringify(last.keyframes);
    const isRepeated =
      !last.window &&
      last.step_length === 0 &&
      this.convergence.slice(0, -1).some(({ keyframes }) => JSON.stringify(keyframes) === said);
    return last.iteration - (isRepeated ? 1 : 0);
  }
  get triangleCount() {
    return this.triangles.length / 3;
  }
  get frameCount() {
    return this.lastFrame - this.firstFrame + 1;
  }

  // Positions [m] of a take at a frame; beyond its last frame it stays there.
  readPositions(take, frame, out) {
    const last = take.motion.frameCount - 1;
    return take.motion.read(Math.max(0, Math.min(frame - this.firstFrame, last)), out);
  }

  get hasTargets() {
    return this.keyframes.length + this.tracks.length > 0;
  }

  // The keyframes of the frame that comes next, or of the last that has any.
  nextKeyframes(frame) {
    const next = this.keyframes.find((keyframe) => keyframe.frame >= frame) ?? this.keyframes.at(-1);
    return this.keyframes.filter((keyframe) => keyframe.frame === next.frame);
  }

  // What the cloth is on its way to: all keyframes and frames of tracks of the frame that is next to have any; behind
  // that the last keyframes.
  targetsAhead(frame) {
    const keyframes = this.nextKeyframes(frame);
    const tracks = this.tracks.map((track) => track.ahead(frame)).filter(Boolean);
    const coming = [...keyframes, ...tracks].filter((target) => target.frame >= frame);
    if (coming.length === 0) return keyframes;
    const next = Math.min(...coming.map((target) => target.frame));
    return coming.filter((target) => target.frame === next);
  }

  // Distance of each vertex [m] from the target ahead, of several the largest. On a keyframe's own frame these are the
  // exact figures that the program has measured; else they come from the quantised positions, and of a surface from
  // where it was met.
  readMiss(take, frame, positions, out) {
    out.fill(0);
    for (const { frame: ahead, target, weight, misses } of this.targetsAhead(frame)) {
      const measured = ahead === frame ? (misses[take.name]?.distance ?? null) : null;
      for (let i = 0; i < out.length; ++i) {
        if (weight[i] === 0) continue;
        out[i] = Math.max(out[i], measured ? measured[i] : distance(positions, target, 3 * i));
      }
    }
    return out;
  }

  // Control forces [N] at a frame; zero beyond the last one.
  readForces(frame) {
    const index = frame - this.firstFrame;
    if (!this.forces || index < 0 || index >= this.forces.frameCount) return this.force.fill(0);
    return this.forces.read(index, this.force);
  }

  // |f| / (m g_0) at each vertex.
  readAcceleration(frame, out) {
    const f = this.readForces(frame);
    for (let i = 0; i < out.length; ++i) {
      out[i] = Math.hypot(f[3 * i], f[3 * i + 1], f[3 * i + 2]) / (this.mass[i] * STANDARD_GRAVITY);
    }
    return out;
  }
}

// Distance of each vertex [m] between two cloths of as many vertices.
export function readApart(x, y, out) {
  for (let i = 0; i < out.length; ++i) out[i] = distance(x, y, 3 * i);
  return out;
}

function distance(a, b, at) {
  return Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]);
}
