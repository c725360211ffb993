// The options of the transport, which is independent of pages and fetch. The loader's options extend them
// (loader/options.ts); option-table.ts defines the allowed values.

import type { Dispatcher } from 'undici';
import type { KeepAlive } from './connection/keep-alive.ts';

/** The ways to fetch a page. `http1.0` sends `HTTP/1.0` requests with Host and `Connection: close`. */
export type Protocol = 'auto' | 'http1.0' | 'persistent' | 'pipelined' | 'h2';

export const protocols: readonly Protocol[] = ['auto', 'http1.0', 'persistent', 'pipelined', 'h2'];

/** When buffered requests are sent (Nielsen, Gettys et al. 1997, "Pipelining", "Buffer Tuning"). */
export interface BatchOptions {
  /**
   * Buffer size that forces a write, bytes; null: no size limit. The default is what a new connection may send
   * before the first acknowledgment (ten segments, RFC 6928 2); the paper used 1,024.
   */
  maxBytes: number | null;
  /** Send the requests of an HTML chunk once it is scanned, or at the end of the HTML if that is near. */
  flushOnSegment: boolean;
  /** Longest wait of a request in the buffer if `flushOnSegment` is off, ms; null: until the document ends. */
  maxDelayMs: number | null;
  /**
   * Longest time that the requests of an HTML chunk wait for the end of the HTML, if at most ten segments are missing
   * and seem to arrive in time, ms; null: a quarter of a round trip, at most 25; 0: they do not wait. They then leave
   * together and acknowledge all of it, so that a server with Nagle's algorithm on need not wait for a delayed
   * acknowledgment. This applies to cleartext only, because nginx turns the algorithm off for TLS.
   */
  maxEndWaitMs: number | null;
}

/** How many requests are sent ahead of responses on one HTTP/1.1 connection. */
export interface PipelineOptions {
  /**
   * Maximum outstanding requests on one connection; `auto` limits them to twelve where it uses a single connection,
   * unless the requests revalidate.
   */
  maxDepth: number;
  /**
   * Silence of the head of a pipeline after which the pipeline counts as broken, if its connection has served a
   * response, ms; twice the slowest response time so far, if that is longer.
   */
  stallMs: number;
  /** Number of connections used instead of one if a server serves few requests per connection or breaks pipelines. */
  fallbackConnections: number;
  /** Conclusions from broken pipelines are forgotten after this long, ms: servers restart and limits change. */
  relearnMs: number;
  /** Longest time a connection is watched for surplus bytes before its bodies are trusted, ms. */
  settleMs: number;
}

/** Timeouts of one connection and one response, measured on a monotonic clock, ms. */
export interface TransportTimeouts {
  /** For lookup, TCP and TLS of one connection. */
  connectMs: number;
  /** From when a response is first in line on its connection to the first byte of the final (not 1xx) response. */
  responseMs: number;
  /** From when a response is first in line on its connection to its last byte. */
  resourceMs: number;
  /** A body with fewer bytes than `minRateBytes` within `minRateWindowMs` fails; null: no minimum. */
  minRateBytes: number | null;
  minRateWindowMs: number;
}

/** Limits on what a hostile or broken server can make a connection store or do. */
export interface TransportLimits {
  /** Maximum size of the header section of one response, bytes. */
  maxHeaderBytes: number;
  /** Maximum number of 1xx responses to one request. */
  maxInterimResponses: number;
}

export interface TlsOptions {
  /** Certificate authorities in PEM that replace the built-in ones. */
  ca?: string | Buffer | Array<string | Buffer>;
  /** false: accept any certificate; the command line warns on stderr. */
  verify: boolean;
}

export interface TransportOptions {
  protocol: Protocol;
  /** Maximum number of connections per origin; null: the protocol's default. */
  connections: number | null;
  batch: BatchOptions;
  pipeline: PipelineOptions;
  /**
   * Makes what decides how long an idle HTTP/1.x connection is used. Default: Keep-Alive alone decides.
   * @param closes The connection closes after each response, as in HTTP/1.0, unless it is held.
   * @param onOver Called when the idle connection has to be closed.
   */
  keepAlive?: (closes: boolean, onOver: () => void) => KeepAlive;
  timeouts: TransportTimeouts;
  limits: TransportLimits;
  tls: TlsOptions;
  /** Requests a response with faults that browsers tolerate again, and reads it tolerantly. */
  tolerant: boolean;
  /** Refuses to connect to any address that is not public (RFC 6890), on each redirect as well. */
  refusePrivateAddresses: boolean;
  /** Dispatcher that sends the requests instead of our own connections; null: none. */
  dispatcher: Dispatcher | null;
}
