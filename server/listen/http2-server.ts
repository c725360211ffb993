// HTTP/2 (RFC 9113): an Http2Server with this project's limits. It receives sockets and never listens. A session
// without open streams is closed after a while whatever else it sends, so PING cannot keep it open.

import {
  constants,
  createServer,
  type Http2Server as NodeServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Ending } from './connections.ts';
import type { Request, Response } from './handler.ts';
import type { Limits } from './limits.ts';
import { ResetBudget, resetLimits } from './reset-budget.ts';

export interface Http2Server {
  /** Start HTTP/2 on a socket; the result closes it gracefully. */
  speak(socket: Socket | TLSSocket): Ending;
}

export interface Http2Extras {
  /** Leave to the request handler what Http2Server would answer itself: Expect (RFC 9110 10.1.1). */
  readonly leaveChecks?: boolean;
}

function watch(session: ServerHttp2Session, limits: Limits): void {
  let openStreams = 0;
  let streams = 0;
  let timer: NodeJS.Timeout;
  const resets = new ResetBudget(resetLimits(limits.maxConcurrentStreams), performance.now());
  const endWhenIdleFor = (timeoutMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // GOAWAY first; a peer that stays is cut.
      session.close();
      timer = setTimeout(() => session.destroy(), limits.lingerTimeoutMs).unref();
    }, timeoutMs).unref();
  };
  endWhenIdleFor(limits.headersTimeoutMs);
  session.on('stream', (stream) => {
    openStreams++;
    streams++;
    clearTimeout(timer);
    // No byte moved, whether or not the flow-control windows were open.
    stream.setTimeout(limits.idleTimeoutMs, () => stream.close(8 /* CANCEL */));
    stream.once('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !resets.take(performance.now())) {
        session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
        return;
      }
      if (--openStreams === 0) endWhenIdleFor(limits.keepAliveTimeoutMs);
    });
    if (streams >= limits.maxRequestsPerConnection) session.close();
  });
  session.once('close', () => clearTimeout(timer));
}

/**
 * Drop a stream that was reset in the same segment that opened it; no request is created for it. The listeners that
 * node:http2 has for streams run after this one.
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
  limits: Limits,
  onRequest: (req: Request, res: Response) => void,
  { leaveChecks }: Http2Extras = {},
): Http2Server {
  const { maxConcurrentStreams, maxRequestsPerConnection } = limits;
  const server = createServer({
    settings: {
      // GOAWAY is sent only after everything read at once was accepted, so that must not exceed the total limit.
      maxConcurrentStreams: Math.min(maxConcurrentStreams, maxRequestsPerConnection),
      maxHeaderListSize: limits.maxHeaderBytes,
    },
    // A site may repeat any field, as over HTTP/1.1. Node 22 does not know the option and refuses some: 502.
    strictSingleValueFields: false,
    ...resetLimits(maxConcurrentStreams),
  });
  server.on('request', (req, res) => onRequest(req, res));
  if (leaveChecks) {
    server.on('checkContinue', (req, res) => onRequest(req, res));
    server.on('checkExpectation', (req, res) => onRequest(req, res));
  }
  leaveOutDead(server);
  // A session error is the client's problem, and the session is already destroyed.
  server.on('sessionError', () => {});

  return {
    speak(socket) {
      // A client that closes its half can no longer open its flow-control windows.
      socket.allowHalfOpen = false;
      let started: ServerHttp2Session | undefined;
      server.once('session', (session) => {
        started = session;
        watch(session, limits);
      });
      server.emit('connection', socket);
      // Nothing to drain: GOAWAY names the streams that were not processed, which a client may retry (RFC 9113 6.8).
      // Node cannot send the initial GOAWAY of 6.8 that accepts all streams.
      return { close: () => started?.close() };
    },
  };
}
