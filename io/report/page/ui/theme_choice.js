import { h } from './dom.js';

// Lets people choose between the themes of a Theme.
export function themeChoice(theme) {
  const choose = h(
    'select',
    { 'aria-label': 'Theme', onchange: () => theme.choose(choose.value) },
    ...[
      ['auto', 'System theme'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ].map(([value, text]) => h('option', { value }, text)),
  );
  return choose;
}
