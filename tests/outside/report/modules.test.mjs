// What the page computes before anything is drawn, from its modules as they are: without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Run } from '../../../io/report/page/data/run.js';
import { worstFrame } from '../../../io/report/page/data/worst.js';
import { followLive } from '../../../io/report/page/live.js';
import { reasonOfEnd } from '../../../io/report/page/play/channel.js';
import { Transport } from '../../../io/report/page/play/transport.js';
import { abilitiesOf } from '../../../io/report/page/player/abilities.js';
import { offersSurface, surfacesOf } from '../../../io/report/page/player/options.js';
import { Scales } from '../../../io/report/page/player/scales.js';
import { outcomesAt, trackRows, worstOutcome } from '../../../io/report/page/player/timeline_marks.js';
import { convergencePlots } from '../../../io/report/page/plots/convergence_plots.js';
import { filled } from '../../../io/report/page/plots/series.js';
import { stepPlots } from '../../../io/report/page/plots/step_plots.js';
import { missedText, sentence } from '../../../io/report/page/sentence.js';
import { keyframesSection } from '../../../io/report/page/tables/keyframes.js';

const TAKE = 'controlled';
const VERTICES = 3;

// A run of frames 1 to 30 as a page's manifest has it. `keyframes`: { frame, tolerances, rms, max and velocity of
// `take`; target, weight and distance of each vertex }; `tracks`: { frames, place, rms of each frame, tolerance }, all
// vertices in one place.
function runOf({ keyframes = [], tracks = [], summary = null, take = TAKE }) {
  const bytes = [];
  const place = (array) => {
    while (bytes.length % 4 > 0) bytes.push(0);
    const offset = bytes.length;
    bytes.push(...new Uint8Array(array.buffer));
    return { offset, length: array.length };
  };
  const floats = (...values) => place(Float32Array.from(values));
  const zeros = Array(3 * VERTICES).fill(0);
  const keyframeJson = (k) => ({
    frame: k.frame,
    kind: 'pose',
    tolerance_m: k.tolerance ?? null,
    velocity_tolerance_m_s: k.velocityTolerance ?? null,
    tolerance_max_m: k.maxTolerance ?? null,
    target: floats(...(k.target ?? zeros)),
    weight: floats(...(k.weight ?? [1, 1, 1])),
    misses: {
      [take]: {
        rms_m: k.rms ?? 0,
        max_m: k.max ?? 0,
        velocity_rms_m_s: k.velocity ?? null,
        distance: floats(...(k.distance ?? [0, 0, 0])),
      },
    },
  });
  const motion = (frames, low) => ({
    ...place(new Uint8Array(6 * VERTICES * frames)), // at rest at the grid's lower end
    frames,
    low,
    step: [1, 1, 1],
  });
  const json = {
    name: 'shot',
    folder: 'shot_out',
    frames: [1, 30],
    vertices: VERTICES,
    summary,
    convergence: [],
    triangles: place(Int32Array.of(0, 1, 2)),
    rest: floats(0, 0, 0, 1, 0, 0, 0, 1, 0),
    mass: floats(1, 1, 1),
    colliders: [],
    takes: [{ name: take, source: 'memory', motion: motion(1, [0, 0, 0]) }],
    keyframes: keyframes.map(keyframeJson),
    tracks: tracks.map(({ frames, place: low = [0, 0, 0], rms = null, tolerance = null }) => ({
      frames,
      tolerance_m: tolerance,
      weight: floats(1, 1, 1),
      targets: motion(frames.length, low),
      misses: rms ? { [take]: { rms_m: rms, max_m: rms } } : {},
    })),
  };
  return new Run(json, Uint8Array.from(bytes).buffer, 0, '');
}

// The heat of the miss at a frame of a cloth whose vertices are all at the origin.
const missAt = (run, frame) =>
  [...run.readMiss(run.mainTake, frame, new Float32Array(3 * VERTICES), new Float32Array(VERTICES))].map(
    (value) => Number(value.toPrecision(6)),
  );

