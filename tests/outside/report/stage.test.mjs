// Acts on a stage in a real browser. tests/outside/report/run --stage starts it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch, ReportPage } from './browser.mjs';
import { readJson, readNpy } from './folder.mjs';
import { Stage, writeScene } from './stage.mjs';

const PROGRAM = process.env.REPORT_PROGRAM;
const WORK = process.env.REPORT_WORK;
const SIDE = 12;
const HELD = 7 * SIDE + 6; // a vertex in the middle

const at = (...parts) => path.join(WORK, ...parts);

let browser;
before(async () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(at('pictures'), { recursive: true });
  browser = await launch();
});
after(() => browser.close());

async function withStage(scene, options, body) {
  const stage = await Stage.open(PROGRAM, scene, ...options);
  const page = await ReportPage.open(browser, stage.url);
  try {
    await page.page.waitForFunction(() => window.keydrape.status());
    await body(page, stage);
    page.assertNoComplaint();
  } finally {
    await page.close();
    assert.equal(await stage.close(), 0);
  }
}

const send = (page, word, more) => page.evaluate(([w, m]) => window.keydrape.send(w, m), [word, more]);

// Waits until what the stage says holds.
const until = (page, holds, argument) =>
  page.page.waitForFunction(holds, argument, { timeout: 300_000, polling: 20 });

const notes = (page) => page.page.locator('.notes li').allTextContents();

// So many frames, one by one.
async function step(page, count) {
  for (let k = 0; k < count; ++k) {
    const next = (await page.evaluate(() => window.keydrape.frame() ?? window.keydrape.report.runs[0].firstFrame)) + 1;
    await send(page, 'step');
    await until(page, (frame) => window.keydrape.frame() === frame, next);
  }
}

const positionOf = (page, vertex) =>
  page.evaluate((v) => [...window.keydrape.positions().subarray(3 * v, 3 * v + 3)], vertex);

// Presses the mouse on a vertex, and leads it by pixels until the vertex has gone as far as is asked [m]. Pictures are
// drawn in software here: time is slower, so that the shot does not end before.
async function drag(page, vertex, right, up, distance) {
  await page.page.getByLabel('Speed of time').selectOption('0.125');
  const [x, y] = await page.evaluate((v) => window.keydrape.placeOf(v), vertex);
  const { mouse } = page.page;
  await mouse.move(x, y);
  await mouse.down();
  await until(page, () => window.keydrape.status().held > 0);
  const from = await positionOf(page, vertex);
  for (let k = 1; k <= 8; ++k) await mouse.move(x + (right * k) / 8, y - (up * k) / 8);
  await until(
    page,
    ([v, [a, b, c], far]) => {
      const p = window.keydrape.positions().subarray(3 * v, 3 * v + 3);
      return Math.hypot(p[0] - a, p[1] - b, p[2] - c) > far;
    },
    [vertex, from, distance],
  );
  await page.picture(at('pictures', 'held.png'));
  await mouse.up();
  await until(page, () => window.keydrape.status().held === 0 && !window.keydrape.status().playing);
}

test('a stage opens with the scene, plays, pauses and begins again', async () => {
  writeScene(at('hung.toml'), SIDE);
  await withStage(at('hung.toml'), [], async (page) => {
    await page.picture(at('pictures', 'start.png'));
    const rest = await positionOf(page, HELD);
    assert.deepEqual(await page.evaluate((v) => window.keydrape.drawnPosition(v), HELD), rest);
    await page.page.getByRole('button', { name: 'Play' }).click();
    await until(page, () => window.keydrape.frame() > 1008);
    await page.page.getByRole('button', { name: 'Pause' }).click();
    await until(page, () => !window.keydrape.status().playing);
    assert.notDeepEqual(await positionOf(page, HELD), rest);
    assert.match(await page.page.locator('.figures').textContent(), /ms a step/);
    await page.page.getByRole('button', { name: 'Reset' }).click();
    await until(page, () => window.keydrape.frame() === 1001);
    assert.deepEqual(await positionOf(page, HELD), rest);
    await page.page.keyboard.press('ArrowRight');
    await until(page, () => window.keydrape.frame() === 1002);
    await page.page.keyboard.press(' ');
    await until(page, () => window.keydrape.status().at_end);
    await until(page, () => window.keydrape.frame() === 1024);
  });
});

