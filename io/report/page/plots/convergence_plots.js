// What there is to be drawn of searches, as LinePlot takes it: objective, gradient and misses against
// iterations, forward runs or time.

import { namesOf, namesOfTracks } from '../data/targets.js';
import { seriesOf } from './series.js';

export const AXES = {
  iteration: 'Iteration',
  forward_simulations: 'Forward runs',
  time_s: 'Time [s]',
};

const column = (key) => (run) => run.convergence.map((line) => line[key]);

// Of the keyframe of that name. A line has those of the run in the scene's order, or only those of a window,
// which are told apart by their frames.
function missOf(name, kind) {
  return (run) => {
    const { index } = run.keyframes.find((keyframe) => keyframe.name === name) ?? {};
    return run.convergence.map(({ keyframes }) => {
      const isWhole = keyframes.length === run.keyframes.length;
      const place = isWhole ? index : namesOf(keyframes.map(({ frame }) => frame)).indexOf(name);
      const keyframe = keyframes[place];
      return keyframe ? 1e3 * keyframe[kind] : null;
    });
  };
}

const tracksOf = (line) => line.tracks ?? [];
const namesOfTracksIn = (line) => namesOfTracks(tracksOf(line).map(({ range }) => range));

function missOfTrack(name, kind) {
  return (run) =>
    run.convergence.map((line) => {
      const track = tracksOf(line)[namesOfTracksIn(line).indexOf(name)];
      return track ? 1e3 * track[kind] : null;
    });
}

export function convergencePlots(runs, axis) {
  const names = [...new Set(runs.flatMap((run) => run.keyframes.map(({ name }) => name)))];
  const tracks = [...new Set(runs.flatMap(({ convergence }) => convergence.flatMap(namesOfTracksIn)))];
  const misses = (kind) => [
    ...names.map((name) => ({ label: `frame ${name}`, values: missOf(name, kind) })),
    ...tracks.map((name) => ({ label: `track ${name}`, values: missOfTrack(name, kind) })),
  ];
  const plot = (title, unit, quantities) => ({
    title,
    unit,
    log: true,
    whole: axis !== 'time_s',
    xLabel: AXES[axis],
    group: `convergence-${axis}`,
    series: seriesOf(runs, quantities, column(axis)),
  });
  return [
    plot('Objective', '', [
      { label: 'objective', values: column('objective') },
      { label: 'keyframes', values: column('keyframe_term') },
      { label: 'effort', values: column('effort_term') },
    ]),
    plot('Gradient norm', '', [{ label: 'gradient norm', values: column('gradient_norm') }]),
    plot('Miss of each keyframe, RMS', '[mm]', misses('rms_m')),
    plot('Miss of each keyframe, largest', '[mm]', misses('max_m')),
  ];
}
