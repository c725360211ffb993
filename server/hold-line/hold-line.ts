// Brings Hold-Line to any Express or node:http server, as middleware (Hauck 1994): if the client asked for it, a
// connection (line) stays open after the reply, for as long as both sides want. Nothing changes for clients and servers
// that do not know the field. HTTP/2 manages its connections itself, so its requests are passed on.

import type { IncomingMessage } from 'node:http';
import { parseHoldLine } from '../../http/hold-line.ts';
import { checked, joined, objectOf } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import type { LayeredSocket } from '../listen/connection-socket.ts';
import { type Handler, innerKind, isHttp1 } from '../listen/handler.ts';
import { holdHead, type OutgoingResponse } from '../listen/held-head.ts';
import { HeldLines } from './held-lines.ts';

/** Values that no site needs to set; tests set them by `withConstants`. */
const holdLineConstants = {
  /** Longest time for which a connection (line) is held open after a reply, seconds; a client may ask for less. */
  maxSeconds: 20,
  /** Shortest time for which a connection is held open while many others are, seconds. */
  minSeconds: 1,
  /**
   * If more connections than `threshold` are held open, each one that is added gets a tenth less time than the one
   * before; if fewer than `minimum` are held, a tenth more.
   */
  threshold: 500,
  minimum: 250,
  /**
   * Limit on connections that are held open. If it is reached, the one held longest is closed for a new one, provided
   * it was held for `minSeconds`; otherwise the new one is not held.
   */
  most: 1_000,
};

const holdLineKind = objectOf({});

export interface HoldLine extends Handler {
  stats(): HoldLineStats;
}

export interface HoldLineStats {
  /** Number of connections (lines) that are held open now. */
  held: number;
  /** Number of replies with a Hold-Line field, which promises to hold the connection open. */
  granted: number;
  /** Number of requests with a Hold-Line field whose connection was closed after the reply instead. */
  refused: number;
  /** Number of requests that arrived on a connection that was held open. */
  reused: number;
  /** Number of held connections that were closed before their time was over, to make room for newer ones. */
  closedEarly: number;
  /** How long a connection would be held open after a reply now, seconds. */
  seconds: number;
}

/**
 * Creates the Hold-Line middleware. Mount it first, because it has to see a reply before it is sent.
 * @throws ServerError `invalid-option`
 */
export function holdLine(options: object = {}): HoldLine {
  const given = joined(checked(holdLineKind, options, invalidOption), holdLineConstants, options);
  const time = new HoldTime(given);
  const lines = new HeldLines(given.most);
  const counts = { granted: 0, refused: 0, reused: 0 };
  const handle: Handler = (req, res, next) => {
    if (isHttp1(req) && innerKind(req) === undefined) {
      serve(req, res as Http1Response, { time, lines, counts });
    }
    next();
  };
  return Object.assign(handle, {
    onConnection: (socket: LayeredSocket) => {
      socket.onRequestBytes = withKeepAlive;
    },
    stats: () => ({
      held: lines.held,
      ...counts,
      closedEarly: lines.closedEarly,
      seconds: time.seconds,
    }),
  });
}

type Http1Response = OutgoingResponse & { readonly shouldKeepAlive: boolean };

interface Context {
  time: HoldTime;
  lines: HeldLines;
  counts: { granted: number; refused: number; reused: number };
}

