// npm run mutate -- --count 60 --seed 1: would the tests notice? Puts small faults into the code, one at a time and in a
// copy of it, and runs the tests that import the changed file: those of `npm test` first, and where they all pass those
// that only `npm run test:all` has. Takes about a minute for each. Rooms may be named: npm run mutate -- server/proxy

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomFrom } from '../support/random.ts';
import { applied, type Mutant, mutantsOf } from './mutants.ts';

type Fate = 'npm test' | 'npm run test:all' | 'survived';

const rooms = ['loader/transport', 'loader/cache', 'prefetchd/engine', 'server/proxy'];
/** A fault may make a test wait for ever: it was noticed. */
const longestMs = 10 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!(Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(seed))) {
  console.error('--count must be a whole number from 1, --seed a whole number');
  process.exit(2);
}
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The same number from each room, each place as likely as any other. */
function sample(): Mutant[] {
  const random = randomFrom(seed);
  const chosen = positionals.length > 0 ? positionals : rooms;
  return chosen.flatMap((room, index) => {
    const files = globSync(`${room}/**/*.ts`, { cwd: root }).sort();
    const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
    const share =
      Math.floor(((index + 1) * count) / chosen.length) -
      Math.floor((index * count) / chosen.length);
    return Array.from({ length: share }, () =>
      all.splice(Math.floor(random() * all.length), 1),
    ).flat();
  });
}

function git(...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

function passes(copy: string, ...args: string[]): boolean {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const how = { cwd: copy, stdio: 'ignore', timeout: longestMs } as const;
  return (
    spawnSync(process.execPath, [vitest, ...args, '--run', '--bail', '1', '--passWithNoTests'], how)
      .status === 0
  );
}

function fateOf(copy: string, { file }: Mutant): Fate {
  const [room] = /^[a-z]+\/[a-z]+/.exec(file) ?? [''];
  // Its own tests are the likeliest to notice.
  if (!passes(copy, 'run', '--project', 'usual', '--project', 'measuring', `test/${room}/`))
    return 'npm test';
  if (!passes(copy, 'related', file, '--project', 'usual', '--project', 'measuring'))
    return 'npm test';
  return passes(copy, 'related', file, '--project', 'long') ? 'survived' : 'npm run test:all';
}

const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
const fates = new Map<Fate, number>();
try {
  git('worktree', 'add', '--quiet', '--detach', '--force', copy, 'HEAD');
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(copy, name));
  for (const mutant of sample()) {
    const path = join(copy, mutant.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, applied(text, mutant));
    const fate = fateOf(copy, mutant);
    writeFileSync(path, text);
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
    const [before, after] = [mutant.before, mutant.after].map((code) =>
      code.replace(/\s+/g, ' ').slice(0, 60),
    );
    console.log(`${fate.padEnd(16)} ${mutant.file}:${mutant.line}  ${before} -> ${after}`);
  }
} finally {
  git('worktree', 'remove', '--force', copy);
  rmSync(copy, { recursive: true, force: true });
}
console.log([...fates].map(([fate, n]) => `${fate}: ${n}`).join(', '));
