// Counts connections, in total and per address, and closes them all in two steps: drain (further requests are
// answered as the last of their connection) and close (pending requests are finished).

import type { Socket } from 'node:net';
import { visitorAddress } from '../../http/visitor-address.ts';
import type { IsTrusted } from './trusted.ts';

export type ConnectionLimit = 'maxConnections' | 'maxConnectionsPerAddress';

export interface Ending {
  /** Marks further responses as the connection's last (`Connection: close`); absent over HTTP/2, which needs none. */
  drain?(): void;
  /** Finishes the pending requests of the connection, and accepts no more. */
  close(): void;
}

export interface ConnectionsOptions {
  readonly limits: { readonly [name in ConnectionLimit]: number };
  /** Returns whether an address is of a trusted proxy, which many visitors share; null: no proxy is trusted. */
  readonly isTrusted: IsTrusted | null;
  /** Called for each connection refused by a limit. */
  readonly onRefused?: ((limit: ConnectionLimit) => void) | undefined;
}

export class OpenConnections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  /**
   * How each connection is ended, by its remote address and port, which an accepted socket and its TLS socket share. A
   * client of a Unix socket has neither, so its socket is the key.
   */
  readonly #endings = new Map<string | Socket, { socket: Socket; ending: Ending }>();
  #stage: 'open' | 'draining' | 'closing' = 'open';
  refused = 0;
  accepted = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Counts the socket until it closes. @returns false, without counting it, if there are too many */
  add(socket: Socket): boolean {
    const address = visitorAddress(socket.remoteAddress ?? '');
    const sameAddress = this.#perAddress.get(address) ?? 0;
    const exceeded = this.#exceededBy(socket, sameAddress);
    if (exceeded !== null) {
      this.refused++;
      this.#options.onRefused?.(exceeded);
      return false;
    }
    this.accepted++;
    this.#perAddress.set(address, sameAddress + 1);
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
    return true;
  }

  #exceededBy({ remoteAddress }: Socket, sameAddress: number): ConnectionLimit | null {
    const { limits, isTrusted } = this.#options;
    if (this.#open.size >= limits.maxConnections) return 'maxConnections';
    // A client of a Unix socket has no address, so there is no limit per address for it.
    if (sameAddress < limits.maxConnectionsPerAddress || remoteAddress === undefined) return null;
    return isTrusted?.(remoteAddress, 0) ? null : 'maxConnectionsPerAddress';
  }

  /**
   * Sets how this connection is closed. `socket` is the accepted one or its TLS socket; only the last call for a
   * connection counts.
   */
  onEnd(socket: Socket, ending: Ending): void {
    const { remoteAddress, remotePort } = socket;
    const farEnd = remoteAddress === undefined ? socket : `${remoteAddress} ${remotePort}`;
    this.#endings.set(farEnd, { socket, ending });
    socket.once('close', () => {
      if (this.#endings.get(farEnd)?.socket === socket) this.#endings.delete(farEnd);
    });
    if (this.#stage === 'draining') ending.drain?.();
    if (this.#stage === 'closing') ending.close();
  }

  drainAll(): void {
    this.#stage = 'draining';
    for (const { ending } of [...this.#endings.values()]) ending.drain?.();
  }

  closeAll(): void {
    this.#stage = 'closing';
    for (const { ending } of [...this.#endings.values()]) ending.close();
  }

  destroyAll(): void {
    for (const socket of [...this.#open]) socket.destroy();
  }
}
