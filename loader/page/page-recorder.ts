// Collects the record of one page: rows in order of discovery, the batches and connections they used, and the
// totals. It takes monotonic times; the record's times are relative to navigation start.

import {
  type BatchRecord,
  type ConnectionRecord,
  newRow,
  type PageClock,
  type PageLoad,
  type PageTotals,
  type Protocol,
  type ResourceError,
  type ResourceKind,
  type ResourceRecord,
  type SkippedReference,
} from '../page-load.ts';
import type { Naming, ResourceReference } from '../scan/reference.ts';
import type { Batch, Carrier } from '../transport/exchange.ts';
import { isShownInPlace } from './discovery.ts';
import type { Resource } from './resource.ts';

export class PageRecorder {
  readonly resources: Resource[] = [];
  readonly #clock: PageClock;
  readonly #url: string;
  readonly #protocol: Protocol;
  readonly #view: () => View;
  readonly #refused: ResourceRecord[] = [];
  /** Number of this page's requests in each batch (requests sent in one write). */
  readonly #batches = new Map<Batch, number>();
  readonly #connections = new Map<Carrier, number>();
  readonly #from = new Map<Resource, Resource>();
  #requests = 0;
  #discardedBytes = 0;
  #unusedPartBytes = 0;
  #documentEndedAt: number | null = null;

  /** @param view Returns the viewport that the page is loaded for. */
  constructor(clock: PageClock, url: string, protocol: Protocol, view: () => View) {
    this.#clock = clock;
    this.#url = url;
    this.#protocol = protocol;
    this.#view = view;
  }

  /** Makes the row of the record for a resource that has just been found. */
  row(
    url: string,
    kind: ResourceKind,
    initiator: string | null,
    { from, offset, why }: Naming,
  ): ResourceRecord {
    const startMs = this.resources.length === 0 ? 0 : this.#clock.time(performance.now());
    const row = newRow(url, kind, initiator, startMs);
    return { ...row, from: from ?? null, offset: offset ?? null, why: why ?? null };
  }

  /** Adds a resource to the record. @param from The resource that redirected to this one; null if none did. */
  add(resource: Resource, from: Resource | null): void {
    if (from !== null) this.#from.set(resource, from);
    this.resources.push(resource);
  }

  /** Adds a row with an error to the record, for a reference that is not followed. */
  refuse(
    shown: string,
    { kind, initiator, ...how }: ResourceReference,
    error: ResourceError,
  ): void {
    this.#refused.push({ ...this.row(shown, kind, initiator, how), error });
  }

  /** Returns the references of the page to resources that it uses. */
  get references(): ResourceReference[] {
    return this.resources.flatMap(({ row: { kind, initiator, purpose }, how }) =>
      initiator === null || purpose !== 'use' || how.url === undefined
        ? []
        : [{ ...how, kind, initiator } as ResourceReference],
    );
  }

  /** Returns the resources of a redirect chain, from its first request to this one. */
  chain(resource: Resource): Resource[] {
    const from = this.#from.get(resource);
    return from === undefined ? [resource] : [...this.chain(from), resource];
  }

  sent(batch: Batch): void {
    this.#requests++;
    this.#batches.set(batch, (this.#batches.get(batch) ?? 0) + 1);
    const { connection } = batch;
    this.#connections.set(connection, (this.#connections.get(connection) ?? 0) + 1);
  }

  /** Counts bytes that were received, then discarded and fetched again. */
  discarded(transferBytes: number): void {
    this.#discardedBytes += transferBytes;
  }

  /** Counts bytes of those parts of a combined response that the page had no use for. */
  unused(transferBytes: number): void {
    this.#unusedPartBytes += transferBytes;
  }

  documentEnded(endedAt: number): void {
    this.#documentEndedAt = endedAt;
  }

