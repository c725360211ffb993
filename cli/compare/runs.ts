// Loads one page in all combinations of network, way to load it (protocol and options) and visit (first, revalidation),
// in turns, so that what disturbs the machine disturbs all alike. The first round, in which code is compiled and files
// are read, is not counted.

import { join } from 'node:path';
import type { LoaderOptions } from '../../loader/options.ts';
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

/** The names of the ways to load a page; with `:plain`, the same without content coding. */
export const wayNames = Object.keys(ways).flatMap((name) => [name, `${name}:plain`]);

/** Returns the loader's options for a way to load a page (`ways`). */
function optionsOf(name: string): LoaderOptions {
  const [way = name, coding] = name.split(':');
  const plain = { extraHeaders: { 'accept-encoding': 'identity' } };
  return { ...ways[way], ...(coding === 'plain' && plain) };
}

/** Servers by name, with the program that each starts; null: the server is the package's own. */
export const servers = { own: null, nginx: 'nginx', apache: 'apache2' } as const;

export interface Plan {
  /** The folder, or the file of a recorded page, that is served. */
  site: string;
  server: keyof typeof servers;
  /** The networks to emulate; null stands for loopback. */
  links: readonly (LinkSettings | null)[];
  /** Of `wayNames`, or `chromium`. */
  ways: readonly string[];
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

/** Longest time of a page, ms: over a modem it takes minutes. The first byte of a response may take as long, but a
 *  whole response only half of it (loader/options.ts). */
const patienceMs = 600_000;
const timeouts = { responseMs: patienceMs, pageMs: patienceMs };
/** Longest time until a server is ready, ms; Chromium gets twice as long. */
const startMs = 30_000;

/** Runs all loads of a comparison. @param say Shows what is being loaded, and the share of all loads that is done
 *  @throws CommandError */
export async function compareLoads(
  plan: Plan,
  say: (doing: string, done: number) => void,
  signal: AbortSignal,
): Promise<Combination[]> {
  const all: Combination[] = [];
  for (const [index, settings] of plan.links.entries()) {
    const name = settings?.name ?? 'loopback';
    const sayHere = (doing: string, done: number) =>
      say(`${name}: ${doing}`, (index + done) / plan.links.length);
    all.push(...(await onLink(settings, name, plan, sayHere, signal)));
  }
  return all;
}

/** Loads the page over one network, and ends all processes that it started for this, also after an error. */
async function onLink(
  settings: LinkSettings | null,
  name: string,
  { site, server: serverName, ways: names, visits, runs, browser, packets }: Plan,
  say: (doing: string, done: number) => void,
  signal: AbortSignal,
): Promise<Combination[]> {
  const pcap = packets === null ? [] : [join(packets, `${name.replace(/[^\w.]+/g, '-')}.pcap`)];
  const link = settings && (await openLink(settings, ...pcap));
  const at = (end: 'client' | 'server', command: string[]) =>
    new LineProcess(link?.at(end, command) ?? command);
  const host = link?.serverAddress ?? '127.0.0.1';
  const server = at('server', nodeCommand('serve-worker', site, host, serverName));
  const client = at('client', nodeCommand('load-worker'));
  const chromium = browser ? at('client', nodeCommand('browser-worker', browser)) : client;
  try {
    const served = await server.nextLine(startMs, `${site} cannot be served`);
    if (browser) await chromium.nextLine(2 * startMs, `${browser} does not start`);
    await link?.counts();
    const { url, h2Url }: Served = JSON.parse(served);

    // A load over a modem takes minutes; Ctrl-C kills the processes that load, instead of waiting for them.
    signal.throwIfAborted();
    signal.addEventListener('abort', () => {
      for (const each of [client, chromium]) each.kill();
    });
    const load = async (way: string, visit: CompareVisit): Promise<Sample> => {
      const options = { ...optionsOf(way), timeouts };
      const request: LoadRequest = { url: way.startsWith('h2') ? h2Url : url, options, visit };
      const load = await (way === 'chromium' ? chromium : client)
        .ask<LoadAnswer>(request, patienceMs, 'the process that loads the page ended')
        .finally(() => signal.throwIfAborted());
      return { load, wire: (await link?.counts()) ?? null };
    };
    const combinations = names.flatMap((way) =>
      visits.map((visit): Combination => ({ link: name, way, visit, samples: [] })),
    );
    // Before each revalidation a first visit in the same way fills the cache, even if only revalidations are counted.
    const each = visits.includes('revalidate') ? (['first', 'revalidate'] as const) : visits;
    for (let run = 0; run <= runs; run++) {
      for (const [index, way] of names.entries()) {
        const doing = run === 0 ? 'warming up' : `run ${run} of ${runs}`;
        say(`${way}, ${doing}`, (run + index / names.length) / (runs + 1));
        for (const visit of each) {
          const sample = await load(way, visit);
          const own = combinations.find((one) => one.way === way && one.visit === visit);
          if (run > 0) own?.samples.push(sample);
        }
      }
    }
    return combinations;
  } finally {
    for (const each of [chromium, client, server, link]) await each?.[Symbol.asyncDispose]();
  }
}
