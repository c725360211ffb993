// Derives facts about a server from a page's connections to it: how many responses they deliver before they end, and
// whether a silent pipeline had really stalled. server-profile.ts stores the conclusions.

import type { Connection } from '../connection/connection.ts';
import type { ConnectionEnd } from '../connection/connection-events.ts';
import type { Exchange } from '../exchange.ts';
import type { ConcurrencyPolicy } from './concurrency.ts';
import type { ServerProfile } from './server-profile.ts';

/**
 * A new connection may send about 14 KB before it waits for a round trip (RFC 6928). From this round trip on, six
 * connections load a page as fast as one or faster; lab/page-loads/connections.ts measures it.
 */
const farMs = 2;

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

  /** Called when a connection has opened, whose TCP handshake measured the round trip. */
  opened({ httpVersion, times }: Pick<Connection, 'httpVersion' | 'times'>): void {
    if (times.roundTripMs === null) return;
    this.#profile.isFar = httpVersion !== 'h2' && times.roundTripMs >= farMs;
  }

  /** Called when the first response of a connection has begun. */
  began({ httpVersion }: Seen): void {
    if (httpVersion === 'http/1.0') this.#profile.mayNotPipeline(performance.now());
  }

  /** HTTP/2: the server processed only `taken` of the streams that were sent to it. */
  tookStreams(taken: number): void {
    this.#profile.tookStreams(taken, performance.now());
  }

  /** Called when a response is complete. */
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

  #served({ served, announced }: Seen, { attempt: { isLast, framed } }: Exchange): void {
    this.#profile.serves(served, announced);
    // A body without a length ends its connection whatever the server's limit.
    if (isLast && framed) this.#profile.closed(served, performance.now());
  }

  /**
   * Called when a connection has ended.
   * @param others The page's other connections.
   * @param depth Maximum number of requests in flight on the connection.
   */
  ended(connection: Seen, end: ConnectionEnd, others: Iterable<Seen>, depth: number): void {
    const { lost, byUs, announced, stalled, culprit } = end;
    const [head, ...behind] = lost.filter(({ attempt }) => attempt.batch !== null);
    if (byUs && !stalled) return;
    const nowMs = performance.now();
    if (connection.httpVersion === 'h2') {
      if (culprit === null && behind.length > 0) {
        this.#profile.brokeStreams(behind.length + 1, nowMs);
      }
      return;
    }
    if (this.#policy !== 'pipelined' || announced || head?.alone) return;
    const { served } = connection;
    if (stalled) this.#stalled = head ?? null;
    const isIdle = behind.length === 0 && (head === undefined || head.attempt.head === null);
    if (isIdle && !stalled) {
      // The server may have closed an idle connection, unless the number of responses is the guessed limit.
      if (served > 0 && served === this.#profile.perConnection) this.#profile.closed(served, nowMs);
      return;
    }
    // A limit does not cut off a body, and it would apply to the other connections, too.
    const isCut = head?.attempt.head !== null || [...others].some((other) => other.served > served);
    // A server that drops the requests behind another is not pipelined to any more, as each time costs a wait.
    this.#profile.broke(isCut ? null : served, stalled ? 1 : depth, nowMs);
  }
}
