// Warnings and scene files.

import { h, section } from '../ui/dom.js';

export function warningsSection(runs) {
  const warned = runs.filter((run) => run.warnings.length > 0);
  if (warned.length === 0) return null;
  return section(
    'Warnings',
    ...warned.flatMap((run) => [
      runs.length > 1 ? h('h3', {}, run.title) : null,
      h('ul', { class: 'warnings' }, ...run.warnings.map((text) => h('li', {}, text))),
    ]),
  );
}

export function sceneSection(runs) {
  const single = runs.length === 1;
  return section(
    single ? 'Scene file' : 'Scene files',
    ...runs.map((run) =>
      h(
        'details',
        {},
        h('summary', {}, single ? 'scene.toml' : `${run.title}: scene.toml`),
        h('pre', { tabindex: 0 }, run.scene),
      ),
    ),
  );
}
