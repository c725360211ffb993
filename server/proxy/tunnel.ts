// Tunnels WebSockets (RFC 6455 over RFC 9110 7.8): the handshake is forwarded like a request. If the upstream answers
// 101, the two connections become one tunnel, and closing either end closes the other. Any other response is passed on
// and ends the connection, so bytes that the client sends after the handshake are never read.

import { type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Deadline } from '../../process/deadline.ts';
import { gatherPieces, passOn } from '../../process/gathered-pieces.ts';
import type { ConnectionSocket } from '../listen/connection-socket.ts';
import { lastWords } from '../listen/plain-answer.ts';
import type { Asker } from '../listen/turns.ts';
import { guardEvents, passContent, passHead } from './download.ts';
import { headText, responseFields } from './end-to-end-fields.ts';
import {
  busyUpstream,
  type Failure,
  failureOf,
  noResponse,
  slowConnect,
  slowResponse,
  tooManyTunnels,
  unsafeRequest,
} from './failure.ts';
import { assertFraming } from './framing.ts';
import { type Upstream, whenConnected } from './upstream.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import type { QueuePlace } from './upstream-queue.ts';

export interface TunnelContext {
  readonly upstream: Upstream;
  readonly limits: UpstreamLimits & { lingerTimeoutMs: number };
  /** Called when the upstream has accepted the WebSocket; returns a function that is called when it closes. */
  onOpen(): () => void;
  onFailure(error: unknown): void;
}

export class Tunnel {
  readonly #context: TunnelContext;
  readonly #req: IncomingMessage;
  readonly #socket: ConnectionSocket;
  #proxyReq: ClientRequest | undefined;
  #place: QueuePlace | undefined;
  #far: Socket | undefined;
  readonly #deadline = new Deadline();

  constructor(context: TunnelContext, req: IncomingMessage, socket: ConnectionSocket) {
    this.#context = context;
    this.#req = req;
    this.#socket = socket;
  }

  /**
   * Forwards the handshake, once there is a place for a WebSocket.
   * @param target Target of the handshake
   * @param fields Alternating names and values of header fields
   * @param early Bytes received after the handshake
   */
  start(target: string, fields: readonly string[], early: Buffer, asker: Asker): void {
    // The handshake may have waited in the upstream's queue, and the client may have gone meanwhile.
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    const { upstream, limits } = this.#context;
    this.#arm(limits.responseTimeoutMs, busyUpstream);
    const place = upstream.line.enterTunnel(asker, () => this.#send(target, fields));
    if (place === undefined) {
      this.#fail(tooManyTunnels);
      return;
    }
    this.#place = place;
    this.#socket.once('close', () => {
      place.leave();
      this.#deadline.stop();
      this.#proxyReq?.destroy();
      this.#far?.destroy();
    });
    if (early.length > 0) this.#socket.unshift(early);
  }

  #send(target: string, fields: readonly string[]): void {
    const { upstream, limits } = this.#context;
    if (this.#socket.writableEnded) return;
    this.#arm(limits.connectTimeoutMs, slowConnect);
    try {
      const proxyReq = upstream.request({ method: 'GET', target, fields, isAlone: true });
      this.#proxyReq = proxyReq;
      guardEvents(proxyReq, (error) => this.#fail(noResponse, error));
      proxyReq.on('error', (error) => this.#fail(failureOf(error), error));
      assertFraming(proxyReq, `GET ${target}`, { kind: 'none' });
      proxyReq.once('socket', (socket) => whenConnected(socket, () => this.#place?.connected()));
      proxyReq.once('finish', () => this.#arm(limits.responseTimeoutMs, slowResponse));
      proxyReq.once('response', (response) => this.#refuse(response));
      proxyReq.once('upgrade', (response, far, head) => this.#join(response, far as Socket, head));
      proxyReq.end();
    } catch (error) {
      this.#fail(unsafeRequest, error);
    }
  }

  #arm(timeoutMs: number, failure: Failure): void {
    this.#deadline.start(timeoutMs, () => this.#fail(failure, new Error(failure.detail)));
  }

  /** Passes on a response other than 101, and ends the connection: what the client sends meanwhile is not used. */
  #refuse(response: IncomingMessage): void {
    this.#deadline.stop();
    const near = this.#socket;
    this.#proxyReq?.setTimeout(this.#context.limits.upstreamIdleTimeoutMs, () =>
      response.destroy(),
    );
    const res = new ServerResponse(this.#req);
    res.shouldKeepAlive = false;
    res.once('finish', () => near.destroySoon());
    res.once('close', () => near.destroySoon());
    res.assignSocket(near as unknown as Socket);
    passHead(response, this.#req, res);
    passContent(response, this.#req, res, this.#context.onFailure);
  }

  #join({ rawHeaders, headers }: IncomingMessage, far: Socket, head: Buffer): void {
    if (headers.upgrade?.toLowerCase() !== 'websocket') {
      far.destroy();
      this.#fail(noResponse, new Error(`101 to ${headers.upgrade} instead of websocket`));
      return;
    }
    this.#deadline.stop();
    const near = this.#socket;
    const { limits } = this.#context;
    this.#far = far;
    const closed = this.#context.onOpen();
    // Whatever the error is, the socket closes next, and the tunnel with it.
    far.on('error', () => {});
    // Data received before the upstream's end still reaches the client; then the client's connection closes, too.
    far.once('close', () => {
      closed();
      near.destroySoon();
    });
    // The client closed its half. The tunnel does not wait long for an upstream that ignores this.
    near.once('end', () => {
      this.#deadline.start(limits.lingerTimeoutMs, () => near.destroy());
    });
    far.setNoDelay(true);
    far.setKeepAlive(true);
    far.setTimeout(limits.tunnelIdleTimeoutMs, () => near.destroy());
    if (head.length > 0) far.unshift(head);
    const line = '101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade';
    near.write(headText(line, responseFields(101, rawHeaders)), 'latin1');
    gatherPieces(far);
    passOn(far, near);
    passOn(near, far);
  }

  /** Answers the handshake with a failure. @param error Error of the upstream, if it is to blame */
  #fail({ status, detail }: Failure, error?: unknown): void {
    this.#deadline.stop();
    const near = this.#socket;
    if (this.#far || near.destroyed || near.writableEnded) return;
    if (error !== undefined) this.#context.onFailure(error);
    near.write(lastWords(status, detail));
    near.destroySoon();
    this.#proxyReq?.destroy();
  }

  /** Closes both ends of the tunnel, one half at a time. */
  close(): void {
    if (this.#far) this.#far.end();
    else this.#proxyReq?.destroy();
    this.#socket.destroySoon();
  }
}
