import { h } from './dom.js';
import { THEMES } from './theme.js';

// Lets people choose between the themes of a Theme.
export function themeChoice(theme) {
  const choose = h(
    'select',
    { 'aria-label': 'Theme', onchange: () => theme.choose(choose.value) },
    ...Object.entries(THEMES).map(([value, text]) => h('option', { value }, text)),
  );
  choose.value = theme.choice;
  return choose;
}
