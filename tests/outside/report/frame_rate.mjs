// What a report's frames cost with all that can be drawn.
//
//   REPORT_PACKAGES=... REPORT_CHROMIUM=... node frame_rate.mjs REPORT.html [FUNCTIONS = 12]
//
// Prints frames/s with the graphics that this machine has, in a headless browser drawn by software; and, in a window so
// small that drawing costs little, the processor time of the page's thread for a frame, which is what is left where a
// graphics card draws, with the functions that it goes into (by the clock: on a busy machine they are only shares).

import { statSync } from 'node:fs';
import { launch, ReportPage } from './browser.mjs';

const [file, functionCount = '12'] = process.argv.slice(2);
const SAMPLE_US = 200;
const WARM_UP = 5; // frames: until code is compiled and buffers are there
const FRAMES = 24;
const DRAWN_FRAMES = 4; // in a window of full size
const FULL = { width: 1360, height: 900 };
const SMALL = { width: 320, height: 240 };

// Self time of each function [ms], largest first.
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map();
  samples.forEach((id, k) => {
    const { functionName, lineNumber, columnNumber } = byId.get(id).callFrame;
    const name = functionName.startsWith('(')
      ? functionName
      : `${functionName || 'anonymous'} ${lineNumber}:${columnNumber}`;
    times.set(name, (times.get(name) ?? 0) + timeDeltas[k] / 1000);
  });
  return [...times].sort((a, b) => b[1] - a[1]);
}

// Shows `count` frames spread over the shot, none twice in a row, which would draw nothing, waits until each is drawn, and returns how long that took [ms].
const showFrames = async (count) => {
  const { keydrape } = window;
  const { firstFrame, frameCount } = keydrape.report.runs[0];
  keydrape.store.set({ surface: 'miss', arrows: true, contacts: true, take: 'both', ghosts: 'all' });
  const next = () => new Promise(requestAnimationFrame);
  const begin = performance.now();
  for (let k = 0; k < count; ++k) {
    keydrape.takeStatistics();
    keydrape.seek(firstFrame + Math.floor(((k + 1) * frameCount) / (count + 1)));
    do await next();
    while (keydrape.takeStatistics().count === 0);
  }
  return performance.now() - begin;
};

// Processor time that the page's thread has had so far, for its script, layout and paint [ms]; others on the machine do
// not count.
async function threadTime(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
}

const browser = await launch();
const full = await ReportPage.open(browser, file, FULL);
await full.evaluate(showFrames, 1);
const wall = await full.evaluate(showFrames, DRAWN_FRAMES);
await full.close();
const report = await ReportPage.open(browser, file, SMALL);
const session = await report.page.context().newCDPSession(report.page);
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
await report.evaluate(showFrames, WARM_UP);
const before = await threadTime(session);
await report.evaluate(showFrames, FRAMES);
const spent = (await threadTime(session)) - before;
await session.send('Profiler.enable');
await session.send('Profiler.setSamplingInterval', { interval: SAMPLE_US });
await session.send('Profiler.start');
await report.evaluate(showFrames, FRAMES);
const { profile } = await session.send('Profiler.stop');
await browser.close();

console.log(`${(statSync(file).size / 1e6).toFixed(2)} MB`);
console.log(`${((1000 * DRAWN_FRAMES) / wall).toFixed(1)} frames/s at ${FULL.width} x ${FULL.height}`);
console.log(`page's thread: ${(spent / FRAMES).toFixed(2)} ms of processor time a frame`);
for (const [name, time] of selfTimes(profile).slice(0, Number(functionCount)))
  console.log(`${(time / FRAMES).toFixed(3).padStart(9)} ms a frame  ${name}`);
