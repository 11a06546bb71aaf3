import { missedText, sentence } from './sentence.js';
import { h } from './ui/dom.js';
import * as format from './ui/format.js';
import { themeChoice } from './ui/theme_choice.js';

const STATUS = {
  done: ['reached', '● done'],
  missed: ['missed', '▲ done'],
  failed: ['missed', '▲ failed'],
  interrupted: ['free', '◆ interrupted'],
};
const RUNNING = ['free', '◆ no end yet: this is how far it has come'];

// Of a draft the verdict is of what the steps of a preview make.
function verdict({ summary }) {
  if (!summary) return RUNNING;
  const [kind, status] = STATUS[summary.status];
  const text = summary.status === 'missed' ? `${status}, ${missedText(summary)}` : status;
  return summary.preview ? ['free', `${text}; a DRAFT, of linearised steps: to look at alone`] : [kind, text];
}

function facts(run) {
  return [
    `frames ${run.firstFrame}–${run.lastFrame}`,
    `${format.frameRate(run.fps)} frames/s`,
    `${format.count(run.vertexCount)} vertices`,
    `${format.count(run.triangleCount)} triangles`,
  ].join(' · ');
}

export function header(report, theme, openHelp) {
  const { runs } = report;
  const names = [...new Set(runs.map((run) => run.name))];
  const all = [...new Set(runs.map(facts))]; // said once, where they are the same
  return h(
    'header',
    {},
    h(
      'div',
      {},
      h('h1', {}, names.join(', ')),
      ...runs.map((run) => {
        const [kind, text] = verdict(run);
        return h(
          'p',
          { class: 'facts' },
          runs.length > 1 ? h('strong', {}, run.title, ' ') : null,
          h('span', { class: `verdict ${kind}` }, text),
          ' ',
          h('span', { class: 'said' }, sentence(run)),
          all.length > 1 ? h('span', { class: 'muted' }, ' ', facts(run)) : null,
        );
      }),
      all.length === 1 ? h('p', { class: 'facts muted' }, all[0]) : null,
    ),
    h(
      'div',
      { class: 'tools' },
      h('span', { id: 'live', class: 'muted', role: 'status' }),
      themeChoice(theme),
      h('button', { onclick: openHelp, 'aria-label': 'Keys' }, '?'),
    ),
  );
}
