// A log as numbers: clients and URLs are numbered, and each access has the size of its file. Prefetches are left out,
// because the simulation decides what is prefetched. Accesses are sorted by time, because servers log a request when
// its response ends, and some logs are merged.
//
// The size of an access is that of a complete response (200), or of the part sent (206). Other accesses (304, size not
// logged) have the last known size of the file or, before that, the first known size.

import { visitorAddress } from '../../http/visitor-address.ts';
import type { Access } from '../access.ts';
import { TextTable } from '../model/tables/texts.ts';
import { isDataPath } from '../rules/data-query.ts';
import { isFile } from '../rules/read-files.ts';
import { PairTable } from './pair-table.ts';
import { merged, type Run, RunSorter, RunWriter } from './trace-runs.ts';

export interface Trace {
  readonly count: number;
  readonly clients: number;
  readonly urls: readonly string[];
  /** The accesses (trace-reader.ts). */
  readonly run: Run;
  /** Index of the first access in the run. */
  readonly first: number;
  /** False if no access has a known duration. */
  readonly hasDurations: boolean;
  /** Number of accesses to the most requested URL. */
  readonly mostAccesses: number;
  /** For each URL: the size that was seen first; accesses of this size do not repeat it (`usualSize`). */
  readonly sizes: Float64Array;
  /** For each URL: 1 for a document, 0 for an embedded object; as of its last access. */
  readonly isDocument: Uint8Array;
  /** For each URL: 1 for a page; a document that is a file (a PDF) leads nowhere. */
  readonly isPage: Uint8Array;
  /** For each client: the number of its address, which counts as one visitor. */
  readonly address: Uint32Array;
  /** For each client: 1 if it fetches objects, as browsers do and robots rarely; 1 for all if no client does. */
  readonly isPerson: Uint8Array;
}

const complete = 200;
export const partial = 206;
/** Takes the place of an access's size that equals the URL's in `sizes`. */
export const usualSize = -1;

/** What is known about a URL. */
interface File {
  number: number;
  isDocument: boolean;
  /** True for a page, if the URL is a document. */
  isPage: boolean;
  accesses: number;
  /** The size that was seen first, and the time when; 0: none. */
  size: number;
  sizeMs: number;
}

export class TraceBuilder {
  readonly #asPaper: boolean;
  readonly #clients = new TraceClients();
  readonly #files = new Map<string, File>();
  readonly #isPerson: number[] = [];
  readonly #accesses = new RunSorter();
  #hasDurations = false;
  #count = 0;
  #prefetches = 0;

  /** @param asPaper Count a partial response as the whole file. */
  constructor({ asPaper = false }: { asPaper?: boolean } = {}) {
    this.#asPaper = asPaper;
  }

  get count(): number {
    return this.#count;
  }

  /** Number of prefetches left out. */
  get prefetches(): number {
    return this.#prefetches;
  }

  add(access: Access): void {
    if (access.prefetch) {
      this.#prefetches++;
      return;
    }
    this.#count++;
    const { bytes, status, durationMs = Number.NaN } = access;
    const timeMs = Math.round(access.timeMs);
    const client = this.#clientOf(access);
    const file = this.#fileOf(access, timeMs);
    if (!Number.isNaN(durationMs)) this.#hasDurations = true;
    this.#accesses.add({ client, url: file.number, timeMs, bytes, status, durationMs });
  }

  #clientOf({ client, kind, url }: Access): number {
    const number = this.#clients.numberOf(client);
    if (number === this.#isPerson.length) this.#isPerson.push(0);
    // Data paths do not count, because scripts of robots request them, too.
    if (kind === 'object' && !isDataPath(url)) this.#isPerson[number] = 1;
    return number;
  }

