// Opens reports in a real browser. tests/outside/report/run starts it; REPORT_WORK is where folders and pictures go.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { assertClose, assertDrawnPositions, assertLogsPlotted, assertPlotted } from './agreement.mjs';
import { COARSE, launch, ReportPage } from './browser.mjs';
import { Folder, readJson, readJsonLines, readNpy } from './folder.mjs';

const PROGRAM = process.env.REPORT_PROGRAM;
const EXAMPLES = process.env.REPORT_EXAMPLES;
const WORK = process.env.REPORT_WORK;
const STANDARD_GRAVITY = 9.80665;
const LARGEST_REPORT = 15e6; // [bytes], for 10,000 vertices x 120 frames
const SOUGHT_FRAMES = 16; // of them, to see what a frame costs

const at = (...parts) => path.join(WORK, ...parts);
const keydrape = (...words) =>
  execFileSync(PROGRAM, [...words, '--progress', 'none', '--quiet'], { encoding: 'utf8' });

let browser;
before(async () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(at('pictures'), { recursive: true });
  browser = await launch();
});
after(() => browser.close());

async function withReport(file, options, body) {
  const report = await ReportPage.open(browser, file, { ...COARSE, ...options });
  try {
    await body(report);
    report.assertNoComplaint();
  } finally {
    await report.close();
  }
}

const scene = (name) => path.join(EXAMPLES, name, `${name}.toml`);

// The example with another text of its scene: each of `changes` is what stands there, and what takes its place.
function changed(folder, file, changes) {
  cpSync(path.join(EXAMPLES, folder), at('scenes', folder), { recursive: true });
  const copy = at('scenes', folder, file);
  let text = readFileSync(copy, 'utf8');
  for (const [there, instead] of changes) {
    assert.ok(text.includes(there), `${copy} says ${there}`);
    text = text.replaceAll(there, instead);
  }
  writeFileSync(copy, text);
  return copy;
}

// What `action` makes of a live page, which may load itself anew at any moment, between two of its questions too:
// then it is asked again.
async function acrossReloads(report, action) {
  for (;;) {
    const loads = report.loads;
    try {
      await report.page.waitForFunction(() => window.keydrape, null, { timeout: 120_000 });
      return await action();
    } catch (error) {
      if (report.loads === loads && !/context was destroyed/.test(error.message)) throw error;
    }
  }
}

// Whether the page grew while the solver ran; a browser that opens it too late, on a busy machine, has nothing to see.
async function growsWhileSolving() {
  rmSync(at('twin'), { recursive: true, force: true });
  const run = spawn(PROGRAM, ['solve', scene('twin'), '-o', at('twin'), '--live', '--progress', 'none']);
  let said = '';
  run.stderr.on('data', (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => {
    run.on('exit', resolve);
  });
  const until = async (test_, what) => {
    for (let k = 0; k < 1200 && !test_(); ++k)
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    assert.ok(test_(), `${what}; it said: ${said}`);
  };
  await until(() => /iteration 0:/.test(said), 'no iteration');
  const url = said.match(/live report: (\S+)/)[1];
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  const foreign = await fetch(url.replace('127.0.0.1', '127.0.0.2')).catch(() => null);
  assert.equal(foreign, null, 'it listens on 127.0.0.1 alone');

  await until(() => existsSync(at('twin', 'report.html')), 'no report.html while it runs');
  const report = await ReportPage.open(browser, url, COARSE);
  const points = async () => (await report.plot('Objective')).series[0].y.length;
  const begin = await acrossReloads(report, async () => {
    const count = await points();
    await report.evaluate(() => window.keydrape.seek(1009));
    return count;
  });
  const longer = report.page.waitForFunction(
    (count) =>
      window.keydrape?.plots().find((plot) => plot.title === 'Objective')?.series[0]?.y.length > count,
    begin,
    { timeout: 120_000 },
  );
  const over = report.page.getByText('the program cannot be reached').waitFor({ timeout: 120_000 });
  const grew = await Promise.race([longer.then(() => true), over.then(() => false)]);
  longer.catch(() => {}); // whichever came second is of no interest
  over.catch(() => {});
  const { frame } = await acrossReloads(report, () => report.state());
  assert.equal(frame, 1009); // kept over the reload
  assert.equal(await ended, 0, said);
  await report.page.getByText('the program cannot be reached').waitFor();
  if (grew) assert.equal(await points(), readJsonLines(at('twin', 'convergence.jsonl')).length);
  await report.close();
  return grew;
}

// Solved once for all tests that ask for the twin.
test('solve --live serves a report that grows', async () => {
  for (let attempt = 0; attempt < 6; ++attempt) if (await growsWhileSolving()) return;
  assert.fail('no page grew in six runs');
});

// Broken off in its first window, its page says so behind `said` and has the cloth so far.
async function breakOffInWindows(signal, said) {
  const runs = 'max_forward_simulations = 16';
  const parts = changed('twin', 'twin.toml', [[runs, `${runs}\nwindows = { length = 14, overlap = 2 }`]]);
  const folder = at(`windows_${signal}`);
  const run = spawn(PROGRAM, ['solve', parts, '-o', folder, '--progress', 'none', '--quiet']);
  const ended = new Promise((resolve) => {
    run.on('exit', resolve);
  });
  while (run.exitCode === null && !existsSync(`${folder}/report.html`))
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  run.kill(signal);
  await ended;
  await withReport(`${folder}/report.html`, {}, async (report) => {
    assert.match(await report.page.locator('header .said').textContent(), said);
    const known = await report.evaluate(() => window.keydrape.report.runs[0].mainTake.motion.frameCount);
    assert.equal(known, 15);
  });
}

const IN_WINDOW = 'in window 1 of 2 \\(frames 1001–1015\\); the cloth is known up to frame 1015; so far ';

test('a search in windows shows the one that it is in', () =>
  breakOffInWindows('SIGKILL', new RegExp(`^After \\d+ iterations?, ${IN_WINDOW}`)));

test('a search in windows that was interrupted shows how far it came', () =>
  breakOffInWindows('SIGINT', new RegExp(`^Interrupted, ${IN_WINDOW}`)));

test('a draft is called that in the headline, and a run is not', async () => {
  const headline = (page) => page.evaluate(() => document.querySelector('header .verdict').textContent);
  keydrape('simulate', scene('twin'), '--draft', '-o', at('draft'));
  keydrape('report', at('draft'), '-o', at('draft.html'));
  await withReport(at('draft.html'), {}, async (report) => {
    assert.match(await headline(report), /^● done; a DRAFT, of linearised steps: to look at alone$/);
  });
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    assert.equal(await headline(report), '● done');
  });
});

