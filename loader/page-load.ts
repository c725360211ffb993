// The record of one page load: what every report is rendered from, and what `--json` prints.
// Plain data, no methods. Times are milliseconds from navigation start (the call of `load`),
// taken from a monotonic clock; a time that never came is null. Names follow Resource Timing
// (W3C) and HAR 1.2 where these have one.

import type { HeaderPair } from '../http/header-pairs.ts';
import type { LoaderErrorCode } from './errors.ts';
import type { Protocol } from './transport/transport-options.ts';

export type { Protocol };

export type ResourceKind = 'document' | 'stylesheet' | 'script' | 'image' | 'other';

/** What went wrong with one resource (data, not an exception). */
export interface ResourceError {
  code: LoaderErrorCode;
  message: string;
}

export type { HeaderPair };

/**
 * What a request was for.
 * `use`: the page needs it.
 * `rest`: what was missing of an image whose first bytes another row brought.
 * `refresh`: the page used a stale copy as stale-while-revalidate allows (RFC 5861 3); this renews it.
 * `ahead`: validated ahead of the document, which then did not name it any more.
 */
export type RequestPurpose = 'use' | 'rest' | 'refresh' | 'ahead';

/** A request that had to be sent again: its connection ended first, or the response was in doubt. */
export interface LostAttempt {
  requestStartMs: number;
  /** When it was given up; from then on it waited to be sent again. */
  endMs: number;
  /** `PageLoad.connections[].id` */
  connection: number;
  pipelineIndex: number | null;
}

/** One request as the page saw it: a redirect hop and the rest of an image are rows of their own, a retry is not. */
export interface ResourceRecord {
  url: string;
  kind: ResourceKind;
  /** URL of the document that referenced it; null for the page itself. */
  initiator: string | null;
  method: 'GET';
  /** Final status; null when no response came. */
  status: number | null;
  statusText: string;
  /** Protocol on the wire, as ALPN names it: `http/1.0`, `http/1.1`, `h2`. */
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2' | null;
  purpose: RequestPurpose;
  /** The body came from the cache: nothing was asked (`attempts` 0), or the server said 304, or failed. */
  fromCache: boolean;
  /** A prefetch had brought the body, or was bringing it: it was used. */
  prefetched: boolean;
  /** Body after content decoding, in bytes. */
  bodyBytes: number;
  /** Body as it came (content coding still on, transfer coding off), in bytes; 0 when it came from the cache. */
  encodedBytes: number;
  /** `encodedBytes` plus the response's header section, in bytes; for h2 the header section uncompressed. */
  transferBytes: number;
  /** The reference was found (or the load began, for the page). */
  startMs: number;
  /** The request was handed to the kernel, in one write with its batch. */
  requestStartMs: number | null;
  responseStartMs: number | null;
  /** Last byte, or the moment it failed. */
  responseEndMs: number | null;
  /** `PageLoad.connections[].id` */
  connection: number | null;
  /** Place of this request among the requests of its connection, from 0. */
  pipelineIndex: number | null;
  /** `PageLoad.batches[].id`: the write this request left in. */
  batch: number | null;
  /** How often it was sent: 1, or 2 after a retry; 0 when never sent. */
  attempts: number;
  /** The attempts before the last, oldest first; all else in this row is of the last. */
  lostAttempts: LostAttempt[];
  requestHeaders: HeaderPair[];
  responseHeaders: HeaderPair[];
  /** Media type without parameters, lower case; empty when none was sent. */
  mimeType: string;
  /** Where a 3xx pointed, absolute; null otherwise. */
  redirectUrl: string | null;
  /** Pixels, for an image whose first bytes told; else null. */
  width: number | null;
  height: number | null;
  error: ResourceError | null;
}

/** One TCP (or TLS) connection. */
export interface ConnectionRecord {
  /** From 1, unique within a loader. */
  id: number;
  origin: string;
  /** What it spoke, as ALPN names it. */
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  remoteAddress: string | null;
  /** Name look-up began; before 0 when the connection was kept from an earlier page. */
  startMs: number;
  lookupEndMs: number | null;
  connectEndMs: number | null;
  /** TLS handshake done; null on clear connections. */
  secureEndMs: number | null;
  /** null while open. */
  endMs: number | null;
  /** Requests of this page sent on it. */
  requests: number;
}

/** One write of requests. */
export interface BatchRecord {
  /** From 1, in the order of writing. */
  id: number;
  connection: number;
  requests: number;
  /** Bytes of the request heads in it. */
  bytes: number;
  sentMs: number;
}

export interface PageTotals {
  /** Requests put on the wire, retries included. */
  requests: number;
  /** Responses that came whole, over the network. */
  responses: number;
  /** Connections this page sent requests on. */
  connections: number;
  batches: number;
  /** requests / batches; 0 without batches. */
  requestsPerBatch: number;
  /** Of all rows, and what came for them before and was thrown away when it was fetched again. */
  transferBytes: number;
  bodyBytes: number;
  /** 304 responses: copies that were found good. */
  notModified: number;
  /** Resources whose body came from the cache, those included. */
  fromCache: number;
  errors: number;
}

export interface PageTiming {
  /** First byte of the page's response. */
  firstByteMs: number | null;
  /** Last byte of the page's HTML. */
  htmlEndMs: number | null;
  /** Width and height, or the failure, of every image are known: a browser could lay the page out. */
  sizesKnownMs: number | null;
  /** Last byte of the last resource the page uses. */
  completeMs: number | null;
}

export interface PageLoad {
  /** The URL asked for, without credentials and fragment. */
  url: string;
  protocol: Protocol;
  /** Wall clock at navigation start, ms since the epoch (for HAR). */
  startedAtMs: number;
  /** In the order they were found; [0] is the page. */
  resources: ResourceRecord[];
  connections: ConnectionRecord[];
  batches: BatchRecord[];
  totals: PageTotals;
  timing: PageTiming;
}
