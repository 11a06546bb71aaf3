// What the page shows, and who wants to know when that changes.
export class Store {
  #listeners = [];

  constructor(state) {
    this.state = state;
  }

  // `listener(state, changed)`; `changed` is the set of keys with another value. Called at once with all
  // keys.
  subscribe(listener) {
    this.#listeners.push(listener);
    listener(this.state, new Set(Object.keys(this.state)));
  }

  set(patch) {
    const changed = new Set(Object.keys(patch).filter((key) => !Object.is(this.state[key], patch[key])));
    if (changed.size === 0) return;
    Object.assign(this.state, patch);
    for (const listener of this.#listeners) listener(this.state, changed);
  }
}
