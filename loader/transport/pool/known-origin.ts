// One origin as a loader knows it: how to connect to it, connections kept between pages, and what its
// server has taught. A page borrows the connections for itself: another page's deadline must not end
// them, and their step is proven before they come back.

import type { Alpn, Connect } from '../connect/connector.ts';
import { Connection } from '../connection/connection.ts';
import { unheard } from '../connection/connection-events.ts';
import type { TransportOptions } from '../transport-options.ts';
import { ServerProfile } from './server-profile.ts';

export class KnownOrigin {
  readonly url: URL;
  readonly profile = new ServerProfile();
  /** Pools that use it now. */
  users = 0;
  readonly #idle = new Set<Connection>();
  readonly #connect: () => Connection;

  constructor(url: URL, options: TransportOptions, connect: Connect, nextId: () => number) {
    this.url = url;
    const { protocol } = options;
    const either = protocol === 'auto' && url.protocol === 'https:';
    const alpn: Alpn = protocol === 'h2' ? 'h2' : either ? 'either' : 'http/1.1';
    this.#connect = () => new Connection(nextId(), url, alpn, connect, options, this.profile);
  }

  open(): Connection {
    return this.#connect();
  }

  /** Connections no page has, `most` of them at most. */
  borrow(most = Number.POSITIVE_INFINITY): Connection[] {
    const lent: Connection[] = [];
    for (const connection of this.#idle) {
      if (lent.length >= most) break;
      this.#idle.delete(connection);
      if (connection.usable) lent.push(connection);
    }
    return lent;
  }

  giveBack(connection: Connection): void {
    this.#idle.add(connection);
    connection.attach({ ...unheard, onClosed: () => this.#idle.delete(connection) });
  }

  /** Nothing about it is worth remembering. */
  get isForgettable(): boolean {
    return this.users === 0 && this.#idle.size === 0 && this.profile.isBlank;
  }
}
