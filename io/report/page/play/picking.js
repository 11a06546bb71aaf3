// Where a ray meets the cloth.

import { Raycaster, Vector2 } from 'three';

const caster = new Raycaster();

// The ray under a place of the canvas, in the pixels of the window.
export function rayAt(camera, canvas, clientX, clientY) {
  const box = canvas.getBoundingClientRect();
  const place = new Vector2(
    (2 * (clientX - box.left)) / box.width - 1,
    1 - (2 * (clientY - box.top)) / box.height,
  );
  camera.updateMatrixWorld();
  caster.setFromCamera(place, camera);
  return caster.ray;
}

// The first triangle that the ray passes through (Moller & Trumbore 1997), from either side; null: none.
// { distance, vertex }: the corner next to where it does.
export function firstHit({ origin, direction }, x, triangles) {
  const o = [origin.x, origin.y, origin.z];
  const d = [direction.x, direction.y, direction.z];
  let best = null;
  const p = [0, 0, 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = x[b] - x[a],
      uy = x[b + 1] - x[a + 1],
      uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a],
      vy = x[c + 1] - x[a + 1],
      vz = x[c + 2] - x[a + 2];
    p[0] = d[1] * vz - d[2] * vy;
    p[1] = d[2] * vx - d[0] * vz;
    p[2] = d[0] * vy - d[1] * vx;
    const determinant = ux * p[0] + uy * p[1] + uz * p[2];
    if (determinant === 0) continue;
    const sx = o[0] - x[a],
      sy = o[1] - x[a + 1],
      sz = o[2] - x[a + 2];
    const u = (sx * p[0] + sy * p[1] + sz * p[2]) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy,
      qy = sz * ux - sx * uz,
      qz = sx * uy - sy * ux;
    const v = (d[0] * qx + d[1] * qy + d[2] * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (distance <= 0 || (best && distance >= best.distance)) continue;
    const corner = 1 - u - v >= Math.max(u, v) ? 0 : u >= v ? 1 : 2;
    best = { distance, vertex: triangles[t + corner] };
  }
  return best;
}
