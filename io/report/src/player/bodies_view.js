// The colliders, and the floor grid that gives the eye a scale.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { clothMaterial, tint } from './cloth_material.js';

const vector = (list) => new Vector3(...list);

function capsule({ start, end, radius }) {
  const axis = vector(end).sub(vector(start));
  const geometry = new CapsuleGeometry(radius, axis.length(), 12, 32);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), axis.normalize()));
  return geometry.translate(...vector(start).add(vector(end)).multiplyScalar(0.5).toArray());
}

function box({ min, max }) {
  const size = vector(max).sub(vector(min));
  return new BoxGeometry(...size.toArray()).translate(
    ...vector(max).add(vector(min)).multiplyScalar(0.5).toArray(),
  );
}

function plane({ point, normal }, extent) {
  const geometry = new PlaneGeometry(4 * extent, 4 * extent);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), vector(normal)));
  return geometry.translate(...point);
}

function triangleMesh({ positions, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions.flat()), 3));
  geometry.setIndex(triangles.flat());
  geometry.computeVertexNormals();
  return geometry;
}

function geometryOf(collider, extent) {
  switch (collider.kind) {
    case 'sphere':
      return new SphereGeometry(collider.radius, 48, 32).translate(...collider.center);
    case 'capsule':
      return capsule(collider);
    case 'box':
      return box(collider);
    case 'plane':
      return plane(collider, extent);
    case 'mesh':
      return triangleMesh(collider);
    default:
      return null; // a level set, which no list of triangles stands for
  }
}

export class BodiesView {
  // `extent`: the size of what is looked at [m].
  constructor(colliders, extent) {
    this.group = new Group();
    this.material = clothMaterial();
    for (const collider of colliders) {
      const geometry = geometryOf(collider, extent);
      if (!geometry) continue;
      const count = geometry.getAttribute('position').count;
      geometry.setAttribute('heat', new BufferAttribute(new Uint8Array(3 * count), 3, true));
      this.group.add(new Mesh(geometry, this.material));
    }
  }

  setColour(colour) {
    tint(this.material, colour, colour);
  }
}

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
