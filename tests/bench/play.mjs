// How fast a stage is: frames a second, processor time of a frame, and how long the picture lags behind the hand.
//
//   REPORT_PACKAGES=$PWD/build/dev/tests/outside/report/packages REPORT_CHROMIUM=$(command -v chromium) \
//     node tests/bench/play.mjs build/dev/keydrape
//
// A square sheet of 1 m in a headless Chromium that draws in software, on the processors that the stage steps on: of a
// small window, so that they are the stage's for the most part. Prints the rows of a table.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launch, ReportPage } from '../outside/report/browser.mjs';
import { Stage, writeScene } from '../outside/report/stage.mjs';

const [program] = process.argv.slice(2);
const FPS = 30;
const SECONDS = 4; // of playing, and again of dragging
const MOVES = 16; // [ms] between two moves of the mouse
const BALL = '[contact]\n[[collider]]\nsphere = { center = [0.5, -0.6, -0.25], radius = 0.2 }\n';
const CASES = [
  { side: 32, name: 'hung' },
  { side: 50, name: 'hung' },
  { side: 100, name: 'hung' },
  { side: 50, name: 'beside a ball, with self-contact', more: `${BALL}[wind]\nvelocity = [0, 0, -3]\n` },
];

const wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};

const TICKS = 100; // of the kernel in a second

// What a process has used of the processors [ms].
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (1e3 / TICKS) * (Number(fields[11]) + Number(fields[12]));
}

async function measure(page, pid) {
  const begin = performance.now();
  const used = processorTime(pid);
  await page.evaluate(() => window.keydrape.takeStatistics());
  return async () => {
    const statistics = await page.evaluate(() => window.keydrape.takeStatistics());
    return {
      ...statistics,
      rate: (1e3 * statistics.frames) / (performance.now() - begin),
      used: (processorTime(pid) - used) / statistics.frames,
    };
  };
}

async function row(browser, folder, { side, name, more = '' }) {
  const scene = path.join(folder, `sheet_${side}_${more.length}.toml`);
  writeScene(scene, side, { frames: '1001-1600', substeps: 1, size: 1, more, fps: FPS });
  const stage = await Stage.open(program, scene);
  const page = await ReportPage.open(browser, stage.url, { width: 640, height: 480 });
  await page.page.waitForFunction(() => window.keydrape.status());
  await page.evaluate(() => window.keydrape.send('play'));
  await wait(500);
  const played = await measure(page, stage.process.pid);
  await wait(1e3 * SECONDS);
  const free = await played();
  const vertex = Math.floor(side * side * 0.5 + side / 2);
  const [x, y] = await page.evaluate((v) => window.keydrape.placeOf(v), vertex);
  const { mouse } = page.page;
  await mouse.move(x, y);
  await mouse.down();
  const dragged = await measure(page, stage.process.pid);
  const begin = performance.now();
  for (let k = 0; performance.now() - begin < 1e3 * SECONDS; ++k) {
    await mouse.move(x + 40 * Math.sin(k / 20), y - 30 * Math.sin(k / 33));
    await wait(MOVES);
  }
  const held = await dragged();
  await mouse.up();
  await page.close();
  await stage.close();
  const figure = (value, digits = 3) => (value === undefined ? '-' : Number(value.toPrecision(digits)));
  console.log(
    `| ${side * side} | ${name} | ${figure(free.rate)} | ${figure(free.used)} | ${figure(held.rate)} | ` +
      `${figure(held.used)} | ${figure(quantile(held.latencies, 0.5))} | ${figure(quantile(held.latencies, 0.95))} |`,
  );
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'keydrape-play-'));
const browser = await launch();
try {
  for (const each of CASES) await row(browser, folder, each);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
