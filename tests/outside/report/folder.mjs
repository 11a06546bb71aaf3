// Reads what keydrape writes, without any code of the report: the other side of the comparison.

import { readFileSync } from 'node:fs';
import path from 'node:path';

// { shape, values } of a float64 array.
export function readNpy(file) {
  const bytes = readFileSync(file);
  const headerEnd = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, headerEnd);
  const shape = header
    .match(/'shape': \(([^)]*)\)/)[1]
    .split(',')
    .filter((text) => text.trim())
    .map(Number);
  return {
    shape,
    values: new Float64Array(
      bytes.buffer.slice(bytes.byteOffset + headerEnd, bytes.byteOffset + bytes.length),
    ),
  };
}

export const readJson = (...parts) => JSON.parse(readFileSync(path.join(...parts), 'utf8'));
export const readJsonLines = (...parts) =>
  readFileSync(path.join(...parts), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

export class Folder {
  constructor(folder) {
    this.path = folder;
    const positions = readNpy(path.join(folder, 'positions.npy'));
    [this.frameCount, this.vertexCount] = positions.shape;
    this.positions = positions.values;
    this.shot = readJson(folder, 'shot', 'shot.json');
    [this.firstFrame, this.lastFrame] = this.shot.frames;
  }

  position(frame, vertex) {
    const at = 3 * ((frame - this.firstFrame) * this.vertexCount + vertex);
    return [...this.positions.subarray(at, at + 3)];
  }

  // Steps of the report's grid [m]: 16 bits over the box of the take, or of a larger one if there are several
  // takes.
  get box() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    this.positions.forEach((value, k) => {
      low[k % 3] = Math.min(low[k % 3], value);
      high[k % 3] = Math.max(high[k % 3], value);
    });
    return low.map((value, c) => high[c] - value);
  }
}