  finish(skipped: SkippedReference[]): PageLoad {
    const batches = [...this.#batches].toSorted(([a], [b]) => a.sentAt - b.sentAt);
    const ids = new Map(batches.map(([batch], index) => [batch, index + 1]));
    for (const { row, batch } of this.resources)
      row.batch = batch === null ? null : (ids.get(batch) ?? null);
    // Resources that were to be requested together with the document, but were not, have no row.
    const asked = this.resources.filter(({ row }) => row.purpose !== 'ahead' || row.attempts > 0);
    const rows = [...asked.map(({ row }) => row), ...this.#refused];
    return {
      url: this.#url,
      protocol: this.#protocol,
      startedAtMs: this.#clock.startedAtMs,
      resources: rows,
      skipped,
      connections: [...this.#connections].map(([connection, requests]) =>
        this.#connection(connection, requests),
      ),
      batches: batches.map(
        ([batch, requests], index): BatchRecord => ({
          id: index + 1,
          connection: batch.connection.id,
          requests,
          bytes: batch.bytes,
          sentMs: this.#clock.time(batch.sentAt),
        }),
      ),
      totals: this.#totals(rows),
      timing: this.#timing(rows),
    };
  }

  #connection(connection: Carrier, requests: number): ConnectionRecord {
    const { times } = connection;
    const relative = (at: number | null) => (at === null ? null : this.#clock.time(at));
    return {
      id: connection.id,
      origin: connection.origin.origin,
      httpVersion: connection.httpVersion,
      remoteAddress: connection.remoteAddress,
      startMs: this.#clock.time(times.startedAt),
      lookupEndMs: relative(times.lookupEndedAt),
      connectEndMs: relative(times.connectedAt),
      secureEndMs: relative(times.securedAt),
      endMs: relative(connection.endedAt),
      requests,
    };
  }

  #totals(rows: ResourceRecord[]): PageTotals {
    const sum = (field: 'transferBytes' | 'bodyBytes') =>
      rows.reduce((total, row) => total + row[field], 0);
    const count = (holds: (row: ResourceRecord) => boolean) => rows.filter(holds).length;
    const batches = this.#batches.size;
    return {
      requests: this.#requests,
      responses: count(
        ({ error, attempts, status }) =>
          attempts > 0 && status !== null && (error === null || error.code === 'http-status'),
      ),
      connections: this.#connections.size,
      batches,
      requestsPerBatch: batches === 0 ? 0 : this.#requests / batches,
      transferBytes: sum('transferBytes') + this.#discardedBytes + this.#unusedPartBytes,
      bodyBytes: sum('bodyBytes'),
      notModified: count((row) => row.status === 304),
      fromCache: count((row) => row.fromCache),
      errors: count(({ error, purpose }) => error !== null && purpose !== 'ahead'),
      parts: count(({ partOf }) => partOf !== null),
      unusedPartBytes: this.#unusedPartBytes,
    };
  }

  #timing(rows: ResourceRecord[]): PageLoad['timing'] {
    const used = rows.filter(({ purpose }) => purpose === 'use' || purpose === 'rest');
    const ends = used.flatMap(({ responseEndMs }) => responseEndMs ?? []);
    const complete = ends.length === 0 ? null : Math.max(...ends);
    const htmlEndMs =
      this.#documentEndedAt === null ? null : this.#clock.time(this.#documentEndedAt);
    const sizes = this.resources
      .filter(({ row }) => row.kind === 'image' && row.purpose === 'use')
      .map(({ sizedAt }) => sizedAt);
    const known = sizes.every((at) => at !== null);
    const sizesKnownMs =
      htmlEndMs === null || !known
        ? null
        : Math.max(htmlEndMs, ...sizes.map((at) => this.#clock.time(at as number)));
    const own = used.filter(({ initiator }) => initiator === null);
    const shown = own.findLast(({ redirectUrl }) => redirectUrl === null);
    const redirect = own.findLast(({ redirectUrl }) => redirectUrl !== null);
    const loaded = shown !== undefined && shown.status !== null;
    return {
      redirectMs: redirect?.responseEndMs ?? null,
      firstByteMs: loaded ? shown.responseStartMs : null,
      htmlEndMs: loaded ? htmlEndMs : null,
      sizesKnownMs: loaded ? sizesKnownMs : null,
      firstViewMs: loaded ? this.#firstViewMs(shown) : null,
      completeMs: loaded ? complete : null,
    };
  }

  #firstViewMs(shown: ResourceRecord): number | null {
    const waited = firstViewResources(this.resources, this.#view());
    const ends = [shown.responseStartMs, ...waited.map(({ row }) => row.responseEndMs)];
    return ends.every((end) => end != null) ? Math.max(...(ends as number[])) : null;
  }
}

interface View {
  /** Width of the viewport, CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  dpr: number;
}

/**
 * Returns what the first view waits for, as far as a loader without layout can tell: resources that block rendering,
 * and the images that the first view can hold. This is an estimate, not a paint time: docs/loader.md.
 * @param resources The resources of the page, in the order in which it names them.
 */
function firstViewResources(resources: readonly Resource[], view: View): Resource[] {
  const used = resources.filter(({ row }) => row.purpose === 'use' || row.purpose === 'rest');
  const blocking = used.filter(({ how }) => how.isBlocking === true);
  const images = used
    .filter(({ row, how }) => row.kind === 'image' && isShownInPlace(how))
    .toSorted((a, b) => (a.how.offset ?? 0) - (b.how.offset ?? 0));
  return [...blocking, ...fitting(images, view)];
}

/**
 * Returns the images before the first one that must lie below the view: in any layout, images fill at least their own
 * area. An image of unknown size counts as filling none.
 */
function fitting(images: readonly Resource[], { width, height, dpr }: View): Resource[] {
  let above = 0;
  const fit: Resource[] = [];
  for (const image of images) {
    // An image requested in two ranges is listed twice, and the entry for its rest comes second; its size counts once.
    const isRest = image.row.purpose === 'rest';
    if (above >= height && !isRest) break;
    fit.push(image);
    if (isRest) continue;
    const [w, h] = [(image.row.width ?? 0) / dpr, (image.row.height ?? 0) / dpr];
    const scale = w > width ? width / w : 1;
    above += (w * h * scale * scale) / width;
  }
  return fit;
}
