// Opens the reports of results that are there already: REPORT_FOLDERS, one a line. tests/outside/report/run starts it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { assertDrawnPositions, assertLogsPlotted } from './agreement.mjs';
import { launch, ReportPage } from './browser.mjs';
import { Folder } from './folder.mjs';

const PLAYED_FRAMES = 5;
const BYTES_OF_POSITION = 12.5; // of a vertex in a frame: 15 MB for 10,000 vertices x 120 frames
const LEAST_BOUND = 2e6; // [bytes]: the page without a run

let browser;
before(async () => {
  mkdirSync(process.env.REPORT_WORK, { recursive: true });
  browser = await launch();
});
after(() => browser.close());

for (const results of process.env.REPORT_FOLDERS.split('\n')) {
  test(results, async (context) => {
    const name = path.resolve(results).replaceAll('/', '_');
    const file = path.join(process.env.REPORT_WORK, `${name}.html`);
    execFileSync(process.env.REPORT_PROGRAM, ['report', results, '-o', file, '--quiet']);
    const report = await ReportPage.open(browser, file);
    try {
      const folder = new Folder(results);
      await assertDrawnPositions(report, folder);
      await assertLogsPlotted(report, folder);
      await report.page.keyboard.press('Home');
      await report.page.keyboard.press(' ');
      await report.page.waitForFunction(
        (frame) => window.keydrape.store.state.frame >= frame,
        Math.min(folder.firstFrame + PLAYED_FRAMES, folder.lastFrame),
        { timeout: 60_000 },
      );
      await report.picture(path.join(process.env.REPORT_WORK, `${name}.png`));
      report.assertNoComplaint();
    } finally {
      await report.close();
    }
    const bytes = statSync(file).size;
    const { frameCount, vertexCount } = new Folder(results);
    assert.ok(bytes < LEAST_BOUND + BYTES_OF_POSITION * frameCount * vertexCount, `${bytes} bytes`);
    context.diagnostic(`${(bytes / 1e6).toFixed(2)} MB`);
  });
}
