// HTTP/2 (RFC 9113): Http2Server, told our limits. It is given sockets and never listens. A session
// without an open stream is ended after a while whatever else it sends, so PING cannot keep it.

import { createServer, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Ending } from './connections.ts';
import type { Request, Response } from './handler.ts';
import type { Limits } from './limits.ts';

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
      if (--openStreams === 0) endWhenIdleFor(limits.keepAliveTimeoutMs);
    });
    if (streams >= limits.maxRequestsPerConnection) session.close();
  });
  session.once('close', () => clearTimeout(timer));
}

export function http2Server(
  limits: Limits,
  onRequest: (req: Request, res: Response) => void,
  { leaveChecks }: Http2Extras = {},
): Http2Server {
  const server = createServer({
    settings: {
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: limits.maxHeaderBytes,
    },
  });
  server.on('request', (req, res) => onRequest(req, res));
  if (leaveChecks) {
    server.on('checkContinue', (req, res) => onRequest(req, res));
    server.on('checkExpectation', (req, res) => onRequest(req, res));
  }
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
