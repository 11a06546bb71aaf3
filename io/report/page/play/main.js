// Puts the stage's page together (io/play/README.md).

import { dropSourceTexts, loadReport } from '../data/load.js';
import { h } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { Store } from '../ui/store.js';
import { Theme } from '../ui/theme.js';
import { themeChoice } from '../ui/theme_choice.js';
import { Channel, reasonOfEnd } from './channel.js';
import { Hand } from './hand.js';
import { Side } from './side.js';
import { Transport } from './transport.js';
import { View } from './view.js';

const TELL_EVERY = 250; // [ms], figures that people read
const MOST_LATENCIES = 1000;

const factsText = ([first, last], fps, vertexCount) =>
  [
    `frames ${first}–${last}`,
    `${format.frameRate(fps)} frames/s`,
    `${format.count(vertexCount)} vertices`,
  ].join(' · ');

function header(report, run, facts, theme) {
  return h(
    'header',
    {},
    h('div', {}, h('h1', {}, run.name), facts),
    h('div', { class: 'tools' }, h('span', { class: 'muted' }, `keydrape ${report.version}`), themeChoice(theme)),
  );
}

function listenToKeys(keys) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const isOwn = event.key === ' ' && event.target.matches?.('button, input, summary, a');
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (isOwn || !action || event.target.matches?.('select')) return;
    event.preventDefault();
    action();
  });
}

async function start() {
  const root = document.getElementById('report');
  const report = await loadReport();
  dropSourceTexts();
  const [run] = report.runs;
  const theme = new Theme();
  const store = new Store({ wireframe: false, ghosts: 'ahead', bodies: true });
  const view = new View(run, store, theme);
  const atFirst = factsText([run.firstFrame, run.lastFrame], run.fps, run.vertexCount);
  const facts = h('p', { class: 'facts muted' }, atFirst);
  const end = h('p', { class: 'failure', role: 'alert', hidden: true });

  let newest = null; // a frame that has not been shown
  let latency = null;
  const latencies = [];
  let isPlaying = false;
  let isPlayedByHand = false; // time goes on for as long as the cloth is held
  let status = null;
  let solve = null;
  let frames = 0;

  const channel = new Channel({
    frame(frame) {
      newest = frame;
      ++frames;
      transport.arrived(frame, performance.now());
    },
    status(said) {
      status = said;
      isPlaying = said.playing;
      facts.textContent = factsText(said.frames, said.fps, run.vertexCount);
      store.set({ bodies: said.bodies !== false });
      transport.status(said);
      side.status(said);
    },
    note: (said) => side.note(said),
    solve(said) {
      solve = said;
      side.solveStatus(said);
    },
    async end() {
      end.textContent = await reasonOfEnd();
      end.hidden = false;
    },
  });
  const act = { send: (word, more) => channel.send(word, more), set: (patch) => store.set(patch) };
  const transport = new Transport(run, [...new Set(run.keyframes.map(({ frame }) => frame))], act);
  const side = new Side(act, { keyframes: run.hasTargets });
  const hand = new Hand(
    view.stage,
    { x: view.x, triangles: run.triangles },
    {
      grab(vertex) {
        channel.send('grab', { vertex });
        isPlayedByHand = !isPlaying;
        if (isPlayedByHand) channel.send('play');
      },
      drag: (way, stamp) => channel.send('drag', { way, stamp }),
      letGo() {
        channel.send('let go');
        if (isPlayedByHand) channel.send('pause');
        isPlayedByHand = false;
        latency = null;
      },
    },
  );
  view.panel.scene.add(hand.group);
  theme.subscribe(({ canvas }) => hand.setColour(canvas.arrow));

  root.classList.add('play');
  root.append(
    header(report, run, facts, theme),
    end,
    h(
      'main',
      {},
      h(
        'div',
        { class: 'player' },
        h(
          'div',
          { class: 'view' },
          view.host,
          transport.element,
          h(
            'p',
            { class: 'muted caption' },
            'Press on the cloth and drag it; while paused it moves for as long as you hold it. ',
            'Drag beside it to orbit, right button to pan, wheel to zoom.',
          ),
        ),
        side.element,
      ),
    ),
  );
  listenToKeys({
    ' ': () => transport.toggle(),
    ArrowRight: () => act.send('step'),
    Home: () => act.send('reset'),
    k: () => act.send('keyframe'),
    w: () => side.wireframe.input.click(),
    g: () => side.ghosts.input.click(),
    v: () => view.stage.resetView(),
  });

  let told = 0;
  let shown = 0;
  let lastStamp = 0;
  const draw = (now) => {
    hand.tell();
    const frame = newest;
    newest = null;
    if (frame) {
      view.show(frame.frame, frame.positions);
      hand.draw();
    }
    if (view.stage.draw() && frame) ++shown;
    if (frame && frame.stamp > 0 && frame.stamp !== lastStamp) {
      lastStamp = frame.stamp;
      latency = performance.now() - frame.stamp;
      latencies.push(latency);
      if (latencies.length > MOST_LATENCIES) latencies.shift();
    }
    if (now - told > TELL_EVERY) {
      told = now;
      transport.tell(hand.isHolding ? latency : null);
    }
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);

  // For scripts and tests.
  window.keydrape = {
    report,
    store,
    stage: view.stage,
    status: () => status,
    solve: () => solve,
    send: (word, more) => channel.send(word, more),
    frame: () => view.frame ?? null,
    positions: () => view.x,
    drawnPosition: (vertex) => view.panel.main.drawnPosition(vertex),
    // Where a vertex is in the window [px].
    placeOf(vertex) {
      const { camera, canvas } = view.stage;
      const box = canvas.getBoundingClientRect();
      camera.updateMatrixWorld();
      const place = camera.position.clone().set(...view.x.subarray(3 * vertex, 3 * vertex + 3)).project(camera);
      return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
    },
    takeStatistics() {
      const statistics = { frames, shown, latencies: latencies.splice(0), seconds: transport.seconds };
      frames = shown = 0;
      return statistics;
    },
  };
}

start().catch((error) => {
  const what = typeof DecompressionStream === 'undefined' ? 'this browser is older than 2023' : error.message;
  document
    .getElementById('report')
    .append(h('p', { role: 'alert', class: 'failure' }, `The stage cannot be shown: ${what}.`));
  throw error;
});
