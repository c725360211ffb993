// Cost of a cache hit (lookup, evaluation and reading), in memory and in SQLite, compared with other stores.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CacheCost } from './cache-cost-worker.ts';
import { measureIn } from './prefetchd/worker.ts';
import type { BenchResult, Cell, Column } from './result.ts';
import { ratios, spreadOf } from './spread.ts';

const version = '4.3.0';
const semantics = fileURLToPath(
  new URL('./node_modules/http-cache-semantics/index.js', import.meta.url),
);
const sizes = [1_500, 40_000];
const kinds: Array<[kind: string, does: string]> = [
  ['memory', 'finds, judges by RFC 9111, sets Age, copies the body'],
  ['sqlite', 'the same from a file, with its checksums'],
  [
    'undici memory',
    'finds by URL and Vary, reads the body; its interceptor, which judges, is not in it',
  ],
  ['undici sqlite', 'the same from a file'],
  ['http-cache-semantics', 'judges and sets Age; a Map, the body is not copied'],
];

const columns: Column[] = [
  { name: 'cache', meaning: 'of a thousand entries', text: true },
  { name: 'does', meaning: 'what is in the time', text: true },
  ...sizes.map((bytes) => ({
    name: `${bytes / 1000} KB us`,
    meaning: `processor time of one hit on a body of ${bytes} bytes`,
    digits: 1,
  })),
  {
    name: 'to ours',
    meaning: '1.5 KB us over that of our store of the same kind in the same round',
  },
];

export async function cacheCost({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const hasSemantics = existsSync(semantics);
  const measured = kinds.filter(([kind]) => hasSemantics || kind !== 'http-cache-semantics');
  const samples = new Map<string, number[]>();
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    for (const bytes of sizes) {
      for (const [kind] of measured) {
        const run = {
          script: '../cache-cost-worker.ts',
          args: [kind, bytes, semantics],
          pinned: true,
        };
        const { answer } = await measureIn<CacheCost>(run);
        const key = `${kind} ${bytes}`;
        samples.set(key, [...(samples.get(key) ?? []), answer.us]);
      }
    }
  }
  const of = (kind: string, bytes: number) => samples.get(`${kind} ${bytes}`) ?? [];
  const rows = measured.map(([kind, does]): Cell[] => [
    kind,
    does,
    ...sizes.map((bytes) => spreadOf(of(kind, bytes))),
    spreadOf(ratios(of(kind, 1_500), of(kind.includes('sqlite') ? 'sqlite' : 'memory', 1_500))),
  ]);
  const install = `npm install --prefix lab --no-save --ignore-scripts http-cache-semantics@${version}`;
  return {
    name: 'cache-cost',
    title: 'What a cache hit costs',
    method: [
      `A process for each cache and size, on one core, ${rounds} rounds in turn: a thousand entries, 20,000 hits before the 100,000 that count, all over the entries. The caches do not do the same; the column says what each does.`,
      ...(hasSemantics ? [] : [`http-cache-semantics was not installed (${install}).`]),
    ],
    tables: [{ title: 'Hits', columns, rows }],
    targets: [],
  };
}
