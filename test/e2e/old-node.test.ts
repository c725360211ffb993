// An old Node: the commands and every door of the package say in one sentence what they need and what to do.
// Told to a Node that is given another version, and by a real old one where there is one (the package as it is
// built then: old ones cannot strip types).

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const doors = Object.keys(manifest.exports).filter((door) => !door.endsWith('.json'));
const commands = Object.entries(manifest.bin as Record<string, string>);

/** `./dist/loader/index.js` is made of `loader/index.ts`. */
const source = (built: string) =>
  join(root, built.replace(/^(?:\.\/)?dist\//, '').replace('.js', '.ts'));
const says = (version: string, own = 'npm ci has brought one') =>
  `loadahead needs Node 22.19 or newer, and this is ${version}. Install a newer one; or, for this folder alone, ${own}: npx node mine.js`;
const told = (code: number, version: string) => {
  return { code, stdout: '', stderr: `${says(version)}\n` };
};

/** A Node that takes itself for another. */
const posesAs = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"${version}"}})`,
];
const run = (node: string, args: string[]) => runToEnd(spawn(node, args, { cwd: root }));
const importing = (specifier: string) => [
  '--input-type=module',
  '--eval',
  `import ${JSON.stringify(specifier)}; console.log('imported')`,
];

describe.each(['20.20.2', '22.18.0'])('Node %s', (version) => {
  it.each(commands)('is told by the command %s, with exit code 2', async (_name, built) => {
    const args = [...posesAs(version), source(built), '--version'];
    expect(await run(process.execPath, args)).toEqual(told(2, version));
  });

  it.each(doors)('is told by the door %s, without a stack trace', async (door) => {
    const args = [...posesAs(version), ...importing(source(manifest.exports[door].default))];
    expect(await run(process.execPath, args)).toEqual(told(1, version));
  });

  it('is told to who catches it, and to a listener of his own, as an error', async () => {
    const needs = JSON.stringify(source('./dist/needs-node.js'));
    for (const script of [
      `await import(${needs}).catch(({ message }) => console.log(message))`,
      `process.on('uncaughtException', ({ message }) => console.log(message)); await import(${needs})`,
    ]) {
      const args = [...posesAs(version), '--input-type=module', '--eval', script];
      const stdout = `${says(version)}\n`;
      expect(await run(process.execPath, args)).toEqual({ code: 0, stdout, stderr: '' });
    }
  });

  it('is told how to get one where the package is installed', async () => {
    const folder = folderOfTest();
    const installed = join(folder, 'node_modules/loadahead');
    await mkdir(installed, { recursive: true });
    // It has no types to strip: Node strips none there.
    await copyFile(source('./dist/needs-node.js'), join(installed, 'needs-node.mjs'));
    const args = [...posesAs(version), ...importing(join(installed, 'needs-node.mjs'))];
    const stderr = `${says(version, 'npm install node@24 brings one')}\n`;
    expect(await run(process.execPath, args)).toMatchObject({ code: 1, stderr });
  });
});

describe.each(['22.19.0', '24.0.0'])('Node %s', (version) => {
  it.each(doors)('is let in by the door %s', async (door) => {
    const args = [...posesAs(version), ...importing(source(manifest.exports[door].default))];
    const stdout = 'imported\n';
    expect(await run(process.execPath, args)).toEqual({ code: 0, stdout, stderr: '' });
  });
});

/** The first on PATH that is too old. */
function oldNode(): { node: string; version: string } | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const [, version = '', major, minor] = /^v((\d+)\.(\d+)\.\d+)/.exec(stdout ?? '') ?? [];
    if (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 19))
      return { node, version };
  }
  return undefined;
}

const old = oldNode();

describe.skipIf(old === undefined)('a real old Node (none on PATH: skipped)', () => {
  const { node, version } = old ?? { node: '', version: '' };

  it.each(commands)('is told by the command %s', async (_name, built) => {
    expect(await run(node, [join(root, built), '--version'])).toEqual(told(2, version));
  });

  it.each(doors)('is told by the door %s, as the package is built', async (door) => {
    const ended = await run(node, importing(door.replace('.', 'loadahead')));
    expect(ended).toEqual(told(1, version));
  });
});
