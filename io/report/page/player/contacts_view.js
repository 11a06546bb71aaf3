// Contact pairs as short segments across the gap, coloured by the distance. Gaps of cloth are fractions of a millimetre:
// a segment is drawn longer than it is, about the middle of its gap, and seen through the cloth, which would hide what
// happens in its folds.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three';
import { linearColour } from './colour_map.js';

export class ContactsView {
  // `length` of a segment [m]; a pair that is further apart is drawn as it is.
  constructor(run, length) {
    this.run = run;
    this.length = length;
    const vertices = 2 * run.contacts.largestCount;
    const geometry = new BufferGeometry();
    for (const name of ['position', 'color']) {
      const attribute = new BufferAttribute(new Float32Array(3 * vertices), 3);
      geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
    }
    geometry.setDrawRange(0, 0);
    this.object = new LineSegments(
      geometry,
      new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }),
    );
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
  }

  // `max`: the distance at the end of the colour map [m].
  update(frame, max) {
    const positions = this.object.geometry.getAttribute('position');
    const colours = this.object.geometry.getAttribute('color');
    let at = 0;
    this.run.contacts.forEach(frame - this.run.firstFrame, (cloth, opposite, distance) => {
      const dx = cloth[0] - opposite[0];
      const dy = cloth[1] - opposite[1];
      const dz = cloth[2] - opposite[2];
      const apart = Math.sqrt(dx * dx + dy * dy + dz * dz);
      const stretch = apart > 0 ? Math.max(1, this.length / apart) : 0;
      for (let c = 0; c < 3; ++c) {
        const middle = (cloth[c] + opposite[c]) / 2;
        const half = (stretch * (cloth[c] - opposite[c])) / 2;
        positions.array[at + c] = middle + half;
        positions.array[at + 3 + c] = middle - half;
      }
      linearColour(distance, max, colours.array, at);
      colours.array.copyWithin(at + 3, at, at + 3);
      at += 6;
    });
    this.object.geometry.setDrawRange(0, at / 3);
    positions.needsUpdate = true;
    colours.needsUpdate = true;
  }

  // Middle of each segment as the graphics card draws it [m]; none while they are off.
  drawnMiddles() {
    if (!this.object.visible) return [];
    const { array } = this.object.geometry.getAttribute('position');
    const count = this.object.geometry.drawRange.count / 2;
    return Array.from({ length: count }, (_, k) =>
      [0, 1, 2].map((c) => (array[6 * k + c] + array[6 * k + 3 + c]) / 2),
    );
  }
}
