// Numbers for people. A dash stands for what is not known.

const DASH = '–';
const NARROW_SPACE = '\u202f'; // between thousands; no line breaks there
const known = (value) => typeof value === 'number' && Number.isFinite(value);

export function number(value, digits = 3) {
  if (!known(value)) return DASH;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 1).replace('e+', 'e');
  return Number(value.toPrecision(digits)).toString();
}

export const count = (value) =>
  known(value) ? Math.round(value).toLocaleString('en').replaceAll(',', NARROW_SPACE) : DASH;

// A length [m] in the unit in which it reads best.
export function length(metres) {
  if (!known(metres)) return DASH;
  const size = Math.abs(metres);
  if (size === 0) return '0 mm';
  if (size < 1e-4) return `${number(1e6 * metres)} µm`;
  if (size < 0.1) return `${number(1e3 * metres)} mm`;
  return `${number(metres)} m`;
}

export const frameRate = (value) => number(value, 6); // 23.976 is not 24

export const speed = (value) => (known(value) ? `${number(value)} m/s` : DASH);

export const gravities = (g) => (known(g) ? `${number(g)} g` : DASH);

export function duration(seconds) {
  if (!known(seconds)) return DASH;
  if (seconds < 100) return `${number(seconds)} s`;
  const whole = Math.round(seconds);
  const pad = (part) => String(part).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${pad(whole % 60)} min`
    : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)} h`;
}

export function bytes(value) {
  if (!known(value)) return DASH;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${number(value / 1000 ** power)} ${units[power]}`;
}

export const percent = (share) => (known(share) ? `${number(100 * share)} %` : DASH);
