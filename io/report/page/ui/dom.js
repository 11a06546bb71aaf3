// Elements in one expression: h('button', { class: 'key', onclick }, 'Play').
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

let ids = 0;
export const uniqueId = (stem) => `${stem}-${++ids}`;

// A section of the page with its heading.
export function section(title, ...children) {
  const id = uniqueId('section');
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), ...children);
}
