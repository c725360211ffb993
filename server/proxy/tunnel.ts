// A websocket (RFC 6455 over RFC 9110 7.8): the handshake goes on like a request; when the upstream
// answers 101 the two connections become one tunnel, and when either end goes, so does the other. Any
// other answer is passed on and ends the connection: what the client sends behind it is never read.
// httpxy joins the two sockets; clocks, closing and the answers to failures are added here.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyServer } from 'httpxy';
import type { CoalescingSocket } from '../coalescing-socket.ts';
import { lastWords } from '../plain-answer.ts';
import { type Failure, failureOf, slowConnect, slowResponse } from './failure.ts';
import type { UpstreamLimits } from './limits.ts';
import type { Outgoing } from './outgoing.ts';
import type { Upstream } from './upstream.ts';

export interface TunnelContext {
  readonly proxy: ProxyServer;
  readonly upstream: Upstream;
  readonly limits: UpstreamLimits & { lingerTimeoutMs: number };
  /** Called when it is open, and with what it returns when it is not any more. */
  onOpen(): () => void;
  onFailure(error: unknown, req: IncomingMessage): void;
}

export class Tunnel {
  readonly #context: TunnelContext;
  readonly #req: IncomingMessage;
  readonly #socket: CoalescingSocket;
  readonly outgoing: Outgoing;
  #proxyReq: ClientRequest | undefined;
  #far: Duplex | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    context: TunnelContext,
    req: IncomingMessage,
    socket: CoalescingSocket,
    outgoing: Outgoing,
  ) {
    this.#context = context;
    this.#req = req;
    this.#socket = socket;
    this.outgoing = outgoing;
    outgoing.headers.connection = 'Upgrade';
    outgoing.headers.upgrade = 'websocket';
  }

  start(head: Buffer): void {
    // It may have waited for its turn.
    if (this.#socket.destroyed) return;
    const { proxy, upstream, limits } = this.#context;
    this.#arm(limits.connectTimeoutMs, slowConnect);
    const leaveLine = upstream.line.addTunnel();
    this.#socket.once('close', () => {
      leaveLine();
      clearTimeout(this.#timer);
      this.#proxyReq?.destroy();
      this.#far?.destroy();
    });
    // An answer that is no 101 was sent: the rest of the connection is nobody's.
    this.#socket.once('finish', () => {
      if (!this.#far) this.#socket.destroySoon();
    });
    const socket = this.#socket as unknown as Socket;
    const options = { target: upstream.target, agent: upstream.fresh, prependPath: false };
    proxy
      .ws(this.outgoing.asMessage, socket, options, head)
      // Answered where it happened, see below.
      .catch(() => {});
  }

  #arm(timeoutMs: number, failure: Failure): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(failure, new Error(failure.detail)), timeoutMs);
  }

  onRequest(proxyReq: ClientRequest): void {
    this.#proxyReq = proxyReq;
    const { limits } = this.#context;
    proxyReq.once('finish', () => this.#arm(limits.responseTimeoutMs, slowResponse));
    proxyReq.once('response', (response) => {
      clearTimeout(this.#timer);
      this.#proxyReq?.setTimeout(limits.upstreamIdleTimeoutMs, () => response.destroy());
    });
    proxyReq.once('upgrade', (_response, far) => this.#join(far as Socket));
    // Before httpxy's own listener, which ends the socket without a word.
    proxyReq.on('error', (error) => this.#fail(failureOf(error), error));
  }

  #join(far: Socket): void {
    clearTimeout(this.#timer);
    this.#far = far;
    const near = this.#socket;
    const { limits } = this.#context;
    const closed = this.#context.onOpen();
    // What came before its end still reaches the client; then this end goes, too.
    far.once('close', () => {
      closed();
      near.destroySoon();
    });
    // The client closed its half. An upstream that does not care is not waited for.
    near.once('end', () => {
      this.#timer = setTimeout(() => near.destroy(), limits.lingerTimeoutMs).unref();
    });
    // httpxy switches the clock off right after this event.
    process.nextTick(() => {
      far.setTimeout(limits.tunnelIdleTimeoutMs, () => near.destroy());
    });
  }

  #fail({ status, detail }: Failure, error: unknown): void {
    clearTimeout(this.#timer);
    const near = this.#socket;
    if (this.#far || near.destroyed || near.writableEnded) return;
    this.#context.onFailure(error, this.#req);
    near.write(lastWords(status, detail));
    near.destroySoon();
    this.#proxyReq?.destroy();
  }

  /** Both ends are closed, half by half. */
  close(): void {
    if (this.#far) {
      this.#far.unpipe(this.#socket);
      this.#far.end();
    } else this.#proxyReq?.destroy();
    this.#socket.destroySoon();
  }
}