const TWO_ON_ONE = [
  { frame: 5, target: [0, 0, 9, 0, 0, 9, 0, 0, 9] },
  { frame: 10, weight: [1, 1, 0], target: [1, 0, 0, 2, 0, 0, 7, 0, 0], distance: [1.1, 2.1, 7.1] },
  { frame: 10, weight: [0, 1, 1], target: [8, 0, 0, 0, 3, 0, 0, 0.5, 0], distance: [8.1, 3.1, 0.6] },
  { frame: 20 },
];

test('of two keyframes on one frame both are ahead, and the farther one counts', () => {
  const run = runOf({ keyframes: TWO_ON_ONE });
  assert.deepEqual(missAt(run, 6), [1, 3, 0.5]);
  assert.deepEqual(missAt(run, 10), [1.1, 3.1, 0.6]); // as measured
  const ahead = (frame) => run.nextKeyframes(frame).map(({ name }) => name);
  assert.deepEqual([5, 6, 10, 11, 21].map(ahead), [
    ['5'],
    ['10', '10 (2)'],
    ['10', '10 (2)'],
    ['20'],
    ['20'],
  ]);
  assert.deepEqual(runOf({}).nextKeyframes(1), []);
});

test('so it is where a keyframe and frames of tracks are on one frame', () => {
  const tracks = [
    { frames: [8, 10], place: [0, 2, 0] },
    { frames: [10, 12], place: [0, 0, 0.25] },
  ];
  const keyframe = { frame: 10, weight: [1, 0, 0], target: [0, 3, 0, 0, 3, 0, 0, 3, 0], distance: [4, 4, 4] };
  const run = runOf({ keyframes: [keyframe], tracks });
  assert.deepEqual(missAt(run, 7), [2, 2, 2]);
  assert.deepEqual(missAt(run, 10), [4, 2, 2]);
  assert.deepEqual(missAt(run, 11), [0.25, 0.25, 0.25]);
  assert.deepEqual(missAt(run, 13), [3, 0, 0]); // the last keyframe's
});

// A keyframe for each tolerance, missed by 0.9, 5 and 20 times what it allows.
const BY_RMS = { frame: 10, tolerance: 0.01, rms: 0.009, max: 0.02 };
const BY_VERTEX = { frame: 15, tolerance: 0.03, maxTolerance: 0.03, rms: 0.0207, max: 0.15 };
const BY_VELOCITY = { frame: 20, velocityTolerance: 0.1, rms: 0.0165, max: 0.02, velocity: 2 };

test('opens at what is missed by most tolerances, whichever they are', () => {
  const opensAt = (...keyframes) => worstFrame([runOf({ keyframes })]);
  assert.equal(opensAt(BY_RMS, BY_VERTEX), 15);
  assert.equal(opensAt(BY_RMS, BY_VERTEX, BY_VELOCITY), 20);
  assert.equal(opensAt({ ...BY_RMS, rms: 0.06 }, BY_VERTEX), 10);
  assert.equal(opensAt(BY_RMS, { frame: 25, rms: 0.5, max: 0.5 }), 10); // without a tolerance
  assert.equal(worstFrame([runOf({ keyframes: [BY_RMS] }), runOf({ keyframes: [BY_VELOCITY] })]), 20);
});

