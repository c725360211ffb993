// The record of one page load, which is the source of every report; `--json` prints the fields that report/json.ts
// lists. It is plain data without methods; the functions here fill a row and reset it if its response starts over, and
// `PageClock` gives it its times. A field of a row is declared here, with the value that it begins with. Times
// are milliseconds since navigation start (the call of `load`), on a monotonic clock; a step that did not happen has
// null. Names follow Resource Timing (W3C) and HAR 1.2 where possible.

import type { HeaderPair } from '../http/header-pairs.ts';
import type { LoaderErrorCode } from './errors.ts';
import type { ReferenceKind, Skipped } from './scan/reference.ts';
import type { ResponseHead } from './transport/exchange.ts';
import type { Protocol } from './transport/transport-options.ts';

export type { Protocol };

export type ResourceKind = Exclude<ReferenceKind, 'connection'> | 'other';

/** A resource that was named but not fetched, with the reason. */
export type SkippedReference = Skipped;

/** Reason why one resource failed, as data that is not thrown. */
export interface ResourceError {
  code: LoaderErrorCode;
  message: string;
}

export type { HeaderPair };

/**
 * The purpose of a request.
 * `use`: the page needs it.
 * `rest`: the bytes of an image after its first ones, which another request fetched.
 * `refresh`: revalidates a stale copy that the page used under stale-while-revalidate (RFC 5861 3).
 * `ahead`: requested before the document arrived, which then did not refer to it.
 */
export type RequestPurpose = 'use' | 'rest' | 'refresh' | 'ahead';

/** An attempt that had to be repeated because its connection ended or its response was not trusted. */
export interface LostAttempt {
  requestStartMs: number;
  /** When the attempt was abandoned; from then on the request waited for its retry. */
  endMs: number;
  /** Id of the connection, as in `PageLoad.connections`. */
  connection: number;
  pipelineIndex: number | null;
  /** Why the attempt was lost; `out-of-step` if the response answered another request, or may have done so. */
  code: LoaderErrorCode;
}

/** One request as the page sees it: also a redirect, or the second part of an image, but not a retry. */
export interface ResourceRecord {
  url: string;
  kind: ResourceKind;
  /** URL of the document, style sheet or module that names the resource; null for the page itself. */
  initiator: string | null;
  /** The construct in the initiator that names the resource: `img srcset`, `@import`; null for the page itself. */
  from: string | null;
  /** Position of the reference in the initiator, in characters; in a document, the position of its tag. */
  offset: number | null;
  /** What is special about the reference, in words: `blocks rendering`, `for .hero`. */
  why: string | null;
  method: 'GET';
  /** Final status; null if no response arrived. */
  status: number | null;
  statusText: string;
  /** Protocol on the wire, named as in ALPN: `http/1.0`, `http/1.1`, `h2`. */
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2' | null;
  purpose: RequestPurpose;
  /** The body came from the cache: without a request (`attempts` 0), after a 304, or because the server failed. */
  fromCache: boolean;
  /** A prefetch, complete or in flight, supplied the body. */
  prefetched: boolean;
  /** URL of the page whose Get-All response brought this resource without a request; null: it came by itself. */
  partOf: string | null;
  /** Length of the decoded body, in bytes. */
  bodyBytes: number;
  /** Length of the body as received (with content coding, without transfer coding), in bytes; 0 from the cache. */
  encodedBytes: number;
  /** `encodedBytes` plus the response's header section, in bytes; for h2 the uncompressed header section. */
  transferBytes: number;
  /** When the reference was found; for the page, when the load began. */
  startMs: number;
  /** When the batch that has the request was written to the kernel. */
  requestStartMs: number | null;
  responseStartMs: number | null;
  /** When the response's last byte arrived, or when the request failed. */
  responseEndMs: number | null;
  /** Id of the connection, as in `PageLoad.connections`. */
  connection: number | null;
  /** Position of this request on its connection, from 0. */
  pipelineIndex: number | null;
  /** Id of the batch, as in `PageLoad.batches`, whose write carried this request. */
  batch: number | null;
  /** Number of times the request was sent: 0 if never; more than 1 if earlier attempts were lost. */
  attempts: number;
  /** Earlier attempts, oldest first; the other members describe the last attempt. */
  lostAttempts: LostAttempt[];
  requestHeaders: HeaderPair[];
  responseHeaders: HeaderPair[];
  /** Media type in lower case without parameters, the last if several were sent; '' if no valid one was sent. */
  mimeType: string;
  /** Absolute target of a redirect; null otherwise. */
  redirectUrl: string | null;
  /** Width and height of an image in pixels; null if its first bytes do not state them, or for other resources. */
  width: number | null;
  height: number | null;
  /** Faults of the response that were tolerated, as in browsers, in words. */
  quirks: string[];
  error: ResourceError | null;
}

/** Returns those fields of a resource's record that describe the response, as they are before one arrives. */
export function noResponse() {
  return {
    status: null,
    statusText: '',
    fromCache: false,
    partOf: null,
    bodyBytes: 0,
    encodedBytes: 0,
    transferBytes: 0,
    responseStartMs: null,
    responseEndMs: null,
    responseHeaders: [],
    mimeType: '',
    redirectUrl: null,
    width: null,
    height: null,
    quirks: [],
    error: null,
  } satisfies Partial<ResourceRecord>;
}

