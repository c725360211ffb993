// Treats one HTTP/1 connection as a queue of requests (RFC 9112 9.3): decides how many run at once, which one is the
// last, and what happens to those after it. Safe requests run concurrently. Any other request runs alone: earlier ones
// are answered first, later ones wait (RFC 9112 9.3.2). A request after the last one is neither processed nor answered;
// `Connection: close` tells the client that it may send it again.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSafe as isSafeMethod } from '../../http/methods.ts';
import { gatherPieces } from '../../process/gathered-pieces.ts';
import { tinyPieces } from '../../process/tiny-pieces.ts';
import type { ConnectionSocket } from './connection-socket.ts';
import type { ServerLimits } from './limits.ts';
import { lastWords } from './plain-answer.ts';

export class PipelinedConnection {
  readonly #socket: ConnectionSocket;
  readonly #limits: ServerLimits;
  #served = 0;
  /** Number of requests accepted and not yet answered; `#running` of them are being processed. */
  #inFlight = 0;
  #running = 0;
  #runsUnsafe = false;
  readonly #waiting: { isSafe: boolean; work: () => void }[] = [];
  #newest: { req: IncomingMessage; res: ServerResponse } | undefined;
  /**
   * True once the server shuts down: requests are still answered, but a response with no request waiting behind it is
   * the last.
   */
  #isDraining = false;
  /** True once no further request is accepted. */
  #isEnding = false;
  #hasFailed = false;
  #lastWords: string | undefined;
  /** Starts the tunnel, to which the connection switches after the pending responses; returns `#closeTunnel`. */
  #startTunnel: (() => () => void) | undefined;
  #closeTunnel: (() => void) | undefined;
  readonly #onTiny: () => void;
  readonly #onBrokenContent: ((req: IncomingMessage) => void) | undefined;

  constructor(
    socket: ConnectionSocket,
    limits: ServerLimits,
    onBrokenContent?: (req: IncomingMessage) => void,
  ) {
    this.#socket = socket;
    this.#onTiny = tinyPieces(socket.raw, socket);
    this.#limits = limits;
    this.#onBrokenContent = onBrokenContent;
    // The client closed its half: it waits for responses and sends no more requests.
    socket.on('end', () => {
      if (this.#closeTunnel === undefined) this.close();
    });
  }

  /** True if the next bytes begin a request. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#newest?.req.complete !== false;
  }

  /** Takes a request, and calls `work`, which processes it, now or in its turn. */
  accept(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    if (this.#isEnding) return;
    this.#newest = { req, res };
    if (!req.complete) gatherPieces(req, this.#onTiny);
    this.#served++;
    this.#inFlight++;
    if (this.#served >= this.#limits.maxRequestsPerConnection) this.#isEnding = true;
    // `writeHead` is replaced on the response itself, because Express replaces its prototype.
    const { writeHead } = res;
    res.writeHead = ((...args: Parameters<typeof writeHead>) => {
      this.#chooseConnectionField(req, res);
      return writeHead.apply(res, args);
    }) as typeof writeHead;
    res.on('finish', () => this.#onFinish());
    const isSafe = isSafeMethod(req.method ?? '');
    if (this.#waiting.length === 0 && this.#mayRun(isSafe)) {
      this.#runsUnsafe = !isSafe;
      this.#running++;
      work();
      return;
    }
    this.#waiting.push({ isSafe, work });
    // Further requests are left unread for now: while they are unread, they cost only the client memory.
    this.#socket.holdInput();
  }

  #mayRun(isSafe: boolean): boolean {
    if (this.#running === 0) return true;
    return isSafe && !this.#runsUnsafe && this.#running < this.#limits.maxPipelinedRequests;
  }

  /** Sets the Connection field of a response if it needs one. Persistence is the default in HTTP/1.1 (RFC 9112 9.3), so
   *  keep-alive is omitted, which saves 46 bytes per response. */
  #chooseConnectionField(req: IncomingMessage, res: ServerResponse): void {
    const isLast = res === this.#newest?.res && this.#lastWords === undefined;
    if (/\bclose\b/i.test(String(res.getHeader('connection') ?? ''))) {
      this.#isEnding = true;
      this.#inFlight -= this.#waiting.length;
      this.#waiting.length = 0;
    } else if ((this.#isEnding || this.#isDraining) && isLast && !this.#startTunnel) {
      this.#isEnding = true;
      res.setHeader('Connection', 'close');
    } else if (res.shouldKeepAlive && req.httpVersionMinor >= 1) res.removeHeader('Connection');
  }

  #onFinish(): void {
    this.#inFlight--;
    this.#running--;
    for (let next = this.#waiting[0]; next && this.#mayRun(next.isSafe); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#runsUnsafe = !next.isSafe;
      this.#running++;
      // The next request waits for the end of this 'finish' event, because http.Server is about to move on to the next
      // response.
      process.nextTick(next.work);
    }
    if (this.#waiting.length === 0) this.#socket.releaseInputNextTurn();
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (!this.#isEnding || this.#inFlight > 0 || this.#closeTunnel) return;
    if (this.#startTunnel) {
      this.#closeTunnel = this.#startTunnel();
      return;
    }
    if (this.#lastWords !== undefined && !this.#socket.writableEnded) {
      this.#socket.write(this.#lastWords);
      this.#lastWords = undefined;
    }
    this.#socket.destroySoon();
  }

  /**
   * Takes the last request of the connection, which switches to another protocol. `start` is called once earlier
   * requests are answered, and returns the function that closes the tunnel.
   */
  tunnel(start: () => () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#startTunnel = start;
    this.#endWhenDone();
  }

  /**
   * Begins to end the connection when the server shuts down. Requests that still arrive were sent before the client
   * could know, so until close() they are answered, each as the last of the connection (RFC 9112 9.6).
   */
  drain(): void {
    this.#isDraining = true;
    this.#closeTunnel?.();
  }

  /** Answers the requests that were accepted, then closes the connection. */
  close(): void {
    this.#isEnding = true;
    this.#startTunnel = undefined;
    this.#closeTunnel?.();
    this.#endWhenDone();
  }

  /** Ends the connection after invalid input: answers the requests before it, reports `status`, and closes it. */
  fail(status: number): void {
    if (this.#hasFailed || !this.#socket.writable) return;
    this.#hasFailed = true;
    this.#socket.discardInput();
    this.#isEnding = true;
    const { req, res } = this.#newest ?? {};
    const isItsContent = req?.complete === false;
    // A request that was already answered gets no second response.
    if (!isItsContent || !res?.writableEnded) this.#lastWords = lastWords(status);
    if (isItsContent && !res?.writableEnded) {
      // The handler of the newest request may wait for ever for the rest of the content, so it is not waited for.
      if (this.#inFlight > 1 || res?.headersSent) {
        this.#socket.destroy();
        return;
      }
      this.#inFlight = 0;
      if (req) this.#onBrokenContent?.(req);
    }
    this.#endWhenDone();
  }

  /** Ends the connection, which was idle for too long; it is cut off if a response is pending. */
  onTimeout(): void {
    const isIdle = this.#inFlight === 0 && this.#socket.pendingBytes === 0;
    if (isIdle && !this.#socket.writableEnded) this.close();
    else this.#socket.destroy();
  }
}