test('the report of a live run agrees with its files', async () => {
  const folder = new Folder(at('twin'));
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    await assertDrawnPositions(report, folder);
    await assertLogsPlotted(report, folder);
    await report.picture(at('pictures', 'twin-light.png'));
  });
});

test('solve writes a report that agrees with its files', async () => {
  const loose = changed('twin', 'twin.toml', [
    ['7e-5', '0.005'],
    ['max_forward_simulations = 16', 'max_forward_simulations = 8'],
  ]);
  keydrape('solve', loose, '-o', at('loose'));
  const folder = new Folder(at('loose'));
  await withReport(at('loose', 'report.html'), {}, async (report) => {
    await assertDrawnPositions(report, folder);
    await assertLogsPlotted(report, folder);
  });
});

test('the control plot and the heat maps show what the arrays say', async () => {
  const folder = new Folder(at('twin'));
  const n = folder.vertexCount;
  const forces = readNpy(at('twin', 'forces.npy')).values;
  const mass = readNpy(at('twin', 'shot', 'mass.npy')).values;
  const acceleration = (frame, i) => {
    const k = 3 * ((frame - folder.firstFrame) * n + i);
    return Math.hypot(forces[k], forces[k + 1], forces[k + 2]) / (mass[i] * STANDARD_GRAVITY);
  };
  const vertices = Array.from({ length: n }, (_, i) => i);
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    const peaks = (await report.plot('Control acceleration in each frame interval')).series[0];
    assert.equal(peaks.x.length, folder.frameCount - 1);
    peaks.x.forEach((frame, k) => {
      const peak = Math.max(...vertices.map((i) => acceleration(frame, i)));
      assertClose(peaks.y[k], peak, 1e-12 * peak, `peak at ${frame}`);
    });

    const target = readNpy(at('twin', 'shot', 'keyframes.npy')).values;
    const { frame } = folder.shot.keyframes[0];
    const miss = await report.evaluate((f) => {
      window.keydrape.seek(f);
      window.keydrape.store.set({ surface: 'miss' });
      return window.keydrape.heat();
    }, frame);
    vertices.forEach((i) => {
      const x = folder.position(frame, i);
      const distance = Math.hypot(...x.map((value, c) => value - target[3 * i + c]));
      assertClose(miss[i], distance, 1e-6 * distance, `miss of vertex ${i}`);
    });
    const largest = Math.max(...peaks.y);
    const heat = await report.evaluate(() => {
      window.keydrape.store.set({ surface: 'acceleration' });
      return window.keydrape.heat();
    });
    const masses = vertices.map((i) => mass[i]);
    const lightest = Math.min(...masses) / Math.max(...masses); // forces share a grid, accelerations do not
    vertices.forEach((i) =>
      assertClose(heat[i], acceleration(frame, i), largest / 511 / lightest, `acceleration ${i}`),
    );
    assert.equal(heat[0], 0); // pinned: exactly nothing
  });
});

