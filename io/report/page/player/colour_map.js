// Cividis (Nuñez, Anderton & Renslow 2018): reads the same for people of any colour vision, and in grey on
// paper. Nine samples at equal distances, linear between them.

const SAMPLES = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [254, 232, 56],
];

const CSS_STEPS = SAMPLES.map(([r, g, b], k) => `rgb(${r} ${g} ${b}) ${(100 * k) / (SAMPLES.length - 1)}%`);
export const colourMapCss = `linear-gradient(to right, ${CSS_STEPS.join(', ')})`;

const LEVELS = 256;
const TABLE = new Uint8Array(3 * LEVELS);
for (let level = 0; level < LEVELS; ++level) {
  const at = (level / (LEVELS - 1)) * (SAMPLES.length - 1);
  const k = Math.min(Math.floor(at), SAMPLES.length - 2);
  for (let c = 0; c < 3; ++c) {
    TABLE[3 * level + c] = Math.round(SAMPLES[k][c] + (at - k) * (SAMPLES[k + 1][c] - SAMPLES[k][c]));
  }
}

// The same in linear light, 0 .. 1, as three.js wants the colours of vertices (IEC 61966-2-1).
const LINEAR_TABLE = Float32Array.from(TABLE, (byte) => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

// Writes the linear colour of a value from 0 to `max` into out[at ..].
export function linearColour(value, max, out, at) {
  const share = max > 0 ? value / max : 0;
  const level = Math.min(LEVELS - 1, Math.max(0, Math.round((LEVELS - 1) * share)));
  for (let c = 0; c < 3; ++c) out[at + c] = LINEAR_TABLE[3 * level + c];
}

// Colours (sRGB, 0 .. 255) for values from 0 to `max`, into out[3 i ..] for the vertex source[i].
export function paint(values, max, source, out) {
  const scale = max > 0 ? (LEVELS - 1) / max : 0;
  for (let i = 0; i < source.length; ++i) {
    const level = Math.min(LEVELS - 1, Math.max(0, Math.round(values[source[i]] * scale)));
    out[3 * i] = TABLE[3 * level];
    out[3 * i + 1] = TABLE[3 * level + 1];
    out[3 * i + 2] = TABLE[3 * level + 2];
  }
}
