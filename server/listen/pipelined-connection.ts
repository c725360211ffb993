// One HTTP/1 connection as a queue of requests (RFC 9112 9.3): how many are worked on at once, which is
// the last, and what happens to those behind it. Safe requests are worked on side by side, any other one
// alone: what stands before it is answered, what stands behind it waits (RFC 9112 9.3.2). A request behind the last is not looked at and gets no
// answer: the client, told by `Connection: close`, knows it may send it again.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSafe as isSafeMethod } from '../../http/methods.ts';
import type { CoalescingSocket } from './coalescing-socket.ts';
import type { Limits } from './limits.ts';
import { lastWords } from './plain-answer.ts';

export class PipelinedConnection {
  readonly #socket: CoalescingSocket;
  readonly #limits: Limits;
  #served = 0;
  /** Taken and not yet answered; `#running` of them are worked on. */
  #inFlight = 0;
  #running = 0;
  #runsUnsafe = false;
  readonly #waiting: { isSafe: boolean; work: () => void }[] = [];
  #newest: { req: IncomingMessage; res: ServerResponse } | undefined;
  /** What comes yet is answered; the answer behind which nothing waits is the last. */
  #isDraining = false;
  /** No further request is taken. */
  #isEnding = false;
  #hasFailed = false;
  #lastWords: string | undefined;
  /** It speaks another protocol now, or will when it was answered; `#closeTunnel` once it does. */
  #startTunnel: (() => () => void) | undefined;
  #closeTunnel: (() => void) | undefined;
  readonly #onBrokenContent: ((req: IncomingMessage) => void) | undefined;

  constructor(
    socket: CoalescingSocket,
    limits: Limits,
    onBrokenContent?: (req: IncomingMessage) => void,
  ) {
    this.#socket = socket;
    this.#limits = limits;
    this.#onBrokenContent = onBrokenContent;
    // The client closed its half: it waits for answers and asks nothing more.
    socket.on('end', () => {
      if (this.#closeTunnel === undefined) this.close();
    });
  }

  /** Hands a request to `work`, now or in its turn. */
  take(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    if (this.#isEnding) return;
    this.#newest = { req, res };
    this.#served++;
    this.#inFlight++;
    if (this.#served >= this.#limits.maxRequestsPerConnection) this.#isEnding = true;
    // An own property: Express puts another prototype under the response.
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
    // What is not read costs the client's memory and no time of ours.
    this.#socket.holdInput();
  }

  #mayRun(isSafe: boolean): boolean {
    if (this.#running === 0) return true;
    return isSafe && !this.#runsUnsafe && this.#running < this.#limits.maxPipelinedRequests;
  }

  /** Persistence is HTTP/1.1's default (RFC 9112 9.3) and is not worth 46 bytes on every answer. */
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
      // Not from inside the 'finish' of the answer before: http.Server is still about to move on.
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

  /** The last request asks for another protocol: `start` gets the socket once the others are answered. */
  tunnel(start: () => () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#startTunnel = start;
    this.#endWhenDone();
  }

  /**
   * The server ends: a request that comes yet was sent before the client could know, so it is answered, and
   * told that it was the last (RFC 9112 9.6). Until close().
   */
  drain(): void {
    this.#isDraining = true;
    this.#closeTunnel?.();
  }

  /** Answers what was taken, then ends. */
  close(): void {
    this.#isEnding = true;
    this.#startTunnel = undefined;
    this.#closeTunnel?.();
    this.#endWhenDone();
  }

  /** What arrived cannot be read as a request: answers those before it, says so, ends. */
  fail(status: number): void {
    if (this.#hasFailed || !this.#socket.writable) return;
    this.#hasFailed = true;
    this.#socket.discardInput();
    this.#isEnding = true;
    const { req, res } = this.#newest ?? {};
    const isItsContent = req?.complete === false;
    // A request that has its answer gets no second one.
    if (!isItsContent || !res?.writableEnded) this.#lastWords = lastWords(status);
    if (isItsContent && !res?.writableEnded) {
      // Its handler may wait for the rest for ever.
      if (this.#inFlight > 1 || res?.headersSent) {
        this.#socket.destroy();
        return;
      }
      this.#inFlight = 0;
      if (req) this.#onBrokenContent?.(req);
    }
    this.#endWhenDone();
  }

  /** Nothing moved for a while. */
  onTimeout(): void {
    const isIdle = this.#inFlight === 0 && this.#socket.pendingBytes === 0;
    if (isIdle && !this.#socket.writableEnded) this.close();
    else this.#socket.destroy();
  }
}