test('beside the miss stands the largest of the cloth that is shown', async () => {
  await withReport(`${at('twin', 'report.html')}#frame=1010&surface=miss`, {}, async (report) => {
    const end = report.page.getByLabel('End of the colour map').first();
    await end.fill('1e-6');
    await end.press('Tab'); // so that what the search has left is beyond it
    const said = [];
    for (const take of ['controlled', 'uncontrolled']) {
      const heat = await report.evaluate((name) => {
        window.keydrape.store.set({ take: name });
        return window.keydrape.heat();
      }, take);
      const largest = Math.max(...heat);
      const length = Number((1e3 * largest).toPrecision(3));
      const now = `Now at most ${length} mm, at vertex ${heat.indexOf(largest)}.`;
      const note = await report.page.locator('.legend .note').first().textContent();
      assert.ok(note.startsWith(now), `"${note}" begins with "${now}"`);
      said.push(note.slice(now.length));
    }
    assert.match(said[0], /^ The largest is .* mm; it has the end’s colour\.$/);
    assert.equal(said[1], ''); // that is of the other cloth
  });
});

test('the end of the colour map can be typed while the shot plays', async () => {
  await withReport(`${at('twin', 'report.html')}#frame=1010&surface=miss`, {}, async (report) => {
    const end = report.page.getByLabel('End of the colour map').first();
    await report.evaluate(() => window.keydrape.play());
    await end.fill('12');
    const { frame } = await report.state();
    await report.page.waitForFunction((at_) => window.keydrape.store.state.frame !== at_, frame);
    assert.equal(await end.inputValue(), '12');
    await end.press('Enter');
    assert.equal(await report.evaluate(() => window.keydrape.scaleEnd()), 0.012);

    await report.evaluate(() => window.keydrape.seek(1010));
    const note = await report.page.locator('.legend .note').first().textContent();
    assert.match(note, /^Now at most/);
    await end.fill('-1');
    await end.press('Enter');
    assert.equal(await end.inputValue(), '12');
    assert.equal(await report.page.locator('.legend .note').first().textContent(), note);
  });
});

test('plays, and obeys the keyboard', async () => {
  await withReport(at('twin', 'report.html'), { colorScheme: 'dark' }, async (report) => {
    const { keyboard } = report.page;
    await keyboard.press('Home'); // it opens at the keyframe that is missed by most
    await keyboard.press(' ');
    await report.page.waitForFunction(() => window.keydrape.store.state.frame > 1004);
    await keyboard.press(' ');
    assert.equal(await report.evaluate(() => window.keydrape.playing()), false);
    const expected = async (key, state) => {
      await keyboard.press(key);
      const found = await report.state();
      for (const [name, value] of Object.entries(state)) assert.equal(found[name], value, `after ${key}`);
    };
    await expected('Home', { frame: 1001 });
    await expected('ArrowLeft', { frame: 1001 });
    await expected('ArrowRight', { frame: 1002 });
    await expected('Shift+ArrowRight', { frame: 1013 });
    await expected('Shift+ArrowRight', { frame: 1025 });
    await expected('Shift+ArrowLeft', { frame: 1013 });
    await expected('End', { frame: 1025 });
    await expected('2', { take: 'uncontrolled' });
    await expected('3', { take: 'both' });
    await expected('m', { surface: 'miss' });
    await expected('c', { surface: 'checker' });
    await expected('w', { wireframe: true });
    await expected('f', { arrows: true });
    await expected('g', { ghosts: 'all' });
    await keyboard.press('Shift+?');
    assert.ok(await report.page.locator('dialog').isVisible());
    await keyboard.press('Escape');
    await report.page.getByRole('button', { name: /keyframe 1013/ }).click();
    assert.equal((await report.state()).frame, 1013);
    await report.picture(at('pictures', 'twin-dark.png'));
  });
});

test('opens where a link points to', async () => {
  const open = (hash, body) =>
    withReport(`${at('twin', 'report.html')}${hash}`, {}, async (report) => body(await report.state()));
  await open('#frame=1010&surface=miss&arrows=true&take=both', (state) => {
    assert.deepEqual([state.frame, state.surface, state.arrows, state.take], [1010, 'miss', true, 'both']);
    assert.equal(state.ghosts, 'ahead');
  });
  await open('#frame=99999&surface=nonsense&arrow=true', (state) => {
    assert.deepEqual([state.frame, state.surface, state.arrows], [1025, 'shaded', false]);
  });
});

