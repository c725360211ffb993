// What the transport can be told, apart from what a page or a fetch is. The loader's options are these and its own
// (loader/options.ts); option-table.ts beside that says what values may be.

import type { Dispatcher } from 'undici';

/** The ways a page can be fetched. `http1.0` is HTTP/1.1 with `Connection: close` on every request. */
export type Protocol = 'auto' | 'http1.0' | 'persistent' | 'pipelined' | 'h2';

export const protocols: readonly Protocol[] = ['auto', 'http1.0', 'persistent', 'pipelined', 'h2'];

/** When buffered requests leave (paper: Nielsen, Gettys et al. 1997, "Pipelining", "Buffer Tuning"). */
export interface BatchOptions {
  /** Buffer size that forces a write, bytes; null: no size rule. By default what a fresh connection may send before it is answered (ten segments, RFC 6928 2); the paper used 1,024. */
  maxBytes: number | null;
  /** Write what one chunk of HTML yielded as soon as that chunk is scanned. */
  flushOnSegment: boolean;
  /** How long a request may wait in the buffer when `flushOnSegment` is off, ms; null: until the document ends. */
  maxDelayMs: number | null;
}

/** How far requests run ahead of responses on one HTTP/1.1 connection. */
export interface PipelineOptions {
  /** Requests outstanding on one connection at most. */
  maxDepth: number;
  /** A pipeline whose head stays silent this long (twice as long as the slowest answer before, if that is more), after the connection served before, is taken as broken, ms. */
  stallMs: number;
  /** Connections used in place of one when a server proved to serve few requests per connection. */
  fallbackConnections: number;
  /** A server restarts, a limit is raised: what broken pipelines taught is forgotten after this long, ms. */
  relearnMs: number;
  /** How long a connection is watched for surplus bytes before its bodies are trusted, ms, at most. */
  settleMs: number;
}

/** What one connection, and one response on it, may take; on a monotonic clock, in ms. */
export interface TransportTimeouts {
  /** Look-up, TCP and TLS of one connection. */
  connectMs: number;
  /** From being first in line on its connection to the first byte of the final response. */
  responseMs: number;
  /** From being first in line on its connection to the last byte. */
  resourceMs: number;
  /** Fewer bytes than `minRateBytes` in a stretch of `minRateWindowMs` of a body end it; null: no minimum. */
  minRateBytes: number | null;
  minRateWindowMs: number;
}

/** What a hostile or broken server can make a connection hold or do. */
export interface TransportLimits {
  /** Header section of one response, bytes. */
  maxHeaderBytes: number;
  /** 1xx responses to one request. */
  maxInterimResponses: number;
}

export interface TlsOptions {
  /** Certificate authorities in PEM, in place of the built-in ones. */
  ca?: string | Buffer | Array<string | Buffer>;
  /** false: accept any certificate; the command line says so on stderr. */
  verify: boolean;
}

export interface TransportOptions {
  protocol: Protocol;
  /** Connections per origin; null: as the protocol usually has them. */
  connections: number | null;
  batch: BatchOptions;
  pipeline: PipelineOptions;
  timeouts: TransportTimeouts;
  limits: TransportLimits;
  tls: TlsOptions;
  /** Refuse to connect to any address that is not public (RFC 6890), at every hop. */
  refusePrivateAddresses: boolean;
  /** Sends the requests in place of connections of our own; null: ours do. */
  dispatcher: Dispatcher | null;
}
