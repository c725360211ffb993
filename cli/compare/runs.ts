// All combinations of networks, ways and visits of one page, in turns, so that what disturbs the machine disturbs all
// alike. The first round, in which code is compiled and files are read, is not counted.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderOptions } from '../../loader/options.ts';
import { CommandError } from '../command-error.ts';
import { EmulatedLink } from './emulated-link.ts';
import { LineProcess } from './line-process.ts';
import type { LinkCounts } from './link-process.ts';
import type { LinkSettings } from './links.ts';
import type { LoadAnswer, LoadRequest, Visit } from './load-worker.ts';
import type { Served, ServerName } from './serve-worker.ts';

/** The ways of Nielsen, Gettys et al. 1997, and later ones. */
export const ways = {
  'http1.0': { protocol: 'http1.0', connections: 4 },
  persistent: { protocol: 'persistent', connections: 1 },
  pipelined: { protocol: 'pipelined', connections: 1 },
  'get-all': { protocol: 'pipelined', connections: 1, getAll: true },
  h2: { protocol: 'h2' },
  auto: {},
} as const satisfies Record<string, LoaderOptions>;

/** A way, or with `:plain` the same without content coding. */
export type WayName = keyof typeof ways | `${keyof typeof ways}:plain` | 'chromium';

export const wayNames = Object.keys(ways).flatMap((name) => [name, `${name}:plain`]) as WayName[];

/** @returns the options that a way has */
function optionsOf(name: WayName): LoaderOptions {
  const [way = name, coding] = name.split(':');
  const plain = { extraHeaders: { 'accept-encoding': 'identity' } };
  return { ...ways[way as keyof typeof ways], ...(coding === 'plain' && plain) };
}

export interface Plan {
  /** A folder, or the file of a recorded page. */
  site: string;
  server: ServerName;
  /** null: loopback. */
  links: readonly (LinkSettings | null)[];
  ways: readonly WayName[];
  visits: readonly Visit[];
  runs: number;
  /** Chromium's program, for the way `chromium`. */
  browser: string | null;
  /** Folder for a capture of each link; null: none. */
  packets: string | null;
}

export interface Sample {
  load: LoadAnswer;
  /** null on loopback, where nobody counts. */
  wire: LinkCounts | null;
}

export interface Combination {
  link: string;
  way: WayName;
  visit: Visit;
  samples: Sample[];
}

const fileBeside = (name: string) =>
  fileURLToPath(new URL(`${name}${import.meta.url.slice(-3)}`, import.meta.url));

/** A page may take this long, over a modem. */
const patienceMs = 600_000;
const patience = { responseMs: patienceMs, resourceMs: patienceMs, pageMs: patienceMs };
const startMs = 30_000;

/** @param say Told what is under way, and the share that is done. @throws CommandError */
export async function compareLoads(
  plan: Plan,
  say: (doing: string, done: number) => void,
  signal: AbortSignal,
): Promise<Combination[]> {
  const all: Combination[] = [];
  for (const [index, settings] of plan.links.entries()) {
    const name = settings?.name ?? 'loopback';
    const share = (done: number) => (index + done) / plan.links.length;
    const found = await onLink(settings, plan, signal, (doing, done) =>
      say(`${name}: ${doing}`, share(done)),
    );
    all.push(...found);
  }
  return all;
}

async function onLink(
  settings: LinkSettings | null,
  { site, server: serverName, ways: names, visits, runs, browser, packets }: Plan,
  signal: AbortSignal,
  say: (doing: string, done: number) => void,
): Promise<Combination[]> {
  const capture = packets === null ? [] : [join(packets, `${fileName(settings?.name ?? '')}.pcap`)];
  await using link = settings === null ? null : await EmulatedLink.open(settings, ...capture);
  const at = (end: 'client' | 'server', args: string[]): LineProcess => {
    const command = [process.execPath, ...args];
    const [program = '', programArgs] = link?.at(end, command) ?? [command[0], args];
    return new LineProcess(program, programArgs);
  };
  const host = link?.serverAddress ?? '127.0.0.1';
  await using server = at('server', [fileBeside('serve-worker'), site, host, serverName]);
  await using client = at('client', [fileBeside('load-worker')]);
  await using chromium =
    browser === null ? null : at('client', [fileBeside('browser-worker'), browser]);
  using _end = endOn(signal, client, chromium);
  const line = await server.nextLine(startMs).catch((cause) => {
    throw new CommandError(`${site} cannot be served`, 1, { cause });
  });
  const { url, h2Url } = JSON.parse(line) as Served;
  await chromium?.nextLine(2 * startMs).catch((cause) => {
    throw new CommandError(`${browser} does not start`, 1, { cause });
  });
  const combinations = names.flatMap((way) =>
    visits.map(
      (visit): Combination => ({ link: settings?.name ?? 'loopback', way, visit, samples: [] }),
    ),
  );
  await link?.counts();
  const load = async (way: WayName, request: LoadRequest): Promise<Sample> => {
    const by = way === 'chromium' ? (chromium ?? client) : client;
    by.send(JSON.stringify(request));
    const line = await by.nextLine(patienceMs).catch((cause) => {
      signal.throwIfAborted();
      throw new CommandError('the process that loads the page ended', 1, { cause });
    });
    const answer = JSON.parse(line) as LoadAnswer;
    return { load: answer, wire: (await link?.counts()) ?? null };
  };
  const steps = (runs + 1) * names.length;
  let done = 0;
  for (let run = 0; run <= runs; run++) {
    for (const way of names) {
      say(run === 0 ? `${way}, warming up` : `${way}, run ${run} of ${runs}`, done++ / steps);
      const options = { ...optionsOf(way), timeouts: patience };
      // What is validated was loaded before, in the same way.
      for (const visit of visits.includes('revalidate')
        ? (['first', 'revalidate'] as const)
        : visits) {
        signal.throwIfAborted();
        const sample = await load(way, { url: way.startsWith('h2') ? h2Url : url, options, visit });
        const own = combinations.find((each) => each.way === way && each.visit === visit);
        if (run > 0) own?.samples.push(sample);
      }
    }
  }
  return combinations;
}

/** A load over a modem takes a minute, for which nobody waits who interrupts. */
function endOn(signal: AbortSignal, ...clients: (LineProcess | null)[]): Disposable {
  const end = () => {
    for (const client of clients) client?.kill();
  };
  signal.addEventListener('abort', end, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', end) };
}

const fileName = (name: string) => name.replace(/[^\w.]+/g, '-');