test('neither a key nor a link shows what a page does not have', async () => {
  const curtain = path.join(EXAMPLES, 'twin', 'curtain.obj');
  writeFileSync(
    at('aimless.toml'),
    `[shot]\nframes = "1001-1003"\nsubsteps = 1\n[cloth]\nrest = "${curtain}"
[cloth.material]\npreset = "cotton"\n`,
  );
  keydrape('simulate', at('aimless.toml'), '-o', at('aimless'));
  keydrape('report', at('aimless'));
  const link = `${at('aimless', 'report.html')}#surface=miss&take=both&wireframe=true`;
  await withReport(link, {}, async (report) => {
    const state = await report.state();
    assert.deepEqual([state.surface, state.take, state.wireframe], ['shaded', 'controlled', true]);
    for (const key of ['m', 'a', 'd', '2', '3']) {
      await report.page.keyboard.press(key);
      assert.deepEqual({ ...(await report.state()) }, state, `after ${key}`);
    }
    await report.page.keyboard.press('t');
    assert.equal((await report.state()).surface, 'strain');
  });
});

test('a page that is loaded anew is where it was', async () => {
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    await report.page.locator('.u-legend').last().waitFor();
    const there = await report.evaluate(() => {
      window.history.scrollRestoration = 'manual'; // the browser's own comes before there is anything
      window.scrollTo(0, document.documentElement.scrollHeight);
      return window.scrollY;
    });
    assert.ok(there > 900, `the page is ${there} pixels longer than its window`);
    await report.page.reload();
    await report.page.waitForFunction(() => window.keydrape, null, { timeout: 120_000 });
    const place = await report.evaluate(() => window.scrollY);
    assertClose(place, there, 2, 'the place on the page'); // a pixel is 2
  });
});

test('the picture follows the height of the window, and how finely the screen draws', async () => {
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    for (const [height, pixels, drawn] of [
      [500, 1.5, 1.5],
      [700, 3, 2],
    ]) {
      await report.evaluate((ratio) => {
        window.devicePixelRatio = ratio;
      }, pixels);
      await report.page.setViewportSize({ width: 1360, height });
      await report.page.waitForFunction(
        (high) => document.querySelector('.stage canvas').clientHeight === high,
        Math.round(0.72 * height),
      );
      const shares = await report.evaluate(() => {
        const { width, height: high, clientWidth, clientHeight } = document.querySelector('.stage canvas');
        return [width / clientWidth, high / clientHeight];
      });
      for (const share of shares) assertClose(share, drawn, 0.01, `pixels to one of the page at ${pixels}`);
    }
  });
});

test('a plot shows values under the pointer and takes the player to a frame', async () => {
  await withReport(at('twin', 'report.html'), {}, async (report) => {
    const plot = report.page.locator('figure.plot').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.locator('.u-over').boundingBox();
    await report.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const frame = Number(await plot.locator('.u-legend .u-value').first().textContent());
    assert.ok(frame > 1005 && frame < 1020, `the legend says frame ${frame}`);
    await report.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal((await report.state()).frame, frame);
  });
});

test('prints in light colours, with the cloth as a picture', async () => {
  await withReport(at('twin', 'report.html'), { colorScheme: 'dark' }, async (report) => {
    const pdf = await report.page.pdf({ path: at('pictures', 'twin.pdf'), format: 'A4' });
    assert.ok(pdf.length > 50_000);
    assert.match(await report.page.locator('img.paper').getAttribute('src'), /^data:image\/png/);
    assert.equal(await report.evaluate(() => document.documentElement.dataset.theme), 'dark'); // again
  });
});

