// node read_with_three.mjs FILE FOUND.json FIRST_FRAME FRAME...
// Positions at the frames as three.js has them: GLB played by its animation mixer, MDD and USDA as their parsers read
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MDDLoader } from 'three/examples/jsm/loaders/MDDLoader.js';
import { USDAParser } from 'three/examples/jsm/loaders/usd/USDAParser.js';

const [path, out, first, ...shown] = process.argv.slice(2);
const bytes = readFileSync(path);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const fps = 24;

async function readGlb() {
  const gltf = await new GLTFLoader().parseAsync(buffer, '');
  let mesh = null;
  gltf.scene.traverse((object) => { if (object.isMesh) mesh = object; });
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  const frames = {};
  const point = new THREE.Vector3();
  for (const frame of shown) {
    // The last key is the end of the loop: a hair before it.
    const time = (frame - first) / fps;
    mixer.setTime(Math.min(time, gltf.animations[0].duration - 1e-7));
    frames[frame] = [];
    for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
      mesh.getVertexPosition(i, point);
      frames[frame].push(point.x, point.y, point.z);
    }
  }
  return { frames };
}

function readMdd() {
  const { morphTargets } = new MDDLoader().parse(buffer);
  return { frames: Object.fromEntries(shown.map((f) => [f, Array.from(morphTargets[f - first].array)])) };
}

// three keeps samples as lists of times and values.
function sampleAt(spec, frame) {
  const { times, values } = spec.fields.timeSamples;
  return Array.from(values[times.indexOf(Number(frame))]).flat();
}

function readUsda() {
  const { specsByPath } = new USDAParser().parseData(bytes.toString('utf8'));
  const points = specsByPath['/cloth/mesh.points'];
  const frames = Object.fromEntries(shown.map((f) => [f, sampleAt(points, f)]));
  const velocities = specsByPath['/cloth/mesh.velocities'];
  return {
    frames,
    velocity: velocities ? sampleAt(velocities, shown[1]) : null,
    triangles: Array.from(specsByPath['/cloth/mesh.faceVertexIndices'].fields.default),
    layer: specsByPath['/'].fields,
  };
}

const found = path.endsWith('.glb') ? await readGlb() : path.endsWith('.mdd') ? readMdd() : readUsda();
writeFileSync(out, JSON.stringify(found));
