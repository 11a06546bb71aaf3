// The player's pictures as files: the one that is shown, all frames in a .zip, or a film.

import { zipSync } from 'three/addons/libs/fflate.module.js';
import { ArrayBufferTarget, Muxer } from 'webm-muxer';
import { h } from '../ui/dom.js';

// In the order in which they are tried: of WebCodecs, and of the file.
const CODECS = [
  ['vp09.00.41.08', 'V_VP9'],
  ['vp8', 'V_VP8'],
];
const BITS_PER_PIXEL = 0.25; // and frame: cloth on a plain ground
const FRAMES_PER_KEYFRAME = 24; // of the film, from which players go on when they are moved
const MOST_WAITING = 4; // frames that are being encoded
const NO_COMPRESSION = { level: 0 }; // PNG is compressed

const blobOf = (canvas) =>
  new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('no picture could be made'))),
      'image/png',
    );
  });

const pause = (milliseconds) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

function download(blob, name) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// What a file is called: the shot, and what is in it.
const stemOf = (runs) => [...new Set(runs.map((run) => run.name))].join('-').replace(/[^\w.-]+/g, '_');

export class Export {
  #stops = false;
  isSaving = false;

  // `player`: frames are sought by it, and drawn as it shows them (`picture(frame)` gives a canvas).
  constructor(player) {
    this.player = player;
    this.said = h('span', { class: 'muted', role: 'status' });
    const films = typeof VideoEncoder !== 'undefined';
    this.buttons = [
      this.#button('Picture', 'This frame as a .png', () => this.savePicture()),
      this.#button('All frames', 'A .png for each frame, in a .zip', () => this.saveFrames()),
      this.#button(
        'Film',
        films ? 'A .webm of all frames' : 'This browser encodes no films (WebCodecs)',
        () => this.saveFilm(),
      ),
    ];
    this.buttons[2].disabled = !films;
    this.stop = h('button', { hidden: true, onclick: () => (this.#stops = true) }, 'Stop');
    this.element = h(
      'fieldset',
      { class: 'export' },
      h('legend', {}, 'Save'),
      h('div', { class: 'buttons' }, ...this.buttons, this.stop),
      this.said,
    );
  }

  #button(text, title, save) {
    return h('button', { title, onclick: () => this.#during(save) }, text);
  }

  // One at a time; the frame that was shown comes back.
  async #during(save) {
    const { frame } = this.player.store.state;
    const was = this.buttons.map((button) => button.disabled);
    for (const button of this.buttons) button.disabled = true;
    this.stop.hidden = false;
    this.#stops = false;
    this.isSaving = true;
    try {
      await save();
    } catch (error) {
      this.said.textContent = `Not saved: ${error.message}`;
    } finally {
      this.player.seek(frame);
      this.isSaving = false;
      this.stop.hidden = true;
      this.buttons.forEach((button, k) => {
        button.disabled = was[k];
      });
    }
  }

  #name(rest) {
    return `${stemOf(this.player.runs)}${rest}`;
  }

  async savePicture() {
    const { frame } = this.player.store.state;
    download(await blobOf(this.player.picture()), this.#name(`.${frame}.png`));
    this.said.textContent = '';
  }

  // Calls `take(canvas, frame)` for each frame. Whether it came to the end.
  async #forFrames(take) {
    const { firstFrame, lastFrame } = this.player.clock;
    for (let frame = firstFrame; frame <= lastFrame; ++frame) {
      if (this.#stops) {
        this.said.textContent = 'Stopped; nothing was saved.';
        return false;
      }
      this.player.seek(frame);
      await take(this.player.picture(), frame);
      this.said.textContent = `${frame - firstFrame + 1} of ${lastFrame - firstFrame + 1} frames`;
    }
    return true;
  }

  async saveFrames() {
    const files = {};
    const isWhole = await this.#forFrames(async (canvas, frame) => {
      files[this.#name(`.${frame}.png`)] = new Uint8Array(await (await blobOf(canvas)).arrayBuffer());
    });
    if (!isWhole) return;
    download(new Blob([zipSync(files, NO_COMPRESSION)], { type: 'application/zip' }), this.#name('.zip'));
    this.said.textContent = '';
  }

  // Every frame once, at the player's speed, however long it takes to draw them.
  async saveFilm() {
    const { fps, speed } = this.player.clock;
    const film = await Film.open(this.player.picture(), fps * speed);
    try {
      if (!(await this.#forFrames((canvas) => film.add(canvas)))) return;
      download(await film.finish(), this.#name('.webm'));
    } finally {
      film.close();
    }
    this.said.textContent = '';
  }
}

class Film {
  #count = 0;
  #error = null;

  // Of pictures as large as `canvas`, `rate` of them a second. Fails where the browser encodes none of CODECS.
  static async open(canvas, rate) {
    const [width, height] = [canvas.width, canvas.height].map((size) => size - (size % 2)); // as encoders want them
    const bitrate = Math.max(1e6, BITS_PER_PIXEL * rate * width * height);
    for (const [codec, name] of CODECS) {
      const config = { codec, width, height, bitrate, framerate: rate };
      if ((await VideoEncoder.isConfigSupported(config)).supported) return new Film(config, name);
    }
    throw new Error('this browser encodes neither VP9 nor VP8');
  }

  constructor(config, name) {
    const { width, height, framerate } = config;
    this.config = config;
    this.target = new ArrayBufferTarget();
    this.muxer = new Muxer({
      target: this.target,
      video: { codec: name, width, height, frameRate: framerate },
    });
    this.encoder = new VideoEncoder({
      output: (chunk, about) => this.muxer.addVideoChunk(chunk, about),
      error: (error) => {
        this.#error = error;
      },
    });
    this.encoder.configure(config);
  }

  async add(canvas) {
    const { width, height, framerate } = this.config;
    const frame = new VideoFrame(canvas, {
      timestamp: Math.round((this.#count * 1e6) / framerate), // [us]
      duration: Math.round(1e6 / framerate),
      visibleRect: { x: 0, y: 0, width, height },
    });
    this.encoder.encode(frame, { keyFrame: this.#count++ % FRAMES_PER_KEYFRAME === 0 });
    frame.close();
    while (this.encoder.encodeQueueSize > MOST_WAITING && !this.#error) await pause(5);
    if (this.#error) throw this.#error;
  }

  async finish() {
    await this.encoder.flush();
    if (this.#error) throw this.#error;
    this.muxer.finalize();
    return new Blob([this.target.buffer], { type: 'video/webm' });
  }

  close() {
    if (this.encoder.state !== 'closed') this.encoder.close();
  }
}
