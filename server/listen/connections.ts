// Who is connected: the count, in all and for each address, and the way to end them all. An end has two steps:
// drain (what comes yet is answered, and told that it was the last) and close (what was begun is finished).

import type { Socket } from 'node:net';
import { type Ipv6Prefix, visitorAddress } from '../../http/visitor-address.ts';
import type { IsTrusted } from './trusted.ts';

export type ConnectionLimit = 'maxConnections' | 'maxConnectionsPerAddress';

export interface Ending {
  /** Says with what is answered from now on that it was the last. Without it there is nothing to say yet. */
  drain?(): void;
  /** What was begun is finished, nothing new is taken. */
  close(): void;
}

export interface ConnectionsOptions {
  readonly limits: { readonly [name in ConnectionLimit]: number };
  /** Bits of an IPv6 address that one subscriber has. */
  readonly ipv6Prefix: Ipv6Prefix;
  /** Proxies: many visitors come from one address. */
  readonly isTrusted: IsTrusted | null;
  /** Told of each connection that is one too many. */
  readonly onRefused?: ((limit: ConnectionLimit) => void) | undefined;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  /**
   * By the far end of the connection: it is what an accepted socket and the TLS on top share. A client
   * of a Unix socket has none and stands for itself.
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

  /** Counts the socket until it closes; false, and not counted, when there are too many. */
  add(socket: Socket): boolean {
    const address = visitorAddress(socket.remoteAddress ?? '', this.#options.ipv6Prefix);
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
    // Of a Unix socket there is none.
    if (sameAddress < limits.maxConnectionsPerAddress || remoteAddress === undefined) return null;
    return isTrusted?.(remoteAddress, 0) ? null : 'maxConnectionsPerAddress';
  }

  /**
   * How this connection ends. `socket` is the accepted one or the TLS socket on top of it; the last word
   * counts.
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
