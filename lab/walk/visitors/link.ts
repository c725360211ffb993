// One visitor's link to the site: a TCP relay that delays and paces what passes. Its connections to the site come from
// the visitor's own address of the loopback network, so the site tells visitors apart without a cookie or a field.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface VisitorLinkSettings {
  rttMs: number;
  /** Towards the visitor, for all connections together. */
  downBitsPerSecond: number;
  upBitsPerSecond: number;
}

const segmentBytes = 1460;

export class VisitorLink implements AsyncDisposable {
  readonly #server = createServer({ pauseOnConnect: true });
  readonly #sockets = new Set<Socket>();
  readonly #down: Wire;

  private constructor(sitePort: number, localAddress: string, settings: VisitorLinkSettings) {
    const { rttMs, downBitsPerSecond, upBitsPerSecond } = settings;
    const down = new Wire(rttMs / 2, downBitsPerSecond);
    const up = new Wire(rttMs / 2, upBitsPerSecond);
    this.#down = down;
    this.#server.on('connection', (near) => {
      const far = connect({ host: '127.0.0.1', port: sitePort, localAddress });
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.on('error', () => {});
        socket.on('close', () => this.#sockets.delete(socket));
      }
      near.on('data', (bytes) => up.carry(bytes, (part) => far.write(part)));
      far.on('data', (bytes) => down.carry(bytes, (part) => near.write(part)));
      near.on('close', () => far.destroy());
      far.on('close', () => down.carry(Buffer.alloc(0), () => near.destroy()));
      // The handshake: the visitor's first byte leaves after a round trip.
      setTimeout(() => near.resume(), rttMs);
    });
  }

  static async open(
    sitePort: number,
    address: string,
    settings: VisitorLinkSettings,
  ): Promise<VisitorLink> {
    const link = new VisitorLink(sitePort, address, settings);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Towards the visitor so far. */
  get downBytes(): number {
    return this.#down.bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** One direction: segments leave one after the other at its rate, and arrive in order after its delay. */
class Wire {
  bytes = 0;
  readonly #delayMs: number;
  readonly #msPerByte: number;
  #freeAtMs = 0;
  #isWaiting = false;
  readonly #underWay: Array<{ dueMs: number; arrive: () => void }> = [];

  constructor(delayMs: number, bitsPerSecond: number) {
    this.#delayMs = delayMs;
    this.#msPerByte = 8e3 / bitsPerSecond;
  }

  carry(bytes: Buffer, deliver: (part: Buffer) => void): void {
    this.bytes += bytes.length;
    for (let at = 0; at === 0 || at < bytes.length; at += segmentBytes) {
      const part = bytes.subarray(at, at + segmentBytes);
      this.#freeAtMs = Math.max(this.#freeAtMs, performance.now()) + part.length * this.#msPerByte;
      this.#underWay.push({ dueMs: this.#freeAtMs + this.#delayMs, arrive: () => deliver(part) });
    }
    this.#wait();
  }

  #wait(): void {
    const [next] = this.#underWay;
    if (next === undefined || this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => this.#arrive(), Math.max(0, next.dueMs - performance.now()));
  }

  #arrive(): void {
    this.#isWaiting = false;
    const now = performance.now();
    const late = this.#underWay.findIndex(({ dueMs }) => dueMs > now);
    const arrived = this.#underWay.splice(0, late === -1 ? this.#underWay.length : late);
    for (const { arrive } of arrived) arrive();
    this.#wait();
  }
}
