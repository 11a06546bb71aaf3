// Puts the page together.

import { dropSourceTexts, loadReport } from './data/load.js';
import { worstFrame } from './data/worst.js';
import { header } from './header.js';
import { followLive, savedView, saveViewOnLeaving } from './live.js';
import { abilitiesOf } from './player/abilities.js';
import { SURFACE } from './player/cloth_material.js';
import { offersSurface } from './player/options.js';
import { GHOSTS, Player } from './player/player.js';
import { convergenceSection } from './plots/convergence.js';
import { AXES } from './plots/convergence_plots.js';
import { controlSection, solverSection } from './plots/steps.js';
import { comparisonSection } from './tables/comparison.js';
import { channelsSection } from './tables/channels.js';
import { keyframesSection } from './tables/keyframes.js';
import { sceneSection, warningsSection } from './tables/texts.js';
import { workSection } from './tables/work.js';
import { h } from './ui/dom.js';
import { helpDialog, listenToKeys } from './ui/keyboard.js';
import { Store } from './ui/store.js';
import { Theme, THEMES } from './ui/theme.js';

const OPTIONS = {
  take: 'controlled',
  surface: 'shaded',
  ghosts: 'ahead',
  wireframe: false,
  arrows: false,
  contacts: false,
  bodies: true,
  show: -1, // which run; -1: all
  against: 0, // the run that others are held against
  overlay: false,
  scale: 'shared',
  mark: null, // { run, vertex }
  axis: 'iteration', // of what is plotted of a search
  theme: 'auto',
};
const TAKES = ['controlled', 'uncontrolled', 'both'];
const CHOICES = {
  take: TAKES,
  surface: Object.keys(SURFACE),
  ghosts: GHOSTS,
  scale: ['shared', 'own'],
  axis: Object.keys(AXES),
  theme: Object.keys(THEMES),
};
const NUMBERS = ['frame', 'show', 'against'];

// What a link asks for: report.html#frame=1030&surface=miss&arrows=true, any of OPTIONS and the frame; what it misspells is left as it is.
function linkedState(hash) {
  const state = {};
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    if (NUMBERS.includes(name) && /^\d+$/.test(value)) state[name] = Number(value);
    else if (typeof OPTIONS[name] === 'boolean') state[name] = value === 'true';
    else if (CHOICES[name]?.includes(value)) state[name] = value;
  }
  return state;
}

function firstState(runs, saved, hash) {
  const linked = linkedState(hash);
  const first = { ...OPTIONS, frame: worstFrame(runs) };
  const isKept = saved.page === location.pathname && (saved.hash === hash || Object.keys(linked).length === 0);
  const state = { ...first, ...(isKept ? saved.state : linked) };
  for (const name of ['show', 'against']) if (!runs[state[name]]) state[name] = OPTIONS[name];
  const abilities = abilitiesOf(runs);
  if (!offersSurface(abilities, state.surface)) state.surface = OPTIONS.surface;
  if (!abilities.hasFree) state.take = OPTIONS.take;
  return state;
}

function keyActions(player, store, dialog) {
  return {
    play: () => player.play(),
    step: (by) => player.seek(store.state.frame + by),
    keyframe: (by) => player.seekKeyframe(by),
    first: () => player.seek(player.clock.firstFrame),
    last: () => player.seek(player.clock.lastFrame),
    take: (index) => {
      if (player.abilities.hasFree) store.set({ take: TAKES[index] });
    },
    surface: (surface) => {
      if (offersSurface(player.abilities, surface)) store.set({ surface });
    },
    toggle: (name) => (name === 'ghosts' ? player.cycleGhosts() : store.set({ [name]: !store.state[name] })),
    reset: () => player.stage.resetView(),
    help: () => dialog.showModal(),
  };
}

// A page is as high as it will be once these have drawn; by themselves they do before the next picture.
async function layOut(player, plots) {
  player.stage.resize();
  for (const { group } of plots) group.draw();
  await null; // uPlot gives its plots their size in a microtask
}

