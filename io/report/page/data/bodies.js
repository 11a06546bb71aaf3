// Where the bodies are, frame by frame; io/report/bodies.h has what stands in a report.

import { Motion, lowerNeighbours } from './motion_code.js';

const POSE_SIZE = 7; // quaternion x y z w, translation

export class Body {
  // `bytes`: a part of the report's buffer as Uint8Array.
  constructor(json, floats, integers, bytes) {
    this.shape = json; // kind, and the lengths [m] of a closed form
    this.poses = json.poses ? floats(json.poses) : null;
    this.positions = json.triangles ? floats(json.positions) : null; // [m]
    this.triangles = json.triangles ? integers(json.triangles) : null;
    this.motion = json.moved
      ? new Motion(bytes(json.moved), json.moved, lowerNeighbours(this.triangles, this.positions.length / 3))
      : null;
  }

  // A level set whose record has no surface: made by a version that knew none, or too thin for it.
  get isDrawn() {
    return this.shape.kind !== 'vdb' || this.triangles !== null;
  }

  get turns() {
    return this.poses !== null && this.poses.length > POSE_SIZE;
  }

  // { rotation: [x, y, z, w], translation [m] } in frame f, counted from 0, of a shape that has poses. One that ends
  // before the frame stays there.
  pose(f) {
    const last = this.poses.length / POSE_SIZE - 1;
    const at = POSE_SIZE * Math.max(0, Math.min(f, last));
    return { rotation: this.poses.subarray(at, at + 4), translation: this.poses.subarray(at + 4, at + 7) };
  }

  // Writes the positions [m] of a mesh that deforms, in frame f, into `out`; likewise.
  readPositions(f, out) {
    return this.motion.read(Math.max(0, Math.min(f, this.motion.frameCount - 1)), out);
  }
}
