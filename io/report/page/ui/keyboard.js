// Keys for the player, and the dialog that lists them.

import { h } from './dom.js';

const LIST = [
  ['Space', 'play or pause'],
  ['← →', 'previous, next frame'],
  ['Shift + ← →', 'previous, next keyframe'],
  ['Home  End', 'first, last frame'],
  ['1  2  3', 'controlled, uncontrolled, both'],
  ['S  C  M  A  T', 'shaded, checker, miss, acceleration, stretch'],
  ['O  D', 'of several runs: lay one over, distance between the cloths'],
  ['W  G  F  P  B', 'wireframe, ghosts, force arrows, contact pairs, bodies'],
  ['R', 'reset the view'],
  ['?', 'this list'],
];

export function helpDialog() {
  const rows = LIST.map(([keys, meaning]) =>
    h('tr', {}, h('td', {}, h('kbd', {}, keys)), h('td', {}, meaning)),
  );
  const dialog = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h('table', { class: 'plain' }, h('tbody', {}, ...rows)),
    h('p', { class: 'muted' }, 'Mouse: drag to orbit, right button or Shift to pan, wheel to zoom.'),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')),
  );
  return dialog;
}

// `actions`: { play, step(by), keyframe(by), first, last, take(index), surface(name), toggle(name), reset,
// help }.
export function listenToKeys(actions) {
  const keys = {
    ' ': () => actions.play(),
    ArrowLeft: (event) => (event.shiftKey ? actions.keyframe(-1) : actions.step(-1)),
    ArrowRight: (event) => (event.shiftKey ? actions.keyframe(1) : actions.step(1)),
    Home: () => actions.first(),
    End: () => actions.last(),
    1: () => actions.take(0),
    2: () => actions.take(1),
    3: () => actions.take(2),
    s: () => actions.surface('shaded'),
    c: () => actions.surface('checker'),
    m: () => actions.surface('miss'),
    a: () => actions.surface('acceleration'),
    t: () => actions.surface('strain'),
    d: () => actions.surface('apart'),
    o: () => actions.toggle('overlay'),
    w: () => actions.toggle('wireframe'),
    g: () => actions.toggle('ghosts'),
    f: () => actions.toggle('arrows'),
    p: () => actions.toggle('contacts'),
    b: () => actions.toggle('bodies'),
    r: () => actions.reset(),
    '?': () => actions.help(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    const { target } = event;
    const typing = target.matches?.(
      'input:not([type=radio]):not([type=checkbox]):not([type=range]), select, textarea',
    );
    // A focused control keeps the keys that it understands itself.
    const own =
      (event.key === ' ' && target.matches?.('button, input, summary, a')) ||
      (event.key.startsWith('Arrow') && target.matches?.('input[type=radio]'));
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (typing || own || !action) return;
    event.preventDefault();
    action(event);
  });
}
