// A headless Chromium that notes everything a report must not do.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { chromium } = createRequire(path.join(process.env.REPORT_PACKAGES, 'package.json'))('playwright-core');
const SOFTWARE_GL = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

export const launch = (args = SOFTWARE_GL) =>
  chromium.launch({ executablePath: process.env.REPORT_CHROMIUM, args });

// Of a page: laid out as ever, with a quarter of the pixels for software to draw.
export const COARSE = { deviceScaleFactor: 0.5 };

export class ReportPage {
  #complaints = [];
  loads = 0; // how often the page began to load

  static async open(
    browser,
    address,
    { width = 1360, height = 900, colorScheme = 'light', deviceScaleFactor = 1 } = {},
  ) {
    const report = new ReportPage();
    report.page = await browser.newPage({ viewport: { width, height }, colorScheme, deviceScaleFactor });
    const { page } = report;
    const [file, hash] = address.split('#');
    const url = address.startsWith('http')
      ? address
      : pathToFileURL(file).href + (hash === undefined ? '' : `#${hash}`);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !isDriverNoise(message.text()))
        report.#complaints.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => report.#complaints.push(`exception: ${error.message}`));
    page.on('framenavigated', () => {
      report.loads += 1;
    });
    page.on('request', (request) => {
      const own =
        request.url() === url.split('#')[0] || (url.startsWith('http') && request.url() === `${url}version`);
      if (!own && !request.url().startsWith('data:')) report.#complaints.push(`request: ${request.url()}`);
    });
    page.on('websocket', (socket) => {
      if (socket.url() !== `${url.replace(/^http/, 'ws')}socket`)
        report.#complaints.push(`socket: ${socket.url()}`);
    });
    await page.goto(url);
    await page.waitForFunction(() => window.keydrape, null, { timeout: 120_000 });
    return report;
  }

  // Errors and warnings on the console, exceptions and requests for anything but the page itself fail the
  // test.
  assertNoComplaint() {
    assert.deepEqual(this.#complaints, []);
  }

  evaluate(action, argument) {
    return this.page.evaluate(action, argument);
  }

  drawnPosition(frame, vertex, where = {}) {
    return this.evaluate(
      ([f, v, w]) => {
        window.keydrape.seek(f);
        return window.keydrape.drawnPosition(v, w);
      },
      [frame, vertex, where],
    );
  }

  async plot(title) {
    const plots = await this.evaluate(() => window.keydrape.plots());
    const found = plots.find((plot) => plot.title === title);
    assert.ok(found, `no plot "${title}" among ${plots.map((plot) => plot.title).join(', ')}`);
    return found;
  }

  state() {
    return this.evaluate(() => ({ ...window.keydrape.store.state }));
  }

  async picture(file, options = {}) {
    await this.page.waitForTimeout(300); // two drawn frames in software
    await this.page.screenshot({ path: file, ...options });
  }

  close() {
    return this.page.close();
  }
}

// SwiftShader stands in for a graphics card and says so.
const isDriverNoise = (text) =>
  text.includes('GPU stall due to ReadPixels') || text.includes('Software WebGL');
