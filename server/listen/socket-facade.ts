// The interface of a net.Socket on a Duplex: what http.Server, Express and handlers ask of a socket is delegated to
// the real one. Subclasses implement reading and writing. There is no `_handle`, because http.Server would read from
// it and bypass the Duplex.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

export abstract class SocketFacade extends Duplex {
  /** The underlying socket. */
  readonly raw: Socket | TLSSocket;

  constructor(raw: Socket | TLSSocket) {
    super();
    this.raw = raw;
    raw.on('timeout', () => this.emit('timeout'));
  }

  setTimeout(timeoutMs: number, listener?: () => void): this {
    this.raw.setTimeout(timeoutMs);
    if (listener && timeoutMs === 0) this.removeListener('timeout', listener);
    else if (listener) this.once('timeout', listener);
    return this;
  }

  /** TCP_NODELAY always stays on. */
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(enable?: boolean, initialDelayMs?: number): this {
    this.raw.setKeepAlive(enable, initialDelayMs);
    return this;
  }

  ref(): this {
    this.raw.ref();
    return this;
  }

  unref(): this {
    this.raw.unref();
    return this;
  }

  /** Closes the connection with RST. */
  resetAndDestroy(): this {
    this.raw.resetAndDestroy();
    this.destroy();
    return this;
  }

  address() {
    return this.raw.address();
  }

  get timeout() {
    return this.raw.timeout;
  }
  get connecting() {
    return false;
  }
  get pending() {
    return false;
  }
  get readyState() {
    return this.raw.readyState;
  }
  get bytesRead() {
    return this.raw.bytesRead;
  }
  get bytesWritten(): number {
    return this.raw.bytesWritten;
  }
  get remoteAddress() {
    return this.raw.remoteAddress;
  }
  get remoteFamily() {
    return this.raw.remoteFamily;
  }
  get remotePort() {
    return this.raw.remotePort;
  }
  get localAddress() {
    return this.raw.localAddress;
  }
  get localFamily() {
    return this.raw.localFamily;
  }
  get localPort() {
    return this.raw.localPort;
  }
  /** True over TLS; undefined otherwise, as on net.Socket. */
  get encrypted(): true | undefined {
    return 'encrypted' in this.raw ? true : undefined;
  }
  get authorized(): boolean | undefined {
    return 'authorized' in this.raw ? this.raw.authorized : undefined;
  }
  get alpnProtocol(): string | false | null | undefined {
    return 'alpnProtocol' in this.raw ? this.raw.alpnProtocol : undefined;
  }
}
