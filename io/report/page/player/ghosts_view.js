// Keyframes and tracks as ghosts: poses and surfaces see-through, scans as points, landmarks as marks.

import { Group, LineBasicMaterial, PointsMaterial } from 'three';
import { clothMaterial, tint } from './cloth_material.js';
import { LandmarksGhost, outlineOf, PointsGhost, SurfaceGhost } from './ghost_shapes.js';

const POINT_SIZE = 2; // [px]
const MARK_SIZE = 9; // [px], of a landmark

export class GhostsView {
  constructor(run) {
    this.run = run;
    this.group = new Group();
    this.materials = {
      fill: clothMaterial({ opacity: 0.14, behind: 4 }),
      line: new LineBasicMaterial({ transparent: true, opacity: 0.9 }),
      point: new PointsMaterial({ size: POINT_SIZE, sizeAttenuation: false }),
      // Seen through the cloth, which often hides what it is to come to.
      mark: new PointsMaterial({
        size: MARK_SIZE,
        sizeAttenuation: false,
        depthTest: false,
        transparent: true,
      }),
    };
    this.edges = outlineOf(run.triangles);
    this.keyframes = run.keyframes.map((keyframe) => this.#ghost(keyframe));
    this.tracks = run.tracks.map(
      (track) => new SurfaceGhost(track.target, run.triangles, this.edges, this.materials),
    );
    for (const { object } of [...this.keyframes, ...this.tracks]) this.group.add(object);
  }

  #ghost(keyframe) {
    const { kind, target, surface } = keyframe;
    if (kind === 'landmarks') return new LandmarksGhost(keyframe, this.materials);
    if (kind !== 'surface') return new SurfaceGhost(target, this.run.triangles, this.edges, this.materials);
    if (surface.triangles.length === 0) return new PointsGhost(surface.positions, this.materials);
    return new SurfaceGhost(
      surface.positions,
      surface.triangles,
      outlineOf(surface.triangles),
      this.materials,
    );
  }

  // `which`: 'off', 'ahead' (what the cloth is on its way to: the keyframes of the next frame that has any, the next
  // frame of each track) or 'all' keyframes. `x`: the cloth [m].
  update(frame, which, x) {
    const { run } = this;
    const next = run.nextKeyframes(frame);
    this.keyframes.forEach((ghost, k) => {
      ghost.object.visible = which === 'all' || (which === 'ahead' && next.includes(run.keyframes[k]));
      if (ghost.object.visible && x) ghost.follow?.(x);
    });
    this.tracks.forEach((ghost, k) => {
      ghost.object.visible = which !== 'off' && run.tracks[k].ahead(frame) !== null;
      if (ghost.object.visible) ghost.moved();
    });
  }

  // Those that are visible: [{ kind, positions }], as the graphics card draws them [m].
  shown() {
    const entry = (kind, { object }) => ({ kind, object });
    return [
      ...this.keyframes.map((ghost, k) => entry(this.run.keyframes[k].kind, ghost)),
      ...this.tracks.map((ghost) => entry('track', ghost)),
    ]
      .filter(({ object }) => object.visible)
      .map(({ kind, object }) => {
        const { geometry } = object.children[0] ?? object;
        return { kind, positions: [...geometry.getAttribute('position').array] };
      });
  }

  setColour(colour) {
    const { fill, ...flat } = this.materials;
    tint(fill, colour, colour);
    for (const material of Object.values(flat)) material.color.set(colour);
  }
}