  #fileOf({ url, kind, status, bytes }: Access, timeMs: number): File {
    let file = this.#files.get(url);
    if (file === undefined) {
      const number = this.#files.size;
      file = {
        number,
        isDocument: false,
        isPage: !isFile(url),
        accesses: 0,
        size: 0,
        sizeMs: Number.POSITIVE_INFINITY,
      };
      this.#files.set(url, file);
    }
    file.accesses++;
    file.isDocument = kind === 'document';
    if (tellsSize(status, bytes) && timeMs < file.sizeMs) {
      file.size = bytes;
      file.sizeMs = timeMs;
    }
    return file;
  }

  build(): Trace {
    const files = [...this.#files.values()];
    const sizes = shared(
      Float64Array,
      files.map(({ size }) => size),
    );
    const run = this.#withSizes(sizes);
    return {
      count: this.#count,
      clients: this.#clients.count,
      urls: [...this.#files.keys()],
      run,
      first: 0,
      hasDurations: this.#hasDurations,
      mostAccesses: files.reduce((most, { accesses }) => Math.max(most, accesses), 0),
      sizes,
      isDocument: shared(
        Uint8Array,
        files.map(({ isDocument }) => (isDocument ? 1 : 0)),
      ),
      isPage: shared(
        Uint8Array,
        files.map(({ isDocument, isPage }) => (isDocument && isPage ? 1 : 0)),
      ),
      address: shared(Uint32Array, this.#clients.addressOf),
      isPerson: shared(Uint8Array, this.#people()),
    };
  }

  #people(): readonly number[] {
    if (this.#isPerson.includes(1)) return this.#isPerson;
    return this.#isPerson.map(() => 1);
  }

  /** All accesses by time, with the sizes known at that time. */
  #withSizes(sizes: Float64Array): Run {
    const size = sizes.slice();
    const sorted = new RunWriter();
    for (const { block, row } of merged(this.#accesses.finish())) {
      const url = block.url[row] as number;
      const [bytes, status] = [block.bytes[row] as number, block.status[row] as number];
      if (tellsSize(status, bytes)) size[url] = bytes;
      const isOwn = status === partial && !this.#asPaper && bytes > 0;
      const own = isOwn ? bytes : (size[url] as number);
      sorted.copy(block, row, own === sizes[url] ? usualSize : own);
    }
    return sorted.finish();
  }
}

function tellsSize(status: number, bytes: number): boolean {
  return status === complete && bytes > 0;
}

export function traceOf(accesses: Iterable<Access>): Trace {
  const builder = new TraceBuilder();
  for (const access of accesses) builder.add(access);
  return builder.build();
}

/** The accesses `from` .. `to` - 1 as a separate trace; clients and URLs keep their numbers. */
export function sliceTrace(trace: Trace, from: number, to: number): Trace {
  const count = Math.max(0, Math.min(to, trace.count) - from);
  return { ...trace, first: trace.first + from, count };
}

function shared<Column extends Uint8Array | Uint32Array | Float64Array>(
  ColumnOf: { new (buffer: SharedArrayBuffer): Column; BYTES_PER_ELEMENT: number },
  values: readonly number[],
): Column {
  const column = new ColumnOf(new SharedArrayBuffer(values.length * ColumnOf.BYTES_PER_ELEMENT));
  column.set(values);
  return column;
}

/**
 * Numbers the clients of a log and their addresses. A client is an address and a user agent; a log of millions of
 * clients has few agents, and each address is kept once.
 */
class TraceClients {
  readonly #addresses = new TextTable();
  readonly #agents = new TextTable();
  readonly #numbers = new PairTable();
  /** For each client: the number of its address, which counts as one visitor. */
  readonly addressOf: number[] = [];

  /** @param client address and user agent, as in logs (access.ts) */
  numberOf(client: string): number {
    const end = client.indexOf(' ');
    const address = end < 0 ? client : client.slice(0, end);
    const agent = end < 0 ? '' : client.slice(end + 1);
    const [first, second] = [numberIn(this.#addresses, address), numberIn(this.#agents, agent)];
    const known = this.#numbers.get(first, second);
    if (known >= 0) return known;
    const number = this.addressOf.length;
    this.#numbers.set(first, second, number);
    this.addressOf.push(numberIn(this.#addresses, visitorAddress(address)));
    return number;
  }

  get count(): number {
    return this.addressOf.length;
  }
}

function numberIn(texts: TextTable, text: string): number {
  const known = texts.find(text);
  return known >= 0 ? known : texts.add(text);
}
