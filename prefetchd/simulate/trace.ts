// Prepares a log for the simulation: each access with its client, its file, and the size of the file. Prefetches are
// left out, because the simulation decides what is prefetched. Accesses are sorted by time, because servers log a
// request when its response ends, and some logs are merged.
//
// The size of an access is that of a complete response (200), or of the part that was sent (206). Other accesses (304,
// or size not logged) have the last size known at that time or, if there is none yet, the first known size of the file.

import { visitorAddress } from '../../http/visitor-address.ts';
import type { Access } from '../access.ts';
import { isDataPath, isFileDocument } from '../rules/access-kind.ts';

export interface Trace {
  /** The accesses, sorted by time. */
  readonly accesses: readonly TraceAccess[];
  readonly clients: readonly TraceClient[];
  readonly files: readonly TraceFile[];
}

export interface TraceAccess {
  readonly client: TraceClient;
  readonly file: TraceFile;
  readonly timeMs: number;
  readonly status: number;
  /** Size of the file at the time of the access. */
  bytes: number;
  /** Time that the server took to respond, ms; undefined: not logged. */
  readonly durationMs: number | undefined;
}

export interface TraceClient {
  /** The number of the client's address, which counts as one visitor, and a number of the client's own: `3 7`. */
  readonly name: string;
  /** True if the client fetches embedded objects, as browsers do and robots rarely; true for all if no client does. */
  isPerson: boolean;
}

export interface TraceFile {
  readonly url: string;
  /** True if the file was last requested as a document, false if as an embedded object. */
  isDocument: boolean;
  /** True for a page; false for an object, or a document that is a file, such as a PDF, and leads to no page. */
  isPage: boolean;
}

export const complete = 200;
export const partial = 206;

export class TraceBuilder {
  /** Number of prefetches in the log, which `add` has skipped. */
  prefetches = 0;
  readonly #asPaper: boolean;
  readonly #clients = new Map<string, TraceClient>();
  readonly #addresses = new Map<string, number>();
  readonly #files = new Map<string, TraceFile>();
  readonly #accesses: TraceAccess[] = [];

  /** @param asPaper true: a partial response counts as the whole file, as in Padmanabhan 1995. */
  constructor({ asPaper = false }: { asPaper?: boolean } = {}) {
    this.#asPaper = asPaper;
  }

  get count(): number {
    return this.#accesses.length;
  }

  add(access: Access): void {
    if (access.prefetch) {
      this.prefetches++;
      return;
    }
    const { url, kind, bytes, status, durationMs } = access;
    const client = this.#clientOf(access.client);
    // A request to an interface for programs does not make a client a person, because robots send such requests, too.
    if (kind === 'object' && !isDataPath(url)) client.isPerson = true;
    let file = this.#files.get(url);
    if (file === undefined) {
      file = { url, isDocument: false, isPage: false };
      this.#files.set(url, file);
    }
    file.isDocument = kind === 'document';
    const timeMs = Math.round(access.timeMs);
    this.#accesses.push({ client, file, timeMs, bytes, status, durationMs });
  }

  /** Returns the record of a client, which its first access creates. @param client address and user agent */
  #clientOf(client: string): TraceClient {
    let known = this.#clients.get(client);
    if (known === undefined) {
      const address = visitorAddress(client.split(' ', 1)[0] ?? '');
      const number = this.#addresses.get(address) ?? this.#addresses.size;
      this.#addresses.set(address, number);
      known = { name: `${number} ${this.#clients.size}`, isPerson: false };
      this.#clients.set(client, known);
    }
    return known;
  }

  build(): Trace {
    const clients = [...this.#clients.values()];
    if (!clients.some(({ isPerson }) => isPerson)) {
      for (const client of clients) client.isPerson = true;
    }
    const files = [...this.#files.values()];
    for (const file of files) file.isPage = file.isDocument && !isFileDocument(file.url);
    const accesses = this.#accesses.sort((left, right) => left.timeMs - right.timeMs);
    this.#setSizes(accesses);
    return { accesses, clients, files };
  }

  #setSizes(accesses: readonly TraceAccess[]): void {
    const sizes = new Map<TraceFile, number>();
    const tellsSize = ({ status, bytes }: TraceAccess) => status === complete && bytes > 0;
    for (const access of accesses) {
      if (tellsSize(access) && !sizes.has(access.file)) sizes.set(access.file, access.bytes);
    }
    for (const access of accesses) {
      if (tellsSize(access)) sizes.set(access.file, access.bytes);
      const isOwn = access.status === partial && !this.#asPaper && access.bytes > 0;
      if (!isOwn) access.bytes = sizes.get(access.file) ?? 0;
    }
  }
}

export function traceOf(accesses: Iterable<Access>): Trace {
  const builder = new TraceBuilder();
  for (const access of accesses) builder.add(access);
  return builder.build();
}

/** Returns the access in the form in which predictors and the engine learn it. */
export function accessOf({ client, file, timeMs, status, bytes }: TraceAccess): Access {
  const kind = file.isDocument ? 'document' : 'object';
  return { client: client.name, url: file.url, timeMs, kind, status, bytes, prefetch: false };
}
