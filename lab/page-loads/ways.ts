// Ways to load the page over a link, interleaved in rounds, so that disturbances of the machine affect all alike. A
// first round, in which code is compiled and files are read, is discarded.

import type { LoaderOptions } from '../../loader/index.ts';
import type { JsonReport } from '../../loader/report/index.ts';
import { type Link, type LinkCounts, monotonicMs } from '../link/link.ts';
import { type LineProcess, run } from '../processes.ts';
import type { LoadAnswer, LoadRequest } from './load-worker.ts';
import { nghttp } from './nghttp.ts';
import { type Coding, ports } from './nginx.ts';
import { type PageFolder, requireWhole } from './page-folder.ts';

export interface Sample {
  /** From the start of connecting to the last byte, as the client tells it. */
  ownMs: number;
  /** The same as the link sees it: first packet taken to last data delivered. */
  wireMs: number;
  packetsUp: number;
  packetsDown: number;
  bytesUp: number;
  bytesDown: number;
  dropped: number;
  /** The whole process; null where one process makes many loads. */
  processMs: number | null;
  /** From starting the process to its first packet; null as above. */
  firstPacketMs: number | null;
  connections: number;
  batches: number | null;
  /** What our loader tells besides; null for others. */
  answer: LoadAnswer | null;
}

export interface Way {
  name: string;
  load(): Promise<Sample>;
}

export interface Place {
  link: Link;
  worker: LineProcess;
  page: PageFolder;
}

// A modem needs a minute for the page, and HTTP/2 asks for all of it at once. A response may take half of a page's time.
const modemMs = 300_000;
const patience = { responseMs: modemMs, pageMs: 2 * modemMs };

/** Options of a load, and values for constants of the loader, which JSON would lose in `withConstants`. */
export type WayOptions = LoaderOptions & { constants?: object };

/** With our loader, in its worker, from nginx or what else is on its ports. */
export function ours(
  place: Place,
  name: string,
  coding: Coding,
  options: WayOptions,
  visit?: 'first' | 'again',
): Way {
  const port = ports[coding][options.protocol === 'h2' ? 'http2' : 'http1'];
  return oursAt(port, place, name, options, visit);
}

/** The same from the server at a port. */
export function oursAt(
  port: number,
  { link, worker, page }: Place,
  name: string,
  { constants, ...options }: WayOptions,
  visit?: 'first' | 'again',
): Way {
  const timeoutMs = link.settings.downBitsPerSecond < 1e6 ? modemMs : 30_000;
  const request: LoadRequest = {
    url: `http://${link.serverAddress}:${port}${page.path}`,
    options: { timeouts: patience, ...options },
    constants: { pipeline: { stallMs: modemMs }, ...constants },
    ...(visit && { visit }),
  };
  return {
    name,
    async load() {
      worker.send(JSON.stringify(request));
      const answer = JSON.parse(await worker.nextLine(timeoutMs)) as LoadAnswer;
      // Parts of images are answers of their own; with Get-All all is one.
      const isOtherwise = options.images === 'sizes-first' || options.getAll === true;
      requireWhole(page, isOtherwise ? { ...answer, responses: page.images + 1 } : answer);
      const { completeMs, connections, batches } = answer;
      return {
        ownMs: completeMs,
        ...passed(await link.counts()),
        processMs: null,
        firstPacketMs: null,
        connections,
        batches,
        answer,
      };
    },
  };
}

export interface BuiltCommand {
  file: string;
  /** Filled by the rounds that do not count, as by a user's first run. */
  compileCache: string;
}

/** With `loadahead load --json`, a process a load. */
export function commanded(
  { link, page }: Place,
  { file, compileCache }: BuiltCommand,
  name: string,
  coding: Coding,
  flags: string[],
): Way {
  const url = `http://${link.serverAddress}:${ports[coding].http1}${page.path}`;
  const environment = ['env', `NODE_COMPILE_CACHE=${compileCache}`];
  const args = [process.execPath, file, 'load', url, '--json', ...flags];
  const [program, programArgs] = link.at('client', [...environment, ...args]);
  return {
    name,
    async load() {
      const startedAtMs = monotonicMs();
      const { stdout, wallMs } = await run(program, programArgs);
      const { totals, timing, resources } = JSON.parse(stdout) as JsonReport;
      const errors = resources.flatMap(({ url, error }) =>
        error === null ? [] : [`${url}: ${error.code}: ${error.message}`],
      );
      requireWhole(page, { ...totals, errors });
      const counts = await link.counts();
      return {
        ownMs: timing.completeMs ?? Number.NaN,
        ...passed(counts),
        processMs: wallMs,
        firstPacketMs: counts.up.firstSentAtMs - startedAtMs,
        connections: totals.connections,
        batches: totals.batches - 1,
        answer: null,
      };
    },
  };
}

/** With nghttp, whose clock starts when it is connected: the handshake as the link saw it is added. */
export function theirs(
  { link, page }: Place,
  name: string,
  coding: Coding,
  flags: string[] = [],
): Way {
  const url = `http://${link.serverAddress}:${ports[coding].http2}${page.path}`;
  return {
    name,
    async load() {
      const startedAtMs = monotonicMs();
      const { lastResponseEndMs, responses, wallMs } = await nghttp(link, url, flags);
      if (responses !== page.images + 1) throw new Error(`nghttp: ${responses} responses`);
      const counts = await link.counts();
      return {
        ownMs: counts.down.firstArrivedAtMs - counts.up.firstSentAtMs + lastResponseEndMs,
        ...passed(counts),
        processMs: wallMs,
        firstPacketMs: counts.up.firstSentAtMs - startedAtMs,
        connections: 1,
        batches: null,
        answer: null,
      };
    },
  };
}

/** Samples by way, in the order of rounds. @param warmsUp false: no first round, where a load takes a minute anyway */
export async function interleave(
  ways: readonly Way[],
  rounds: number,
  say: (line: string) => void,
  warmsUp = true,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(ways.map(({ name }) => [name, []]));
  for (let round = warmsUp ? 0 : 1; round <= rounds; round++) {
    const startedAt = performance.now();
    for (const { name, load } of ways) {
      const sample = await load();
      if (round > 0) samples.get(name)?.push(sample);
    }
    const seconds = ((performance.now() - startedAt) / 1e3).toFixed(1);
    say(round === 0 ? `warmed up, ${seconds} s` : `round ${round} of ${rounds}, ${seconds} s`);
  }
  return samples;
}

export function passed(counts: LinkCounts) {
  return {
    wireMs: counts.down.lastDataAtMs - counts.up.firstSentAtMs,
    packetsUp: counts.up.packets,
    packetsDown: counts.down.packets,
    bytesUp: counts.up.bytes,
    bytesDown: counts.down.bytes,
    dropped: counts.up.dropped + counts.down.dropped,
  };
}
