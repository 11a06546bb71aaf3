// One take of one run as a mesh that moves. Frame by frame three buffers are rewritten; nothing is allocated.

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
} from 'three';
import { readApart } from '../data/run.js';
import { clothMaterial, SURFACE, tint } from './cloth_material.js';
import { paint } from './colour_map.js';
import { smoothNormals } from './normals.js';
import { edgesOf, renderTopology, spread } from './render_mesh.js';

const dynamic = (array, size, normalized = false) =>
  new BufferAttribute(array, size, normalized).setUsage(DynamicDrawUsage);

export class ClothView {
  constructor(run, take, { opacity = 1 } = {}) {
    this.run = run;
    this.take = take;
    this.x = new Float32Array(3 * run.vertexCount); // [m]
    this.heat = new Float32Array(run.vertexCount);
    this.group = new Group();
    this.frame = null;
    this.#normals = new Float32Array(3 * run.vertexCount);
    this.#build(opacity);
  }

  #normals;
  #topology;
  #geometry;
  #material;
  #wire;

  #build(opacity) {
    this.#topology = renderTopology(this.run);
    const { source, index, uv } = this.#topology;
    const count = source.length;
    this.#geometry = new BufferGeometry();
    this.#geometry.setIndex(new BufferAttribute(index, 1));
    this.#geometry.setAttribute('position', dynamic(new Float32Array(3 * count), 3));
    this.#geometry.setAttribute('normal', dynamic(new Float32Array(3 * count), 3));
    this.#geometry.setAttribute('heat', dynamic(new Uint8Array(3 * count), 3, true));
    this.#geometry.setAttribute('uv', new BufferAttribute(uv, 2));
    this.#material = clothMaterial({ opacity });
    const mesh = new Mesh(this.#geometry, this.#material);
    mesh.frustumCulled = false; // its bounds change with every frame
    mesh.renderOrder = opacity < 1 ? 1 : 0;

    const wire = new BufferGeometry();
    wire.setIndex(new BufferAttribute(edgesOf(index), 1));
    wire.setAttribute('position', this.#geometry.getAttribute('position'));
    this.#wire = new LineSegments(wire, new LineBasicMaterial({ transparent: true, opacity: 0.45 }));
    this.#wire.frustumCulled = false;
    this.group.add(mesh, this.#wire);
  }

  // `surface`: a key of SURFACE; `max`: the value at the end of the colour map; `other`: the cloth [m] that 'apart' is
  // measured from.
  update(frame, surface, max, other = null) {
    const { run, take, x } = this;
    if (frame !== this.frame) {
      run.readPositions(take, frame, x);
      this.#write('position', x);
      this.#write('normal', smoothNormals(x, run.triangles, this.#normals));
      this.frame = frame;
    }
    this.#material.uniforms.surface.value = SURFACE[surface];
    if (SURFACE[surface] !== SURFACE.miss) {
      this.heat.fill(0);
      return;
    }
    if (surface === 'miss') run.readMiss(take, frame, x, this.heat);
    else if (surface === 'strain') run.stretch.read(x, this.heat);
    else if (surface === 'apart') readApart(x, other, this.heat);
    else if (take === run.mainTake) run.readAcceleration(frame, this.heat);
    else this.heat.fill(0); // without control
    const attribute = this.#geometry.getAttribute('heat');
    paint(this.heat, max, this.#topology.source, attribute.array);
    attribute.needsUpdate = true;
  }

  #write(name, values) {
    const attribute = this.#geometry.getAttribute(name);
    spread(values, this.#topology.source, attribute.array);
    attribute.needsUpdate = true;
  }

  setWireframe(visible) {
    this.#wire.visible = visible;
  }

  setColours(front, back, wire) {
    tint(this.#material, front, back);
    this.#wire.material.color.set(wire);
  }

  // What the graphics card draws of a vertex of the cloth.
  drawnPosition(vertex) {
    const at = this.#topology.source.indexOf(vertex);
    return [...this.#geometry.getAttribute('position').array.subarray(3 * at, 3 * at + 3)];
  }
}
