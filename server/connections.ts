// Who is connected: the count, in all and for each address, and the way to end them all.

import type { Socket } from 'node:net';
import { countedAddress } from '../prefetchd/counted-address.ts';

export class Connections {
  readonly #limits: { maxConnections: number; maxConnectionsPerAddress: number };
  readonly #open = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  /**
   * By the far end of the connection: it is what an accepted socket and the TLS on top share. A client
   * of a Unix socket has none and stands for itself.
   */
  readonly #closers = new Map<string | Socket, { socket: Socket; close: () => void }>();
  #isClosing = false;
  refused = 0;
  accepted = 0;

  constructor(limits: { maxConnections: number; maxConnectionsPerAddress: number }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Counts the socket until it closes; false, and not counted, when there are too many. */
  add(socket: Socket): boolean {
    const address = countedAddress(socket.remoteAddress ?? '');
    const sameAddress = this.#perAddress.get(address) ?? 0;
    if (
      this.#open.size >= this.#limits.maxConnections ||
      (address !== '' && sameAddress >= this.#limits.maxConnectionsPerAddress)
    ) {
      this.refused++;
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

  /**
   * How this connection ends once what it has begun is done. `socket` is the accepted one or the TLS
   * socket on top of it; the last word counts.
   */
  onClose(socket: Socket, close: () => void): void {
    const { remoteAddress, remotePort } = socket;
    const farEnd = remoteAddress === undefined ? socket : `${remoteAddress} ${remotePort}`;
    this.#closers.set(farEnd, { socket, close });
    socket.once('close', () => {
      if (this.#closers.get(farEnd)?.socket === socket) this.#closers.delete(farEnd);
    });
    if (this.#isClosing) close();
  }

  closeAll(): void {
    this.#isClosing = true;
    for (const { close } of [...this.#closers.values()]) close();
  }

  destroyAll(): void {
    for (const socket of [...this.#open]) socket.destroy();
  }
}