function serve(req: IncomingMessage, res: Http1Response, { time, lines, counts }: Context): void {
  const { socket } = req;
  const field = req.headers['hold-line'];
  const wanted = typeof field === 'string' ? parseHoldLine(field) : undefined;
  if (lines.receive(socket, wanted === undefined ? 'rcv std' : 'rcv hl')) counts.reused++;
  let seconds: number | null = null;
  res.once('close', () => {
    lines.replied(socket, res.writableFinished ? seconds : null);
  });
  if (wanted === undefined) return;
  // Node reads nothing after an HTTP/1.0 request without keep-alive, so its connection is not held.
  const canGoOn = res.shouldKeepAlive;
  // Holding is decided with the head of the reply, which shows whether the client can see the reply's end.
  holdHead(res, () => {
    const mayHold = canGoOn && isEndVisible(req, res) && !isClosing(res);
    seconds = mayHold ? time.grant(lines, wanted) : null;
    if (seconds === null) {
      counts.refused++;
      // An HTTP/1.1 connection would stay open by default, so a refusal to hold it has to close it.
      res.setHeader('Connection', 'close');
    } else {
      counts.granted++;
      res.setHeader('Hold-Line', String(seconds));
      res.setHeader('Connection', 'keep-alive');
      res.setHeader('Keep-Alive', `timeout=${seconds}`);
    }
    return null;
  });
}

/**
 * Adds `Connection: keep-alive` to a request with Hold-Line before the parser reads it. Hauck's own client of 1994
 * sends HTTP/1.0 and Hold-Line but no keep-alive, which came later, and after such a request Node's parser reads no
 * other.
 * @param bytes First bytes of a request; they are changed only if they contain its whole head
 */
function withKeepAlive(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n');
  const [requestLine = '', ...fields] = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n');
  const has = (name: RegExp) => fields.some((field) => name.test(field));
  if (!requestLine.endsWith(' HTTP/1.0') || !has(/^hold-line:/i) || has(/^connection:/i))
    return bytes;
  const fieldsAt = requestLine.length + 2;
  const added = Buffer.from('Connection: keep-alive\r\n');
  return Buffer.concat([bytes.subarray(0, fieldsAt), added, bytes.subarray(fieldsAt)]);
}

/** Returns whether the client can tell the reply's end, other than by the connection's end (Hauck 1994, 2.1). */
function isEndVisible({ method, httpVersionMinor }: IncomingMessage, res: Http1Response): boolean {
  if (method === 'HEAD' || res.statusCode === 204 || res.statusCode === 304) return true;
  // Node sends a body without length to an HTTP/1.1 client in chunks, whose end is visible.
  return httpVersionMinor === 1 || res.hasHeader('content-length');
}

/** Returns whether the site closes the connection, or switches to another protocol. */
function isClosing(res: Http1Response): boolean {
  return /\b(?:close|upgrade)\b/i.test(String(res.getHeader('connection') ?? ''));
}

type HeldNow = Pick<HeldLines, 'held' | 'oldestSeconds'>;

/** Share by which the time of holding grows or shrinks with each connection that is held, when few or many are held. */
const step = 0.1;

/**
 * Decides how long connections (lines) are held open. The time follows the load (Hauck 1994, 4): while more than
 * `threshold` are held, each further one gets less time, and while fewer than `minimum` are, more. If `most` are held
 * and none of them has been held for `minSeconds`, none can be closed for a new one, so the new one is not held.
 */
export class HoldTime {
  readonly #options: typeof holdLineConstants;
  #seconds: number;

  constructor(options: typeof holdLineConstants) {
    this.#options = options;
    this.#seconds = options.maxSeconds;
  }

  /** How long a connection would be held open after a reply now, seconds. */
  get seconds(): number {
    return this.#seconds;
  }

  /**
   * Decides for how long to hold one connection open.
   * @param lines How many connections are held now, and for how long the one that has been held longest
   * @param wanted Seconds that the client asks for; null: it names no time
   * @returns Whole seconds; null: the connection is not held
   */
  grant({ held, oldestSeconds }: HeldNow, wanted: number | null): number | null {
    const { maxSeconds, minSeconds, threshold, minimum, most } = this.#options;
    if (held >= most && oldestSeconds < minSeconds) return null;
    if (held > threshold) this.#seconds = Math.max(minSeconds, this.#seconds * (1 - step));
    else if (held < minimum) this.#seconds = Math.min(maxSeconds, this.#seconds * (1 + step));
    const seconds = Math.floor(Math.min(this.#seconds, wanted ?? this.#seconds));
    return seconds < 1 ? null : seconds;
  }
}
