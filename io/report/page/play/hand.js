// The pointer as a hand: it takes hold of the cloth that it is pressed on, and leads it in the plane through
// that place that faces the viewer. Beside the cloth it stays the camera's.

import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Plane,
  Points,
  PointsMaterial,
  Vector3,
} from 'three';
import { firstHit, rayAt } from './picking.js';

const DOT = 11; // [px]

export class Hand {
  #held = null; // { vertex, from, plane, way }
  #sent = null;

  // `cloth`: { x [m], triangles }. `on`: { grab(vertex), drag(way, stamp), letGo() }.
  constructor(stage, cloth, on) {
    this.stage = stage;
    this.cloth = cloth;
    this.on = on;
    this.group = new Group();
    this.line = new BufferAttribute(new Float32Array(6), 3);
    this.dots = new BufferAttribute(new Float32Array(6), 3);
    this.lineMaterial = new LineBasicMaterial({ depthTest: false, transparent: true });
    this.dotMaterial = new PointsMaterial({
      size: DOT,
      sizeAttenuation: false,
      depthTest: false,
      transparent: true,
    });
    for (const [Kind, attribute, material] of [
      [LineSegments, this.line, this.lineMaterial],
      [Points, this.dots, this.dotMaterial],
    ]) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', attribute);
      const object = new Kind(geometry, material);
      object.frustumCulled = false;
      object.renderOrder = 6;
      this.group.add(object);
    }
    this.group.visible = false;
    this.#listen(stage.host);
  }

  get isHolding() {
    return this.#held !== null;
  }

  #hit(event) {
    const { camera, canvas } = this.stage;
    const ray = rayAt(camera, canvas, event.clientX, event.clientY);
    const hit = firstHit(ray, this.cloth.x, this.cloth.triangles);
    return hit && { ...hit, place: ray.at(hit.distance, new Vector3()) };
  }

  #listen(host) {
    // Before the camera's own, which hears it at the canvas.
    host.addEventListener('pointerdown', (event) => this.#press(event), { capture: true });
    host.addEventListener('pointermove', (event) => this.#move(event), { capture: true });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'])
      host.addEventListener(end, (event) => this.#release(event), { capture: true });
  }

  #press(event) {
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey || this.#held) return;
    if (event.target !== this.stage.canvas) return;
    const hit = this.#hit(event);
    if (!hit) return;
    event.stopPropagation();
    event.preventDefault();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    this.#held = {
      pointer: event.pointerId,
      vertex: hit.vertex,
      from: hit.place,
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.place),
      to: hit.place.clone(),
    };
    this.on.grab(hit.vertex);
    this.draw();
  }

  #move(event) {
    if (!this.#held) {
      this.stage.canvas.style.cursor = event.buttons === 0 && this.#hit(event) ? 'grab' : '';
      return;
    }
    if (event.pointerId !== this.#held.pointer) return;
    event.stopPropagation();
    const { camera, canvas } = this.stage;
    const to = rayAt(camera, canvas, event.clientX, event.clientY).intersectPlane(
      this.#held.plane,
      new Vector3(),
    );
    if (!to) return;
    this.#held.to = to;
    this.#sent ??= performance.now(); // of the oldest move that the next message tells of
  }

  #release(event) {
    if (!this.#held || event.pointerId !== this.#held.pointer) return;
    event.stopPropagation();
    this.tell();
    this.#held = null;
    this.on.letGo();
    this.draw();
  }

  // Once for each picture: where the hand is now, if it has moved.
  tell() {
    if (!this.#held || this.#sent === null) return;
    const way = this.#held.to.clone().sub(this.#held.from);
    this.on.drag(way.toArray(), this.#sent);
    this.#sent = null;
  }

  // The spring from the vertex to the hand.
  draw() {
    this.group.visible = this.#held !== null;
    this.stage.canvas.style.cursor = this.#held ? 'grabbing' : '';
    if (this.#held) {
      const { vertex, to } = this.#held;
      const at = this.cloth.x.subarray(3 * vertex, 3 * vertex + 3);
      for (const attribute of [this.line, this.dots]) {
        attribute.array.set(at, 0);
        attribute.array.set(to.toArray(), 3);
        attribute.needsUpdate = true;
      }
    }
    this.stage.invalidate();
  }

  setColour(colour) {
    this.lineMaterial.color.set(colour);
    this.dotMaterial.color.set(colour);
  }
}
