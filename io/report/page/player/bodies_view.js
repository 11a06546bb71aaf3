// The colliders, where they are in each frame.

import { BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, Vector3 } from 'three';
import { graticule, geometryOf } from './body_shapes.js';
import { clothMaterial, tint } from './cloth_material.js';
import { smoothNormals } from './normals.js';

class BodyView {
  constructor(body, geometry, materials) {
    this.body = body;
    const { count } = geometry.getAttribute('position');
    geometry.setAttribute('heat', new BufferAttribute(new Uint8Array(3 * count), 3, true));
    this.object = new Mesh(geometry, materials.fill);
    this.object.frustumCulled = body.motion === null; // else its bounds change
    if (body.turns && body.shape.kind === 'sphere')
      this.object.add(new LineSegments(graticule(body.shape), materials.line));
  }

  // f: the frame, counted from 0.
  update(f) {
    const { body, object } = this;
    if (body.poses) {
      const { rotation, translation } = body.pose(f);
      object.quaternion.set(...rotation);
      object.position.set(...translation);
    }
    if (body.motion) {
      const position = object.geometry.getAttribute('position');
      const normal = object.geometry.getAttribute('normal');
      body.readPositions(f, position.array);
      smoothNormals(position.array, body.triangles, normal.array);
      position.needsUpdate = normal.needsUpdate = true;
    }
  }

  drawnPosition(vertex) {
    this.object.updateMatrixWorld();
    const place = new Vector3().fromBufferAttribute(this.object.geometry.getAttribute('position'), vertex);
    return place.applyMatrix4(this.object.matrixWorld).toArray();
  }
}

export class BodiesView {
  #frame = null;
  #materials = { fill: clothMaterial(), line: new LineBasicMaterial({ transparent: true, opacity: 0.6 }) };

  // `extent`: the size of what is looked at [m].
  constructor(run, extent) {
    this.run = run;
    this.group = new Group();
    this.views = run.bodies.map((body) => {
      const geometry = geometryOf(body, extent);
      return geometry ? new BodyView(body, geometry, this.#materials) : null;
    });
    for (const view of this.views) if (view) this.group.add(view.object);
  }

  update(frame) {
    if (frame === this.#frame) return;
    this.#frame = frame;
    for (const view of this.views) view?.update(frame - this.run.firstFrame);
  }

  // Position [m] of a vertex of a body as the graphics card draws it; null of one that is not drawn.
  drawnPosition(body, vertex) {
    return this.views[body]?.drawnPosition(vertex) ?? null;
  }

  setColours(fill, line) {
    tint(this.#materials.fill, fill, fill);
    this.#materials.line.color.set(line);
  }
}
