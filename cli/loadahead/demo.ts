// `loadahead demo`, which `npm start` runs: what hints save a visitor, then a page loaded over each protocol, on this
// machine. Prints what each load cost, and writes a HAR and a waterfall.

import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createHttpCache } from '../../loader/cache/cache.ts';
import { createMemoryStore } from '../../loader/cache/memory-cache-store.ts';
import { loadPage } from '../../loader/loader.ts';
import type { LoaderOptions } from '../../loader/options.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { toHar } from '../../loader/report/har.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatBytes, formatMs } from '../../loader/report/units.ts';
import { renderWaterfallSvg } from '../../loader/report/waterfall-svg.ts';
import { version } from '../../process/version.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { CommandError } from '../command-error.ts';
import { demoClicks } from './demo-clicks.ts';
import { fixture } from './fixture.ts';

type Way = readonly [name: string, options: LoaderOptions, note: string];

const ways: readonly Way[] = [
  [
    'persistent',
    { protocol: 'persistent' },
    'HTTP/1.1 as browsers speak it: 6 connections, in turns',
  ],
  ['pipelined', { protocol: 'pipelined' }, 'HTTP/1.1, requests in batches on one connection'],
  ['h2', { protocol: 'h2' }, 'HTTP/2, streams on one connection'],
];
/** Number of loads of each way, of which the fastest counts: the first also pays for compiling, which is no cost of the
 *  protocols. */
const rounds = 2;

type DemoSay = (line: string) => void;

/** Runs the command. @returns the exit code */
export async function demo({ out, keep }: { out: string; keep?: boolean }): Promise<number> {
  await makeFolder(out);
  const say: DemoSay = (line) => void process.stdout.write(`${line}\n`);
  let exitCode = 0;
  await demoClicks({ folder: fixture('twelve-pages'), keep: keep === true, say }, async () => {
    const origin = createOrigin(fixture('microscape'));
    try {
      exitCode = await showProtocols((await origin.listen()).url, out, say);
    } finally {
      await origin.close();
    }
  });
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
  say('\nThe loader: a page of 42 KB of HTML and 42 images, loaded twice each way on this');
  say(`machine; the faster counts.\n`);
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
    await writeFile(har, JSON.stringify(toHar(shown, { creatorVersion: version }), null, 2));
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
