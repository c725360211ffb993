// `loadahead demo`, which `npm start` runs: loads the page of 1997 over each protocol, on this machine, prints what
// each load cost, and writes a HAR and a waterfall.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createHttpCache } from '../../loader/cache/cache.ts';
import { createMemoryStore } from '../../loader/cache/memory-cache-store.ts';
import { createLoader, loadPage } from '../../loader/loader.ts';
import type { LoaderOptions } from '../../loader/options.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { toHar } from '../../loader/report/har.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatBytes, formatMs } from '../../loader/report/units.ts';
import { renderWaterfallSvg } from '../../loader/report/waterfall-svg.ts';
import { dictionaries } from '../../server/dictionaries/dictionaries.ts';
import { getAll } from '../../server/get-all/get-all.ts';
import { holdLine } from '../../server/hold-line/hold-line.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { CommandError } from '../command-error.ts';
import { demoWalk } from './demo-walk.ts';
import { fixture } from './fixture.ts';

const microscape = fixture('microscape');
const twelvePages = fixture('twelve-pages');

type Way = readonly [name: string, options: LoaderOptions, note: string];

const ways: readonly Way[] = [
  ['http1.0', { protocol: 'http1.0' }, 'Connection: close, 4 at a time'],
  ['hold-line', { protocol: 'http1.0', holdLine: 5 }, 'the same, connections held by agreement'],
  ['persistent', { protocol: 'persistent' }, 'one request at a time on each of 6 connections'],
  [
    'pipelined',
    { protocol: 'pipelined' },
    'batches on one connection; a revisit asks for all in one (Get-List)',
  ],
  [
    'get-all',
    { protocol: 'pipelined', getAll: true },
    'the page and all its images in one response',
  ],
  ['h2', { protocol: 'h2' }, 'HTTP/2, streams on one connection'],
];
/** Number of loads of each way, of which the fastest counts: the first also pays for compiling, which is no cost of the
 *  protocols. */
const rounds = 2;

type DemoSay = (line: string) => void;

/** Runs the command. @returns the exit code */
export async function demo({ out, keep }: { out: string; keep?: boolean }): Promise<number> {
  await makeFolder(out);
  const origin = createOrigin(microscape, { handlers: [holdLine(), getAll()] });
  const say: DemoSay = (line) => void process.stdout.write(`${line}\n`);
  let exitCode: number;
  try {
    exitCode = await showProtocols((await origin.listen()).url, out, say);
  } finally {
    await origin.close();
  }
  await demoDictionaries(twelvePages, say);
  await demoWalk({ folder: twelvePages, keep: keep === true, say });
  return exitCode;
}

/** A page is loaded first with an empty cache, and again with everything stored, which is then validated. */
type DemoVisit = 'first' | 'revisit';
const visits: readonly DemoVisit[] = ['first', 'revisit'];

interface DemoRow {
  name: string;
  visit: DemoVisit;
  load: PageLoad;
}

async function showProtocols(url: string, out: string, say: DemoSay): Promise<number> {
  say('Microscape, the page of the pipelining paper of 1997: 42 KB of HTML and 42');
  say(`images, served by this process and loaded twice each way; the faster counts.\n`);
  const notes = ways.map(([name, , note]) => [name, note]);
  for (const line of textTable(notes, 2)) say(line);
  say('');

  const loads = new Map(ways.map((way): [Way, Record<DemoVisit, PageLoad>[]] => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [[, options], own] of loads) own.push(await visitTwice(`${url}/`, options));
  }
  const best: DemoRow[] = [...loads].flatMap(([[name], own]) =>
    visits.map((visit) => ({ name, visit, load: fastest(own.map((both) => both[visit])) })),
  );
  for (const line of table(best)) say(line);

  const shown = best.find(({ name }) => name === 'pipelined')?.load as PageLoad;
  const [har, svg] = [join(out, 'microscape.har'), join(out, 'microscape.svg')];
  try {
    await writeFile(har, JSON.stringify(toHar(shown, { creatorVersion: '0.1.0' }), null, 2));
    await writeFile(svg, renderWaterfallSvg(shown));
  } catch (cause) {
    throw new CommandError(`--out: ${(cause as Error).message}`, 2, { cause });
  }
  say(`\nwaterfall of the pipelined load: ${svg}`);
  say(`the same as HTTP Archive:        ${har}`);
  const failed = best.some(({ load }) => load.totals.errors > 0);
  return failed ? 1 : 0;
}

async function visitTwice(page: string, way: LoaderOptions): Promise<Record<DemoVisit, PageLoad>> {
  const cache = createHttpCache(createMemoryStore());
  try {
    const options = { getAll: false, cache, ...way };
    const first = await loadPage(page, options);
    const revisit = await loadPage(page, { ...options, cacheMode: 'no-cache' });
    return { first, revisit };
  } finally {
    cache.close();
  }
}

