// What the player shows: radio buttons and check boxes, each with its key.

import { h, uniqueId } from '../ui/dom.js';

// `choices`: [[value, label, key], ...]
function radios(store, key, legend, choices) {
  const name = uniqueId(key);
  const inputs = choices.map(([value]) =>
    h('input', { type: 'radio', name, value, onchange: () => store.set({ [key]: value }) }),
  );
  store.subscribe((state) =>
    inputs.forEach((input) => {
      input.checked = input.value === state[key];
    }),
  );
  return h(
    'fieldset',
    {},
    h('legend', {}, legend),
    h(
      'div',
      { class: 'choices' },
      ...choices.map(([, label, hint], k) =>
        h('label', { title: hint ? `Key ${hint}` : null }, inputs[k], label),
      ),
    ),
  );
}

// `choices`: [[value, label], ...], values numbers.
function select(store, key, legend, choices) {
  const input = h(
    'select',
    { 'aria-label': legend, onchange: () => store.set({ [key]: Number(input.value) }) },
    ...choices.map(([value, label]) => h('option', { value }, label)),
  );
  store.subscribe((state) => {
    input.value = state[key];
  });
  return h('label', { class: 'chosen' }, h('span', {}, legend), input);
}

// Which runs are seen, and against which.
function comparison(store, titles) {
  const runs = titles.map((title, k) => [k, title]);
  return h(
    'fieldset',
    {},
    h('legend', {}, 'Runs'),
    h(
      'div',
      { class: 'choices' },
      select(store, 'show', 'Show', [[-1, 'all, side by side'], ...runs]),
      select(store, 'against', 'Against', runs),
      checkbox(store, 'overlay', 'Lay that one over', 'O'),
    ),
  );
}

function checkbox(store, key, label, hint) {
  const input = h('input', { type: 'checkbox', onchange: () => store.set({ [key]: input.checked }) });
  store.subscribe((state) => {
    input.checked = state[key];
  });
  return h('label', { title: `Key ${hint}` }, input, label);
}

// Surfaces that runs have something for, by their abilities (abilities.js): [[value, label, key], ...].
export function surfacesOf({ hasForces, hasKeyframes, hasUvs, titles }) {
  const surfaces = [['shaded', 'Shaded', 'S']];
  if (hasUvs) surfaces.push(['checker', 'UV checker', 'C']);
  if (hasKeyframes) surfaces.push(['miss', 'Miss', 'M']);
  if (hasForces) surfaces.push(['acceleration', 'Acceleration', 'A']);
  surfaces.push(['strain', 'Stretch', 'T']);
  if (titles.length > 1) surfaces.push(['apart', 'Distance between cloths', 'D']);
  return surfaces;
}

export const offersSurface = (abilities, surface) =>
  surfacesOf(abilities).some(([offered]) => offered === surface);

export function optionsPanel(store, abilities, legends) {
  const { hasFree, hasForces, hasKeyframes, hasContacts, hasBodies } = abilities;
  const { mainName, unforcedName, titles } = abilities;
  return h(
    'div',
    { class: 'options' },
    titles.length > 1 ? comparison(store, titles) : null,
    hasFree
      ? radios(store, 'take', 'Cloth', [
          ['controlled', mainName, '1'],
          ['uncontrolled', unforcedName, '2'],
          ['both', 'Both', '3'],
        ])
      : null,
    radios(store, 'surface', 'Surface', surfacesOf(abilities)),
    legends.surface,
    titles.length > 1
      ? radios(store, 'scale', 'Colour scale', [
          ['shared', 'One for all runs', null],
          ['own', 'Each run its own', null],
        ])
      : null,
    hasKeyframes
      ? radios(store, 'ghosts', 'Keyframe ghosts', [
          ['off', 'Off', 'G'],
          ['ahead', 'Next', 'G'],
          ['all', 'All', 'G'],
        ])
      : null,
    h(
      'fieldset',
      {},
      h('legend', {}, 'Overlays'),
      h(
        'div',
        { class: 'choices' },
        checkbox(store, 'wireframe', 'Wireframe', 'W'),
        hasForces ? checkbox(store, 'arrows', 'Force arrows', 'F') : null,
        hasContacts ? checkbox(store, 'contacts', 'Contact pairs', 'P') : null,
        hasBodies ? checkbox(store, 'bodies', 'Bodies', 'B') : null,
      ),
    ),
    legends.contacts,
    legends.export,
  );
}
