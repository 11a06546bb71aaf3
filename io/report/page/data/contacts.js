// The pairs that contact pushes apart, frame by frame; io/report/contacts.h has their layout.

const COLUMNS = 7; // x y z on the cloth, x y z opposite, distance

export class Contacts {
  constructor(json, values) {
    this.json = json;
    this.values = values;
    this.largestDistance = (2 ** 16 - 1) * json.distance_step; // [m]
    let at = 0;
    this.begin = json.layers.map((layers, f) => {
      const begin = at;
      at += COLUMNS * (layers + json.bodies[f]);
      return begin;
    });
  }

  // How many pairs of a frame, counted from 0, are here; the cloth's with itself come first.
  count(f) {
    return (this.json.layers[f] ?? 0) + (this.json.bodies[f] ?? 0);
  }
  // How many there were, with itself and with bodies.
  all(f) {
    return { layers: this.json.all_layers[f] ?? 0, bodies: this.json.all_bodies[f] ?? 0 };
  }
  get largestCount() {
    return Math.max(...this.json.layers.map((_, f) => this.count(f)));
  }

  // Calls visit(cloth, opposite, distance) [m] for each pair; the two lists are used again for the next one.
  forEach(f, visit) {
    const { low, step, distance_step: distanceStep } = this.json;
    const count = this.count(f);
    const value = (column, k) => this.values[this.begin[f] + column * count + k];
    const cloth = [0, 0, 0];
    const opposite = [0, 0, 0];
    for (let k = 0; k < count; ++k) {
      for (let c = 0; c < 3; ++c) {
        cloth[c] = low[c] + step[c] * value(c, k);
        opposite[c] = low[c] + step[c] * value(3 + c, k);
      }
      visit(cloth, opposite, distanceStep * value(6, k));
    }
  }

  list(f) {
    const pairs = [];
    this.forEach(f, (cloth, opposite, distance) =>
      pairs.push({ cloth: [...cloth], opposite: [...opposite], distance }),
    );
    return pairs;
  }
}
