// Bundles the page and writes it as C++: one string, io/report/bundled_page.h.
//
//   node build.mjs PACKAGES OUTPUT     PACKAGES: the folder that holds node_modules
//
// Packages are looked for in the build folder and never in the source tree, which stays as git knows it.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [packages, output] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(path.join(path.resolve(packages), 'package.json'))('esbuild');

function bundle(entry) {
  const result = esbuild.buildSync({
    entryPoints: [path.join(here, 'page', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome105', 'firefox115', 'safari16.4'],
    nodePaths: [path.join(path.resolve(packages), 'node_modules')],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
}

// What the licences of the packages ask for: their text in every copy.
function licences() {
  const texts = ['three', 'uplot', 'webm-muxer'].map((name) => {
    const file = path.join(path.resolve(packages), 'node_modules', name, 'LICENSE');
    return `${name}: ${readFileSync(file, 'utf8').trim()}`;
  });
  // three brings it along (examples/jsm/libs), without its text.
  texts.push('fflate: under the same terms (MIT), Copyright (c) 2026 Arjun Barrett');
  return `This page contains\n\n${texts.join('\n\n')}`;
}

// A function as the replacement: in a string, `$&` would have a meaning.
function page(style, script, without) {
  return readFileSync(path.join(here, 'page', 'page.html'), 'utf8')
    .replace('/*licences*/', licences)
    .replace('/*style*/', () => bundle(style))
    .replace('<!--without-->', () => without)
    .replace('/*script*/', () => bundle(script));
}

const pages = {
  report: page(
    'style.css',
    'main.js',
    'This report needs JavaScript. Its figures also stand in summary.json beside it.',
  ),
  play: page('play/play.css', 'play/main.js', 'The stage needs JavaScript.'),
};

// C++ string literals, one a line: compilers read them 100 times faster than a list of numbers.
function literals(text) {
  const escape = (byte) => {
    if (byte === 0x22 || byte === 0x5c || byte === 0x3f) return '\\' + String.fromCharCode(byte); // " \ ?
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return '\\' + byte.toString(8).padStart(3, '0');
  };
  const bytes = [...Buffer.from(text, 'utf8')].map(escape);
  const lines = [];
  for (let at = 0; at < bytes.length; at += 2000) lines.push(`    "${bytes.slice(at, at + 2000).join('')}"`);
  return lines.join('\n');
}

const source = `// Made by io/report/build.mjs.
#include "io/report/bundled_page.h"

namespace keydrape {

std::string_view report_page() {
  using namespace std::string_view_literals;
  return
${literals(pages.report)}sv;
}

std::string_view play_page() {
  using namespace std::string_view_literals;
  return
${literals(pages.play)}sv;
}

std::string_view report_page_obstacle() { return {}; }

}  // namespace keydrape
`;
writeFileSync(output + '.new', source);
renameSync(output + '.new', output);
