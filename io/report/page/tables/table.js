import { h } from '../ui/dom.js';

// `columns`: headings; `rows`: [heading, ...cells], cells text or elements.
export function table(caption, columns, rows) {
  return h(
    'div',
    { class: 'table-frame' },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...columns.map((text) => h('th', { scope: 'col' }, text)))),
      h(
        'tbody',
        {},
        ...rows.map(([heading, ...cells]) =>
          h('tr', {}, h('th', { scope: 'row' }, heading), ...cells.map((cell) => h('td', {}, cell))),
        ),
      ),
    ),
  );
}
