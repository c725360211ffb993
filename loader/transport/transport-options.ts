// The options of the transport, which is independent of pages and fetch; those of the loader extend them
// (loader/options.ts). The names of numbers include their unit; `null` (never 0) turns a rule off.

import type { Dispatcher } from 'undici';
import {
  any,
  anyOf,
  filePath,
  isPem,
  longestMs,
  milliseconds,
  oneOf,
  orInfinite,
  orNull,
  trueOrFalse,
  wholeNumber,
} from '../../options/kinds.ts';
import {
  type Kind,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  section,
  type ValuesOf,
} from '../../options/options.ts';
import type { KeepAlive } from './connection/keep-alive.ts';

/** The ways to fetch a page. `http1.0` sends `HTTP/1.0` requests with Host and `Connection: close`. */
export type Protocol = 'auto' | 'http1.0' | 'persistent' | 'pipelined' | 'h2';

export const protocols: readonly Protocol[] = ['auto', 'http1.0', 'persistent', 'pipelined', 'h2'];

const batchBytes = { least: 1, most: 2 ** 24 };
const flushWord = oneOf(['segment']);
const flushTime = { least: 0 };
const flushRule = `segment, milliseconds from 0 to ${longestMs}`;

/** When buffered requests are sent (Nielsen, Gettys et al. 1997, "Pipelining", "Buffer Tuning"). */
const batchTable = {
  /**
   * Buffered requests are written once they reach this size; only a single larger request exceeds it. The default is
   * the initial window of a connection, ten segments (RFC 6928). null: no limit.
   */
  maxBytes: option(orNull(wholeNumber, batchBytes), 14_600, {
    flag: '--batch-bytes <n>',
    help: 'send buffered requests at this size; "off": no size limit ({default})',
    written: orInfinite(wholeNumber, batchBytes, 'off'),
  }),
  /**
   * `segment`: requests found in a chunk of HTML are written when it is scanned, or at the end of the HTML if that is
   * near. A number: the longest time a request is buffered, ms. null: until the document ends.
   */
  flush: option(
    anyOf([flushWord, orNull(milliseconds, flushTime)], `${flushRule}, or null`),
    'segment',
    {
      flag: '--batch-flush <when>',
      help: 'send them when a "segment" of HTML is scanned, or after so many ms; "off": when the page ends ({default})',
      written: anyOf(
        [flushWord, orInfinite(milliseconds, flushTime, 'off')],
        `${flushRule}, or off`,
      ),
    },
  ),
};
export type BatchOptions = OptionsOf<typeof batchTable>;
const batchKind: Kind<ValuesOf<typeof batchTable>, BatchOptions> = objectOf(batchTable);

/** The timeouts of one response that users may set, measured on a monotonic clock. */
export const transportTimeouts = {
  /** Longest time from when the request is next on its connection to the first byte of the final response. */
  responseMs: option(milliseconds({ least: 1 }), 15_000),
};

type Pem = string | Buffer;

const tlsTable = {
  /**
   * Certificate authorities that replace the built-in ones: PEM in a string, a Buffer, or a list of these. Each must
   * contain a valid certificate.
   */
  ca: optionWithoutDefault(
    any<Pem | Pem[]>(
      (value) => isPem(value) || (Array.isArray(value) && value.every(isPem)),
      'PEM in a string or Buffer, or a list of these',
    ),
    {
      flag: '--ca <file>',
      help: 'trust the certificate authorities in this PEM file',
      written: filePath,
    },
  ),
  /** Verify server certificates. false: accept any. */
  verify: option(trueOrFalse(), true, {
    flag: '--insecure',
    help: 'accept any certificate; a warning goes to stderr',
  }),
};
export type TlsOptions = OptionsOf<typeof tlsTable>;
const tlsKind: Kind<ValuesOf<typeof tlsTable>, TlsOptions> = objectOf(tlsTable);

/** Connections per origin if the option `connections` is null, by how they are used (pool/concurrency.ts). */
export const usualConnections = {
  closing: 4,
  serial: 6,
  pipelined: 1,
  /** Number of HTTP/1.1 connections to a distant server if `protocol` is `auto`: as many as browsers open. */
  far: 6,
};
const connectionsRange = { least: 1, most: 64 };
const { closing, serial, far, pipelined } = usualConnections;

const isDispatcher = (value: unknown) =>
  typeof (value as Dispatcher | null)?.dispatch === 'function';

