// `loadahead browse`: walks pages as a visitor does, without prefetching and with it, and reports what prefetching
// saved and cost. Errors in the command line or the list are reported before anything is sent.

import { stat } from 'node:fs/promises';
import { LoaderError } from '../../loader/errors.ts';
import { wrapText } from '../../loader/report/printable.ts';
import { formatCount, formatMs, plural } from '../../loader/report/units.ts';
import {
  type WalkOptions,
  type WalkPage,
  type WalkStep,
  walkPages,
} from '../../loader/walk/walk.ts';
import type { WalkPair, WalkRecord } from '../../loader/walk/walk-record.ts';
import { CommandError, inFlags } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { drawnOn } from '../safe-output.ts';
import { readList, webUrl } from './browse-list.ts';
import { type ClientPath, readPaths } from './browse-log.ts';
import type { DiscoveryFlags } from './discovery-flags.ts';
import { type LoadFlags, loaderOptions, pageAddress, usageError } from './load.ts';
import { parseDuration, parseThink, type Stays, stayOf } from './think-time.ts';

export interface BrowseFlags
  extends DiscoveryFlags,
    Pick<
      LoadFlags,
      | 'protocol'
      | 'connections'
      | 'holdLine'
      | 'timeout'
      | 'json'
      | 'header'
      | 'headers'
      | 'cookies'
      | 'getAll'
      | 'dictionaries'
      | 'ca'
    > {
  insecure?: boolean;
  publicOnly?: boolean;
  log?: string;
  client?: string;
  clients?: number;
  origin?: string;
  format: string;
  filter: boolean;
  think: string;
  maxThink: string;
  /** Absent: both walks. */
  prefetch?: boolean;
  minProbability?: number;
  subresources?: boolean;
  maxBytes?: number;
  maxPages: number;
}

/** Servers take a user agent that is only a name for a robot, and give robots no hints. */
const userAgent = 'Mozilla/5.0 loadahead/0.1';

/** @returns the exit code */
export async function browse(targets: string[], flags: BrowseFlags): Promise<number> {
  const think = parseThink(flags.think);
  const mostMs = parseDuration(flags.maxThink);
  if (mostMs === null) {
    throw new CommandError(`--max-think must be a time, as 500 or 2s; got ${flags.maxThink}`, 2);
  }
  for (const [flag, value] of Object.entries({
    clients: flags.clients,
    'max-pages': flags.maxPages,
  })) {
    if (value === 0) throw new CommandError(`--${flag} must be 1 at least`, 2);
  }
  const paths = await pathsOf(targets, flags);
  const stays: Stays = { cut: 0, of: 0, mostMs };
  const walked = paths.map(({ name, pages }) => ({
    name,
    pages: pages.map(({ url, thinkMs: told }, index) => {
      const { thinkMs, isCut } = stayOf(told, think, mostMs);
      if (index < flags.maxPages) {
        stays.of++;
        if (isCut) stays.cut++;
      }
      return { url, thinkMs };
    }),
  }));
  const pairs = await walkAll(walked, flags);
  await print(pairs, stays, flags);
  if (flags.insecure)
    process.stderr.write('loadahead: certificates were not verified (--insecure)\n');
  return verdict(pairs);
}

/** @throws CommandError */
async function pathsOf(targets: string[], flags: BrowseFlags): Promise<ClientPath[]> {
  const { log, client, clients, origin, format, filter, maxPages } = flags;
  const site = origin === undefined ? null : new URL(webUrl(await pageAddress(origin))).origin;
  if (log === undefined) {
    const needless = Object.entries({ client, clients }).find(([, value]) => value !== undefined);
    if (needless) throw new CommandError(`--${needless[0]}: of which log? Name it with --log`, 2);
    return [{ name: '', pages: await listOf(targets, site) }];
  }
  if (targets.length > 0) throw new CommandError('either URLs, or a path of --log; not both', 2);
  if (site === null) throw new CommandError('--log: say which site is walked with --origin', 2);
  if (client !== undefined && clients !== undefined) {
    throw new CommandError('--client names one; --clients takes several; not both', 2);
  }
  return await readPaths({ log, client, clients, origin: site, format, filter, maxPages });
}

async function listOf(targets: string[], site: string | null): Promise<ClientPath['pages']> {
  const [first] = targets;
  if (first === undefined) {
    throw new CommandError('what is to be browsed? Name URLs, a file that lists them, or --log', 2);
  }
  const isFile = targets.length === 1 && (await stat(first).catch(() => null))?.isFile() === true;
  if (isFile) return await readList(first, site);
  const pages: ClientPath['pages'] = [];
  for (const target of targets) {
    const isPath = target.startsWith('/');
    if (isPath && site === null) {
      throw new CommandError(`${target}: say of which site with --origin`, 2);
    }
    const address = isPath ? `${site}${target}` : await pageAddress(target.trim());
    pages.push({ url: webUrl(address), thinkMs: null });
  }
  return pages;
}