test('the sentence names the tolerance that is missed', () => {
  const said = (...keyframes) => sentence(runOf({ keyframes }));
  assert.equal(said(BY_RMS), 'So far (9 mm off, 10 mm allowed).');
  assert.match(sentence(runOf({ keyframes: [BY_RMS], take: 'uncontrolled' })), /^Without control \(9 mm/); // killed
  assert.equal(said(BY_VERTEX), 'So far (a vertex 0.15 m off, 30 mm allowed).');
  assert.equal(said(BY_VELOCITY), 'So far (velocities 2 m/s off, 0.1 m/s allowed).');
  assert.equal(said({ frame: 10, rms: 0.0165, max: 0.02 }), 'So far (16.5 mm off).');
  assert.equal(
    said(BY_RMS, BY_VELOCITY),
    'So far (the worst, frame 20: velocities 2 m/s off, 0.1 m/s allowed).',
  );
});

test('the headline names what has missed', () => {
  const [met, missed] = [{ reached: true }, { reached: false }];
  assert.equal(missedText({ keyframes: [met, missed] }), 'a keyframe missed its tolerance');
  assert.equal(missedText({ keyframes: [met], tracks: [missed, met] }), 'a track missed its tolerance');
  assert.equal(
    missedText({ keyframes: [missed], tracks: [missed] }),
    'a keyframe and a track missed their tolerance',
  );
});

test('surfaces are offered that runs have something for', () => {
  const offered = (...runs) => surfacesOf(abilitiesOf(runs)).map(([surface]) => surface);
  const bare = runOf({});
  const aimed = runOf({ keyframes: [BY_RMS] });
  assert.deepEqual(offered(bare), ['shaded', 'strain']);
  assert.deepEqual(offered(aimed), ['shaded', 'miss', 'strain']);
  assert.deepEqual(offered(bare, aimed), ['shaded', 'miss', 'strain', 'apart']);
  const full = Object.assign(runOf({ tracks: [{ frames: [2], place: [0, 0, 0] }] }), { uvs: [], forces: {} });
  assert.deepEqual(offered(full), ['shaded', 'checker', 'miss', 'acceleration', 'strain']);
  assert.equal(offersSurface(abilitiesOf([bare]), 'miss'), false);
  assert.equal(offersSurface(abilitiesOf([aimed]), 'miss'), true);
});

test('a tick looks like the worst of the keyframes on its frame', () => {
  const worst = (...keyframes) => {
    const { keyframe, state } = worstOutcome(outcomesAt(10, [runOf({ keyframes })]));
    return [keyframe.name, state];
  };
  const on10 = (keyframe) => ({ ...keyframe, frame: 10 });
  assert.deepEqual(worst(on10(BY_RMS), on10(BY_VERTEX)), ['10 (2)', 'missed']);
  assert.deepEqual(worst(on10(BY_VERTEX), on10(BY_VELOCITY)), ['10 (2)', 'missed']);
  assert.deepEqual(worst({ ...BY_RMS, rms: 0.001 }, BY_RMS, { frame: 10, rms: 1, max: 1 }), [
    '10 (2)',
    'reached',
  ]);
  assert.deepEqual(worst(BY_RMS, on10({ ...BY_VELOCITY, velocity: null })), ['10 (2)', 'unknown']);
});

// As much of a document as a table takes: elements with their children.
const DOCUMENT = {
  createElement: (tag) => {
    const element = { tag, children: [], style: {}, attributes: {}, addEventListener() {} };
    return Object.assign(element, {
      setAttribute: (name, value) => (element.attributes[name] = value),
      append: (...children) => element.children.push(...children),
      replaceChildren: (...children) => element.children.splice(0, Infinity, ...children),
    });
  },
};
const textOf = (node) => (typeof node === 'string' ? node : node.children.map(textOf).join(''));
const found = (node, tag) =>
  typeof node === 'string'
    ? []
    : [...(node.tag === tag ? [node] : []), ...node.children.flatMap((each) => found(each, tag))];

test('the table of keyframes has the tolerance of every vertex where one is asked for', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const cells = (...keyframes) => {
    const summary = {
      keyframes: keyframes.map((k) => ({
        frame: k.frame,
        rms_m: k.rms,
        max_m: k.max,
        tolerance_m: k.tolerance,
        ...(k.maxTolerance ? { tolerance_max_m: k.maxTolerance } : {}),
      })),
    };
    const rows = found(keyframesSection([runOf({ keyframes, summary })], null), 'tr');
    return rows.map((row) => row.children.map(textOf));
  };
  const [headings, byRms, byVertex] = cells(BY_RMS, BY_VERTEX);
  const at = headings.indexOf('Largest: tolerance');
  assert.equal(headings[at + 1], 'Largest');
  assert.deepEqual(byRms.slice(at, at + 2), ['–', '20 mm']);
  assert.deepEqual(byVertex.slice(at, at + 2), ['30 mm', '0.15 m']);
  assert.equal(byVertex.at(-1), '▲ missed');
  assert.ok(!cells(BY_RMS)[0].includes('Largest: tolerance'));
});

