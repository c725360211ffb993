// Runs the last part of `loadahead demo`: a site of twelve pages that learned from three visitors, walked by others
// with and without prefetching in turns, and a dashboard that shows what the site learned.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Spread, spreadOf } from '../../loader/report/runs.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatMs } from '../../loader/report/units.ts';
import { walkPages } from '../../loader/walk/walk.ts';
import type { WalkRecord } from '../../loader/walk/walk-record.ts';
import { withConstants } from '../../options/options.ts';
import { createPrefetchd } from '../../prefetchd/engine/prefetchd.ts';
import { createService } from '../../prefetchd/service/service.ts';
import { hints } from '../../server/hints/hints.ts';
import type { Handler } from '../../server/listen/handler.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { npxCommand } from '../run-command.ts';

/** Visitors that the site learns from: as many as a hint needs. */
const teachers = 3;
/** How long a visitor with prefetching stays on a page, ms; a visitor without it has nothing to wait for. */
const stayMs = 150;
/** How long the site takes for a page, ms: on one machine there is no latency that prefetching could save. */
const pageMs = 20;
/**
 * Number of walks without prefetching, and of walks with it, in turns, because a single one says little on a machine
 * that does other things too. It is odd, so that one of the rounds is the median.
 */
const rounds = 3;

interface Round {
  without: WalkRecord;
  with: WalkRecord;
}

export interface DemoWalk {
  /** Folder of the site's pages. */
  folder: string;
  /** True: the demo runs until it is interrupted, so that the dashboard can be viewed. */
  keep: boolean;
  say: (line: string) => void;
}

export async function demoWalk({ folder, keep, say }: DemoWalk): Promise<void> {
  // The predictor connects pages with pages: in a plain graph the images of a page would fill the window.
  const prefetchd = createPrefetchd({ predictor: 'double-graph', load: () => 0 });
  const prefetch = hints({ prefetchd, trustProxy: 'loopback' });
  const site = createOrigin(folder, { maxAgeSeconds: 300, handlers: [prefetch, slowPages] });
  const service = createService(prefetchd);
  try {
    const [{ url }, dashboard] = await Promise.all([site.listen(), service.listen({ port: 0 })]);
    const list = join(folder, 'walk.json');
    const paths = JSON.parse(await readFile(list, 'utf8')) as string[];
    const walk = (visitor: number, { prefetches }: { prefetches: boolean }): Promise<WalkRecord> =>
      walkPages(
        paths.map((path) => ({ url: url + path, thinkMs: prefetches ? stayMs : 0 })),
        {
          prefetch: prefetches ? { subresources: true } : null,
          loader: {
            extraHeaders: {
              // The usual user agent counts as a robot, to which sites give no hints.
              'User-Agent': 'Mozilla/5.0 loadahead/0.1',
              'X-Forwarded-For': `192.0.2.${visitor}`,
            },
            ...withConstants({ prefetchMaxLoad: 1 }),
          },
        },
      );
    for (let visitor = 1; visitor <= teachers; visitor++) {
      await walk(visitor, { prefetches: false });
    }
    const walked: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const visitor = teachers + 1 + 2 * round;
      const isFirst = round % 2 === 1;
      const one = await walk(visitor, { prefetches: isFirst });
      const other = await walk(visitor + 1, { prefetches: !isFirst });
      walked.push(isFirst ? { without: other, with: one } : { without: one, with: other });
    }
    say(`\nRound Trips, a site of twelve pages${keep ? ` at ${url}/` : ''}, ${pageMs} ms each:`);
    say('three visitors walked it, so it learned; then others did without prefetching,');
    say(`and with it, staying ${stayMs} ms on each page. The last of each:\n`);
    const last = walked.at(-1) as Round;
    for (const line of table(last.without, last.with)) say(line);
    say('');
    for (const line of gainLines(walked)) say(line);
    say('');
    for (const line of meanings) say(line);
    if (!keep) {
      say('\nto look at the site and at what it learned, and to walk it page by page:');
      say(npxCommand('loadahead demo --keep'));
      return;
    }
    say('\none walk of each, page by page (in another terminal); its first page, which');
    say('nothing prefetches, and chance may outweigh what the others save:');
    say(
      npxCommand(
        `loadahead browse ${asArgument(list)} --origin ${url} --subresources --think ${stayMs}`,
      ),
    );
    say(`\nwhat it learned, while this runs: ${dashboard.url}/`);
    say('Interrupt (Ctrl-C) to end.');
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  } finally {
    await service.close();
    await site.close();
    await prefetch.close();
    await prefetchd.close();
  }
}

const slowPages: Handler = ({ url = '' }, _, next) => {
  const isPage = /^[^?]*(?:\/|\.html)(?:\?|$)/.test(url);
  if (isPage) setTimeout(next, pageMs);
  else next();
};

/** Writes a path as an argument for a shell: relative if it is below the current folder, else unchanged. */
function asArgument(path: string): string {
  const fromHere = relative('', path);
  const shown = fromHere.startsWith('..') ? path : fromHere;
  return /^[\w./:\\@+-]+$/.test(shown) ? shown : `"${shown}"`;
}

const meanings = [
  'requests of pages: sent while a page was loading, prefetches not among them',
  'cache hits: what pages needed and nobody had to be asked for',
  'network time: how long pages had something under way, all pages together',
  'wasted: prefetched, and used by no page',
];

function table(without: WalkRecord, with_: WalkRecord): string[] {
  const cells = [without, with_].map(({ pages, totals }) => [
    String(pages.reduce((sum, { load }) => sum + load.requests, 0)),
    String(totals.hits),
    formatMs(totals.networkMs),
    `${Math.round(totals.wastedBytes / 1000)} kB`,
  ]);
  const header = ['walk', 'requests of pages', 'cache hits', 'network time', 'wasted'];
  return textTable([header, ['without', ...(cells[0] ?? [])], ['with', ...(cells[1] ?? [])]], 1);
}

/**
 * Says what a walk gains by prefetching: median, minimum and maximum of the times without and with it, and of the share
 * saved. The first page does not count, because nothing can have prefetched it.
 */
export function gainLines(rounds: readonly Round[]): string[] {
  const without = rounds.map((round) => laterMs(round.without));
  const with_ = rounds.map((round) => laterMs(round.with));
  const saved = with_.map((ms, round) => 100 * (1 - ms / (without[round] as number)));
  const percent = (share: number): string => `${Math.round(share)} %`;
  const pages = (rounds[0]?.without.pages.length ?? 1) - 1;
  return [
    `time of the ${pages} pages after the first, ${rounds.length} walks of each kind in turns:`,
    `without  ${spread(without, formatMs)}`,
    `with     ${spread(with_, formatMs)}`,
    `saved    ${spread(saved, percent)}`,
  ];
}

function laterMs({ pages }: WalkRecord): number {
  return pages.slice(1).reduce((sum, { load }) => sum + (load.timeMs ?? 0), 0);
}

function spread(values: readonly number[], format: (value: number) => string): string {
  const { median, min, max } = spreadOf(values) as Spread;
  return `${format(median)} (median; ${format(min)} to ${format(max)})`;
}