test('a drag by the mouse is recorded, replays to the bit, and its pose is met by a search', async () => {
  writeScene(at('acted.toml'), SIDE, { frames: '1001-1048' });
  const before = readFileSync(at('acted.toml'), 'utf8');
  await withStage(at('acted.toml'), [], async (page) => {
    await step(page, 4);
    await drag(page, HELD, 90, 60, 0.04);
    await page.page.getByRole('button', { name: 'Make this a keyframe' }).click();
    await page.page.getByRole('button', { name: 'The drag as a pin' }).click();
    await until(page, () => window.keydrape.status().drags === 0);
    const said = await notes(page);
    assert.match(said[0], /recorded as a soft pin, in acted_played_001\.toml/);
    assert.match(said[1], /Keyframe at \d+: pose_\d+\.obj/);
    await page.picture(at('pictures', 'recorded.png'));
    assert.equal(readFileSync(at('acted.toml'), 'utf8'), before);
    assert.ok(readFileSync(at('acted_played_001.toml'), 'utf8').startsWith(before));

    // What the page shows is what the program makes of the recorded scene, rounded to floats.
    execFileSync(PROGRAM, ['simulate', at('acted_played_001.toml'), '--draft', '-o', at('again'), '--quiet']);
    const simulated = readNpy(at('again', 'positions.npy')).values;
    const shown = await page.evaluate(() => [window.keydrape.frame(), ...window.keydrape.positions()]);
    const [frame, ...positions] = shown;
    const begin = 3 * SIDE * SIDE * (frame - 1001);
    positions.forEach((value, k) => assert.equal(value, Math.fround(simulated[begin + k]), `coordinate ${k}`));
  });
});

test('a pose is made a keyframe and solved for, without another program', async () => {
  writeScene(at('posed.toml'), 8, { frames: '1001-1032' });
  await withStage(at('posed.toml'), [], async (page, stage) => {
    await page.page.getByRole('button', { name: 'Solve', exact: true }).click();
    await until(page, () => window.keydrape.solve()?.running === false);
    assert.match((await page.evaluate(() => window.keydrape.solve())).text, /no \[\[keyframe\]\]/);
    await step(page, 5);
    await drag(page, 5 * 8 + 4, 60, 40, 0.02);
    await page.page.keyboard.press('k');
    await until(page, () => window.keydrape.status().keyframes.length === 1);
    const [keyframe] = await page.evaluate(() => window.keydrape.status().keyframes);
    await page.page.getByRole('button', { name: 'Solve', exact: true }).click();
    await until(page, () => window.keydrape.solve()?.running === true);
    await page.page.getByRole('progressbar').waitFor();
    await until(page, () => window.keydrape.solve()?.running === false);
    const solved = await page.evaluate(() => window.keydrape.solve());
    assert.equal(solved.reached, true, solved.text);
    assert.match(solved.text, new RegExp(`every keyframe is met; ${keyframe}: [0-9.]+ mm off`));
    await page.picture(at('pictures', 'solved.png'));
    const summary = readJson(at('posed_played_001', 'solve_002', 'summary.json'));
    assert.equal(summary.status, 'done');
    assert.equal(summary.keyframes[0].frame, keyframe);
    assert.equal(summary.keyframes[0].reached, true);

    const link = page.page.getByRole('link', { name: 'Open its report' });
    const href = await link.evaluate((element) => element.href);
    assert.equal(href, `${stage.url}report/2`);
    const report = await ReportPage.open(browser, href);
    assert.equal(await report.evaluate(() => window.keydrape.report.runs[0].keyframes.length), 1);
    report.assertNoComplaint();
    await report.close();
    assert.ok(existsSync(at('posed_played_001', 'solve_002', 'report.html')));
  });
});

