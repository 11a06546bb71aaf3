// What a run cost: one row a figure, one column a run.

import { section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

const perStep = (work, key) =>
  work && work.time_steps > 0 ? format.number(work[key] / work.time_steps) : '–';

const ROWS = [
  ['Status', ({ summary }) => summary?.status ?? 'running, or ended without a summary'],
  [
    'Iterations',
    ({ convergence, iterationCount }) => (convergence.length > 0 ? format.count(iterationCount) : '–'),
  ],
  ['Forward simulations', ({ summary }) => format.count(summary?.work.forward_simulations)],
  ['Adjoint sweeps', ({ summary }) => format.count(summary?.work.adjoint_sweeps)],
  ['Tangent sweeps', ({ summary }) => format.count(summary?.work.tangent_sweeps)],
  ['Time steps', ({ summary }) => format.count(summary?.work.time_steps)],
  ['Newton iterations per step', ({ summary }) => perStep(summary?.work, 'newton_iterations')],
  ['Factorisations per step', ({ summary }) => perStep(summary?.work, 'factorizations')],
  ['Control acceleration, peak', ({ summary }) => format.gravities(summary?.effort.peak_g)],
  ['Control acceleration, RMS', ({ summary }) => format.gravities(summary?.effort.rms_g)],
  ['Time, total', ({ summary }) => format.duration(summary?.time_s.total)],
  ['Time, forward', ({ summary }) => format.duration(summary?.time_s.forward)],
  ['Time, adjoint', ({ summary }) => format.duration(summary?.time_s.adjoint)],
  ['Time, tangent', ({ summary }) => format.duration(summary?.time_s.tangent)],
  ['Time, files', ({ summary }) => format.duration(summary?.time_s.io)],
  ['Memory, peak', ({ summary }) => format.bytes(summary?.memory_bytes.peak_rss)],
  ['Memory, states and factors', ({ summary }) => format.bytes(summary?.memory_bytes.trajectory)],
  ['Vertices', ({ vertexCount }) => format.count(vertexCount)],
  ['Triangles', ({ triangleCount }) => format.count(triangleCount)],
  ['Frames', (run) => `${run.firstFrame}–${run.lastFrame} (${run.frameCount})`],
  ['Frames per second', ({ fps }) => format.frameRate(fps)],
  ['Substeps', ({ substeps }) => format.count(substeps)],
  ['Positions from', ({ takes }) => takes.map(({ source }) => source).join(', ') || '–'],
  ['keydrape', ({ summary }) => summary?.version ?? '–'],
  ['Folder', ({ folder }) => folder],
];

export function workSection(runs) {
  return section(
    'Work and time',
    table(
      'What it took',
      ['', ...runs.map((run) => run.title)],
      ROWS.map(([heading, cell]) => [heading, ...runs.map((run) => String(cell(run)))]),
    ),
  );
}
