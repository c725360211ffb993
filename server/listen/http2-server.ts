// HTTP/2 (RFC 9113): Http2Server, told our limits. It is given sockets and never listens. A session
// without an open stream is ended after a while whatever else it sends, so PING cannot keep it.

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
  /** Starts HTTP/2 on a socket; the result ends it gracefully. */
  speak(socket: Socket | TLSSocket): Ending;
}

export interface Http2Extras {
  /** What Http2Server answers by itself is left to the request's handler: Expect (RFC 9110 10.1.1). */
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
      // GOAWAY first; a peer that does not go then is cut.
      session.close();
      timer = setTimeout(() => session.destroy(), limits.lingerTimeoutMs).unref();
    }, timeoutMs).unref();
  };
  endWhenIdleFor(limits.headersTimeoutMs);
  session.on('stream', (stream) => {
    openStreams++;
    streams++;
    clearTimeout(timer);
    // No byte moved, in spite of open windows or for want of them.
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
 * A stream that was reset in the segment that opened it is nobody's any more: no request is made of it. Behind this
 * stands what node:http2 does with streams, `request` and the others.
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
      // GOAWAY leaves after all that one read brought was taken: no more may come at once than may come at all.
      maxConcurrentStreams: Math.min(maxConcurrentStreams, maxRequestsPerConnection),
      maxHeaderListSize: limits.maxHeaderBytes,
    },
    ...resetLimits(maxConcurrentStreams),
  });
  server.on('request', (req, res) => onRequest(req, res));
  if (leaveChecks) {
    server.on('checkContinue', (req, res) => onRequest(req, res));
    server.on('checkExpectation', (req, res) => onRequest(req, res));
  }
  leaveOutDead(server);
  // A broken session is the client's business and already destroyed.
  server.on('sessionError', () => {});

  return {
    speak(socket) {
      // A client that closes its half has no way left to open its windows.
      socket.allowHalfOpen = false;
      let started: ServerHttp2Session | undefined;
      server.once('session', (session) => {
        started = session;
        watch(session, limits);
      });
      server.emit('connection', socket);
      // There is nothing to drain: GOAWAY tells which streams were not taken, and a client may ask for these again
      // (RFC 9113 6.8). The first GOAWAY of 6.8, which takes all that comes, Node cannot send.
      return { close: () => started?.close() };
    },
  };
}
