// What a graphics card needs of the cloth. A vertex on a seam has several texture coordinates and a card has
// one a vertex, so that such vertices are doubled; `source` says which vertex of the cloth each one is.
export function renderTopology(run) {
  const { triangles, uvTriangles, uvs, vertexCount } = run;
  if (!uvTriangles) {
    const uv = new Float32Array(2 * vertexCount);
    return {
      source: Int32Array.from({ length: vertexCount }, (_, i) => i),
      index: new Uint32Array(triangles),
      uv,
    };
  }
  const source = [];
  const uv = [];
  const known = new Map();
  const index = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; ++corner) {
    const key = triangles[corner] * (uvs.length / 2) + uvTriangles[corner];
    let at = known.get(key);
    if (at === undefined) {
      at = source.length;
      known.set(key, at);
      source.push(triangles[corner]);
      uv.push(uvs[2 * uvTriangles[corner]], uvs[2 * uvTriangles[corner] + 1]);
    }
    index[corner] = at;
  }
  return { source: Int32Array.from(source), index, uv: Float32Array.from(uv) };
}

// The edges as pairs of vertices; with `boundaryOnly` those of one triangle.
export function edgesOf(triangles, { boundaryOnly = false } = {}) {
  const counts = new Map();
  const size = 2 ** 26; // more vertices than any page holds
  for (let t = 0; t < triangles.length; t += 3) {
    for (let c = 0; c < 3; ++c) {
      const a = triangles[t + c];
      const b = triangles[t + ((c + 1) % 3)];
      const key = Math.min(a, b) * size + Math.max(a, b);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const edges = [];
  for (const [key, count] of counts) {
    if (!boundaryOnly || count === 1) edges.push(Math.floor(key / size), key % size);
  }
  return Uint32Array.from(edges);
}

// Spreads vectors of the cloth's vertices over the doubled ones.
export function spread(values, source, out) {
  for (let i = 0; i < source.length; ++i) {
    const from = 3 * source[i];
    out[3 * i] = values[from];
    out[3 * i + 1] = values[from + 1];
    out[3 * i + 2] = values[from + 2];
  }
}
