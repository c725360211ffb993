// The one command of the bench: measures, prints, and with --write keeps the results and writes
// docs/benchmarks.md from all that are kept.
//
//   node run.ts [loopback|cold-start|emulated|all] [--study] [--ppp] [--rounds N] [--page DIR] [--write]

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { environment } from './environment.ts';
import { coldStart } from './page-loads/cold-start.ts';
import { emulated } from './page-loads/emulated.ts';
import { loopback } from './page-loads/loopback.ts';
import { pageFolder } from './page-loads/page-folder.ts';
import { study } from './page-loads/study.ts';
import { benchmarksPage, microscape, repository, resultsFolder } from './paths.ts';
import { run } from './processes.ts';
import { renderPage, renderResult } from './report.ts';
import type { BenchResult, StoredResult } from './result.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    study: { type: 'boolean', default: false },
    ppp: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    page: { type: 'string', default: microscape },
    write: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const rounds = (usual: number): number => Number(flags.rounds ?? usual);
if (!(Number.isSafeInteger(rounds(1)) && rounds(1) > 0)) {
  say(`--rounds must be a whole number from 1; got ${flags.rounds}`);
  process.exit(2);
}
const page = () => pageFolder(flags.page);
const onLinks = (usualRounds: number) => ({
  page: page(),
  rounds: rounds(usualRounds),
  withPpp: flags.ppp,
  say,
});

const benches: Record<string, () => Promise<BenchResult>> = {
  loopback: () =>
    loopback({ page: page(), warmRounds: rounds(60), coldRounds: Math.min(rounds(10), 10), say }),
  'cold-start': () => coldStart({ rounds: rounds(20), say }),
  emulated: () => emulated(onLinks(5)),
  study: () => study(onLinks(3)),
};

function chosen(): string[] {
  const [what = 'all'] = positionals;
  if (what === 'all') return Object.keys(benches);
  if (what === 'emulated' && flags.study) return ['study'];
  if (what in benches) return [what];
  say(`no bench named ${what}; there are ${Object.keys(benches).join(', ')}, all`);
  process.exit(2);
}

async function measure(name: string): Promise<StoredResult | null> {
  const startedAt = new Date();
  say(`\n${name}`);
  const result = await (benches[name] as () => Promise<BenchResult>)();
  if (result.skipped !== undefined) {
    say(`${name} is skipped: ${result.skipped}`);
    return null;
  }
  return {
    ...result,
    environment: environment(),
    startedAt: startedAt.toISOString(),
    durationS: (Date.now() - startedAt.getTime()) / 1e3,
    command: commandFor(name),
  };
}

/** What repeats this bench alone. */
function commandFor(name: string): string {
  const own = flags.page === microscape ? [] : ['--page', flags.page];
  return [
    'node bench/run.ts',
    name === 'study' ? 'emulated --study' : name,
    ...(name === 'emulated' && flags.ppp ? ['--ppp'] : []),
    ...(flags.rounds === undefined ? [] : ['--rounds', flags.rounds]),
    ...own,
  ].join(' ');
}

async function keep(result: StoredResult): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${result.name}.json`);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  const biome = join(repository, 'node_modules/.bin/biome');
  if (existsSync(biome)) await run(biome, ['format', '--write', file]);
}

async function kept(): Promise<StoredResult[]> {
  const names = (await readdir(resultsFolder)).filter((name) => name.endsWith('.json'));
  const texts = names.map((name) => readFile(join(resultsFolder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as StoredResult);
}

for (const name of chosen()) {
  const result = await measure(name);
  if (result === null) continue;
  process.stdout.write(`${renderResult(result)}\n`);
  if (!flags.write) continue;
  await keep(result);
  await writeFile(benchmarksPage, renderPage(await kept()));
  say(`written: ${benchmarksPage}`);
}
