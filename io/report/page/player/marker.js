// One vertex that the reader has asked to see, marked through the cloth.

import { BufferAttribute, BufferGeometry, Points, PointsMaterial } from 'three';

const SIZE = 13; // [px]

export class Marker {
  constructor() {
    const geometry = new BufferGeometry();
    this.place = new BufferAttribute(new Float32Array(3), 3);
    geometry.setAttribute('position', this.place);
    this.object = new Points(
      geometry,
      new PointsMaterial({ size: SIZE, sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
    this.object.visible = false;
  }

  // `vertex` of the cloth at `x` [m]; null: none.
  update(vertex, x) {
    this.object.visible = vertex !== null && x !== undefined;
    if (!this.object.visible) return;
    this.place.array.set(x.subarray(3 * vertex, 3 * vertex + 3));
    this.place.needsUpdate = true;
  }

  setColour(colour) {
    this.object.material.color.set(colour);
  }
}
