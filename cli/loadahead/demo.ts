// `loadahead demo`, which `npm start` runs: shows what hints save a visitor, then loads a page in several ways from a
// server on this machine, and writes one of these loads as HAR and waterfall.

import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const ways: readonly (readonly [name: string, options: LoaderOptions])[] = [
  ['persistent', { protocol: 'persistent', connections: 1 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
  ['h2', { protocol: 'h2' }],
  ['auto', {}],
];
/** Number of loads with each protocol before the one that is shown: the first one takes longer, as code is compiled. */
const warmUps = 2;

/** Runs `loadahead demo`. @returns the exit code: 1 if a resource of the page failed */
export async function demo({ out, keep }: { out: string; keep?: boolean }): Promise<number> {
  await makeFolder(out);
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  let exitCode = 0;
  await demoClicks({ folder: fixture('twelve-pages'), keep: keep === true, say }, async () => {
    exitCode = await showLoads(out, say);
  });
  return exitCode;
}

async function showLoads(out: string, say: (line: string) => void): Promise<number> {
  const origin = createOrigin(fixture('microscape'));
  const loads = new Map<string, PageLoad>();
  try {
    const { url } = await origin.listen();
    for (let round = 0; round <= warmUps; round++) {
      for (const [name, options] of ways) loads.set(name, await loadPage(url, options));
    }
  } finally {
    await origin.close();
  }
  say('\nThe package also loads pages; here 42 KB of HTML with 42 images:\n');
  for (const line of table(loads)) say(line);
  say('\nsizes known: of all images; writes: those that carried requests');
  const [har, svg] = [join(out, 'microscape.har'), join(out, 'microscape.svg')];
  const shown = loads.get('pipelined') as PageLoad;
  try {
    await writeFile(har, JSON.stringify(toHar(shown, { creatorVersion: version }), null, 2));
    await writeFile(svg, renderWaterfallSvg(shown));
  } catch (cause) {
    throw new CommandError(`--out: ${(cause as Error).message}`, 2, { cause });
  }
  say(`\nwaterfall of the pipelined load: ${svg}`);
  say(`the same as HTTP Archive:        ${har}`);
  return [...loads.values()].some(({ totals }) => totals.errors > 0) ? 1 : 0;
}

function table(loads: ReadonlyMap<string, PageLoad>): string[] {
  const header = ['way', 'time', 'sizes known', 'connections', 'requests', 'writes', 'bytes'];
  const rows = [...loads].map(([name, { timing, totals }]) => [
    name,
    formatMs(timing.completeMs),
    formatMs(timing.sizesKnownMs),
    ...[totals.connections, totals.requests, totals.batches].map(String),
    formatBytes(totals.transferBytes),
  ]);
  return textTable([header, ...rows], 1);
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
