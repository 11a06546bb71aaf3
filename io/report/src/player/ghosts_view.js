// Keyframes as ghosts: see-through, with their outline, or their edges where a mesh has no rim.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh } from 'three';
import { clothMaterial, tint } from './cloth_material.js';
import { smoothNormals } from './normals.js';
import { edgesOf } from './render_mesh.js';

export class GhostsView {
  constructor(run) {
    this.run = run;
    this.group = new Group();
    this.fill = clothMaterial({ opacity: 0.14, behind: 4 });
    this.line = new LineBasicMaterial({ transparent: true, opacity: 0.9 });
    const rim = edgesOf(run.triangles, { boundaryOnly: true });
    const edges = rim.length > 0 ? rim : edgesOf(run.triangles);
    this.ghosts = run.poses.map((keyframe) => this.#ghost(keyframe, edges));
    this.group.add(...this.ghosts);
  }

  #ghost(keyframe, edges) {
    const count = this.run.vertexCount;
    const geometry = new BufferGeometry();
    const positions = new BufferAttribute(keyframe.target, 3);
    const normals = smoothNormals(keyframe.target, this.run.triangles, new Float32Array(3 * count));
    geometry.setIndex(new BufferAttribute(new Uint32Array(this.run.triangles), 1));
    geometry.setAttribute('position', positions);
    geometry.setAttribute('normal', new BufferAttribute(normals, 3));
    geometry.setAttribute('uv', new BufferAttribute(new Float32Array(2 * count), 2));
    geometry.setAttribute('heat', new BufferAttribute(new Uint8Array(3 * count), 3, true));
    const outline = new BufferGeometry();
    outline.setIndex(new BufferAttribute(edges, 1));
    outline.setAttribute('position', positions);
    const fill = new Mesh(geometry, this.fill);
    fill.renderOrder = 3;
    const ghost = new Group();
    ghost.add(fill, new LineSegments(outline, this.line));
    return ghost;
  }

  // `which`: 'off', 'ahead' (the keyframe that the cloth is on its way to) or 'all'.
  update(frame, which) {
    const ahead = this.run.keyframeAhead(frame);
    this.ghosts.forEach((ghost, k) => {
      ghost.visible = which === 'all' || (which === 'ahead' && this.run.poses[k] === ahead);
    });
  }

  setColour(colour) {
    tint(this.fill, colour, colour);
    this.line.color.set(colour);
  }
}
