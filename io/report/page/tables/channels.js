// What a search has found for [[control.channel]].

import { section } from '../ui/dom.js';
import * as format from '../ui/format.js';
import { table } from './table.js';

// The numbers of one component over its rows, frames or vertices: one, or from where to where.
function cell(channel, component) {
  const k = channel?.components.indexOf(component) ?? -1;
  if (k < 0) return '–';
  if (!channel.values) return 'in channels.json';
  const column = channel.values.map((row) => row[k]);
  if (column.length === 1) return format.number(column[0]);
  const rows = channel.frames ? 'frames' : channel.vertices ? 'vertices' : 'rows';
  return `${format.number(Math.min(...column))} to ${format.number(Math.max(...column))} over ${column.length} ${rows}`;
}

const of = (run) => run.summary?.channels ?? [];

export function channelsSection(runs) {
  const found = runs.filter((run) => of(run).length > 0);
  if (found.length === 0) return null;
  const count = Math.max(...found.map((run) => of(run).length));
  const rows = Array.from({ length: count }, (_, c) => {
    const channels = found.map((run) => of(run)[c]);
    const names = new Set(channels.flatMap((channel) => channel?.components ?? []));
    const kind = [...new Set(channels.map((channel) => channel?.kind).filter(Boolean))].join(', ');
    return [...names].map((name) => [
      `${c + 1}: ${kind}, ${name}`,
      ...channels.map((channel) => cell(channel, name)),
    ]);
  }).flat();
  return section(
    'Channels',
    table('What was found for each channel', ['', ...found.map((run) => run.title)], rows),
  );
}
