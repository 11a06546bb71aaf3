// Playback: which frame is due. It shows true frames only, at the shot's rate times `speed`, and starts over
// at the end.

export class Clock {
  #playing = false;
  #began = 0;
  #from = 0;

  constructor(firstFrame, lastFrame, fps) {
    Object.assign(this, { firstFrame, lastFrame, fps, speed: 1 });
  }

  get playing() {
    return this.#playing;
  }

  start(frame, now = performance.now()) {
    this.#playing = true;
    this.#began = now;
    this.#from = frame >= this.lastFrame ? this.firstFrame : frame;
  }
  stop() {
    this.#playing = false;
  }

  // The frame to be shown at the time `now` [ms].
  frameAt(now) {
    const passed = Math.floor(((now - this.#began) / 1000) * this.fps * this.speed);
    const count = this.lastFrame - this.firstFrame + 1;
    return this.firstFrame + ((this.#from - this.firstFrame + Math.max(0, passed)) % count);
  }
}
