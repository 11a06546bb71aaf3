// The ends of the colour maps: one for all runs, so that colours compare, or one for each run.

// A value beside which few vertices vanish: the largest, unless that is a spike at some of them.
const SPIKE = 4; // times the RMS
// A run that is out of the others' range does not blacken them: it ends at so many of the median's, but no lower than
// what keyframes allow, since what is within that need not shine.
const OUTLIER = 4;
const FABRIC_LIMIT = 0.05; // where a run says none: beyond which cloth hardly stretches

const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const unspiked = (max, rms) => (rms > 0 ? Math.min(max, SPIKE * rms) : max);

function median(values) {
  const known = values.filter((value) => value > 0).sort((a, b) => a - b);
  return known.length === 0 ? 0 : known[Math.floor((known.length - 1) / 2)];
}

// What keyframes and tracks leave of a run's miss [m]: { max, rms } of the one that is worst.
function missOf(run) {
  const name = run.mainTake?.name;
  const all = [
    ...run.keyframes.map(({ misses }) => misses[name]).filter(Boolean),
    ...run.tracks.map((track) => ({
      max: largest(track.misses[name]?.max_m ?? []),
      rms: largest(track.misses[name]?.rms_m ?? []),
    })),
  ];
  return { max: largest(all.map(({ max }) => max)), rms: largest(all.map(({ rms }) => rms)) };
}

const largestTolerance = (run) =>
  largest([...run.keyframes, ...run.tracks].map(({ tolerance }) => tolerance ?? 0));

function strainLimit(run) {
  const targets = [
    ...(run.summary?.keyframes ?? []),
    ...(run.summary?.tracks ?? []).map((t) => t.most_strained ?? {}),
  ];
  return targets.map(({ reach }) => reach?.strain?.limit).find((limit) => limit > 0) ?? FABRIC_LIMIT;
}

// { max, rms } of every kind that a run has; `limit` where none is measured: what the fabric bears. What the end has to
// do with is stated beside it.
const KINDS = {
  miss: missOf,
  acceleration: (run) => ({
    max: largest(run.acceleration?.peak_g ?? []),
    rms: largest(run.acceleration?.rms_g ?? []),
  }),
  contacts: (run) => ({ max: run.contacts?.largestDistance ?? 0, rms: 0 }),
  strain: (run) => ({ limit: strainLimit(run) }),
};

export class Scales {
  #own = {}; // kind -> end of each run
  #most = {}; // kind -> largest value of each run
  #chosen = {}; // kind -> end that the reader has set

  constructor(runs) {
    this.runs = runs;
    for (const [kind, of] of Object.entries(KINDS)) this.set(kind, runs.map(of));
  }

  // Figures { max, rms } of each run, or its { limit }.
  set(kind, figures) {
    this.#own[kind] = figures.map(({ max, rms, limit }) => limit ?? unspiked(max, rms));
    this.#most[kind] = figures.map(({ max }) => max ?? 0);
    delete this.#chosen[kind];
  }
  // As the reader wants it, for all runs.
  choose(kind, end) {
    this.#chosen[kind] = end;
  }

  // The end for a run, or of all where `scale` is 'shared'. 0: there is nothing to colour.
  end(kind, scale = 'shared', run = 0) {
    const own = this.#own[kind];
    if (!own) return 0;
    if (this.#chosen[kind]) return this.#chosen[kind];
    if (scale === 'own' && own[run] > 0) return own[run];
    const allowed = kind === 'miss' ? largest(this.runs.map(largestTolerance)) : 0;
    const shared = Math.min(largest(own), Math.max(OUTLIER * median(own), allowed));
    return shared || (kind === 'miss' ? 0.01 : 0);
  }

  // What of these runs lies beyond the end and is drawn in its colour: { run, value } of the largest; null: nothing.
  beyond(kind, scale, runs) {
    const most = this.#most[kind] ?? [];
    const [run] = [...runs].sort((a, b) => most[b] - most[a]);
    return most[run] > 1.001 * this.end(kind, scale, run) ? { run, value: most[run] } : null;
  }
}
