import { h } from '../ui/dom.js';

// `columns`: headings; `rows`: [heading, ...cells], cells text or elements. `kind`: a class of its own.
export function table(caption, columns, rows, kind = null) {
  return h(
    'div',
    { class: 'table-frame' },
    h(
      'table',
      { class: kind },
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
