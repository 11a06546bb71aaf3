// What bodies look like, in their own axes.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  DynamicDrawUsage,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { smoothNormals } from './normals.js';

const vector = (list) => new Vector3(...list);
const dynamic = (array) => new BufferAttribute(array, 3).setUsage(DynamicDrawUsage);

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

// Vertices in the order of the mesh's file.
function triangleMesh({ positions, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', dynamic(positions.slice()));
  geometry.setAttribute(
    'normal',
    dynamic(smoothNormals(positions, triangles, new Float32Array(positions.length))),
  );
  geometry.setIndex(new BufferAttribute(new Uint32Array(triangles), 1));
  return geometry;
}

// `extent`: the size of what is looked at [m]. Null where a body is not drawn.
export function geometryOf(body, extent) {
  if (!body.isDrawn) return null;
  switch (body.shape.kind) {
    case 'sphere':
      return new SphereGeometry(body.shape.radius, 48, 32).translate(...body.shape.center);
    case 'capsule':
      return capsule(body.shape);
    case 'box':
      return box(body.shape);
    case 'plane':
      return plane(body.shape, extent);
    case 'mesh':
    case 'vdb':
      return triangleMesh(body);
    default:
      return null;
  }
}

const GRATICULE = { meridians: 6, parallels: 3, pieces: 48 };
const RAISED = 1.002; // above the ball, so that its facets do not hide it

// Meridians and parallels of a ball, without which nobody sees it turn.
export function graticule({ center, radius }) {
  const lines = [];
  const at = (longitude, latitude) => {
    const r = RAISED * radius;
    const flat = r * Math.cos(latitude);
    lines.push(
      center[0] + flat * Math.cos(longitude),
      center[1] + r * Math.sin(latitude),
      center[2] + flat * Math.sin(longitude),
    );
  };
  const { meridians, parallels, pieces } = GRATICULE;
  for (let k = 0; k < pieces; ++k) {
    const begin = (2 * Math.PI * k) / pieces;
    const end = (2 * Math.PI * (k + 1)) / pieces;
    for (let m = 0; m < meridians / 2; ++m)
      for (const angle of [begin, end]) at((2 * Math.PI * m) / meridians, angle);
    for (let p = 1; p <= parallels; ++p)
      for (const angle of [begin, end]) at(angle, (Math.PI * p) / (parallels + 1) - Math.PI / 2);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(lines), 3));
  return geometry;
}
