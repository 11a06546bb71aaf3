// Unpacks motion; io/report/motion_code.h has the code and its equations (Q1) to (Q3).

// Neighbours with a smaller index: those of vertex i are neighbours[begin[i]] .. neighbours[begin[i + 1] -
// 1].
export function lowerNeighbours(triangles, vertexCount) {
  const lists = Array.from({ length: vertexCount }, () => []);
  for (let at = 0; at < triangles.length; at += 3) {
    for (let c = 0; c < 3; ++c) {
      const a = triangles[at + c];
      const b = triangles[at + ((c + 1) % 3)];
      const list = lists[Math.max(a, b)];
      const low = Math.min(a, b);
      if (!list.includes(low)) list.push(low);
    }
  }
  const begin = new Int32Array(vertexCount + 1);
  lists.forEach((list, i) => {
    begin[i + 1] = begin[i] + list.length;
  });
  const neighbours = new Int32Array(begin[vertexCount]);
  lists.forEach((list, i) => neighbours.set(list, begin[i]));
  return { begin, neighbours };
}

// One component of one frame: q from its bytes and the two frames before, which `before` and `last` hold.
function decodePlane(bytes, at, { begin, neighbours }, last, before, r, q) {
  const n = q.length;
  for (let i = 0; i < n; ++i) {
    const z = bytes[at + i] | (bytes[at + n + i] << 8);
    let value = (z >> 1) ^ -(z & 1);
    const first = begin[i];
    const end = begin[i + 1];
    if (end > first) {
      let sum = 0;
      for (let k = first; k < end; ++k) sum += r[neighbours[k]];
      value += Math.floor(sum / (end - first));
    }
    r[i] = value; // Int16Array: modulo 2^16                                              (Q3)
    q[i] = r[i] + 2 * last[i] - before[i]; // Uint16Array, likewise                       (Q2)
  }
}

// `frames` frames of quantised values: Uint16Array, one component after the other in each frame.
export function decodeMotion(bytes, frames, neighbours) {
  const n = neighbours.begin.length - 1;
  const values = new Uint16Array(3 * n * frames);
  const zeros = new Uint16Array(n);
  const r = new Int16Array(n);
  const plane = (f, c) => (f < 0 ? zeros : values.subarray((3 * f + c) * n, (3 * f + c + 1) * n));
  for (let f = 0; f < frames; ++f) {
    for (let c = 0; c < 3; ++c) {
      decodePlane(bytes, (3 * f + c) * 2 * n, neighbours, plane(f - 1, c), plane(f - 2, c), r, plane(f, c));
    }
  }
  return values;
}

// Vectors on n vertices over frames, unpacked frame by frame when they are looked at.
export class Motion {
  constructor(bytes, { frames, low, step }, neighbours) {
    this.frameCount = frames;
    this.vertexCount = neighbours.begin.length - 1;
    this.low = low;
    this.step = step;
    this.values = decodeMotion(bytes, frames, neighbours);
  }

  // Writes x0 y0 z0 x1 ... of a frame, counted from 0, into `out`.                        (Q1)
  read(frame, out) {
    const n = this.vertexCount;
    for (let c = 0; c < 3; ++c) {
      const begin = (3 * frame + c) * n;
      const low = this.low[c];
      const step = this.step[c];
      for (let i = 0; i < n; ++i) out[3 * i + c] = low + step * this.values[begin + i];
    }
    return out;
  }

  // { low, high }: the extreme values of all frames.
  box() {
    const n = this.vertexCount;
    const low = [0, 0, 0];
    const high = [0, 0, 0];
    for (let c = 0; c < 3; ++c) {
      let least = Infinity;
      let largest = -Infinity;
      for (let f = 0; f < this.frameCount; ++f) {
        const begin = (3 * f + c) * n;
        for (let i = begin; i < begin + n; ++i) {
          least = Math.min(least, this.values[i]);
          largest = Math.max(largest, this.values[i]);
        }
      }
      low[c] = this.low[c] + this.step[c] * least;
      high[c] = this.low[c] + this.step[c] * largest;
    }
    return { low, high };
  }
}