// The first half second of each.
for (const [name, size, frames] of [
  ['flag', [1360, 900], ['1060', '1030']],
  ['skirt', [390, 844], ['1048', '1024']],
]) {
  test(`simulate and report agree on the ${name}`, async () => {
    const [end, middle] = frames;
    const short = changed(name, `${name}.toml`, [
      [`frames = "1001-${end}"`, 'frames = "1001-1013"'],
      [`frame = ${middle}`, 'frame = 1007'],
      [`frame = ${end}`, 'frame = 1013'],
    ]);
    keydrape('simulate', short, '-o', at(name));
    keydrape('report', at(name));
    await withReport(at(name, 'report.html'), { width: size[0], height: size[1] }, async (report) => {
      await assertDrawnPositions(report, new Folder(at(name)));
      await report.picture(at('pictures', `${name}.png`), { fullPage: true });
      const overflow = await report.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than its window`);
    });
  });
}

test('draws contact pairs, and says how many there are', async () => {
  // As long as it takes the cloth to fall on the ball, and on itself; the ball turns while it does.
  const ball = changed('tablecloth', 'tablecloth_sphere.toml', [
    ['frames = "1001-1036"', 'frames = "1001-1016"'],
    ['[[1018, [0, 0, 0]], [1036, [0, 90, 0]]]', '[[1007, [0, 0, 0]], [1016, [0, 45, 0]]]'],
  ]);
  keydrape('simulate', ball, '-o', at('ball'));
  keydrape('report', at('ball'));
  const { shape, values } = readNpy(at('ball', 'contacts.npy'));
  assert.equal(shape[1], 8);
  const rows = Array.from({ length: shape[0] }, (_, k) => [...values.subarray(8 * k, 8 * k + 8)]);
  const distance = (row) => Math.hypot(row[2] - row[5], row[3] - row[6], row[4] - row[7]);
  const counts = rows.reduce((all, [frame]) => all.set(frame, (all.get(frame) ?? 0) + 1), new Map());
  const [frame] = [...counts].sort((a, b) => b[1] - a[1])[0]; // the one with most
  const there = rows.filter((row) => row[0] === frame);
  const layers = there.filter((row) => row[1] === 0);
  const bodies = there.filter((row) => row[1] === 1);
  assert.ok(bodies.length > 50, `${bodies.length} pairs with the ball`);
  await withReport(at('ball', 'report.html'), {}, async (report) => {
    await report.evaluate((f) => window.keydrape.seek(f), frame);
    assert.deepEqual((await report.evaluate(() => window.keydrape.contacts())).middles, []);
    await report.page.keyboard.press('p');
    assert.equal((await report.state()).contacts, true);
    const { pairs, middles } = await report.evaluate(() => window.keydrape.contacts());
    assert.equal(pairs.length, there.length);
    assert.equal(middles.length, there.length);
    const step = await report.evaluate(() => window.keydrape.report.runs[0].contacts.json.step);
    [...layers, ...bodies].forEach((row, k) => {
      assertClose(pairs[k].distance, distance(row), 1e-7, `distance of pair ${k}`);
      for (let c = 0; c < 3; ++c) {
        assertClose(pairs[k].cloth[c], row[2 + c], 0.501 * step[c], `pair ${k} on the cloth`);
        assertClose(pairs[k].opposite[c], row[5 + c], 0.501 * step[c], `pair ${k} opposite`);
        assertClose(middles[k][c], (row[2 + c] + row[5 + c]) / 2, step[c] + 1e-6, `segment ${k}`);
      }
    });
    const said = await report.page.locator('.legend .note:visible').textContent();
    assert.equal(said, `${layers.length} of the cloth with itself, ${bodies.length} with bodies.`);
    await report.picture(at('pictures', 'contacts.png'));
    await report.page.keyboard.press('Home'); // nothing touches in the air
    assert.deepEqual((await report.evaluate(() => window.keydrape.contacts())).pairs, []);
  });
});

test('shows surfaces, scans, landmarks and tracks as ghosts', async () => {
  mkdirSync(at('targets'));
  const curtain = path.join(EXAMPLES, 'twin', 'curtain.obj');
  const wall = [
    [-0.4, -0.9, 0.21],
    [0.9, -0.9, 0.22],
    [0.9, 0.1, 0.24],
    [-0.4, 0.1, 0.23],
  ];
  const vertices = wall.map((p) => `v ${p.join(' ')}\n`).join('');
  writeFileSync(at('targets', 'wall.obj'), `${vertices}f 1 2 3\nf 1 3 4\n`);
  writeFileSync(at('targets', 'scan.obj'), vertices);
  const landmark = [3, 0.1, -0.4, 0.3]; // vertex x y z
  writeFileSync(
    at('targets', 'targets.toml'),
    `[shot]\nframes = "1001-1025"\nsubsteps = 1\n[cloth]\nrest = "${curtain}"\n[cloth.material]\npreset = "cotton"
[[keyframe]]\nframe = 1005\nwindow = "1005-1006"\nlandmarks = [[${landmark.join(', ')}]]
[[keyframe]]\nframe = 1010\nsurface = "wall.obj"\nmax_angle = 180
[[keyframe]]\nframe = 1012\nsurface = "scan.obj"\nmax_angle = 180
[[track]]\ncache = "${at('twin', 'controlled.pc2')}"\nframes = "1015-1020"\ntolerance = 0.01\n`,
  );
  keydrape('simulate', at('targets', 'targets.toml'), '-o', at('targets', 'out'));
  keydrape('report', at('targets', 'out'));
  const twin = new Folder(at('twin'));
  const folder = new Folder(at('targets', 'out'));
  await withReport(at('targets', 'out', 'report.html'), {}, async (report) => {
    const shown = (frame) =>
      report.evaluate((f) => {
        window.keydrape.seek(f);
        return window.keydrape.ghosts();
      }, frame);
    const assertPlace = (found, expected, tolerance) =>
      expected.forEach((value, c) => assertClose(found[c], value, tolerance, `coordinate ${c}`));
    const only = (ghosts, kind) => {
      const found = ghosts.filter((ghost) => ghost.kind === kind);
      assert.equal(found.length, 1, `${kind} among ${ghosts.map((ghost) => ghost.kind)}`);
      return found[0].positions;
    };
    assertPlace(only(await shown(1001), 'landmarks'), landmark.slice(1), 1e-6);
    for (const frame of [1008, 1012]) assertPlace(only(await shown(frame), 'surface'), wall.flat(), 1e-6);
    const step = await report.evaluate(() => window.keydrape.report.runs[0].tracks[0].motion.step);
    for (const frame of [1015, 1018]) {
      const x = only(await shown(frame), 'track');
      for (const vertex of [0, 40])
        assertPlace(x.slice(3 * vertex), twin.position(frame, vertex), 0.501 * Math.max(...step) + 1e-6);
    }
    assert.ok(
      (await shown(1021)).every(({ kind }) => kind !== 'track'),
      'the track has ended',
    );

    // The time line has a bar for each frame of the track, which leads to the worst one.
    const track = readJson(at('targets', 'out', 'summary.json')).tracks[0];
    const row = report.page.locator('.track-row');
    assert.equal(
      await row.locator('.bar.missed').count(),
      track.frame_rms_m.filter((rms) => rms > 0.01).length,
    );
    assert.equal(await row.locator('.bar').count(), 6);
    await row.click();
    assert.equal((await report.state()).frame, track.worst.frame);
    const slid = report.page.getByRole('button', {
      name: /^keyframe 10(05|06), chosen among 1005 to 1006, /,
    });
    assert.equal(await slid.count(), 1);
    await report.evaluate(() => window.keydrape.seek(1010));
    await report.picture(at('pictures', 'targets.png'));

    // The distance from a surface, from the full numbers: of a plane in closed form.
    const heat = await report.evaluate(() => {
      window.keydrape.store.set({ surface: 'miss' });
      return window.keydrape.heat();
    });
    const normal = [-0.01 / 1.3, -0.02, 1]; // z = 0.21 + (x + 0.4) 0.01/1.3 + (y + 0.9) 0.02
    const length = Math.hypot(...normal);
    for (const vertex of [0, 20, 40]) {
      const [x, y, z] = folder.position(1010, vertex);
      const height = z - 0.21 - ((x + 0.4) * 0.01) / 1.3 - (y + 0.9) * 0.02;
      assertClose(heat[vertex], Math.abs(height) / length, 1e-5, `distance of vertex ${vertex}`);
    }
  });
});

// Two keyframes on one frame, of which one is missed by its velocities alone: time line, table and summary agree.
test('velocities are judged as the summary judges them', async () => {
  mkdirSync(at('velocities'));
  const curtain = path.join(EXAMPLES, 'twin', 'curtain.obj');
  const keyframe = (more) =>
    `[[keyframe]]\nframe = 1008\nmesh = "${curtain}"\nvelocity_weight = 1\n${more}\n`;
  writeFileSync(
    at('velocities', 'velocities.toml'),
    `[shot]\nframes = "1001-1015"\nsubsteps = 1\n[cloth]\nrest = "${curtain}"\n[cloth.material]\npreset = "cotton"
${keyframe('tolerance = 0.7')}${keyframe('tolerance = 0.7\nvelocity_tolerance = 0.01')}
[[keyframe]]\nframe = 1012\nmesh = "${curtain}"\nvelocity_weight = 1\nvelocity_tolerance = 0.01\n`,
  );
  keydrape('simulate', at('velocities', 'velocities.toml'), '-o', at('velocities', 'out'));
  keydrape('report', at('velocities', 'out'));
  const { keyframes } = readJson(at('velocities', 'out', 'summary.json'));
  assert.deepEqual(
    keyframes.map(({ reached }) => reached),
    [true, false, false],
  );
  await withReport(at('velocities', 'out', 'report.html'), {}, async (report) => {
    const ticks = report.page.locator('.tick');
    assert.equal(await ticks.count(), 2);
    for (const tick of await ticks.all()) assert.match(await tick.getAttribute('class'), /\bmissed\b/);
    const [first, second] = (await ticks.first().getAttribute('title')).split('\n');
    assert.match(first, /^keyframe 1008, .* velocities .* m\/s RMS, tolerance –, reached$/);
    assert.match(second, /^keyframe 1008 \(2\), .* velocities .* m\/s RMS, tolerance 0\.01 m\/s, missed$/);
    const rows = report.page.locator('table', { hasText: 'Distance from each keyframe' }).locator('tbody tr');
    const texts = await Promise.all((await rows.all()).map((row) => row.locator('th, td').allTextContents()));
    assert.deepEqual(
      texts.map((cells) => [cells[0], cells.at(-1)]),
      [
        ['1008', '● reached'],
        ['1008 (2)', '▲ missed'],
        ['1012', '▲ missed'],
      ],
    );
    assert.equal(texts[1].at(-3), '0.01 m/s');
    const ghosts = await report.evaluate(() => {
      window.keydrape.seek(1001);
      return window.keydrape.ghosts();
    });
    assert.equal(ghosts.length, 2); // of the next frame, not of 1012
  });
});

// `p` after a turn by an angle [degrees] about the y axis through `pivot`, and a shift [m].
function turnedAndShifted(p, angle, pivot, shift) {
  const [c, s] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const [x, y, z] = p.map((value, k) => value - pivot[k]);
  return [c * x + s * z, y, c * z - s * x].map((value, k) => value + pivot[k] + shift[k]);
}

test('bodies move with the frames', async () => {
  mkdirSync(at('bodies'));
  const curtain = path.join(EXAMPLES, 'twin', 'curtain.obj');
  const figure = path.join(EXAMPLES, 'cape', 'body.obj');
  const vertices = (file) =>
    readFileSync(file, 'utf8')
      .match(/^v .*$/gm)
      .map((line) => line.split(' ').slice(1).map(Number));
  const flap = (frame) => [
    [-3, -1, 0],
    [-2, -1, 0.01 * (frame - 1001)],
    [-2.3, 0.1 * (frame - 1001) ** 2, 0.5],
  ];
  const flapFile = (frame) => at('bodies', `flap.${frame}.obj`);
  for (let frame = 1001; frame <= 1005; ++frame)
    writeFileSync(
      flapFile(frame),
      `${flap(frame)
        .map((p) => `v ${p.join(' ')}\n`)
        .join('')}f 1 2 3\n`,
    );
  writeFileSync(
    at('bodies', 'bodies.toml'),
    `[shot]\nframes = "1001-1005"\nsubsteps = 1\n[cloth]\nrest = "${curtain}"\n[cloth.material]\npreset = "cotton"
[[collider]]\nbox = { min = [2, 0, 0], max = [2.5, 0.3, 0.4] }\npivot = [2, 0, 0]
rotate = [[1001, [0, 0, 0]], [1005, [0, 40, 0]]]\ntranslate = [[1001, [0, 0, 0]], [1005, [0, 0.4, 0]]]
[[collider]]\nmesh = "${flapFile(1001)}"\nas = "surface"\nmotion = "flap.####.obj"
[[collider]]\nmesh = "${figure}"\nvoxel = 0.05\npivot = [0, 0, 0]
rotate = [[1001, [0, 30, 0]], [1005, [0, 90, 0]]]\ntranslate = [[1001, [5, 0, 0]], [1005, [5, 0, -0.2]]]
[[collider]]\nsphere = { center = [0, 0, -3], radius = 0.5 }\nrotate = [[1001, [0, 0, 0]], [1005, [0, 90, 0]]]
[[collider]]\nbox = { min = [3, 0, 0], max = [3.2, 0.3, 0.4] }\ntranslate = [0, 0, -2]\n`,
  );
  keydrape('simulate', at('bodies', 'bodies.toml'), '-o', at('bodies', 'out'));
  keydrape('report', at('bodies', 'out'));
  await withReport(at('bodies', 'out', 'report.html'), {}, async (report) => {
    const drawn = (frame, body, vertex) =>
      report.evaluate(
        ([f, b, v]) => {
          window.keydrape.seek(f);
          return window.keydrape.drawnBody(b, v);
        },
        [frame, body, vertex],
      );
    const assertDrawn = async (frame, body, vertex, expected, tolerance = 2e-6) => {
      const found = await drawn(frame, body, vertex);
      expected.forEach((value, c) =>
        assertClose(found[c], value, tolerance, `body ${body}, vertex ${vertex}, frame ${frame}`),
      );
    };
    const corner = await drawn(1001, 0, 0);
    assert.ok(
      [2, 2.5].some((x) => Math.abs(corner[0] - x) < 1e-6),
      `a corner of the box at ${corner}`,
    );
    const top = await drawn(1001, 3, 700);
    const figureVertices = vertices(figure);
    for (const frame of [1001, 1003, 1005]) {
      const share = (frame - 1001) / 4;
      const turned = (p, angle, pivot, shift) => turnedAndShifted(p, angle, pivot, shift);
      await assertDrawn(frame, 0, 0, turned(corner, 40 * share, [2, 0, 0], [0, 0.4 * share, 0]));
      for (const vertex of [1, 2]) await assertDrawn(frame, 1, vertex, flap(frame)[vertex], 2 / 2 ** 14); // half a step of the grid, of 1.6 m
      for (const vertex of [0, figureVertices.length - 1])
        await assertDrawn(
          frame,
          2,
          vertex,
          turned(figureVertices[vertex], 30 + 60 * share, [0, 0, 0], [5, 0, -0.2 * share]),
        );
      await assertDrawn(frame, 3, 700, turned(top, 90 * share, [0, 0, -3], [0, 0, 0]));
      const resting = await drawn(frame, 4, 0);
      assert.ok(
        [-2, -1.6].some((z) => Math.abs(resting[2] - z) < 1e-6),
        `a box that rests at ${resting}`,
      );
    }
    await report.evaluate(() => window.keydrape.seek(1005));
    await report.picture(at('pictures', 'bodies.png'));
  });
});

test('level sets are drawn where their record has a surface', async () => {
  const record = at('bodies', 'out', 'shot', 'shot.json');
  const shot = readJson(record);
  const figure = shot.colliders[2];
  const report_ = async (collider, body) => {
    shot.colliders[2] = collider;
    writeFileSync(record, JSON.stringify(shot));
    keydrape('report', at('bodies', 'out'));
    await withReport(at('bodies', 'out', 'report.html'), {}, async (report) => {
      const drawn = await report.evaluate(() => {
        window.keydrape.seek(1005);
        return window.keydrape.drawnBody(2, 0);
      });
      await body(drawn, await report.page.getByText('level set').count());
    });
  };
  await report_({ ...figure, kind: 'vdb' }, (drawn, sentences) => {
    const expected = turnedAndShifted(figure.positions[0], 90, [0, 0, 0], [5, 0, -0.2]);
    drawn.forEach((value, c) => assertClose(value, expected[c], 2e-6, `component ${c}`));
    assert.equal(sentences, 0);
  });
  // As versions wrote it that knew no surface.
  await report_({ kind: 'vdb', motion: 'none' }, (drawn, sentences) => {
    assert.equal(drawn, null);
    assert.equal(sentences, 1);
  });
});

test('compares two runs side by side', async () => {
  keydrape('report', at('twin'), at('flag'), '-o', at('compare.html'));
  await withReport(at('compare.html'), {}, async (report) => {
    await assertDrawnPositions(report, new Folder(at('twin')), { run: 0 });
    await assertDrawnPositions(report, new Folder(at('flag')), { run: 1 });
    const energy = await report.plot('Energy');
    assert.deepEqual(
      energy.series.map((series) => series.label),
      ['twin: kinetic', 'twin: elastic', 'flag: kinetic', 'flag: elastic'],
    );
    assert.deepEqual(await report.page.locator('.panel-labels span').allTextContents(), ['twin', 'flag']);
    await report.page.keyboard.press('d'); // of other vertices: there is no distance, and no colours
    await report.page.keyboard.press('o');
    await report.picture(at('pictures', 'compare-over.png'));
    await report.page.keyboard.press('s');
    await report.page.keyboard.press('o');
    await report.picture(at('pictures', 'compare.png'));
  });
});

test('10,000 vertices x 120 frames fit 15 MB and 60 frames/s', async (context) => {
  execFileSync(process.execPath, [
    path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), 'large_run.mjs'),
    at('large'),
  ]);
  keydrape('report', at('large'));
  const bytes = statSync(at('large', 'report.html')).size;
  assert.ok(bytes < LARGEST_REPORT, `${bytes} bytes`);
  await withReport(at('large', 'report.html'), {}, async (report) => {
    await assertDrawnPositions(report, new Folder(at('large')));
    // What a frame costs the page; pixels are drawn in software here and would say nothing about a laptop's
    // graphics.
    const times = await report.evaluate(async (frames) => {
      window.keydrape.store.set({ surface: 'miss', arrows: true, contacts: true });
      const spent = [];
      for (let k = 0; k < frames; ++k) {
        const begin = performance.now();
        window.keydrape.seek(1001 + k);
        spent.push(performance.now() - begin);
        await new Promise(requestAnimationFrame);
      }
      return spent.sort((a, b) => a - b);
    }, SOUGHT_FRAMES);
    context.diagnostic(
      `${(bytes / 1e6).toFixed(2)} MB; a frame takes ${times[SOUGHT_FRAMES / 2].toFixed(2)} ms of the page's time`,
    );
    await report.picture(at('pictures', 'large.png'));
  });
});

test('does without WebGL', async () => {
  const plain = await launch(['--no-sandbox', '--disable-3d-apis']);
  try {
    const report = await ReportPage.open(plain, at('twin', 'report.html'));
    await report.page.getByText('no 3D graphics').waitFor();
    assertPlotted(
      await report.plot('Gradient norm'),
      'gradient norm',
      readJsonLines(at('twin', 'convergence.jsonl')).map((line) => line.gradient_norm),
    );
    await report.page.keyboard.press('End');
    assert.equal((await report.state()).frame, 1025);
    report.assertNoComplaint();
  } finally {
    await plain.close();
  }
});

test('says what is wrong with a folder', () => {
  mkdirSync(at('empty'));
  writeFileSync(at('empty', 'summary.json'), '{}');
  assert.throws(
    () => keydrape('report', at('empty')),
    (error) => error.status === 3 && /shot\/shot\.json/.test(error.stderr),
  );
  assert.equal(readJson(at('twin', 'summary.json')).status, 'done');
});
