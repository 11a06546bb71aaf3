// Makes a folder of results such as `keydrape solve` writes for 10,000 vertices and 120 frames: a sheet that
// swings in long and short waves, with and without control, forces and contacts.
//
//   node large_run.mjs DIR [SIDE = 100] [FRAMES = 120]

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder, sideText = '100', frameText = '120'] = process.argv.slice(2);
const side = Number(sideText);
const frames = Number(frameText);
const n = side * side;
const FIRST = 1001;
const FPS = 24;

function npy(file, shape, values) {
  const sizes = shape.map((size) => `${size}, `).join('');
  let header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${sizes}), }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const prefix = Buffer.alloc(10);
  prefix.write('\x93NUMPY\x01\x00', 'latin1');
  prefix.writeUInt16LE(header.length, 8);
  writeFileSync(
    path.join(folder, file),
    Buffer.concat([
      prefix,
      Buffer.from(header, 'latin1'),
      Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    ]),
  );
}

// contacts.npy: as many pairs in every frame, of the sheet with itself and, every third one, with a body.
const CONTACTS = 2000;
function contacts(x) {
  const rows = new Float64Array(8 * CONTACTS * frames);
  for (let f = 0; f < frames; ++f) {
    for (let k = 0; k < CONTACTS; ++k) {
      const vertex = (k * 7919 + f) % n;
      const at = 3 * (f * n + vertex);
      const point = [...x.subarray(at, at + 3)];
      const gap = 1e-3 * (1 + ((k * 31) % 100) / 50);
      rows.set(
        [FIRST + f, k % 3 === 0 ? 1 : 0, ...point, point[0], point[1], point[2] - gap],
        8 * (f * CONTACTS + k),
      );
    }
  }
  return rows;
}

function pc2(file, values) {
  const header = Buffer.alloc(32);
  header.write('POINTCACHE2\0', 'latin1');
  [1, n].forEach((value, k) => header.writeInt32LE(value, 12 + 4 * k));
  header.writeFloatLE(FIRST, 20);
  header.writeFloatLE(1, 24);
  header.writeInt32LE(frames, 28);
  writeFileSync(
    path.join(folder, file),
    Buffer.concat([header, Buffer.from(Float32Array.from(values).buffer)]),
  );
}

// Waves from the whole sheet down to ten rows, each with its own direction, pace and size.
const WAVES = Array.from({ length: 12 }, (_, k) => ({
  u: 2 * Math.PI * Math.sin(1 + 7 * k) * (0.5 + 0.8 * k),
  v: 2 * Math.PI * Math.cos(2 + 5 * k) * (0.5 + 0.8 * k),
  pace: 2 * Math.PI * (0.4 + 0.35 * k),
  size: 0.16 / (1 + k) ** 1.4,
}));

function positions(strength) {
  const x = new Float64Array(3 * n * frames);
  for (let f = 0; f < frames; ++f) {
    const t = f / FPS;
    for (let i = 0; i < n; ++i) {
      const u = (i % side) / (side - 1);
      const v = Math.floor(i / side) / (side - 1);
      const at = 3 * (f * n + i);
      x[at] = 1.5 * u;
      x[at + 1] = -1.5 * v;
      WAVES.forEach((wave, k) => {
        const phase = wave.u * u + wave.v * v + wave.pace * t;
        x[at + 2] += strength * v * wave.size * Math.sin(phase);
        x[at] += 0.15 * strength * v * wave.size * Math.cos(phase + k);
        x[at + 1] += 0.15 * strength * v * wave.size * Math.sin(phase + 2 * k);
      });
    }
  }
  return x;
}

function restObj() {
  const lines = ['g cloth'];
  for (let i = 0; i < n; ++i)
    lines.push(`v ${(1.5 * (i % side)) / (side - 1)} ${(-1.5 * Math.floor(i / side)) / (side - 1)} 0`);
  for (let i = 0; i + 1 < side; ++i) {
    for (let j = 0; j + 1 < side; ++j) {
      const v = i * side + j + 1;
      lines.push(`f ${v} ${v + side} ${v + 1}`, `f ${v + 1} ${v + side} ${v + side + 1}`);
    }
  }
  return lines.join('\n') + '\n';
}

// A column of 2,000 vertices that leans, as a figure's arm does.
const COLUMN = { around: 40, rows: 50, radius: 0.12 };
function column(f) {
  const { around, rows, radius } = COLUMN;
  const lean = 0.3 * Math.sin((2 * Math.PI * f) / FPS);
  const positions = [];
  const triangles = [];
  for (let row = 0; row < rows; ++row) {
    const height = row / (rows - 1);
    for (let k = 0; k < around; ++k) {
      const angle = (2 * Math.PI * k) / around;
      positions.push([
        -0.4 + lean * height ** 2 + radius * Math.cos(angle),
        height - 1.6,
        radius * Math.sin(angle) - 0.8,
      ]);
      if (row + 1 === rows) continue;
      const [a, b] = [row * around + k, row * around + ((k + 1) % around)];
      triangles.push([a, a + around, b], [b, a + around, b + around]);
    }
  }
  return { positions, triangles };
}

