// The floor grid, which gives the eye a scale.

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from 'three';

// 1, 2 or 5 times a power of ten [m], so that about ten cells lie under the cloth.
function cellSize(extent) {
  const power = 10 ** Math.floor(Math.log10(extent / 10));
  return [1, 2, 5, 10].map((k) => k * power).find((size) => size >= extent / 12);
}

// A grid of lines at `height` along the up axis (1: Y, 2: Z) about `center`.
export class FloorGrid {
  constructor(center, height, up, extent) {
    this.cell = cellSize(extent);
    const half = Math.ceil((0.75 * extent) / this.cell);
    const other = up === 1 ? 2 : 1;
    const lines = [];
    const point = (a, b) => {
      const p = [0, 0, 0];
      p[0] = (Math.round(center[0] / this.cell) + a) * this.cell;
      p[other] = (Math.round(center[other] / this.cell) + b) * this.cell;
      p[up] = height;
      lines.push(...p);
    };
    for (let k = -half; k <= half; ++k) {
      point(k, -half);
      point(k, half);
      point(-half, k);
      point(half, k);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(lines), 3));
    this.object = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.6 }));
  }

  setColour(colour) {
    this.object.material.color.set(colour);
  }
}
