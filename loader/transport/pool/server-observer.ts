// Derives facts about a server from a page's connections to it: how many responses they deliver before they end, and
// whether a silent pipeline had really stalled. server-profile.ts keeps the conclusions.

import type { Connection } from '../connection/connection.ts';
import type { ConnectionEnd } from '../connection/connection-events.ts';
import type { Exchange } from '../exchange.ts';
import type { ConcurrencyPolicy } from './concurrency.ts';
import type { ServerProfile } from './server-profile.ts';

/**
 * A new connection may send about 14 KB before it waits for a round trip (RFC 6928). From this round trip on, six
 * connections load a page faster than one; bench/page-loads/connections.ts measures it.
 */
const farMs = 20;

type Seen = Pick<Connection, 'httpVersion' | 'sent' | 'served' | 'load' | 'announced'>;

export class ServerObserver {
  readonly #profile: ServerProfile;
  readonly #policy: ConcurrencyPolicy;
  readonly #stallMs: number;
  /** Head of a pipeline that seems stalled. */
  #stalled: Exchange | null = null;

  /** @param stallMs How long a pipeline may be silent before it counts as stalled. */
  constructor(profile: ServerProfile, policy: ConcurrencyPolicy, stallMs: number) {
    this.#profile = profile;
    this.#policy = policy;
    this.#stallMs = stallMs;
  }

  /** A connection opened; its TCP handshake measured the round trip. */
  opened({ httpVersion, times }: Pick<Connection, 'httpVersion' | 'times'>): void {
    if (times.roundTripMs === null) return;
    this.#profile.isFar = httpVersion !== 'h2' && times.roundTripMs >= farMs;
  }

  /** The first response of a connection began. */
  began({ httpVersion }: Seen): void {
    if (httpVersion === 'http/1.0') this.#profile.speaksHttp10(performance.now());
  }

  /** HTTP/2: the server processed only `taken` of the streams it was sent. */
  tookStreams(taken: number): void {
    this.#profile.tookStreams(taken, performance.now());
  }

  /** A response is complete. */
  answered(connection: Seen, exchange: Exchange): void {
    if (connection.httpVersion === 'h2') this.#profile.servedStreams(connection.served);
    if (connection.httpVersion !== 'h2' && this.#policy === 'pipelined' && !exchange.alone) {
      this.#served(connection, exchange);
    }
    if (exchange === this.#stalled) {
      const tookMs =
        (exchange.attempt.head?.startedAt ?? 0) - (exchange.attempt.batch?.sentAt ?? 0);
      if (tookMs >= this.#stallMs / 2) this.#profile.wasSlow();
    }
  }

  #served({ served, load, announced }: Seen, { attempt: { framed } }: Exchange): void {
    const isIdle = load === 0;
    // The server announced the end after one response, so no pipeline was broken.
    if (announced && served === 1 && isIdle && framed) this.#profile.servedOne(performance.now());
    this.#profile.serves(served, announced);
  }

  /**
   * A connection ended.
   * @param others The page's other connections.
   * @returns Whether the limit of requests per connection may have dropped.
   */
  ended(connection: Seen, end: ConnectionEnd, others: Iterable<Seen>): boolean {
    const { lost, byUs, announced, stalled } = end;
    const [head, ...behind] = lost.filter(({ attempt }) => attempt.batch !== null);
    if (connection.httpVersion === 'h2' || head === undefined || (byUs && !stalled)) return false;
    if (this.#policy !== 'pipelined') return false;
    const { served } = connection;
    // Another connection that served more shows that this was not the server's limit.
    const most = Math.max(served, ...[...others].map((other) => other.served));
    if (stalled) {
      this.#stall(head, behind.length > 0, most);
      return true;
    }
    if (!this.#profile.pipelines) return false;
    const wasReused = served > 0 && behind.length === 0 && head.attempt.head === null;
    if (wasReused && !announced && served < this.#profile.perConnection) return false; // idle close
    if (end.wasReset) this.#profile.reset(most, connection.sent, performance.now());
    else this.#profile.broke(most, performance.now());
    return true;
  }

  #stall(head: Exchange, inPipeline: boolean, served: number): void {
    this.#stalled = head;
    if (!inPipeline && !this.#profile.pipelines) this.#profile.triedInVain();
    else this.#profile.stalled(served, performance.now());
  }
}
