// What a report shows against the files of its folder.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines } from './folder.mjs';

export function assertClose(found, expected, tolerance, what) {
  assert.ok(
    Math.abs(found - expected) <= tolerance,
    `${what}: ${found} instead of ${expected}, tolerance ${tolerance}`,
  );
}

// Positions on screen against positions.npy: at most one step of the 16-bit grid over the box of the folder's
// takes.
export async function assertDrawnPositions(report, folder, where = {}) {
  const { firstFrame, lastFrame, vertexCount } = folder;
  const frames = [firstFrame, Math.floor((firstFrame + lastFrame) / 2), lastFrame];
  const vertices = [0, 1, Math.floor(vertexCount / 2), vertexCount - 1];
  const step = await report.evaluate(
    ({ run = 0 }) => window.keydrape.report.runs[run].mainTake.motion.step,
    where,
  );
  step.forEach((size, c) =>
    assert.ok(size < (4 * folder.box[c]) / 65535 || folder.box[c] === 0, 'the grid is fine'),
  );
  for (const frame of frames) {
    for (const vertex of vertices) {
      const drawn = await report.drawnPosition(frame, vertex, where);
      folder
        .position(frame, vertex)
        .forEach((expected, c) =>
          assertClose(
            drawn[c],
            expected,
            0.501 * step[c] + 2e-7 * Math.abs(expected),
            `vertex ${vertex}, frame ${frame}`,
          ),
        );
    }
  }
}

export function assertPlotted(plot, label, expected) {
  const series = plot.series.find((entry) => entry.label === label);
  assert.ok(series, `no series "${label}" in ${plot.title}`);
  assert.equal(series.y.length, expected.length);
  expected.forEach((value, k) => assert.equal(series.y[k], value, `${plot.title}, ${label}, point ${k}`));
}

// Every iteration and every step, as far as the folder has logs of them.
export async function assertLogsPlotted(report, folder) {
  if (existsSync(path.join(folder.path, 'convergence.jsonl'))) {
    const lines = readJsonLines(folder.path, 'convergence.jsonl');
    const objective = await report.plot('Objective');
    assertPlotted(
      objective,
      'objective',
      lines.map((line) => line.objective),
    );
    assert.deepEqual(
      objective.series[0].x,
      lines.map((line) => line.iteration),
    );
    const misses = await report.plot('Miss of each keyframe, RMS');
    for (const { frame } of lines[0].keyframes)
      assertPlotted(
        misses,
        `frame ${frame}`,
        lines.map((line) => 1e3 * line.keyframes.find((keyframe) => keyframe.frame === frame).rms_m),
      );
  }
  const steps = readJsonLines(folder.path, 'steps.jsonl');
  assertPlotted(
    await report.plot('Newton iterations and factorisations'),
    'Newton iterations',
    steps.map((step) => step.newton_iterations),
  );
}
