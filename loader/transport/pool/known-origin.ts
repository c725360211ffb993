// A loader's knowledge of one origin: how to connect, idle connections, and the server's profile. A page borrows
// connections exclusively, so that another page's deadline cannot close them, and they are checked for sync before
// they are returned.

import type { Alpn, Connect } from '../connect/connector.ts';
import { Connection } from '../connection/connection.ts';
import { unheard } from '../connection/connection-events.ts';
import type { TransportOptions } from '../transport-options.ts';
import { ServerProfile } from './server-profile.ts';

export class KnownOrigin {
  readonly url: URL;
  readonly profile = new ServerProfile();
  /** Number of pools that use the origin now. */
  users = 0;
  readonly #idle = new Set<Connection>();
  readonly #connect: () => Connection;

  constructor(url: URL, options: TransportOptions, connect: Connect, nextId: () => number) {
    this.url = url;
    const { protocol } = options;
    const either = protocol === 'auto' && url.protocol === 'https:';
    this.#connect = () => {
      const mayBoth = either && !this.profile.needsHttp1;
      const alpn: Alpn = protocol === 'h2' ? 'h2' : mayBoth ? 'either' : 'http/1.1';
      return new Connection(nextId(), url, alpn, connect, options, this.profile);
    };
  }

  open(): Connection {
    return this.#connect();
  }

  /** Takes up to `most` idle connections. */
  borrow(most = Number.POSITIVE_INFINITY): Connection[] {
    const lent: Connection[] = [];
    for (const connection of this.#idle) {
      if (lent.length >= most) break;
      this.#idle.delete(connection);
      if (connection.usable) lent.push(connection);
      else connection.drain(); // its time is over, but its timer is late
    }
    return lent;
  }

  giveBack(connection: Connection): void {
    this.#idle.add(connection);
    connection.attach({ ...unheard, onClosed: () => this.#idle.delete(connection) });
  }

  /** Whether there is nothing to remember about the origin. */
  get isForgettable(): boolean {
    return this.users === 0 && this.#idle.size === 0 && this.profile.isBlank;
  }
}