/** Creates the folder for results, one level only, because mkdir with `recursive` never ends in /proc. */
async function makeFolder(out: string): Promise<void> {
  const found = await stat(out).catch(() => null);
  if (found?.isDirectory()) return;
  if (found !== null) throw new CommandError(`--out: ${out} is no folder`, 2);
  const parent = await stat(dirname(out)).catch(() => null);
  if (!parent?.isDirectory()) {
    throw new CommandError(`--out: the folder ${dirname(out)} does not exist`, 2);
  }
  await mkdir(out).catch((cause: Error) => {
    throw new CommandError(`--out: ${cause.message}`, 2, { cause });
  });
}

function table(rows: DemoRow[]): string[] {
  const header = 'way,visit,requests,conns,batches,bytes,304s,sizes,complete'.split(',');
  const cells = rows.map(({ name, visit, load: { totals, timing } }) => [
    visit === 'first' ? name : '',
    visit,
    String(totals.requests),
    String(totals.connections),
    String(totals.batches),
    formatBytes(totals.transferBytes),
    String(totals.notModified),
    formatMs(timing.sizesKnownMs),
    formatMs(timing.completeMs),
  ]);
  const slowest = Math.max(...rows.map(({ load }) => load.timing.completeMs ?? 0));
  const bars = rows.map(({ load }, index) => {
    const length = Math.round((30 * (load.timing.completeMs ?? 0)) / slowest);
    return [...(cells[index] ?? []).slice(0, 2), '#'.repeat(Math.max(1, length))];
  });
  return [
    ...textTable([header, ...cells], 2),
    '',
    ...textTable(bars, 3),
    '',
    '#: time until complete, beside that of the slowest',
    'first: nothing is stored yet',
    'revisit: all is stored, and the server is asked whether it is still good',
    'requests: sent',
    'conns: connections used',
    'batches: writes that the requests left in',
    'bytes: headers and bodies as they came (1 kB = 1000 B)',
    '304s: answers that what is stored is still good',
    'sizes: time until width and height, or failure, of every image are known',
    'complete: time until the last byte',
    'One machine has no distance to save time on; lines have: docs/benchmarks.md.',
  ];
}

function fastest(loads: PageLoad[]): PageLoad {
  const sorted = loads.toSorted((a, b) => (a.timing.completeMs ?? 0) - (b.timing.completeMs ?? 0));
  return sorted[0] as PageLoad;
}

const codingsOfPages = [
  { name: 'gzip', codings: 'gzip' },
  { name: 'zstd', codings: 'zstd' },
  { name: 'dcz', codings: null, note: 'shared dictionaries' },
] as const;

/**
 * Loads the documents of the twelve pages one after the other: compressed each by itself, then each as the difference
 * to a document that the visitor has.
 * @param folder Folder of the site's pages
 */
async function demoDictionaries(folder: string, say: DemoSay): Promise<void> {
  const site = createOrigin(folder, { maxAgeSeconds: 300, handlers: [dictionaries()] });
  try {
    const { url } = await site.listen();
    const paths = JSON.parse(await readFile(join(folder, 'walk.json'), 'utf8')) as string[];
    const urls = paths.map((path) => url + path);
    const bytes: number[] = [];
    for (const { codings } of codingsOfPages) bytes.push(await documentBytes(urls, codings));
    say('\nThe HTML of twelve pages of one template, as it is sent:\n');
    for (const [at, way] of codingsOfPages.entries()) {
      const share = Math.round((100 * (bytes[at] as number)) / (bytes[0] as number));
      const columns = [formatBytes(bytes[at] as number).padStart(8), `${share} %`.padStart(6)];
      say(`${way.name.padEnd(6)}${columns.join('')}${'note' in way ? `  ${way.note}` : ''}`);
    }
    say('\nzstd: each page by itself; dcz: as the difference to a page that the visitor has');
  } finally {
    await site.close();
  }
}

/** Loads documents, and returns their bytes as sent. @param codings Accept-Encoding of the loader; null: that of a
 *  loader with dictionaries */
async function documentBytes(urls: readonly string[], codings: string | null): Promise<number> {
  const cache = createHttpCache(createMemoryStore());
  const loader = createLoader({
    cache,
    dictionaries: codings === null,
    discovery: { exclude: ['*'] },
    ...(codings !== null && { extraHeaders: { 'accept-encoding': codings } }),
  });
  try {
    let bytes = 0;
    for (const url of urls) bytes += (await loader.load(url)).resources[0]?.encodedBytes ?? 0;
    return bytes;
  } finally {
    await loader.close();
    cache.close();
  }
}
