// A keydrape play that is under way, for tests and measurements.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

// A square of `size` metres in the plane z = 0, hanging down from y = 0, as OBJ.
export function sheet(side, size) {
  const lines = [];
  for (let i = 0; i < side; ++i)
    for (let j = 0; j < side; ++j) lines.push(`v ${(size * j) / (side - 1)} ${(-size * i) / (side - 1)} 0`);
  for (let i = 0; i + 1 < side; ++i)
    for (let j = 0; j + 1 < side; ++j) {
      const v = i * side + j + 1;
      lines.push(`f ${v} ${v + side} ${v + 1}`, `f ${v + 1} ${v + side} ${v + side + 1}`);
    }
  return `${lines.join('\n')}\n`;
}

// Such a sheet as a scene that hangs by the two upper corners; `more`: other tables.
export function writeScene(file, side, { frames = '1001-1024', substeps = 2, size = 0.5, fps = 24, more = '' } = {}) {
  writeFileSync(file.replace('.toml', '.obj'), sheet(side, size));
  const rest = file.split('/').pop().replace('.toml', '.obj');
  writeFileSync(
    file,
    `[shot]\nframes = "${frames}"\nfps = ${fps}\nsubsteps = ${substeps}\n[cloth]\nrest = "${rest}"\n` +
      `[[pin]]\nvertices = [0, ${side - 1}]\n${more}`,
  );
}

export class Stage {
  // Resolves as the stage is there.
  static async open(program, scene, ...options) {
    const stage = new Stage();
    stage.process = spawn(program, ['play', scene, '--quiet', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stage.ended = new Promise((resolve) => {
      stage.process.on('exit', (code) => resolve(code));
    });
    stage.url = await new Promise((resolve, reject) => {
      stage.process.stdout.once('data', (text) => resolve(String(text).trim()));
      stage.process.once('exit', (code) => reject(new Error(`keydrape play has ended with ${code}`)));
    });
    return stage;
  }

  // Its exit code.
  close() {
    this.process.kill('SIGINT');
    return this.ended;
  }
}
