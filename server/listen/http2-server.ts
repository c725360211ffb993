// Speaks HTTP/2 (RFC 9113): an Http2Server with this project's limits. It receives sockets and never listens. A session
// without open streams is closed after a while whatever else it sends, so PING cannot keep it open.

import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Server as NodeServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { hasTooManyFields } from '../../http/field-count.ts';
import { longestMs } from '../../options/kinds.ts';
import { gatherPieces } from '../../process/gathered-pieces.ts';
import { tinyPieces } from '../../process/tiny-pieces.ts';
import type { Ending } from './connections.ts';
import { limitSilence } from './content-time.ts';
import type { Request, Response } from './handler.ts';
import type { ServerExtras } from './http1-server.ts';
import { LastStreams } from './last-streams.ts';
import type { ServerLimits } from './limits.ts';
import { plainAnswer } from './plain-answer.ts';

export interface Http2Server {
  /** Starts HTTP/2 on a socket. @returns How to end the connection gracefully */
  speak(socket: Socket | TLSSocket): Ending;
}

/**
 * Limit on the number of fields that Node reads. Node resets a stream that has more fields, or more bytes in them than
 * its announced limit permits (RFC 9113 6.5.2).
 */
const mostFieldsRead = 4096;
const overheadBytes = 32;

/** Returns whether the fields are too many or too long, by the limits that apply to HTTP/1. */
function isTooLarge(rawHeaders: readonly string[], { maxHeaderBytes }: ServerLimits): boolean {
  if (hasTooManyFields(rawHeaders)) return true;
  return rawHeaders.reduce((sum, { length }) => sum + length, 0) > maxHeaderBytes;
}

function watch(session: ServerHttp2Session, limits: ServerLimits, onTiny: () => void): void {
  let openStreams = 0;
  let streams = 0;
  let lastId = -1;
  let timer: NodeJS.Timeout;
  const lastStreams = new LastStreams();
  const resets = new ResetBudget(resetLimits(limits.maxConcurrentStreams), performance.now());
  const endWhenIdleFor = (timeoutMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // close() sends GOAWAY; a peer that stays connected is cut off later.
      session.close();
      timer = setTimeout(() => session.destroy(), limits.lingerTimeoutMs).unref();
    }, timeoutMs).unref();
  };
  const end = () => session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  endWhenIdleFor(limits.headersTimeoutMs);
  // A stream stays open if no reset can be sent, because the peer reads nothing or broke the protocol after GOAWAY. So
  // the session has a timeout of its own.
  const silentMs = Math.max(limits.idleTimeoutMs, limits.keepAliveTimeoutMs);
  session.setTimeout(Math.min(silentMs + limits.lingerTimeoutMs, longestMs), () =>
    session.destroy(),
  );
  // This listener precedes the server's own, which leaves out closed streams, so it sees all.
  session.prependListener('stream', (stream, headers, _flags, rawHeaders) => {
    // Node has reset the streams of skipped ids (fields malformed, or beyond `mostFieldsRead`), which count as resets.
    const unseen = (stream.id ?? lastId) - lastId - 2;
    lastId += unseen + 2;
    if (unseen > 0 && !resets.spend(performance.now(), unseen / 2)) return end();
    const isRefused = isTooLarge(rawHeaders, limits);
    if (isRefused && !stream.closed && !stream.destroyed) {
      stream.respond({ ':status': 431 }, { endStream: true });
      stream.close();
    } else if (!stream.endAfterHeaders) gatherPieces(stream, onTiny);
    lastStreams.add(stream, [headers.priority].flat()[0]);
    openStreams++;
    streams++;
    clearTimeout(timer);
    // A stream is closed if no byte moves for `idleTimeoutMs`, whether or not the flow-control windows are open.
    stream.setTimeout(limits.idleTimeoutMs, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.once('close', () => {
      const isCharged = isRefused || stream.rstCode !== constants.NGHTTP2_NO_ERROR;
      if (isCharged && !resets.spend(performance.now())) {
        end();
        return;
      }
      if (--openStreams === 0) endWhenIdleFor(limits.keepAliveTimeoutMs);
    });
    if (streams >= limits.maxRequestsPerConnection) session.close();
  });
  session.once('close', () => clearTimeout(timer));
}

