// Gives a Duplex the interface of a net.Socket: properties that http.Server, Express and handlers read come from the
// real socket. Subclasses implement reading and writing; the methods for settings do nothing unless they are
// overridden. There is no `_handle`, because http.Server would read from it and bypass the Duplex.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** Properties that are read from the real socket: addresses, and what TLS knows of the connection. */
const delegated = `remoteAddress remoteFamily remotePort localAddress localFamily localPort address
    readyState timeout bytesRead bytesWritten encrypted authorized authorizationError alpnProtocol servername
    getPeerCertificate getPeerX509Certificate getCipher getProtocol getSession`.split(/\s+/);

export abstract class SocketFacade extends Duplex {
  /** The underlying socket. */
  readonly raw: Socket | TLSSocket;
  readonly connecting = false;
  readonly pending = false;

  constructor(raw: Socket | TLSSocket) {
    super();
    this.raw = raw;
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  setTimeout(_timeoutMs: number, _listener?: () => void): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(_enable?: boolean, _initialDelayMs?: number): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

for (const name of delegated) {
  Object.defineProperty(SocketFacade.prototype, name, {
    get(this: SocketFacade) {
      try {
        const value = (this.raw as unknown as Record<string, unknown>)[name];
        return typeof value === 'function' ? value.bind(this.raw) : value;
      } catch {
        // Reading a property of an HTTP/2 socket throws once its session is gone.
        return undefined;
      }
    },
  });
}
