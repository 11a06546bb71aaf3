// One canvas for all panels, side by side under one camera. It draws only when something has changed.

import { Color, PerspectiveCamera, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { h } from '../ui/dom.js';

const FIELD_OF_VIEW = 32; // [degrees]
const PANEL_ASPECT = 1.55;
const NEAR = 1.1; // distance from a place that is looked at, in the size of what there is
const NARROW = 640; // [px] below which panels stand under each other
const HIGHEST = 0.72; // a row of panels, in the height of the window
const MOST_PIXELS = 2; // to one of the page, each way: more cost time that nobody sees

// null where the browser has no WebGL: the rest of the page does without.
function openRenderer() {
  const canvas = document.createElement('canvas');
  if (!canvas.getContext('webgl2', { antialias: true })) return null;
  return new WebGLRenderer({ canvas, context: canvas.getContext('webgl2') });
}

export class Stage {
  #panels = [];
  #dirty = true;
  #background = new Color();

  constructor(host) {
    this.renderer = openRenderer();
    this.canvas = this.renderer?.domElement ?? document.createElement('canvas');
    this.host = host;
    host.prepend(
      this.renderer
        ? this.canvas
        : h(
            'p',
            { class: 'no-picture' },
            'This browser shows no 3D graphics (WebGL 2 is off); all figures are below.',
          ),
    );
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, PANEL_ASPECT, 0.01, 100);
    new ResizeObserver(() => this.resize()).observe(host);
    // The host is none the larger where the window gets higher or lower, or is zoomed.
    window.addEventListener('resize', () => this.resize());
  }

  setPanels(panels) {
    this.#panels = panels;
    this.resize();
  }

  // Looks at `bounds` from `direction`; `up`: 1 (Y) or 2 (Z).
  look(bounds, direction, up) {
    this.home = { bounds, direction, up };
    this.camera.up.set(0, up === 1 ? 1 : 0, up === 2 ? 1 : 0);
    this.camera.near = bounds.extent / 100;
    this.camera.far = bounds.extent * 100;
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas); // takes `up` as it finds it
    this.controls.addEventListener('change', () => this.invalidate());
    this.resetView();
  }

  resetView() {
    const { bounds, direction } = this.home;
    const distance = (0.5 * bounds.extent) / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    this.camera.position
      .set(...bounds.center)
      .add(new Vector3(...direction).normalize().multiplyScalar(0.85 * distance));
    this.controls.target.set(...bounds.center);
    this.controls.update();
    this.invalidate();
  }

  setBackground(colour) {
    this.#background.set(colour);
    this.invalidate();
  }

  invalidate() {
    this.#dirty = true;
  }

  // Whether there was anything to draw.
  draw() {
    if (!this.#dirty || !this.renderer) return false;
    this.#dirty = false;
    const { columns, rows } = this.grid;
    const width = this.canvas.clientWidth / columns;
    const height = this.canvas.clientHeight / rows;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.setScissorTest(true);
    this.renderer.setClearColor(this.#background);
    this.#panels.forEach((panel, k) => {
      const left = (k % columns) * width;
      const bottom = (rows - 1 - Math.floor(k / columns)) * height;
      this.renderer.setViewport(left, bottom, width, height);
      this.renderer.setScissor(left, bottom, width, height);
      this.renderer.render(panel.scene, this.camera);
    });
    return true;
  }

  // Draws what is there now onto `canvas`, with a text in the corner of each panel; of that size at most once.
  copyTo(canvas, texts) {
    if (!this.renderer) throw new Error('this browser shows no 3D graphics');
    this.invalidate();
    this.draw(); // what WebGL has drawn can be read until the browser shows it
    const { width, height } = this.canvas;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    context.drawImage(this.canvas, 0, 0);
    const scale = width / this.canvas.clientWidth;
    const { columns, rows } = this.grid;
    context.font = `600 ${Math.round(15 * scale)}px system-ui, 'Liberation Sans', sans-serif`;
    context.fillStyle = getComputedStyle(this.host).color;
    context.textBaseline = 'top';
    texts.forEach((text, k) => {
      const left = ((k % columns) * width) / columns;
      context.fillText(text, left + 12 * scale, (Math.floor(k / columns) * height) / rows + 10 * scale);
    });
    return canvas;
  }

  // Looks at a place [m], nearer if it was far.
  lookAt(place) {
    const away = this.camera.position.clone().sub(this.controls.target);
    const { bounds } = this.home;
    if (away.length() > NEAR * bounds.extent) away.setLength(NEAR * bounds.extent);
    this.controls.target.set(...place);
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
    this.invalidate();
  }

  get grid() {
    const count = Math.max(1, this.#panels.length);
    const columns = this.host.clientWidth < NARROW ? 1 : Math.min(count, count === 4 ? 2 : 3);
    return { columns, rows: Math.ceil(count / columns) };
  }

  // As large as its place allows; by itself whenever that changes.
  resize() {
    const width = this.host.clientWidth;
    if (width === 0 || !this.renderer) return;
    const { columns, rows } = this.grid;
    const rowHeight = Math.min(width / columns / PANEL_ASPECT, HIGHEST * window.innerHeight);
    this.host.style.setProperty('--columns', columns);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, MOST_PIXELS));
    this.renderer.setSize(width, Math.round(rowHeight * rows));
    this.invalidate();
    this.draw();
  }
}
