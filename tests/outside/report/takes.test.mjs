// Five takes of one shot on one page: what is laid over what, what differs, and what is saved from it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { assertClose, assertDrawnPositions } from './agreement.mjs';
import { COARSE, launch, ReportPage } from './browser.mjs';
import { Folder, readJson } from './folder.mjs';

const PROGRAM = process.env.REPORT_PROGRAM;
const WORK = path.join(path.dirname(process.env.REPORT_WORK), 'takes');
const TAKES = ['loose', 'tight', 'outlier', 'on_top', 'dear'];
const [LOOSE, TIGHT, OUTLIER, ON_TOP, DEAR] = [0, 1, 2, 3, 4];

const at = (...parts) => path.join(WORK, ...parts);
const folderOf = (take) => at('twin_out', take);
const keydrape = (...words) =>
  execFileSync(PROGRAM, [...words, '--progress', 'none', '--quiet'], { encoding: 'utf8' });

let browser;
before(async () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(at('pictures'), { recursive: true });
  cpSync(path.join(process.env.REPORT_EXAMPLES, 'twin'), WORK, { recursive: true });
  const text = readFileSync(at('twin.toml'), 'utf8').replaceAll('7e-5', '0.005').replace('= 16', '= 8');
  // A search that misses says so by its exit code.
  const solve = (take, change) => {
    writeFileSync(at('twin.toml'), change(text));
    try {
      keydrape('solve', at('twin.toml'), '--take', take, '--no-report');
    } catch (error) {
      assert.equal(error.status, 4, error.stderr);
    }
  };
  const control = (line) => (scene) => scene.replace(/effort = .*/, line);
  solve('loose', control('effort = 1e-3'));
  solve('tight', control('effort = 1e-9'));
  solve('outlier', (scene) => control('effort = 10')(scene).replace('preset = "denim"', 'preset = "silk"'));
  solve('on_top', control('effort = 1e-9\nrelative_to = "twin_out/loose/forces.npy"'));
  solve(
    'dear',
    (scene) => `${control('effort = 1e-8')(scene)}\n[[control.channel]]\nkind = "initial-velocity"\n`,
  );
  keydrape('report', at('twin_out'));
  browser = await launch();
});
after(() => browser?.close());

async function withTakes(hash, body, options = {}) {
  const page = { ...COARSE, ...options };
  const report = await ReportPage.open(browser, `${at('twin_out', 'report.html')}${hash}`, page);
  try {
    await body(report);
    report.assertNoComplaint();
  } finally {
    await report.close();
  }
}

const apart = (a, b) => Math.hypot(...a.map((value, c) => value - b[c]));

test('all takes of a folder are on its page, and fit it', async () => {
  await withTakes('', async (report) => {
    assert.deepEqual(await report.page.locator('.panel-labels span').allTextContents(), TAKES);
    for (const run of TAKES.keys())
      await assertDrawnPositions(report, new Folder(folderOf(TAKES[run])), { run });
    for (const name of ['Distance from each keyframe', 'Keys in which the scenes differ', 'What it took']) {
      const table = report.page.locator('.table-frame', { hasText: name });
      const over = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok(over <= 0, `"${name}" is ${over} pixels wider than its place`);
    }
    await report.picture(at('pictures', 'five.png'), { fullPage: true });
  });
});

test('takes of one name are told apart by their folders', async () => {
  cpSync(folderOf('loose'), at('other_out', 'loose'), { recursive: true });
  keydrape('report', folderOf('loose'), at('other_out', 'loose'), '-o', at('both.html'), '--force');
  const report = await ReportPage.open(browser, at('both.html'), COARSE);
  try {
    const titles = await report.page.locator('.panel-labels span').allTextContents();
    assert.deepEqual(titles, ['twin_out/loose', 'other_out/loose']);
    report.assertNoComplaint();
  } finally {
    await report.close();
  }
});

