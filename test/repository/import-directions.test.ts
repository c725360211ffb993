// The import directions of docs/architecture.md hold: .dependency-cruiser.cjs against the code.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Cruise {
  modules: Array<{ source: string; dependencies: unknown[] }>;
  summary: { violations: Array<{ rule: { name: string }; from: string; to: string }> };
}

function cruise(): Cruise {
  const command = `${root}node_modules/dependency-cruiser/bin/dependency-cruise.mjs`;
  const folders = ['cli', 'loader', 'server', 'prefetchd', 'http', 'process', 'options', 'lab'];
  const args = [
    command,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    ...folders,
  ];
  // The exit code counts violations; they are read from the output.
  try {
    return JSON.parse(
      execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }),
    );
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout);
  }
}

describe('import directions (docs/architecture.md)', () => {
  it('hold for every module, types included, without cycles', () => {
    const { modules, summary } = cruise();
    // A parser that understands nothing reports no violation: it must have seen the code.
    const own = modules.filter(({ source }) =>
      /^(cli|loader|server|prefetchd|http|process|options)\/.*\.ts$/.test(source),
    );
    expect(own.length).toBeGreaterThan(50);
    const recorder = own.find(({ source }) => source === 'loader/page/page-recorder.ts');
    expect(recorder?.dependencies.length).toBeGreaterThanOrEqual(3);
    expect(
      summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    ).toEqual([]);
  });
});