test('wind is switched off, and the cloth as played is recorded as a track', async () => {
  writeScene(at('windy.toml'), SIDE, { more: '[wind]\nvelocity = [0, 0, 4]\n' });
  await withStage(at('windy.toml'), ['--substeps', '1'], async (page) => {
    await step(page, 6);
    const windy = await positionOf(page, HELD);
    await page.page.getByRole('button', { name: 'Reset' }).click();
    await until(page, () => window.keydrape.frame() === 1001);
    await page.page.getByLabel('Wind').uncheck();
    await until(page, () => window.keydrape.status().wind === false);
    await step(page, 6);
    const calm = await positionOf(page, HELD);
    assert.ok(Math.abs(windy[2] - calm[2]) > 0.01, `${windy} ${calm}`);
    await page.page.getByRole('button', { name: 'Cloth as track' }).click();
    await until(page, () => window.keydrape.status().scene !== '');
    assert.match(readFileSync(at('windy_played_001.toml'), 'utf8'), /\[\[track\]\]\ncache = "windy_played_001\//);
    const track = readNpy(at('windy_played_001', 'cloth_001.npy'));
    assert.equal(Math.fround(track.values[3 * (6 * SIDE * SIDE + HELD) + 2]), calm[2]);
  });
});

test('the scene is played as it is now from Reset on', async () => {
  writeScene(at('edited.toml'), SIDE);
  await withStage(at('edited.toml'), [], async (page) => {
    assert.match(await page.page.locator('.facts').textContent(), /frames 1001–1024/);
    writeScene(at('edited.toml'), SIDE, { frames: '1001-1030', substeps: 3 });
    await page.page.getByRole('button', { name: 'Reset' }).click();
    await until(page, () => window.keydrape.status().substeps === 3);
    assert.match((await notes(page))[0], /Plays edited\.toml as it is now: frames 1001-1030, 3 substeps/);
    assert.match(await page.page.locator('.facts').textContent(), /frames 1001–1030/);
    await step(page, 2);
    await page.page.locator('.figures', { hasText: '3 steps a frame' }).waitFor();
  });
});

test('whoever leaves lets go, and nobody plays to an empty house', async () => {
  writeScene(at('left.toml'), SIDE, { frames: '1001-2000' });
  await withStage(at('left.toml'), [], async (page, stage) => {
    const other = await ReportPage.open(browser, stage.url);
    await until(other, () => window.keydrape.status());
    const [x, y] = await other.evaluate((v) => window.keydrape.placeOf(v), HELD);
    await other.page.mouse.move(x, y);
    await other.page.mouse.down();
    await until(page, () => window.keydrape.status().held > 0 && window.keydrape.status().playing);
    await other.close();
    await until(page, () => window.keydrape.status().held === 0);
    await page.page.reload();
    await until(page, () => window.keydrape?.status() && !window.keydrape.status().playing);
  });
});

test('a page that is opened again shows the speed that the stage has', async () => {
  writeScene(at('slow.toml'), SIDE);
  await withStage(at('slow.toml'), [], async (page) => {
    await page.page.getByLabel('Speed of time').selectOption('0.25');
    await until(page, () => window.keydrape.status().speed === 0.25);
    await page.page.reload();
    await until(page, () => window.keydrape?.status());
    assert.equal(await page.page.getByLabel('Speed of time').inputValue(), '0.25');
  });
});

// The answer to a request with headers of one's own.
const ask = (url, headers, method = 'GET') =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    request.on('upgrade', () => resolve(101));
    request.on('error', reject);
    request.end();
  });

const SOCKET = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test('no other page and no other name reaches the stage', async () => {
  writeScene(at('guarded.toml'), SIDE);
  await withStage(at('guarded.toml'), [], async (page, stage) => {
    const { url } = stage;
    const { host, origin } = new URL(url);
    assert.equal(await ask(url, {}), 200);
    assert.equal(await ask(url, { Host: 'evil.example' }), 403);
    assert.equal(await ask(url, { Host: `evil.example:${host.split(':')[1]}` }), 403);
    assert.equal(await ask(url, { Origin: 'http://evil.example' }), 403);
    assert.equal(await ask(`${origin}/`, {}), 404);
    assert.equal(await ask(url, {}, 'POST'), 405);
    assert.equal(await ask(`${url}socket`, { ...SOCKET }), 403);
    assert.equal(await ask(`${url}socket`, { ...SOCKET, Origin: 'http://evil.example' }), 403);
    assert.equal(await ask(`${url}socket`, { ...SOCKET, Origin: origin, Host: 'evil.example' }), 403);
    assert.equal(await ask(`${origin}/socket`, { ...SOCKET, Origin: origin }), 404);
    assert.equal(await ask(`${url}socket`, { ...SOCKET, Origin: origin }), 101);

    // A page of somebody else on this machine, who even knows the address.
    const evil = http.createServer((_, answer) => answer.end('<!doctype html><title>evil</title>'));
    await new Promise((resolve) => {
      evil.listen(0, '127.0.0.1', resolve);
    });
    const foreign = await browser.newPage();
    await foreign.goto(`http://127.0.0.1:${evil.address().port}/`);
    const found = await foreign.evaluate(async (address) => {
      const socket = new WebSocket(`${address.replace('http', 'ws')}socket`);
      const opened = await new Promise((resolve) => {
        socket.onopen = () => resolve('opened');
        socket.onerror = () => resolve('refused');
      });
      const read = await fetch(address).then(
        () => 'read',
        () => 'refused',
      );
      const frame = document.createElement('iframe');
      frame.src = address;
      document.body.append(frame);
      await new Promise((resolve) => {
        frame.onload = resolve;
      });
      let framed = 'refused';
      try {
        if (frame.contentWindow.keydrape) framed = 'read';
      } catch {
        framed = 'refused';
      }
      return [opened, read, framed];
    }, url);
    assert.deepEqual(found, ['refused', 'refused', 'refused']);
    await foreign.close();
    await new Promise((resolve) => {
      evil.close(resolve);
      evil.closeAllConnections();
    });
  });
});