test('opens where it is worst, and says in a sentence what came out', async () => {
  await withTakes('', async (report) => {
    const summaries = TAKES.map((take) => readJson(folderOf(take), 'summary.json'));
    const keyframes = summaries.flatMap(({ keyframes: all }) => all);
    const worst = keyframes.reduce((a, b) => (b.rms_m > a.rms_m ? b : a));
    assert.equal((await report.state()).frame, worst.frame);
    const said = await report.page.locator('.facts .said').allTextContents();
    assert.equal(said.length, TAKES.length);
    assert.match(
      said[TIGHT],
      /^Both targets are met \(the worst, frame 10\d\d: .* off, 5 mm allowed\); forces of /,
    );
    assert.match(said[OUTLIER], /^Both targets are missed \(/);
    assert.match(said[ON_TOP], / of it added to the accepted take; \d+ runs in /);
  });
});

test('lays one cloth over another, and maps how far they are apart', async () => {
  const [loose, tight] = [LOOSE, TIGHT].map((run) => new Folder(folderOf(TAKES[run])));
  const frame = 1010;
  await withTakes(
    `#frame=${frame}&show=${TIGHT}&against=${LOOSE}&surface=apart&overlay=true`,
    async (report) => {
      const step = await report.evaluate(() =>
        window.keydrape.report.runs.map((run) => run.mainTake.motion.step),
      );
      const grid = Math.hypot(...step[LOOSE]) + Math.hypot(...step[TIGHT]) + 1e-6;
      const laid = await report.evaluate((run) => window.keydrape.overlay({ run }), TIGHT);
      const heat = await report.evaluate((run) => window.keydrape.heat({ run }), TIGHT);
      let largest = 0;
      for (let i = 0; i < tight.vertexCount; ++i) {
        const [x, y] = [tight.position(frame, i), loose.position(frame, i)];
        assert.ok(
          apart(laid.slice(3 * i, 3 * i + 3), y) < grid,
          `vertex ${i} of the cloth that is laid over`,
        );
        assertClose(heat[i], apart(x, y), grid, `distance of vertex ${i}`);
        largest = Math.max(largest, apart(x, y));
      }
      assert.ok(largest > 20 * grid, `the takes are ${largest} m apart`);
      assert.deepEqual(await report.page.locator('.panel-labels span').allTextContents(), ['tight']);
      assert.match(
        await report.page.locator('.legend .note').first().textContent(),
        / From the cloth of loose,/,
      );
      await report.picture(at('pictures', 'overlay.png'));
      await report.page.keyboard.press('o');
      assert.equal(await report.evaluate((run) => window.keydrape.overlay({ run }), TIGHT), null);
      await report.page.getByLabel('Show', { exact: true }).selectOption('-1');
      assert.equal(await report.page.locator('.panel-labels span').count(), TAKES.length);
    },
  );
});

test('an outlier leaves the others their colours', async () => {
  await withTakes('#surface=miss', async (report) => {
    const end = (run) => report.evaluate((r) => window.keydrape.scaleEnd({ run: r }), run);
    const largest = TAKES.map((take) =>
      Math.max(...readJson(folderOf(take), 'summary.json').keyframes.map(({ max_m: max }) => max)),
    );
    const shared = await end(0);
    assert.ok(largest[OUTLIER] > 10 * largest[LOOSE], `${largest}`);
    assert.ok(shared < 0.5 * largest[OUTLIER], `0 to ${shared} where the outlier has ${largest[OUTLIER]}`);
    for (const run of TAKES.keys()) assert.equal(await end(run), shared);
    assert.match(
      await report.page.locator('.legend .note').first().textContent(),
      /^Now at most .* mm, at vertex \d+ of \w+\. The largest is .* mm, in outlier;/,
    );
    await report.picture(at('pictures', 'shared-scale.png'));
    await report.page.getByLabel('Each run its own').check();
    for (const run of TAKES.keys()) assert.ok((await end(run)) <= largest[run] * 1.0001);
    assert.ok((await end(OUTLIER)) > 5 * (await end(TIGHT)));
    const labels = await report.page.locator('.panel-labels span').allTextContents();
    labels.forEach((label, run) => assert.match(label, new RegExp(`^${TAKES[run]}: 0 to [\\d.]+ mm$`)));
    await report.picture(at('pictures', 'own-scale.png'));
  });
});

test('says in which keys the scenes differ, and what was added to an accepted take', async () => {
  await withTakes('', async (report) => {
    const rows = async (caption) => {
      const all = report.page.locator('table', { hasText: caption }).locator('tbody tr');
      return Promise.all((await all.all()).map((row) => row.locator('th, td').allTextContents()));
    };
    const keys = Object.fromEntries(
      (await rows('Keys in which the scenes differ')).map(([key, ...cells]) => [key, cells]),
    );
    assert.deepEqual(Object.keys(keys), [
      'cloth.material.preset',
      'control.channel.0.kind',
      'control.effort',
      'control.relative_to',
    ]);
    assert.deepEqual(keys['control.effort'].map(Number), [1e-3, 1e-9, 10, 1e-9, 1e-8]);
    assert.deepEqual(keys['cloth.material.preset'], ['"denim"', '"denim"', '"silk"', '"denim"', '"denim"']);
    assert.deepEqual(keys['control.channel.0.kind'], ['–', '–', '–', '–', '"initial-velocity"']);
    assert.match(keys['control.relative_to'][ON_TOP], /loose\/forces\.npy/);
    const { effort } = readJson(folderOf('on_top'), 'summary.json');
    assert.ok(effort.added.rms_g > 0 && effort.added.rms_g < effort.rms_g);
    const forces = (await rows('Control acceleration')).find(([run]) => run === 'on_top');
    assert.equal(Number(forces[4].split(' ')[0]), Number(effort.added.rms_g.toPrecision(3)));
    const channels = await rows('What was found for each channel');
    assert.ok(channels.length > 0 && channels.every(([name]) => name.startsWith('1: ')), `${channels}`);
  });
});

// The stretch of each triangle around the vertices, from positions.npy and rest.obj alone: by the lengths of many
// directions in it.
function stretchAround(folder, frame) {
  const lines = readFileSync(path.join(folder.path, 'shot', 'rest.obj'), 'utf8').split('\n');
  const rest = lines
    .filter((line) => line.startsWith('v '))
    .map((line) => line.split(' ').slice(1, 4).map(Number));
  const faces = lines
    .filter((line) => line.startsWith('f '))
    .map((line) =>
      line
        .split(' ')
        .slice(1)
        .map((word) => parseInt(word, 10) - 1),
    );
  const largest = new Float64Array(folder.vertexCount);
  for (const [a, b, c] of faces) {
    const [x, y, z] = [a, b, c].map((i) => folder.position(frame, i));
    for (let k = 0; k < 720; ++k) {
      const [s, t] = [Math.cos((k * Math.PI) / 720), Math.sin((k * Math.PI) / 720)];
      const size = (p, q, r) => Math.hypot(...p.map((value, i) => s * (q[i] - value) + t * (r[i] - value)));
      const stretch = size(x, y, z) / size(rest[a], rest[b], rest[c]) - 1;
      for (const i of [a, b, c]) largest[i] = Math.max(largest[i], stretch);
    }
  }
  return largest;
}

test('maps the stretch, and leads to the worst vertex of a keyframe', async () => {
  const folder = new Folder(folderOf('tight'));
  await withTakes(`#show=${TIGHT}&surface=strain&frame=1013`, async (report) => {
    const heat = await report.evaluate((run) => window.keydrape.heat({ run }), TIGHT);
    const expected = stretchAround(folder, 1013);
    // Directions half a degree apart; positions of a grid of some 20 micrometres on edges of centimetres.
    expected.forEach((value, i) => assertClose(heat[i], value, 2e-3, `stretch at vertex ${i}`));
    assert.ok(Math.max(...expected) > 0.01, 'something is stretched');
    await report.picture(at('pictures', 'stretch.png'));

    const target = readJson(folderOf('tight'), 'summary.json').keyframes[1];
    const row = report.page.locator('table', { hasText: 'Distance from each keyframe' }).locator('tr', {
      hasText: 'tight',
    });
    const button = row.nth(1).locator('button');
    const vertex = Number((await button.textContent()).split(',')[0]);
    await button.click();
    const state = await report.state();
    assert.equal(state.frame, target.frame);
    assert.deepEqual(state.mark, { run: TIGHT, vertex });
    await report.page.keyboard.press('m');
    const miss = await report.evaluate((run) => window.keydrape.heat({ run }), TIGHT);
    assert.equal(miss.indexOf(Math.max(...miss)), vertex);
    assertClose(miss[vertex], target.max_m, 1e-6 * target.max_m, 'the largest miss');
    await report.picture(at('pictures', 'worst-vertex.png'));
  });
});

// Entries of a .zip whose files are stored as they are: { name: bytes }.
function storedFiles(bytes) {
  const files = {};
  for (let p = 0; bytes.readUInt32LE(p) === 0x04034b50;) {
    assert.equal(bytes.readUInt16LE(p + 8), 0, 'stored');
    const [size, name, extra] = [
      bytes.readUInt32LE(p + 18),
      bytes.readUInt16LE(p + 26),
      bytes.readUInt16LE(p + 28),
    ];
    const begin = p + 30 + name + extra;
    files[bytes.toString('utf8', p + 30, p + 30 + name)] = bytes.subarray(begin, begin + size);
    p = begin + size;
  }
  return files;
}

// { width, height, pixels } of a PNG; `pixels` as they are packed, with the filters of its lines.
function readPng(bytes) {
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  const parts = [];
  for (let p = 8; p < bytes.length; p += 12 + bytes.readUInt32BE(p))
    if (bytes.toString('latin1', p + 4, p + 8) === 'IDAT')
      parts.push(bytes.subarray(p + 8, p + 8 + bytes.readUInt32BE(p)));
  return {
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    pixels: inflateSync(Buffer.concat(parts)),
  };
}

test('saves pictures, all frames and a film', async () => {
  await withTakes(`#show=${TIGHT}&frame=1013&overlay=true`, async (report) => {
    const save = async (button, file) => {
      const waiting = report.page.waitForEvent('download', { timeout: 120_000 });
      await report.page.getByRole('button', { name: button, exact: true }).click();
      const download = await waiting;
      await download.saveAs(at('pictures', file));
      return download.suggestedFilename();
    };
    assert.equal(await save('Picture', 'picture.png'), 'twin.1013.png');
    const picture = readPng(readFileSync(at('pictures', 'picture.png')));
    const drawn = await report.evaluate(() => {
      const { width, height } = document.querySelector('.stage canvas');
      return { width, height };
    });
    assert.deepEqual({ width: picture.width, height: picture.height }, drawn);
    assert.ok(picture.width > 300 && picture.height > 150);
    assert.ok(new Set(picture.pixels).size > 100, 'the picture is not empty');

    assert.equal(await save('All frames', 'frames.zip'), 'twin.zip');
    const files = storedFiles(readFileSync(at('pictures', 'frames.zip')));
    const frames = Array.from({ length: 25 }, (_, k) => `twin.${1001 + k}.png`);
    assert.deepEqual(Object.keys(files), frames);
    for (const bytes of Object.values(files)) assert.equal(readPng(bytes).width, picture.width);
    assert.deepEqual(readPng(files['twin.1013.png']).pixels, picture.pixels);
    assert.notDeepEqual(readPng(files['twin.1025.png']).pixels, picture.pixels);

    assert.equal(await save('Film', 'film.webm'), 'twin.webm');
    assert.equal((await report.state()).frame, 1013); // as before
    await report.picture(at('pictures', 'saved.png'));
  });
  const page = await browser.newPage();
  try {
    await page.goto(`file://${at('pictures', 'film.webm')}`);
    const film = await page.evaluate(async () => {
      const video = document.querySelector('video');
      video.muted = true;
      // A page that is a film plays it by itself; to play one that has ended would show every frame twice.
      if (!video.ended) {
        const ended = new Promise((resolve) => {
          video.onended = resolve;
        });
        await video.play();
        await ended;
      }
      return {
        width: video.videoWidth,
        height: video.videoHeight,
        seconds: video.currentTime,
        frames: video.getVideoPlaybackQuality().totalVideoFrames,
      };
    });
    const picture = readPng(readFileSync(at('pictures', 'picture.png')));
    assert.equal(film.width, picture.width - (picture.width % 2));
    assert.equal(film.height, picture.height - (picture.height % 2));
    assert.equal(film.frames, 25);
    assertClose(film.seconds, 1, 0.05, 'seconds to the last of 25 frames at 24 a second');
    await page.screenshot({ path: at('pictures', 'film.png') });
  } finally {
    await page.close();
  }
});
