// From the two data elements of a page to runs.

import { Run } from './run.js';
import { titlesOf } from './titles.js';

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).arrayBuffer();
}

// { version, runs } of a document that `keydrape report` has written.
export async function loadReport(page = document) {
  const manifest = JSON.parse(page.getElementById('manifest').textContent);
  const buffer = await inflated(bytesOfBase64(page.getElementById('buffer').textContent));
  const titles = titlesOf(manifest.runs.map(({ folder }) => folder));
  return { ...manifest, runs: manifest.runs.map((run, k) => new Run(run, buffer, k, titles[k])) };
}

// Gives the memory of the texts back, which the parsed data has replaced.
export function dropSourceTexts() {
  document.getElementById('manifest').textContent = '';
  document.getElementById('buffer').textContent = '';
}