test('the table of keyframes says how much of a surface is bare, where that is too much', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const outcome = (leftBare) => {
    const coverage = {
      within_m: 0.05,
      bare: 0.16,
      spare: 0,
      left_bare: leftBare,
      farthest_m: 0.2,
      place_m: [0, 0, 0],
    };
    const summary = {
      keyframes: [
        { frame: BY_RMS.frame, rms_m: 0.01, max_m: 0.02, tolerance_m: 0.02, reached: true, coverage },
      ],
    };
    const rows = found(keyframesSection([runOf({ keyframes: [BY_RMS], summary })], null), 'tr');
    return textOf(rows.at(-1).children.at(-1));
  };
  assert.match(outcome(true), /^● reached 16.*% of the surface is farther than 50 mm from the cloth$/);
  assert.equal(outcome(false), '● reached');
});

test('the table of keyframes judges a track by its worst frame', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const outcome = (worst) => {
    const figures = { rms_m: 0.004, max_m: 0.02, tolerance_m: 0.005, worst: { frame: 7, rms_m: worst } };
    const summary = { keyframes: [], tracks: [{ range: [5, 9], ...figures }] };
    const rows = found(keyframesSection([runOf({ summary })], null), 'tr');
    return textOf(rows.at(-1).children.at(-1));
  };
  assert.equal(outcome(0.009), '▲ missed at worst 9 mm RMS, at frame 7');
  assert.equal(outcome(0.0045), '● reached at worst 4.5 mm RMS, at frame 7');
});

const track = (first, last, rms) => ({ range: [first, last], rms_m: rms, max_m: 2 * rms });

test('of two tracks over the same frames each has a row and a line of its own', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const tracks = [track(1, 9, 0.003), track(2, 9, 0.004), track(1, 9, 0.005)];
  const run = runOf({ summary: { keyframes: [], tracks } });
  const rows = found(keyframesSection([run], null), 'tr').slice(1);
  assert.deepEqual(
    rows.map((row) => row.children.slice(0, 3).map(textOf)),
    [
      ['1–9', '–', '3 mm'],
      ['1–9 (2)', '–', '5 mm'],
      ['2–9', '–', '4 mm'],
    ],
  );

  run.convergence = [
    { iteration: 0, keyframes: [], tracks: tracks.map((each) => ({ ...each, rms_m: 0.01 })) },
    { iteration: 1, keyframes: [], tracks },
  ];
  const plots = convergencePlots([run], 'iteration');
  const plot = plots.find(({ title }) => title === 'Miss of each keyframe, RMS');
  assert.deepEqual(
    plot.series.map(({ label, y }) => [label, ...y]),
    [
      ['track 1–9', 10, 3],
      ['track 2–9', 10, 4],
      ['track 1–9 (2)', 10, 5],
    ],
  );
});

test('so have they on the time line, and in the sentence above', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const over = (...rms) => ({ frames: [4, 5, 6], rms, tolerance: 0.01 });
  const tracks = [over(0.001, 0.002, 0.001), over(0.03, 0.02, 0.001)];
  const rows = trackRows([runOf({ tracks })], { firstFrame: 1, lastFrame: 30 }, () => {});
  assert.deepEqual(
    rows.map((row) => row.attributes.title.split(', miss')[0]),
    ['track 4–6, worst frame 5', 'track 4–6 (2), worst frame 4'],
  );
  assert.match(sentence(runOf({ tracks })), /frame 4 of track 4–6 \(2\): 30 mm off/);
  const [, missed] = tracks;
  assert.match(sentence(runOf({ keyframes: [BY_RMS], tracks: [missed] })), /frame 4 of the track: 30 mm off/);
});