/** Answers content that pauses too long, or has not ended in time, with 408; a response that has begun is cut off. */
function limitTime(
  req: Http2ServerRequest,
  res: Http2ServerResponse,
  { contentTimeoutMs, requestTimeoutMs }: ServerLimits,
  onBroken?: (req: Request) => void,
): void {
  const { stream } = req;
  const end = () => {
    if (stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE) return;
    onBroken?.(req);
    if (!res.headersSent) plainAnswer(req, res as unknown as Response, 408);
    stream.close(res.writableEnded ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
  };
  limitSilence(req, contentTimeoutMs, end);
  if (requestTimeoutMs === Infinity) return;
  const timer = setTimeout(end, requestTimeoutMs);
  stream.once('close', () => clearTimeout(timer));
}

/**
 * Keeps a stream that was reset in the same segment that opened it from becoming a request: this listener runs before
 * those that node:http2 has for streams.
 */
function leaveOutDead(server: NodeServer): void {
  const [own] = server.listeners('stream');
  if (own === undefined) throw new TypeError("the server has no listener for 'stream'");
  server.removeListener('stream', own as (...args: unknown[]) => void);
  server.on('stream', (stream: ServerHttp2Stream, ...rest) => {
    if (stream.closed || stream.destroyed) stream.on('error', () => {});
    else own.call(server, stream, ...rest);
  });
}

export function http2Server(
  limits: ServerLimits,
  onRequest: (req: Request, res: Response) => void,
  { leaveChecks, onBrokenContent }: ServerExtras = {},
): Http2Server {
  const { maxConcurrentStreams, maxRequestsPerConnection } = limits;
  const server = createServer({
    settings: {
      // Node sends GOAWAY only after accepting all streams that it read at once, so these must not exceed
      // maxRequestsPerConnection.
      maxConcurrentStreams: Math.min(maxConcurrentStreams, maxRequestsPerConnection),
      maxHeaderListSize: limits.maxHeaderBytes + mostFieldsRead * overheadBytes,
    },
    // A site may repeat any field, as over HTTP/1.1. Node 22 lacks this option: some repeated fields cause a 502.
    strictSingleValueFields: false,
    maxHeaderListPairs: mostFieldsRead,
    // Header blocks that do not parse count as invalid frames; as many are permitted as streams may be open.
    maxSessionInvalidFrames: maxConcurrentStreams,
    ...resetLimits(maxConcurrentStreams),
  });
  const take = (req: Http2ServerRequest, res: Http2ServerResponse): void => {
    if (!req.stream.endAfterHeaders) {
      gatherPieces(req);
      limitTime(req, res, limits, onBrokenContent);
    }
    onRequest(req, res);
  };
  server.on('request', take);
  if (leaveChecks) {
    server.on('checkContinue', take);
    server.on('checkExpectation', take);
  }
  leaveOutDead(server);
  // A session error is the client's fault, and the session is already destroyed, so nothing is left to do.
  server.on('sessionError', () => {});

  return {
    speak(socket) {
      // A client that closes its half can no longer open its flow-control windows, so the other half is closed, too.
      socket.allowHalfOpen = false;
      let started: ServerHttp2Session | undefined;
      server.once('session', (session) => {
        started = session;
        watch(session, limits, tinyPieces(socket));
      });
      server.emit('connection', socket);
      // There is no drain step: GOAWAY names the streams that were not processed, which a client may retry (RFC 9113
      // 6.8). Node cannot send the initial GOAWAY of 6.8, which accepts all streams.
      return { close: () => started?.close() };
    },
  };
}

/** Resets that are permitted per second, as a share of the streams that may be open at once. */
const share = 1 / 3;

type ResetLimits = ReturnType<typeof resetLimits>;

function resetLimits(maxConcurrentStreams: number) {
  return {
    streamResetBurst: maxConcurrentStreams,
    streamResetRate: Math.ceil(maxConcurrentStreams * share),
  };
}

/**
 * Limits how many streams of an HTTP/2 session may end by a reset (CVE-2023-44487, CVE-2025-8671): a reset makes room
 * for the next stream at once, so maxConcurrentStreams alone limits nothing. Leaving a page may reset all its streams;
 * a client that continues like that is disconnected. nghttp2 counts only the resets that it reads from the client; this
 * class counts the resets of both sides.
 */
class ResetBudget {
  readonly #limits: ResetLimits;
  #left: number;
  #filledMs: number;

  /** @param nowMs monotonic time */
  constructor(limits: ResetLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.streamResetBurst;
    this.#filledMs = nowMs;
  }

  /** Counts resets. @returns false if they exceed the budget */
  spend(nowMs: number, resets = 1): boolean {
    const { streamResetBurst, streamResetRate } = this.#limits;
    const came = ((nowMs - this.#filledMs) / 1000) * streamResetRate;
    this.#left = Math.min(streamResetBurst, this.#left + came) - resets;
    this.#filledMs = nowMs;
    return this.#left >= 0;
  }
}
