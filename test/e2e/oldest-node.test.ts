// The guides, the examples and the SQLite store, whose library is Node's own, on the oldest Node that package.json
// promises, as their own tests run them. It comes from npm;
// where npm cannot get it, this is skipped by name, except where NEEDS_PACKAGES is set, as in .ci/run.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { installFromNpm } from '../support/npm-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const version = `${/\d+\.\d+/.exec(engines.node)?.[0]}.0`;

const folder = folderOfTests();
const node = join(folder, 'node_modules/node/bin/node');
const why = installFromNpm(folder, `node@${version}`, node);

it.skipIf(why)(
  `guides, examples and the SQLite store on Node ${version} ${why}`.trim(),
  { timeout: 600_000 },
  async () => {
    const store = ['sqlite-graph-store', 'merge', 'earlier-versions'];
    const files = store.map((name) => `test/prefetchd/store/sqlite/${name}.test.ts`);
    files.push('test/docs/guides.test.ts', 'test/repository/examples.test.ts');
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, NO_COLOR: '1', PATH };
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const run = spawn(node, [vitest, 'run', ...files], { cwd: root, env });
    const { code, stdout, stderr } = await runToEnd(run);
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  },
);