test('of a stretch that is allowed, not measured, none is said to be the largest', () => {
  const scales = new Scales([runOf({ keyframes: [BY_RMS] })]);
  assert.equal(scales.end('strain'), 0.05);
  for (const kind of ['strain', 'miss']) scales.choose(kind, 0.001);
  assert.equal(scales.beyond('strain', 'shared', [0]), null);
  assert.deepEqual(scales.beyond('miss', 'shared', [0]), { run: 0, value: 0.02 });
});

test('the select of the stage shows the speed at which the stage runs', (t) => {
  globalThis.document = DOCUMENT;
  t.after(() => delete globalThis.document);
  const run = { firstFrame: 1, lastFrame: 9, fps: 23.976, substeps: 1 };
  const transport = new Transport(run, [], { send() {} });
  assert.equal(transport.speed.value, '1');
  transport.status({ ...run, playing: true, frame: 2, keyframes: [], frames: [1, 9], speed: 0.25 });
  assert.equal(transport.speed.value, '0.25');
  transport.tell(null);
  assert.match(transport.figures.textContent, /of 5\.994 frames\/s/);
});

test('the least distance has a logarithmic axis where each of them has a logarithm', () => {
  const plotOf = (...distances) => {
    const steps = distances.map((least_distance_m, n) => ({ frame: 1 + n, substep: 1, least_distance_m }));
    return stepPlots([{ title: 'run', substeps: 1, steps }]).find(({ title }) => title === 'Least distance');
  };
  assert.equal(plotOf(0.001, null, 0.002).log, true);
  for (const inside of [0, -0.003]) {
    const plot = plotOf(0.001, inside, 0.002);
    assert.equal(plot.log, false);
    assert.deepEqual(plot.series[0].y, [1, 1e3 * inside, 2]);
  }
});

test('plots and lines are left out whose axis has a place for none of their values', () => {
  const plot = (title, log, ...values) => {
    return { title, log, series: values.map((y, k) => ({ label: `${k}`, y })) };
  };
  const left = filled([
    plot('logarithmic', true, [0, null, 2], [0, 0], [null], [-1, 0]),
    plot('nothing above 0', true, [0, 0], [null, -1]),
    plot('linear', false, [0, 0], [null, undefined], [-1]),
    plot('nothing', false, [null]),
  ]);
  assert.deepEqual(
    left.map(({ title, log, series }) => [title, log, ...series.map(({ label }) => label)]),
    [
      ['logarithmic', true, '0'],
      ['linear', false, '0', '2'],
    ],
  );
});

// Follows a program that is asked each second, and fails where no answer is told; how often it was asked.
async function follow(answers, status, t) {
  let time = 0;
  let asked = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    const answer = answers[asked++];
    if (answer === undefined) throw new Error('refused');
    return { ok: answer !== 503, status: answer, text: async () => answer };
  });
  const wait = async (ms) => {
    time += ms;
  };
  await followLive(status, 3, () => false, { now: () => time, wait });
  return asked;
}

test('a page that follows a run forgives a program that does not answer for some seconds', async (t) => {
  const fails = (count) => Array(count).fill(undefined);
  const status = {};
  assert.equal(await follow(['3', ...fails(8), '3', 503, ...fails(5), '3'], status, t), 17 + 10);
  assert.match(status.textContent, /cannot be reached/);
});

test('a page whose socket is closed asks whether its stage is still there', async (t) => {
  globalThis.window = { location: { href: 'http://127.0.0.1/' } };
  t.after(() => delete globalThis.window);
  const fetch = t.mock.method(globalThis, 'fetch', async () => ({ body: { cancel: async () => {} } }));
  assert.match(await reasonOfEnd(), /too many pages are open.*reload/i);
  fetch.mock.mockImplementation(async () => {
    throw new Error('refused');
  });
  assert.match(await reasonOfEnd(), /keydrape play has ended/);
});
