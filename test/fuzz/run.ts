// npm run fuzz -- --target proxy --seconds 30 --seed 1: looks for what the tests did not think of. Prints its seed;
// what it finds goes into findings/, from where it moves to seeds/ once it is mended. `--seed N --count 1` runs the
// one case again. `--target properties` runs the property tests, which have the same cases in every test run, with new ones.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

const names = ['properties', ...targets.map(({ name }) => name)];
const usage = `npm run fuzz -- [--target NAME] [--seconds 30] [--count N] [--seed N]
targets: ${names.join(', ')}`;

function refuse(why: string): never {
  console.error(`${why}\n${usage}`);
  process.exit(2);
}

const options = {
  options: {
    help: { type: 'boolean', default: false },
    target: { type: 'string', default: 'proxy' },
    seconds: { type: 'string', default: '30' },
    count: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
} as const;

function given() {
  try {
    return parseArgs(options).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const values = given();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (values.target === 'properties') {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    readFileSync(`${root}${file}`, 'utf8').includes('support/property.ts'),
  );
  const env = { ...process.env, FRESH_SEEDS: '1' };
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  const args = [vitest, 'run', ...files];
  process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
}
const target = targets.find(({ name }) => name === values.target);
if (target === undefined) {
  refuse(`--target must be one of these, not ${values.target}`);
}
const [seed, seconds, count] = [values.seed, values.seconds, values.count].map(Number);
if (![seed, seconds, count].every((number) => number !== undefined && number >= 0)) {
  refuse('--seed, --seconds and --count must be numbers from 0');
}

console.log(`${target.name}, --seed ${seed}`);
let saidMs = performance.now();
const { cases, finding } = await fuzz(target, {
  seed: seed ?? 0,
  seconds: seconds ?? 0,
  count: count ?? 0,
  onProgress(done) {
    if (performance.now() - saidMs < 2_000) return;
    saidMs = performance.now();
    console.log(`${done} cases`);
  },
});
console.log(`${cases} cases, ${finding ? 'one finding' : 'nothing found'}`);
if (finding) {
  const folder = fileURLToPath(new URL('./findings/', import.meta.url));
  await mkdir(folder, { recursive: true });
  const file = `${folder}${finding.target}-${finding.seed}.json`;
  await writeFile(file, `${JSON.stringify(finding, null, 2)}\n`);
  console.log(`${finding.problem}\n--seed ${finding.seed} --count 1, kept in ${file}`);
}
process.exit(finding ? 1 : 0);