// For scripts and tests: what is shown, and what it was drawn from.
function scriptInterface(report, player, store, groups) {
  const { runs } = report;
  return {
    report,
    store,
    seek: (frame) => player.seek(frame),
    play: () => player.play(),
    playing: () => player.clock.playing,
    // Position [m] of a vertex as the graphics card draws it.
    drawnPosition: (vertex, { run = 0, take = 'controlled' } = {}) =>
      player.panels[run].front(take).drawnPosition(vertex),
    // Likewise of a body, which counts as in the scene; its vertices in the order of its mesh's file.
    drawnBody: (body, vertex, { run = 0 } = {}) => player.panels[run].bodies.drawnPosition(body, vertex),
    heat: ({ run = 0 } = {}) => [...player.panels[run].front(store.state.take).heat],
    // Positions [m] of the cloth that is laid over a run; null: none is.
    overlay: ({ run = 0 } = {}) => player.panels[run].overlaid(),
    // The end of the colour map of what is shown, of a run.
    scaleEnd: ({ run = 0 } = {}) => player.scales.end(store.state.surface, store.state.scale, run),
    goTo: (place) => player.goTo(place),
    // The contact pairs of the frame, in the order in which they are drawn [m], and the middle of each one's segment.
    contacts: ({ run = 0 } = {}) => ({
      pairs: runs[run].contacts?.list(store.state.frame - runs[run].firstFrame) ?? [],
      middles: player.panels[run].contacts?.drawnMiddles() ?? [],
    }),
    // What the ghosts of keyframes and tracks show, in the order of the run's.
    ghosts: ({ run = 0 } = {}) => player.panels[run].ghosts.shown(),
    plots: () => groups.flatMap((group) => group.plots.map((plot) => plot.values)),
    takeStatistics: () => player.takeStatistics(),
  };
}

async function start() {
  const root = document.getElementById('report');
  const report = await loadReport();
  dropSourceTexts();
  const { runs } = report;
  const saved = savedView();
  const store = new Store(firstState(runs, saved, location.hash));
  const theme = new Theme(store.state.theme);
  theme.subscribe(() => store.set({ theme: theme.choice }));
  const dialog = helpDialog();
  const player = new Player(runs, store, theme);
  player.seek(store.state.frame); // into the shot, whatever a link says
  if (saved.page === location.pathname && saved.view) player.view = saved.view;

  const plots = [
    controlSection(runs, theme, store, player),
    convergenceSection(runs, theme, store),
    solverSection(runs, theme, store, player),
  ].filter(Boolean);
  root.append(
    ...[
      header(report, theme, () => dialog.showModal()),
      h(
        'main',
        {},
        ...[
          player.element,
          warningsSection(runs),
          keyframesSection(runs, player),
          comparisonSection(report),
          channelsSection(runs),
          ...plots.map(({ element }) => element),
          workSection(runs),
          sceneSection(runs),
        ].filter(Boolean),
      ),
      h('footer', { class: 'muted' }, `keydrape ${report.version}`),
      dialog,
    ],
  );
  listenToKeys(keyActions(player, store, dialog));
  saveViewOnLeaving(() => ({ state: store.state, view: player.view }));
  await layOut(player, plots);
  if (saved.page === location.pathname) window.scrollTo(0, saved.scroll ?? 0);
  const { live } = document.documentElement.dataset;
  if (live !== undefined) followLive(document.getElementById('live'), Number(live), () => player.isSaving);
  window.keydrape = scriptInterface(
    report,
    player,
    store,
    plots.map(({ group }) => group),
  );
}

start().catch((error) => {
  const what = typeof DecompressionStream === 'undefined' ? 'this browser is older than 2023' : error.message;
  document
    .getElementById('report')
    .append(
      h(
        'p',
        { role: 'alert', class: 'failure' },
        `The report cannot be shown: ${what}. Its figures also stand in summary.json beside it.`,
      ),
    );
  throw error;
});
