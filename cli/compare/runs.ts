// Loads one page in all combinations of network, way to load it (protocol and options) and visit (first, revalidation),
// in turns, so that what disturbs the machine disturbs all alike. The first round, in which code is compiled and files
// are read, is not counted.

import { join } from 'node:path';
import type { LoaderOptions } from '../../loader/options.ts';
import { offeredCodings } from '../../server/origin/coding-choice.ts';
import { namesIn } from '../flag-values.ts';
import { openLink } from './emulated-link.ts';
import { LineProcess, nodeCommand } from './line-process.ts';
import type { LinkCounts } from './link-process.ts';
import type { LinkSettings } from './links.ts';
import type { CompareVisit, LoadAnswer, LoadRequest } from './load-worker.ts';
import type { Served } from './other-servers.ts';

/** Ways to load a page, those of Nielsen, Gettys et al. 1997 and later ones, with the loader's options for each. */
const ways: Readonly<Record<string, LoaderOptions>> = {
  'http1.0': { protocol: 'http1.0', connections: 4 },
  persistent: { protocol: 'persistent', connections: 1 },
  pipelined: { protocol: 'pipelined', connections: 1 },
  'get-all': { protocol: 'pipelined', connections: 1, getAll: true },
  h2: { protocol: 'h2' },
  auto: {},
};

export type Way = ReturnType<typeof wayOf>;

/** Reads a way of `--ways`: a name of `ways`, then what is changed in the page, `pipelined:gzip:without=all-images`: the
 *  content coding of its texts (`plain`: none), and parts of URLs that are not loaded. @throws CommandError */
export function wayOf(name: string) {
  const [way = '', ...changes] = name.split(':');
  namesIn('--ways', [way], Object.keys(ways));
  const parts = changes.filter((each) => /^without=\S+$/.test(each));
  const named = changes.filter((each) => !parts.includes(each));
  namesIn('--ways', named.slice(0, 1), ['plain', ...offeredCodings, 'without=PART']);
  namesIn('--ways', named.slice(1), ['without=PART']);
  const coding = named[0]?.replace('plain', 'identity') ?? null;
  const options: LoaderOptions = {
    ...ways[way],
    timeouts,
    discovery: { exclude: parts.map((each) => each.slice('without='.length)) },
    ...(coding !== null && { extraHeaders: { 'accept-encoding': coding } }),
  };
  return { name, coding, options };
}

/** Servers by name, with the program that each starts; null: the server is the package's own. */
export const servers = { own: null, nginx: 'nginx', apache: 'apache2' } as const;

export interface Plan {
  /** The folder, or the file of a recorded page, that is served. */
  site: string;
  server: keyof typeof servers;
  /** The networks to emulate; null stands for loopback. */
  links: readonly (LinkSettings | null)[];
  ways: readonly Way[];
  visits: readonly CompareVisit[];
  runs: number;
  /** Path of Chromium, which loads the page as well (the way `chromium`); null: it does not. */
  browser: string | null;
  /** Folder for a pcap file with the packets of each emulated network; null: none is written. */
  packets: string | null;
}

export interface Sample {
  load: LoadAnswer;
  /** Packets and bytes that passed the emulated link; null on loopback, where packets are not counted. */
  wire: LinkCounts | null;
}

export interface Combination {
  link: string;
  way: string;
  visit: CompareVisit;
  samples: Sample[];
}

/** Longest time until a page is complete, and until a response begins, ms: over a modem, pages take minutes. */
const patienceMs = 600_000;
const timeouts = { responseMs: patienceMs, pageMs: patienceMs };
/** Longest time until a server is ready, ms; Chromium gets twice as long. */
const startMs = 30_000;

/** Runs all loads. @param say Shows which load runs, and the share of the loads that is done @throws CommandError */
export async function compareLoads(
  plan: Plan,
  say: (doing: string, done: number) => void,
  signal: AbortSignal,
): Promise<Combination[]> {
  const all: Combination[] = [];
  for (const [index, settings] of plan.links.entries()) {
    const sayHere = (doing: string, done: number) => say(doing, (index + done) / plan.links.length);
    all.push(...(await onLink(settings, plan, sayHere, signal)));
  }
  return all;
}

/** Loads the page over one network, and ends all processes that it started for this, also after an error. */
async function onLink(
  settings: LinkSettings | null,
  { site, server: serverName, ways, visits, runs, browser, packets }: Plan,
  say: (doing: string, done: number) => void,
  signal: AbortSignal,
): Promise<Combination[]> {
  const name = settings?.name ?? 'loopback';
  const pcap = packets === null ? [] : [join(packets, `${name.replace(/[^\w.]+/g, '-')}.pcap`)];
  const link = settings && (await openLink(settings, ...pcap));
  const at = (end: 'client' | 'server', command: string[]) =>
    new LineProcess(link?.at(end, command) ?? command);
  const host = link?.serverAddress ?? '127.0.0.1';
  const codings = [...new Set(ways.flatMap(({ coding }) => coding ?? []))];
  const server = at('server', nodeCommand('serve-worker', site, host, serverName, ...codings));
  const client = at('client', nodeCommand('load-worker'));
  const chromium = browser ? at('client', nodeCommand('browser-worker', browser)) : client;
  try {
    const served = await server.nextLine(startMs, `${site} cannot be served`);
    if (browser) await chromium.nextLine(2 * startMs, `${browser} does not start`);
    await link?.counts();
    const { url, h2Url, coded }: Served = JSON.parse(served);

    // A load over a modem takes minutes; Ctrl-C kills the processes that load, instead of waiting for them.
    signal.throwIfAborted();
    signal.addEventListener('abort', () => {
      for (const each of [client, chromium]) each.kill();
    });
    const load = async ({ name, coding, options }: Way, visit: CompareVisit): Promise<Sample> => {
      const usual = options.protocol === 'h2' ? h2Url : url;
      const request: LoadRequest = { url: coded?.[coding ?? ''] ?? usual, options, visit };
      const load = await (name === 'chromium' ? chromium : client)
        .ask<LoadAnswer>(request, patienceMs, 'the process that loads the page ended')
        .finally(() => signal.throwIfAborted());
      return { load, wire: (await link?.counts()) ?? null };
    };
    const combinations = ways.flatMap(({ name: way }) =>
      visits.map((visit): Combination => ({ link: name, way, visit, samples: [] })),
    );
    // Before each revalidation a first visit in the same way fills the cache, even if only revalidations are counted.
    const each = visits.includes('revalidate') ? (['first', 'revalidate'] as const) : visits;
    for (let run = 0; run <= runs; run++) {
      for (const [index, way] of ways.entries()) {
        const doing = run === 0 ? 'warming up' : `run ${run} of ${runs}`;
        say(`${name}: ${way.name}, ${doing}`, (run + index / ways.length) / (runs + 1));
        for (const visit of each) {
          const sample = await load(way, visit);
          const own = combinations.find((one) => one.way === way.name && one.visit === visit);
          if (run > 0) own?.samples.push(sample);
        }
      }
    }
    return combinations;
  } finally {
    for (const each of [chromium, client, server, link]) await each?.[Symbol.asyncDispose]();
  }
}