export function newRow(
  url: string,
  kind: ResourceKind,
  initiator: string | null,
  startMs: number,
): ResourceRecord {
  return {
    url,
    kind,
    initiator,
    startMs,
    from: null,
    offset: null,
    why: null,
    method: 'GET',
    httpVersion: null,
    purpose: 'use',
    prefetched: false,
    requestStartMs: null,
    connection: null,
    pipelineIndex: null,
    batch: null,
    attempts: 0,
    lostAttempts: [],
    requestHeaders: [],
    ...noResponse(),
  };
}

/** A final response from the network or the cache. */
type Began = Pick<ResponseHead, 'status' | 'statusText' | 'headers' | 'wireHeaders'>;

export function noteResponse(row: ResourceRecord, response: Began, startMs: number): void {
  row.status = response.status;
  row.statusText = response.statusText;
  row.responseHeaders = response.wireHeaders ?? response.headers;
  row.responseStartMs = startMs;
}

/**
 * Returns the size in bytes of the status line and fields as HTTP/1.1 writes them; the size of HTTP/2's encoding is not
 * known here.
 */
export function headBytes({ status, statusText, headers, wireHeaders }: Began): number {
  const fields = (wireHeaders ?? headers).map(([name, value]) => name.length + value.length + 4);
  const statusLine = `HTTP/1.1 ${status} ${statusText}\r\n\r\n`.length;
  return fields.reduce((sum, bytes) => sum + bytes, statusLine);
}

/** Converts monotonic times to ms since navigation start. */
export class PageClock {
  /** Monotonic time of navigation start, ms (performance.now). */
  readonly startedAt: number;
  /** Wall clock at navigation start, ms since the epoch. */
  readonly startedAtMs: number;

  /** @param startedAt Monotonic time of navigation start, ms. */
  constructor(startedAt: number = performance.now()) {
    this.startedAt = startedAt;
    this.startedAtMs = Date.now() - (performance.now() - startedAt);
  }

  /** Converts a monotonic time to ms since navigation start. */
  time(at: number): number {
    return at - this.startedAt;
  }
}

/** One TCP (or TLS) connection. */
export interface ConnectionRecord {
  /** Number of the connection, from 1, unique within a loader. */
  id: number;
  origin: string;
  /** Protocol named as in ALPN. */
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  remoteAddress: string | null;
  /** When name lookup began; negative if the connection is reused from an earlier page. */
  startMs: number;
  lookupEndMs: number | null;
  connectEndMs: number | null;
  /** End of the TLS handshake; null for cleartext. */
  secureEndMs: number | null;
  /** When the connection ended; null while it is open. */
  endMs: number | null;
  /** Number of requests that this page sent on the connection. */
  requests: number;
}

/** A batch: requests of one connection that were sent in one write. */
export interface BatchRecord {
  /** Number of the batch, counted from 1 in the order in which the batches were sent. */
  id: number;
  connection: number;
  requests: number;
  /** Length of the batch's request heads, in bytes. */
  bytes: number;
  sentMs: number;
}

export interface PageTotals {
  /** Number of requests sent, including retries. */
  requests: number;
  /** Number of complete responses received over the network. */
  responses: number;
  /** Number of connections that carried requests of this page. */
  connections: number;
  batches: number;
  /** `requests` divided by `batches`; 0 without batches. */
  requestsPerBatch: number;
  /** Bytes of all `resources`, of attempts that were discarded and repeated, and of unused resources (Get-All). */
  transferBytes: number;
  bodyBytes: number;
  /** Number of 304 responses, which confirm stored copies as valid. */
  notModified: number;
  /** Number of resources whose body came from the cache, including those after a 304. */
  fromCache: number;
  errors: number;
  /** Number of resources that came inside the page's own response, as it answered a Get-All request. */
  parts: number;
  /** Number of bytes of the resources in the page's Get-All response that it had no use for. */
  unusedPartBytes: number;
}

export interface PageTiming {
  /**
   * From navigation start to the end of the last redirect's response (Resource Timing, redirectStart to redirectEnd);
   * null: the page was not redirected.
   */
  redirectMs: number | null;
  /** When the first byte arrived of the document that is shown, after all redirects. */
  firstByteMs: number | null;
  /** When the last byte of the page's HTML arrived. */
  htmlEndMs: number | null;
  /** When the size (or failure) of every image was known, so that a browser could lay out the page. */
  sizesKnownMs: number | null;
  /**
   * When everything that blocks rendering, and the images that the first view can hold, were complete. This is an
   * estimate without a layout, not a paint time (docs/loader.md).
   */
  firstViewMs: number | null;
  /** When the last byte of the last resource that the page uses arrived. */
  completeMs: number | null;
}

export interface PageLoad {
  /** The requested URL, without credentials and fragment. */
  url: string;
  protocol: Protocol;
  /** Wall clock at navigation start, ms since the epoch (for HAR). */
  startedAtMs: number;
  /** The resources in order of discovery; [0] is the page. */
  resources: ResourceRecord[];
  /** References that were not fetched, with the reason; at most 10,000. */
  skipped: SkippedReference[];
  connections: ConnectionRecord[];
  batches: BatchRecord[];
  totals: PageTotals;
  timing: PageTiming;
}
