// What targets look like: see-through surfaces with their rim, or their edges where a mesh has none, and points.

import { BufferAttribute, BufferGeometry, Group, LineSegments, Mesh, Points } from 'three';
import { smoothNormals } from './normals.js';
import { edgesOf } from './render_mesh.js';

// Edges to draw a mesh by: its rim, if it has one.
export function outlineOf(triangles) {
  const rim = edgesOf(triangles, { boundaryOnly: true });
  return rim.length > 0 ? rim : edgesOf(triangles);
}

// A surface; `edges` as outlineOf() has them.
export class SurfaceGhost {
  constructor(positions, triangles, edges, { fill, line }) {
    const count = positions.length / 3;
    this.triangles = triangles;
    this.normals = new BufferAttribute(new Float32Array(3 * count), 3);
    this.positions = new BufferAttribute(positions, 3);
    const geometry = new BufferGeometry();
    geometry.setIndex(new BufferAttribute(new Uint32Array(triangles), 1));
    geometry.setAttribute('position', this.positions);
    geometry.setAttribute('normal', this.normals);
    geometry.setAttribute('uv', new BufferAttribute(new Float32Array(2 * count), 2));
    geometry.setAttribute('heat', new BufferAttribute(new Uint8Array(3 * count), 3, true));
    const outline = new BufferGeometry();
    outline.setIndex(new BufferAttribute(edges, 1));
    outline.setAttribute('position', this.positions);
    const surface = new Mesh(geometry, fill);
    surface.renderOrder = 3;
    this.object = new Group();
    this.object.add(surface, new LineSegments(outline, line));
    this.moved();
  }

  // After the positions have changed: draws them as they are now.
  moved() {
    smoothNormals(this.positions.array, this.triangles, this.normals.array);
    this.positions.needsUpdate = true;
    this.normals.needsUpdate = true;
    for (const child of this.object.children) child.frustumCulled = false;
  }
}

// Points alone, such as a scan.
export class PointsGhost {
  constructor(positions, { point }) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    this.object = new Points(geometry, point);
  }
}

// Where single vertices of the cloth are to be: a mark each, with a line from where the vertex is.
export class LandmarksGhost {
  constructor({ target, weight }, { mark, line }) {
    this.vertices = [...weight.keys()].filter((i) => weight[i] > 0);
    const places = Float32Array.from(this.vertices.flatMap((i) => [...target.subarray(3 * i, 3 * i + 3)]));
    const marks = new BufferGeometry();
    marks.setAttribute('position', new BufferAttribute(places, 3));
    const ways = new BufferGeometry();
    this.ways = new BufferAttribute(new Float32Array(2 * places.length), 3);
    this.vertices.forEach((_, k) => this.ways.array.set(places.subarray(3 * k, 3 * k + 3), 6 * k + 3));
    ways.setAttribute('position', this.ways);
    const lines = new LineSegments(ways, line);
    lines.frustumCulled = false;
    const points = new Points(marks, mark);
    points.renderOrder = 4;
    this.object = new Group();
    this.object.add(points, lines);
  }

  // `x`: the cloth [m].
  follow(x) {
    this.vertices.forEach((i, k) => this.ways.array.set(x.subarray(3 * i, 3 * i + 3), 6 * k));
    this.ways.needsUpdate = true;
  }
}
