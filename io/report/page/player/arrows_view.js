// Control forces as arrows: a shaft from each vertex and two barbs, all in one buffer of line segments. Their
// length is the control acceleration |f|/m, so that fine and coarse regions of a mesh compare. On a fine mesh
// not every vertex has one.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three';

const SEGMENTS = 3;
const BARB = 0.22; // of the shaft
const MOST_ARROWS = 1600; // beyond, they cover what they are about

// Vertices spread evenly over the cloth: of all that share a cube of space, the first.
function spreadVertices(run) {
  const x = run.readPositions(run.mainTake, run.firstFrame, new Float32Array(3 * run.vertexCount));
  const size = Math.sqrt(area(x, run.triangles) / MOST_ARROWS);
  const cubes = new Map();
  for (let i = 0; i < run.vertexCount; ++i) {
    const cube = [0, 1, 2].map((c) => Math.round(x[3 * i + c] / size)).join();
    if (run.vertexCount <= MOST_ARROWS) cubes.set(i, i);
    else if (!cubes.has(cube)) cubes.set(cube, i);
  }
  return Int32Array.from(cubes.values());
}

function area(x, triangles) {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]].map((i) =>
      x.subarray(3 * i, 3 * i + 3),
    );
    const u = b.map((value, k) => value - a[k]);
    const v = c.map((value, k) => value - a[k]);
    sum += 0.5 * Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  }
  return sum;
}

export class ArrowsView {
  // `scale`: metres of arrow for an acceleration of one m/s^2.
  constructor(run, scale) {
    this.run = run;
    this.scale = scale;
    this.vertices = spreadVertices(run);
    const geometry = new BufferGeometry();
    const positions = new BufferAttribute(new Float32Array(SEGMENTS * 2 * 3 * this.vertices.length), 3);
    geometry.setAttribute('position', positions.setUsage(DynamicDrawUsage));
    this.object = new LineSegments(geometry, new LineBasicMaterial());
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  update(frame, x) {
    const { run, scale } = this;
    const f = run.readForces(frame);
    const attribute = this.object.geometry.getAttribute('position');
    const out = attribute.array;
    let at = 0;
    const point = (px, py, pz) => {
      out[at++] = px;
      out[at++] = py;
      out[at++] = pz;
    };
    for (const i of this.vertices) {
      const k = 3 * i;
      const s = scale / run.mass[i];
      const ax = s * f[k],
        ay = s * f[k + 1],
        az = s * f[k + 2];
      if (ax === 0 && ay === 0 && az === 0) continue;
      const tx = x[k] + ax,
        ty = x[k + 1] + ay,
        tz = x[k + 2] + az;
      // Any direction across the arrow, from the axis that it is least along.
      const upright = Math.abs(ay) < 0.8 * Math.hypot(ax, ay, az);
      let bx = upright ? -az : 0,
        bz = upright ? ax : -ay;
      let by = upright ? 0 : az;
      const across = (BARB * Math.hypot(ax, ay, az)) / (Math.hypot(bx, by, bz) || 1) / 2;
      bx *= across;
      by *= across;
      bz *= across;
      point(x[k], x[k + 1], x[k + 2]);
      point(tx, ty, tz);
      point(tx, ty, tz);
      point(tx - BARB * ax + bx, ty - BARB * ay + by, tz - BARB * az + bz);
      point(tx, ty, tz);
      point(tx - BARB * ax - bx, ty - BARB * ay - by, tz - BARB * az - bz);
    }
    this.object.geometry.setDrawRange(0, at / 3);
    attribute.needsUpdate = true;
  }

  setColour(colour) {
    this.object.material.color.set(colour);
  }
}
