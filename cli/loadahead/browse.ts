// `loadahead browse`: loads pages as a visitor opens them, without and with prefetching, and reports what prefetching
// saved and cost. Errors in the command line or the list are reported before anything is sent.

import { wrapText } from '../../loader/report/printable.ts';
import { formatCount, formatMs, plural } from '../../loader/report/units.ts';
import { type WalkPage, walkPages } from '../../loader/walk/walk.ts';
import { type WalkStep, walkTable } from '../../loader/walk/walk-options.ts';
import type { WalkPair } from '../../loader/walk/walk-record.ts';
import { defaultsOf } from '../../options/options.ts';
import { product } from '../../process/version.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { type ClientPath, readPaths } from './browse-log.ts';
import { pagesOf, thinkTime, webUrl } from './browse-pages.ts';
import { type LoaderFlags, loaderOptions } from './loader-flags.ts';
import { runLoads } from './run-loads.ts';

export interface BrowseFlags extends LoaderFlags {
  log?: string;
  client?: string;
  clients?: number;
  origin?: string;
  format?: string;
  filter: boolean;
  think: string;
  /** Longest time that the simulated visitor stays on a page, ms. */
  maxThink: number;
  /** True: the pages are visited with prefetching only; false: without only; absent: both, to compare. */
  prefetch?: boolean;
  maxPages?: number;
}

type CompleteFlags = BrowseFlags & { maxPages: number };

/** Number of times that a simulated visitor stayed on a page (`of`), and that `--max-think` cut this short (`cut`). */
interface Stays {
  cut: number;
  of: number;
  mostMs: number;
}

/** The user agent of the simulated visitor: servers take a mere product name for a robot, and give robots no hints. */
const userAgent = `User-Agent: Mozilla/5.0 ${product}`;

/** Runs `loadahead browse`. @returns the exit code */
export async function browse(targets: string[], given: BrowseFlags): Promise<number> {
  const { maxPages } = { ...defaultsOf(walkTable), ...given };
  const flags = { ...given, maxPages };
  const stayOf = thinkTime(flags.think);
  const { clients, maxThink: mostMs } = flags;
  if (clients === 0) throw new CommandError('--clients must be 1 at least', 2);
  const stays: Stays = { cut: 0, of: 0, mostMs };
  const paths = (await pathsOf(targets, flags)).map(({ name, pages }) => ({
    name,
    pages: pages.map(({ url, thinkMs: told }, index) => {
      const wantedMs = stayOf(told);
      if (index < maxPages) stays.of++;
      if (index < maxPages && wantedMs > mostMs) stays.cut++;
      return { url, thinkMs: Math.min(mostMs, wantedMs) };
    }),
  }));
  const pairs = await walkAll(paths, flags);
  await print(pairs, stays, flags);
  return verdict(pairs);
}

/** Returns the pages to load, in order: a list for each client of the log; without a log, one list of the given URLs.
 *  @throws CommandError */
async function pathsOf(targets: string[], flags: CompleteFlags): Promise<ClientPath[]> {
  const { log, client, clients, origin, format, filter, maxPages } = flags;
  const site = origin === undefined ? null : new URL(await webUrl(origin, null)).origin;
  if (log === undefined) {
    const needless = Object.entries({ client, clients }).find(([, value]) => value !== undefined);
    if (needless) throw new CommandError(`--${needless[0]}: of which log? Name it with --log`, 2);
    return [{ name: '', pages: await pagesOf(targets, site) }];
  }
  if (targets.length > 0) throw new CommandError('either URLs, or a path of --log; not both', 2);
  if (site === null) throw new CommandError('--log: say which site is walked with --origin', 2);
  if (client !== undefined && clients !== undefined) {
    throw new CommandError('--client names one; --clients takes several; not both', 2);
  }
  return await readPaths({ log, client, clients, origin: site, format, filter, maxPages });
}

/** Loads the pages of each visitor without prefetching and with it, each time with a new cache. */
async function walkAll(
  paths: Array<{ name: string; pages: WalkPage[] }>,
  flags: CompleteFlags,
): Promise<WalkPair[]> {
  const { maxPages, header = [] } = flags;
  const options = await loaderOptions({ ...flags, header: [userAgent, ...header] });
  const { prefetch: limits = {}, ...loader } = options;
  return await runLoads(flags.json === true, async (say, signal) => {
    const walk = async (index: number, hasPrefetch: boolean) => {
      const { pages } = paths[index] as (typeof paths)[number];
      const client = paths.length > 1 ? `client ${index + 1} of ${paths.length}, ` : '';
      const which = `${client}${hasPrefetch ? 'with' : 'without'} prefetching`;
      const prefetch = hasPrefetch ? limits : null;
      const onStep = ({ doing, index: page, thinkMs }: WalkStep) => {
        const what = doing === 'loading' ? 'loading' : `staying ${formatMs(thinkMs)}`;
        say(`${which}: page ${page + 1} of ${Math.min(pages.length, maxPages)}, ${what}`);
      };
      return await walkPages(pages, { loader, maxPages, signal, prefetch, onStep });
    };
    if (flags.prefetch === undefined) {
      // The first load pays for compiling and loading modules, so it must be none of those that are compared.
      await walkPages(paths[0]?.pages.slice(0, 1) ?? [], { loader, signal, prefetch: null });
    }
    const pairs: WalkPair[] = [];
    for (const [index, { name }] of paths.entries()) {
      pairs.push({
        name,
        without: flags.prefetch === true ? null : await walk(index, false),
        with: flags.prefetch === false ? null : await walk(index, true),
      });
    }
    return pairs;
  });
}

async function print(
  pairs: readonly WalkPair[],
  stays: Stays,
  { json }: BrowseFlags,
): Promise<void> {
  if (json) {
    const { toWalkJson } = await import('../../loader/report/walk-json.ts');
    process.stdout.write(`${JSON.stringify({ stays, ...toWalkJson(pairs) }, null, 2)}\n`);
    return;
  }
  const { renderWalks } = await import('../../loader/report/walk-text.ts');
  const options = terminal(process.stdout);
  const head = stays.cut === 0 ? [] : [...wrapText(cutStays(stays), options.columns), ''];
  process.stdout.write(`${[...head, renderWalks(pairs, options)].join('\n')}\n`);
}

function cutStays({ cut, of, mostMs }: Stays): string {
  const are = cut === 1 ? 'was to be longer and is' : 'were to be longer and are';
  return `${formatCount(cut)} of ${plural(of, 'stay')} ${are} cut to ${formatMs(mostMs)} (--max-think).`;
}

const mostTold = 5;

/** Reports the pages that did not load at all. @returns the exit code: 1 if there are any, otherwise 0 */
function verdict(pairs: readonly WalkPair[]): number {
  const pages = pairs.flatMap((pair) =>
    [pair.without, pair.with].flatMap((walk) => walk?.pages ?? []),
  );
  const failed = new Map(
    pages.flatMap(({ url, load: { error } }) =>
      error === null ? [] : [[url, `${error.message} [${error.code}]`]],
    ),
  );
  for (const [url, reason] of [...failed].slice(0, mostTold)) {
    process.stderr.write(`loadahead: ${url} did not load: ${reason}\n`);
  }
  const more = failed.size - mostTold;
  if (more > 0) process.stderr.write(`loadahead: and ${more} more\n`);
  return failed.size === 0 ? 0 : 1;
}