// Poses of a ball that turns about its vertical axis, by a turn in 48 frames.
function turns([x, , z]) {
  const rows = new Float64Array(7 * frames);
  for (let f = 0; f < frames; ++f) {
    const angle = (2 * Math.PI * f) / 48;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    rows.set(
      [0, Math.sin(angle / 2), 0, Math.cos(angle / 2), x - c * x - s * z, 0, z + s * x - c * z],
      7 * f,
    );
  }
  return rows;
}

mkdirSync(path.join(folder, 'shot'), { recursive: true });
const controlled = positions(1);
const mass = new Float64Array(n).fill(0.4 / n);
const forces = new Float64Array(3 * n * frames);
for (let k = 0; k < 3 * n * (frames - 1); ++k)
  forces[k] = 0.2 * mass[0] * 9.81 * Math.sin(12 * controlled[k] + (k % 3));
const keyframes = [Math.floor(frames / 2), frames - 1];
const targets = new Float64Array(
  keyframes.flatMap((f) => [...controlled.subarray(3 * n * f, 3 * n * (f + 1))]),
);
const rms = (other) =>
  keyframes.map((f, k) => {
    let sum = 0;
    for (let i = 0; i < 3 * n; ++i) sum += (other[3 * n * f + i] - targets[3 * n * k + i]) ** 2;
    return Math.sqrt(sum / n);
  });
const free = positions(0.7);

npy('positions.npy', [frames, n, 3], controlled);
npy('forces.npy', [frames, n, 3], forces);
npy('contacts.npy', [CONTACTS * frames, 8], contacts(controlled));
pc2('controlled.pc2', controlled);
pc2('uncontrolled.pc2', free);
npy('shot/mass.npy', [n], mass);
npy('shot/keyframes.npy', [keyframes.length, n, 3], targets);
npy('shot/keyframe_weights.npy', [keyframes.length, n], new Float64Array(n * keyframes.length).fill(1));
npy('shot/collider_0.npy', [frames, 7], turns([0.75, -1, -0.9]));
const columns = Array.from({ length: frames }, (_, f) => column(f).positions);
npy('shot/collider_3.npy', [frames, columns[0].length, 3], Float64Array.from(columns.flat(2)));
writeFileSync(path.join(folder, 'shot/rest.obj'), restObj());
writeFileSync(path.join(folder, 'shot/scene.toml'), '# made by tests/outside/report/large_run.mjs\n');
writeFileSync(
  path.join(folder, 'shot/shot.json'),
  JSON.stringify({
    name: 'large',
    frames: [FIRST, FIRST + frames - 1],
    fps: FPS,
    substeps: 4,
    meters_per_unit: 1,
    up_axis: 'Y',
    keyframes: keyframes.map((f) => ({ frame: FIRST + f, tolerance_m: 0.01 })),
    controlled: Array.from({ length: n }, (_, i) => i),
    colliders: [
      { kind: 'sphere', center: [0.75, -1, -0.9], radius: 0.3, motion: 'rigid' },
      { kind: 'capsule', start: [-0.3, -1.4, -0.6], end: [0.2, -0.9, -0.9], radius: 0.12, motion: 'none' },
      { kind: 'box', min: [1.2, -1.7, -1], max: [1.6, -1.3, -0.7], motion: 'none' },
      { kind: 'mesh', ...column(0), motion: 'deforming' },
    ],
    warnings: ['a warning that a scene might bring'],
  }),
);
const uncontrolled = rms(free);
writeFileSync(
  path.join(folder, 'summary.json'),
  JSON.stringify({
    status: 'done',
    keyframes: keyframes.map((f, k) => ({
      frame: FIRST + f,
      rms_m: 0,
      max_m: 0,
      uncontrolled_rms_m: uncontrolled[k],
      tolerance_m: 0.01,
      reached: true,
    })),
    effort: { peak_g: 0.35, rms_g: 0.2 },
    work: {
      forward_simulations: 1,
      adjoint_sweeps: 0,
      tangent_sweeps: 0,
      newton_iterations: 0,
      factorizations: 0,
      time_steps: 0,
    },
    time_s: { total: 0, forward: 0, adjoint: 0, tangent: 0, io: 0 },
    memory_bytes: { peak_rss: 0, trajectory: 0 },
    vertices: n,
    triangles: 2 * (side - 1) ** 2,
    frames,
    substeps: 4,
    version: '0',
  }),
);
