// The command of the bench: measures, prints, and with --write, or for `papers`, saves the results, draws the charts and
// regenerates docs/benchmarks.md and lab/results/NAME.md from all saved results.
//
//   node run.ts [NAME|all|none] [--study] [--ppp] [--rounds N] [--page DIR] [--log FILE]... [--write]
//               [--visitors N] [--variants A,B] [--seed N]
//
// NAME is one of benches.ts, or `papers` for all of the five papers; `pages` is short for `prefetchd-pages`. `none --write` renders the pages alone.

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchFlags, benches, papers, takesLogs, together } from './benches.ts';
import { environment } from './environment.ts';
import {
  benchmarksPage,
  benchmarksTemplate,
  chartsFolder,
  microscape,
  repository,
  resultsFolder,
} from './paths.ts';
import { run } from './processes.ts';
import { renderPage, renderResult } from './report.ts';
import type { BenchResult, DrawnChart, StoredResult } from './result.ts';
import { variants } from './walk/visitors/variants.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    study: { type: 'boolean', default: false },
    ppp: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    page: { type: 'string', default: microscape },
    log: { type: 'string', multiple: true, default: [] },
    visitors: { type: 'string' },
    variants: { type: 'string' },
    seed: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const wholeNumber = (name: 'rounds' | 'visitors' | 'seed'): number | undefined => {
  const text = flags[name];
  const number = text === undefined ? undefined : Number(text);
  if (number === undefined || (Number.isSafeInteger(number) && number > 0)) return number;
  say(`--${name} must be a whole number from 1; got ${text}`);
  process.exit(2);
};
const missing = flags.log.find((log) => !existsSync(log));
if (missing !== undefined) {
  say(`--log: there is no ${missing}`);
  process.exit(2);
}
const known = variants.map(({ name }) => name);
const unknown = flags.variants?.split(',').find((name) => !known.includes(name));
if (unknown !== undefined) {
  say(`--variants: there is no ${unknown}; there are ${known.join(', ')}`);
  process.exit(2);
}
const isPapers = positionals[0] === 'papers';
const benchFlags: BenchFlags = {
  rounds: wholeNumber('rounds'),
  page: flags.page,
  withPpp: flags.ppp,
  logs: flags.log,
  visitors: wholeNumber('visitors'),
  variants: flags.variants?.split(','),
  seed: wholeNumber('seed'),
  say,
};

function chosen(): string[] {
  const [what = 'all'] = positionals;
  if (what === 'all') return Object.keys(benches);
  if (what === 'none') return [];
  if (what === 'papers') return Object.keys(papers);
  if (what === 'emulated' && flags.study) return ['study'];
  for (const name of [what, `prefetchd-${what}`]) if (Object.hasOwn(benches, name)) return [name];
  say(`no bench named ${what}; there are ${Object.keys(benches).join(', ')}, papers, all`);
  process.exit(2);
}

interface Measured {
  result: StoredResult;
  charts: DrawnChart[];
  files: NonNullable<BenchResult['files']>;
}

async function measure(name: string): Promise<Measured | null> {
  const startedAt = new Date();
  say(`\n${name}`);
  const bench = benches[name] as (flags: BenchFlags) => Promise<BenchResult>;
  const own = isPapers
    ? { ...benchFlags, rounds: benchFlags.rounds ?? papers[name], withPpp: true }
    : benchFlags;
  const { charts = [], files = [], ...rest } = await bench(own);
  if (rest.skipped !== undefined) {
    say(`${name} is skipped: ${rest.skipped}`);
    return null;
  }
  const result = {
    ...rest,
    ...(charts.length === 0 ? {} : { charts: charts.map(({ file, alt }) => ({ file, alt })) }),
    environment: environment(),
    startedAt: startedAt.toISOString(),
    durationS: (Date.now() - startedAt.getTime()) / 1e3,
    command: commandFor(name),
  };
  return { result, charts, files };
}

const takesPpp = new Set(['emulated', 'content', 'papers-nielsen']);

/** What repeats this bench alone; a log of one's own by its name only. */
function commandFor(name: string): string {
  const rounds = benchFlags.rounds ?? (isPapers ? papers[name] : undefined);
  return [
    'node lab/run.ts',
    name === 'study' ? 'emulated --study' : name,
    ...(takesPpp.has(name) && (flags.ppp || isPapers) ? ['--ppp'] : []),
    ...(rounds === undefined ? [] : ['--rounds', String(rounds)]),
    ...(flags.page === microscape ? [] : ['--page', flags.page]),
    ...(name === 'visitors'
      ? (['visitors', 'variants', 'seed'] as const).flatMap((flag) => {
          const value = flags[flag];
          return value === undefined ? [] : [`--${flag}`, value];
        })
      : []),
    ...(takesLogs.has(name) ? flags.log : []).flatMap((log) => ['--log', basename(log)]),
  ].join(' ');
}

async function keep({ result, charts, files }: Measured): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${result.name}.json`);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  const biome = join(repository, 'node_modules/.bin/biome');
  if (existsSync(biome)) await run(biome, ['format', '--write', file]);
  if (charts.length > 0) await mkdir(chartsFolder, { recursive: true });
  for (const chart of charts) await writeFile(join(chartsFolder, chart.file), chart.svg);
  for (const { file, text } of files) await writeFile(join(resultsFolder, file), text);
}

async function kept(): Promise<StoredResult[]> {
  const names = (await readdir(resultsFolder)).filter((name) => name.endsWith('.json'));
  const texts = names.map((name) => readFile(join(resultsFolder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as StoredResult);
}

async function writePages(): Promise<void> {
  const results = await kept();
  await writeFile(benchmarksPage, renderPage(await readFile(benchmarksTemplate, 'utf8'), results));
  for (const result of results) {
    await writeFile(join(resultsFolder, `${result.name}.md`), renderResult(result));
  }
}

async function inTurn(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const measured = await measure(name);
    if (measured === null) continue;
    process.stdout.write(`${renderResult(measured.result)}\n`);
    if (!flags.write && !isPapers) continue;
    await keep(measured);
    await writePages();
    say(`written: ${benchmarksPage}`);
  }
}

const names = chosen();
if (names.length === 0 && flags.write) await writePages();
if (isPapers) for (const lists of together) await Promise.all(lists.map(inTurn));
await inTurn(isPapers ? names.filter((name) => !together.flat(2).includes(name)) : names);