export const transportTable = {
  /**
   * `http1.0`: a connection for each request, sent as HTTP/1.0 with `Connection: close`. `persistent`: one request at a
   * time per connection. `pipelined`: requests do not wait for responses. `h2`: HTTP/2 by ALPN, or by prior knowledge
   * without TLS. `auto`: h2 if ALPN selects it, else pipelined with fallback.
   */
  protocol: option(oneOf(protocols), 'auto', {
    flag: '--protocol <name>',
    help: 'how pages are fetched',
  }),
  /**
   * Connections per origin. null: 4 for http1.0, 6 for persistent, 1 for pipelined and h2; for auto 6 if a page comes
   * over HTTP/1.1 and the handshake took 2 ms or more, else 1.
   */
  connections: option(orNull(wholeNumber, connectionsRange), null, {
    flag: '--connections <n>',
    help: `connections per origin (http1.0: ${closing}, persistent: ${serial}, auto: ${far} to a server far away, else ${pipelined})`,
    written: wholeNumber(connectionsRange),
  }),
  batch: section(batchKind),
  tls: section(tlsKind),
  /**
   * Refuse connections to loopback, private, link-local and reserved addresses in any notation, also after redirects.
   * Set it if strangers choose the URLs.
   */
  refusePrivateAddresses: option(trueOrFalse(), false, {
    flag: '--public-only',
    help: 'refuse private addresses, also after redirects',
  }),
  /**
   * An undici `Dispatcher` (`ProxyAgent`, `MockAgent`) that sends the requests. It has no batches, pipelining, retries
   * after a broken connection, or times and addresses of connections; `protocol`, `connections`, `batch`, `holdLine`,
   * `tls` and `refusePrivateAddresses` are refused with it. You close it. null: the loader's own connections.
   */
  dispatcher: option(
    orNull(() => any<Dispatcher>(isDispatcher, 'an undici Dispatcher, or null'), {}),
    null,
  ),
};

/** Values that no caller needs to set; only tests and measurements change them (`withConstants`). */
export const transportConstants = {
  batch: {
    /**
     * Longest time, ms, that the requests of an HTML chunk wait for the end of the HTML, if at most ten segments of it
     * are missing. They then leave together, with the acknowledgment of the HTML, for which a server with Nagle's
     * algorithm would otherwise wait a round trip or 40 ms. This applies in cleartext only. null: a quarter of a round
     * trip, at most 25 ms. 0: the requests do not wait.
     */
    maxEndWaitMs: null as number | null,
  },
  /** How many requests are sent ahead of responses on one HTTP/1.1 connection. */
  pipeline: {
    /**
     * Limit on outstanding requests on a connection. With `auto`, the only connection to a near server has twelve at
     * most, unless the next request revalidates a stored response.
     */
    maxDepth: 128,
    /**
     * Longest silence, ms, of a connection that has already responded, or twice its slowest response if that is longer.
     * After that the connection is closed, and its pipelined requests are sent again, the first one alone.
     */
    stallMs: 1_000,
    /**
     * Limit on connections to a server that serves few requests per connection or breaks pipelines: as many as browsers
     * open.
     */
    fallbackConnections: 6,
    /** What was learned of a server's limits and pipelines is forgotten after this time, ms, as both may change. */
    relearnMs: 60_000,
    /** Longest time, ms, to watch a connection for surplus bytes before a response counts as the one to its request. */
    settleMs: 250,
  },
  timeouts: {
    /**
     * Longest time for DNS, TCP and TLS of one connection together, ms. It suffices for three lost SYNs, which are sent
     * again after 1, 2 and 4 s.
     */
    connectMs: 10_000,
    /** Fewest bytes of a body that must arrive per `minRateWindowMs`; a slower one is cancelled. null: no minimum. */
    minRateBytes: 500 as number | null,
    minRateWindowMs: 10_000,
  },
  limits: {
    /** Largest header section of one response, bytes, as in Chromium. */
    maxHeaderBytes: 256 * 1024,
    /** Limit on 1xx responses to one request; a server that sends no more than that means no harm. */
    maxInterimResponses: 20,
  },
  /**
   * Whether a response with faults that browsers tolerate (line ends without CR, a line without a colon, a folded
   * field, two equal Content-Lengths ...) is requested again on a separate connection and read in spite of them.
   * Nothing of it is stored.
   */
  tolerant: true,
};

type Constants = typeof transportConstants;
export type TransportTimeouts = ValuesOf<typeof transportTimeouts> &
  Constants['timeouts'] & {
    /** Longest time to the end of a response since all earlier requests on the connection were answered, ms. */
    resourceMs: number;
  };
export type TransportLimits = Constants['limits'];
export type BatchRules = ValuesOf<typeof batchTable> & Constants['batch'];
export type TransportOptions = ValuesOf<typeof transportTable> &
  Constants & {
    batch: BatchRules;
    timeouts: TransportTimeouts;
    limits: TransportLimits;
    /**
     * Makes the object that decides how long an idle HTTP/1.x connection is used. Default: Keep-Alive alone decides.
     * @param closes Whether the connection closes after each response, as in HTTP/1.0, unless the server keeps it open.
     * @param onOver Called when the idle connection has to be closed.
     */
    keepAlive?: (closes: boolean, onOver: () => void) => KeepAlive;
  };