/** Walks one path after the other, each walk with a cache of its own. */
async function walkAll(
  paths: Array<{ name: string; pages: WalkPage[] }>,
  flags: BrowseFlags,
): Promise<WalkPair[]> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CommandError('interrupted', 130));
  process.once('SIGINT', interrupt);
  const progress = walkProgress(flags.json === true);
  const { minProbability, subresources, maxBytes, maxPages } = flags;
  const prefetch = { subresources, minProbability, maxBytes };
  try {
    const loader = {
      userAgent,
      ...(await loaderOptions({ ...flags, images: 'whole', flushOnSegment: true })),
    };
    const options = { loader, maxPages, signal: abort.signal, onStep: progress.step };
    const pairs: WalkPair[] = [];
    if (flags.prefetch === undefined) await warmUp(paths, loader, abort.signal);
    for (const [index, { name, pages }] of paths.entries()) {
      const one = async (isWanted: boolean, given: WalkOptions, what: string) =>
        isWanted ? await oneWalk(pages, given, whichOf(what, index, paths.length), progress) : null;
      pairs.push({
        name,
        without: await one(flags.prefetch !== true, { ...options, prefetch: null }, 'without'),
        with: await one(flags.prefetch !== false, { ...options, prefetch }, 'with'),
      });
    }
    return pairs;
  } catch (error) {
    if (error instanceof LoaderError) throw usageError(error);
    throw error;
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
}

/** The first load pays for compiling and loading modules, so it must not be one of the walks compared. */
async function warmUp(
  paths: Array<{ pages: WalkPage[] }>,
  loader: NonNullable<WalkOptions['loader']>,
  signal: AbortSignal,
): Promise<void> {
  const first = paths.flatMap(({ pages }) => pages.slice(0, 1)).slice(0, 1);
  await walkPages(first, { loader, signal, prefetch: null });
}

function whichOf(what: string, index: number, clients: number): string {
  const client = clients > 1 ? `client ${index + 1} of ${clients}, ` : '';
  return `${client}${what} prefetching`;
}

async function oneWalk(
  pages: WalkPage[],
  options: WalkOptions,
  what: string,
  progress: WalkProgress,
): Promise<WalkRecord> {
  progress.begin(what, Math.min(pages.length, options.maxPages ?? pages.length));
  return await walkPages(pages, options);
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

/** @returns 1 if a page did not load at all, otherwise 0 */
function verdict(pairs: readonly WalkPair[]): number {
  const failed = new Map<string, string>();
  for (const { without, with: with_ } of pairs) {
    for (const { url, load } of [...(without?.pages ?? []), ...(with_?.pages ?? [])]) {
      if (load.error === null) continue;
      failed.set(url, `${inFlags(load.error.message)} [${load.error.code}]`);
    }
  }
  for (const [url, reason] of [...failed].slice(0, mostTold)) {
    process.stderr.write(`loadahead: ${url} did not load: ${reason}\n`);
  }
  const more = failed.size - mostTold;
  if (more > 0) process.stderr.write(`loadahead: and ${more} more\n`);
  return failed.size === 0 ? 0 : 1;
}

interface WalkProgress {
  /** Called when a walk begins. */
  begin(what: string, pages: number): void;
  step(step: WalkStep): void;
  stop(): void;
}

const everyMs = 250;

/**
 * Shows the progress of a walk on a terminal, in a line that is overwritten: which walk, which page, how long until the
 * next. Nothing is shown if the error stream is no terminal.
 */
function walkProgress(silent: boolean): WalkProgress {
  if (silent || !drawnOn.isTTY) return { begin() {}, step() {}, stop() {} };
  let [walk, ofPages, shown] = ['', 0, false];
  let current: (WalkStep & { atMs: number }) | null = null;
  const show = () => {
    if (current === null) return;
    const { doing, index, thinkMs, atMs } = current;
    const leftMs = Math.max(0, atMs + thinkMs - performance.now());
    const what = doing === 'loading' ? 'loading' : `${formatMs(leftMs)} until the next`;
    const { columns } = terminal(drawnOn);
    const line = `${walk}: page ${index + 1} of ${ofPages}, ${what}`;
    drawnOn.write(`\r${line.slice(0, columns - 1)}\x1b[K`);
    shown = true;
  };
  const timer = setInterval(show, everyMs).unref();
  return {
    begin(what, pages) {
      [walk, ofPages, current] = [what, pages, null];
    },
    step(step) {
      current = { ...step, atMs: performance.now() };
    },
    stop() {
      clearInterval(timer);
      if (shown) drawnOn.write('\r\x1b[K');
    },
  };
}
