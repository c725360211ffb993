// Loads one page in all combinations of network, way to load it (protocol and options) and visit (first, revalidation),
// in turns, so that what disturbs the machine disturbs all alike. The first round, in which code is compiled and files
// are read, is not counted.

import { join } from 'node:path';
import type { LoaderOptions } from '../../loader/options.ts';
import { CommandError } from '../command-error.ts';
import { EmulatedLink } from './emulated-link.ts';
import { fileBeside, LineProcess } from './line-process.ts';
import type { LinkCounts } from './link-process.ts';
import type { LinkSettings } from './links.ts';
import type { CompareVisit, LoadAnswer, LoadRequest } from './load-worker.ts';
import type { Served } from './nginx-site.ts';

/** Ways to load a page, those of Nielsen, Gettys et al. 1997 and later ones, with the loader's options for each. */
export const ways = {
  'http1.0': { protocol: 'http1.0', connections: 4 },
  persistent: { protocol: 'persistent', connections: 1 },
  pipelined: { protocol: 'pipelined', connections: 1 },
  'get-all': { protocol: 'pipelined', connections: 1, getAll: true },
  h2: { protocol: 'h2' },
  auto: {},
} as const satisfies Record<string, LoaderOptions>;

/** The name of a way to load a page; with `:plain`, the same without content coding. */
export type WayName = keyof typeof ways | `${keyof typeof ways}:plain` | 'chromium';

export const wayNames = Object.keys(ways).flatMap((name) => [name, `${name}:plain`]) as WayName[];

/** Returns the loader's options for a way to load a page (`ways`). */
function optionsOf(name: WayName): LoaderOptions {
  const [way = name, coding] = name.split(':');
  const plain = { extraHeaders: { 'accept-encoding': 'identity' } };
  return { ...ways[way as keyof typeof ways], ...(coding === 'plain' && plain) };
}

/** Servers by name, with the program that each starts; null: the server is the package's own. */
export const servers = { own: null, nginx: 'nginx', apache: 'apache2' } as const;

export interface Plan {
  /** The folder, or the file of a recorded page, that is served. */
  site: string;
  server: keyof typeof servers;
  /** The networks to emulate; null stands for loopback. */
  links: readonly (LinkSettings | null)[];
  ways: readonly WayName[];
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
  way: WayName;
  visit: CompareVisit;
  samples: Sample[];
}

/** Longest time of a page over a modem, ms. The first byte of a response may take as long, but a whole response only
 *  half of it (loader/options.ts). */
const patienceMs = 600_000;
const patience = { responseMs: patienceMs, pageMs: patienceMs };
const startMs = 30_000;

/** Reports progress: what is being loaded, and the share of all loads that is done, 0..1. */
type SayShare = (doing: string, done: number) => void;

/** Runs all loads of a comparison. The processes for a network are closed in reverse order, also after an error.
 *  @throws CommandError */
export async function compareLoads(
  plan: Plan,
  say: SayShare,
  signal: AbortSignal,
): Promise<Combination[]> {
  const all: Combination[] = [];
  for (const [index, settings] of plan.links.entries()) {
    const name = settings?.name ?? 'loopback';
    const sayHere: SayShare = (doing, done) =>
      say(`${name}: ${doing}`, (index + done) / plan.links.length);
    const opened: AsyncDisposable[] = [];
    try {
      const place = await openPlace(settings, plan, opened);
      all.push(...(await measure(place, name, plan, signal, sayHere)));
    } finally {
      for (const each of opened.reverse()) await each[Symbol.asyncDispose]();
    }
  }
  return all;
}

interface RunPlace {
  link: EmulatedLink | null;
  client: LineProcess;
  chromium: LineProcess | null;
  served: Served;
}

/** Starts link, server and clients for one network; adds each process to `opened`, which the caller closes. */
async function openPlace(
  settings: LinkSettings | null,
  { site, server: serverName, browser, packets }: Plan,
  opened: AsyncDisposable[],
): Promise<RunPlace> {
  const keep = <Opened extends AsyncDisposable>(each: Opened): Opened => {
    opened.push(each);
    return each;
  };
  const captureOf = ({ name }: LinkSettings) =>
    packets === null ? undefined : join(packets, `${name.replace(/[^\w.]+/g, '-')}.pcap`);
  const link =
    settings === null ? null : keep(await EmulatedLink.open(settings, captureOf(settings)));
  const at = (end: 'client' | 'server', args: string[]): LineProcess => {
    const [program, all] = link?.at(end, [process.execPath, ...args]) ?? [process.execPath, args];
    return keep(new LineProcess(program, all));
  };
  const host = link?.serverAddress ?? '127.0.0.1';
  const server = at('server', [fileBeside('serve-worker'), site, host, serverName]);
  const client = at('client', [fileBeside('load-worker')]);
  const chromium = browser === null ? null : at('client', [fileBeside('browser-worker'), browser]);
  const line = await server.nextLine(startMs).catch((cause) => {
    throw new CommandError(`${site} cannot be served`, 1, { cause });
  });
  await chromium?.nextLine(2 * startMs).catch((cause) => {
    throw new CommandError(`${browser} does not start`, 1, { cause });
  });
  await link?.counts();
  return { link, client, chromium, served: JSON.parse(line) };
}

async function measure(
  { link, client, chromium, served: { url, h2Url } }: RunPlace,
  name: string,
  { ways: names, visits, runs }: Plan,
  signal: AbortSignal,
  say: SayShare,
): Promise<Combination[]> {
  const combinations = names.flatMap((way) =>
    visits.map((visit): Combination => ({ link: name, way, visit, samples: [] })),
  );
  const load = async (way: WayName, request: LoadRequest): Promise<Sample> => {
    const by = way === 'chromium' ? (chromium ?? client) : client;
    // A load over a modem takes a minute; Ctrl-C kills the process that loads, instead of waiting for it.
    const end = () => by.kill();
    signal.addEventListener('abort', end, { once: true });
    by.send(JSON.stringify(request));
    const line = await by.nextLine(patienceMs).catch((cause) => {
      signal.throwIfAborted();
      throw new CommandError('the process that loads the page ended', 1, { cause });
    });
    signal.removeEventListener('abort', end);
    return { load: JSON.parse(line), wire: (await link?.counts()) ?? null };
  };
  // A revalidation follows a first visit that loaded the page in the same way.
  const each = visits.includes('revalidate') ? (['first', 'revalidate'] as const) : visits;
  const steps = (runs + 1) * names.length;
  for (let step = 0; step < steps; step++) {
    const [run, way] = [Math.floor(step / names.length), names[step % names.length] as WayName];
    say(run === 0 ? `${way}, warming up` : `${way}, run ${run} of ${runs}`, step / steps);
    const options = { ...optionsOf(way), timeouts: patience };
    for (const visit of each) {
      signal.throwIfAborted();
      const sample = await load(way, { url: way.startsWith('h2') ? h2Url : url, options, visit });
      const own = combinations.find((one) => one.way === way && one.visit === visit);
      if (run > 0) own?.samples.push(sample);
    }
  }
  return combinations;
}
