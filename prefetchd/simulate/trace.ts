// A log as numbers: clients and URLs are numbered, and each access has the size of its file. Prefetches are left out,
// because the simulation decides what is prefetched. Accesses are sorted by time, because servers log a request when
// its response ends, and some logs are merged.
//
// The size of an access is that of a complete response (200), or of the part that was sent (206). Other accesses (304,
// or size not logged) have the last size known at that time or, if there is none yet, the first known size of the file.

import { visitorAddress } from '../../http/visitor-address.ts';
import type { Access } from '../access.ts';
import { isDataPath, isFile } from '../rules/access-kind.ts';
import { type AccessColumns, ColumnWriter, sharedColumn } from './access-columns.ts';

export interface Trace {
  readonly count: number;
  readonly clients: number;
  readonly urls: readonly string[];
  /** The accesses, sorted by time (trace-reader.ts). */
  readonly columns: AccessColumns;
  /** Row of the first access. */
  readonly first: number;
  /** False if no access has a known duration. */
  readonly hasDurations: boolean;
  /** Number of accesses to the most requested URL. */
  readonly mostAccesses: number;
  /** For each URL: 1 if its last access was as a document, 0 if it was as an embedded object. */
  readonly isDocument: Uint8Array;
  /** For each URL: 1 for a page; 0 for an object, or a document that is a file, such as a PDF, and leads to no page. */
  readonly isPage: Uint8Array;
  /** For each client: the number of its address, which counts as one visitor. */
  readonly address: Uint32Array;
  /** For each client: 1 if it fetches objects, as browsers do and robots rarely; 1 for all if no client does. */
  readonly isPerson: Uint8Array;
}

const complete = 200;
export const partial = 206;

interface File {
  number: number;
  isDocument: boolean;
  /** True for a page, if the URL is a document. */
  isPage: boolean;
  accesses: number;
}

export class TraceBuilder {
  readonly #asPaper: boolean;
  readonly #clients = new TraceClients();
  readonly #files = new Map<string, File>();
  readonly #isPerson: number[] = [];
  readonly #accesses = new ColumnWriter();
  #hasDurations = false;
  #prefetches = 0;

  /** @param asPaper true: a partial response counts as the whole file, as in the paper. */
  constructor({ asPaper = false }: { asPaper?: boolean } = {}) {
    this.#asPaper = asPaper;
  }

  get count(): number {
    return this.#accesses.count;
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
    const { bytes, status, durationMs = Number.NaN } = access;
    const timeMs = Math.round(access.timeMs);
    const client = this.#clientOf(access);
    const url = this.#fileOf(access).number;
    if (!Number.isNaN(durationMs)) this.#hasDurations = true;
    this.#accesses.push({ client, url, timeMs, bytes, status, durationMs });
  }

  #clientOf({ client, kind, url }: Access): number {
    const number = this.#clients.numberOf(client);
    if (number === this.#isPerson.length) this.#isPerson.push(0);
    // Data paths do not count, because scripts of robots request them, too.
    if (kind === 'object' && !isDataPath(url)) this.#isPerson[number] = 1;
    return number;
  }

  #fileOf({ url, kind }: Access): File {
    let file = this.#files.get(url);
    if (file === undefined) {
      const number = this.#files.size;
      file = { number, isDocument: false, isPage: !isFile(url), accesses: 0 };
      this.#files.set(url, file);
    }
    file.accesses++;
    file.isDocument = kind === 'document';
    return file;
  }

  build(): Trace {
    const files = [...this.#files.values()];
    return {
      count: this.count,
      clients: this.#clients.count,
      urls: [...this.#files.keys()],
      columns: this.#withSizes(),
      first: 0,
      hasDurations: this.#hasDurations,
      mostAccesses: files.reduce((most, { accesses }) => Math.max(most, accesses), 0),
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

  /** All accesses sorted by time, each with the size of its file at that time. */
  #withSizes(): AccessColumns {
    const { count } = this;
    const columns = this.#accesses.sorted();
    const { url: urls, bytes, status } = columns;
    const size = new Float64Array(this.#files.size);
    const note = (row: number) => {
      const [url, own] = [urls[row] as number, bytes[row] as number];
      if (status[row] === complete && own > 0) size[url] = own;
      return url;
    };
    // Backwards, so that the first size remains.
    for (let row = count - 1; row >= 0; row--) note(row);
    for (let row = 0; row < count; row++) {
      const url = note(row);
      const isOwn = status[row] === partial && !this.#asPaper && (bytes[row] as number) > 0;
      if (!isOwn) bytes[row] = size[url] as number;
    }
    return columns;
  }
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

function shared<Column extends Uint8Array | Uint32Array>(
  ColumnOf: { new (buffer: SharedArrayBuffer): Column; BYTES_PER_ELEMENT: number },
  values: readonly number[],
): Column {
  const column = sharedColumn(ColumnOf, values.length);
  column.set(values);
  return column;
}

/** Numbers the clients of a log and their addresses. */
class TraceClients {
  readonly #numbers = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  /** For each client: the number of its address, which counts as one visitor. */
  readonly addressOf: number[] = [];

  /** @param client address and user agent, as in logs (access.ts) */
  numberOf(client: string): number {
    const known = this.#numbers.get(client);
    if (known !== undefined) return known;
    const number = this.addressOf.length;
    this.#numbers.set(client, number);
    const address = visitorAddress(client.split(' ', 1)[0] ?? '');
    const addresses = this.#addresses;
    if (!addresses.has(address)) addresses.set(address, addresses.size);
    this.addressOf.push(addresses.get(address) as number);
    return number;
  }

  get count(): number {
    return this.addressOf.length;
  }
}
