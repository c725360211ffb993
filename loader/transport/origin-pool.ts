// All connections to one origin, and the decision which request goes where and when. It starts as
// the protocol asks, and adapts to what the server shows: a pipeline that breaks after k responses
// teaches that k requests fit on a connection; its head goes again once, alone (RFC 9112 9.3.2: not
// pipelined), the others on fresh connections of k each; a second, earlier break ends pipelining to
// this origin. Requests on the wire never exceed twice the requests asked for.

import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { Connection, type ConnectionEnd } from './connection.ts';
import type { Alpn, Connect } from './connector.ts';
import type { Exchange } from './exchange.ts';

/** How requests share connections; `undecided` until ALPN answered. */
type Mode = 'undecided' | 'closing' | 'serial' | 'pipelined' | 'multiplexed';

const defaultConnections = { undecided: 1, closing: 4, serial: 6, pipelined: 1, multiplexed: 1 };

export class OriginPool {
  readonly origin: URL;
  readonly connections = new Set<Connection>();

  readonly #options: ResolvedOptions;
  readonly #connect: Connect;
  readonly #nextId: () => number;
  readonly #alpn: Alpn;
  #initialMode: Mode;
  #mode: Mode;
  /** When the server last taught something, ms (performance.now); null: it did not. */
  #learnedAt: number | null = null;
  #queue: Exchange[] = [];
  /** What goes alone on a connection of its own, before all others. */
  #lone: Exchange[] = [];
  /** Requests one connection may carry: what the server was seen to serve. */
  #perConnection = Number.POSITIVE_INFINITY;
  /** Pipelines that broke. */
  #breaks = 0;
  /** After a break: one connection must show that `perConnection` holds before more are opened. */
  #proven = true;
  /** Requests asked for, and requests sent for them. */
  #submitted = 0;
  #sent = 0;
  #held = false;
  #closed = false;

  constructor(origin: URL, options: ResolvedOptions, connect: Connect, nextId: () => number) {
    this.origin = origin;
    this.#options = options;
    this.#connect = connect;
    this.#nextId = nextId;
    const { protocol } = options;
    const secure = origin.protocol === 'https:';
    if (protocol === 'http1.0') this.#mode = 'closing';
    else if (protocol === 'persistent') this.#mode = 'serial';
    else if (protocol === 'h2') this.#mode = 'multiplexed';
    else this.#mode = protocol === 'auto' && secure ? 'undecided' : 'pipelined';
    this.#initialMode = this.#mode;
    this.#alpn = protocol === 'h2' ? 'h2' : protocol === 'auto' && secure ? 'either' : 'http/1.1';
  }

  submit(exchange: Exchange): void {
    if (this.#isIdle()) this.#beginAnew();
    this.#submitted++;
    this.#enqueue(exchange);
    this.#pump();
  }

  #isIdle(): boolean {
    if (this.#queue.length > 0 || this.#lone.length > 0) return false;
    return [...this.connections].every(({ inFlight }) => inFlight.length === 0);
  }

  /** A page begins: the budget is its own, and what was learned long ago may no longer hold. */
  #beginAnew(): void {
    this.#submitted = this.#sent = 0;
    const { relearnMs } = this.#options.pipeline;
    if (this.#learnedAt === null || performance.now() - this.#learnedAt < relearnMs) return;
    this.#mode = this.#initialMode;
    this.#perConnection = Number.POSITIVE_INFINITY;
    this.#breaks = 0;
    this.#proven = true;
    this.#learnedAt = null;
  }

  /** While held, what is submitted gathers in the write buffers. */
  hold(): void {
    this.#held = true;
    for (const connection of this.connections) connection.hold();
  }

  release(): void {
    this.#held = false;
    for (const connection of this.connections) connection.release();
  }

  flush(): void {
    for (const connection of this.connections) connection.flush();
  }

  /** See `Connection.settle`. */
  async settle(last: boolean): Promise<void> {
    await Promise.all([...this.connections].map((connection) => connection.settle(last)));
  }

  /** Give up one exchange that was marked as cancelled, wherever it is. */
  cancel(exchange: Exchange, error: LoaderError): void {
    if (this.#remove(exchange)) {
      this.#fail(exchange, error);
    } else if (exchange.connection !== null && !exchange.done) {
      exchange.connection.abort(exchange, error);
    }
  }

  close(error: LoaderError): void {
    this.#closed = true;
    for (const exchange of [...this.#lone.splice(0), ...this.#queue.splice(0)]) {
      this.#fail(exchange, error);
    }
    for (const connection of this.connections) connection.destroy(error);
  }

  #pump(): void {
    this.#failSpent();
    for (
      let fresh = this.#fresh();
      fresh !== null && this.#lone.length > 0;
      fresh = this.#fresh()
    ) {
      this.#send(this.#lone.shift() as Exchange, fresh);
    }
    while (this.#queue.length > 0) {
      const connection = this.#roomiest();
      if (connection === null) break;
      this.#send(this.#queue.shift() as Exchange, connection);
    }
    this.#openMore();
  }

  #send(exchange: Exchange, connection: Connection): void {
    this.#sent++;
    if (exchange.alone) connection.send(exchange, 'last');
    else
      connection.send(
        exchange,
        this.#mode === 'closing' || this.#perConnection === 1 ? 'close' : 'more',
      );
  }

  /** What may not be sent again without exceeding twice the requests asked for fails now. */
  #failSpent(): void {
    if (this.#sent + this.#lone.length + this.#queue.length <= this.#submitted) return;
    const waiting = [...this.#lone, ...this.#queue];
    const unsent = waiting.filter(({ failure }) => failure === null).length;
    let spare = 2 * this.#submitted - this.#sent - unsent;
    for (const exchange of waiting) {
      if (exchange.failure === null || spare-- > 0) continue;
      this.#remove(exchange);
      this.#fail(exchange, exchange.failure);
    }
  }

  #fresh(): Connection | null {
    for (const connection of this.connections) {
      if (connection.usable && connection.sent === 0 && connection.inFlight.length === 0) {
        return connection;
      }
    }
    return null;
  }

  #roomiest(): Connection | null {
    let best: Connection | null = null;
    for (const connection of this.connections) {
      if (!connection.usable) continue;
      const load = connection.inFlight.length;
      if (load >= this.#depth(connection) || connection.served + load >= this.#perConnection)
        continue;
      if (best === null || load < best.inFlight.length) best = connection;
    }
    return best;
  }

  #depth(connection: Connection | null): number {
    if (connection?.httpVersion === 'http/1.0') return 1;
    if (this.#mode === 'multiplexed') return 100;
    if (this.#mode === 'pipelined') return this.#options.pipeline.maxDepth;
    return 1;
  }

  #maxConnections(): number {
    const { connections, pipeline } = this.#options;
    if (this.#breaks > 0 || this.#perConnection < Number.POSITIVE_INFINITY) {
      return this.#proven ? Math.max(connections ?? 1, pipeline.fallbackConnections) : 1;
    }
    return connections ?? defaultConnections[this.#mode];
  }

  /** As many connections as the queue can use. Requests are bound to one only when it is open. */
  #openMore(): void {
    if (this.#closed) return;
    let living = 0;
    let connecting = 0;
    for (const connection of this.connections) {
      if (connection.draining && connection.inFlight.length === 0) continue;
      living++;
      if (connection.state === 'connecting') connecting++;
    }
    const lone = this.#lone.length;
    // Whoever must go alone does not wait for a connection that is kept.
    const most = this.#maxConnections() + (lone > 0 ? 1 : 0);
    // A pipelining client with several connections has all of them ready before the page names
    // what they are for.
    const ahead = this.#submitted > 0 && this.#mode === 'pipelined' && this.#breaks === 0;
    const wanted = ahead ? (this.#options.connections ?? 1) : 0;
    const perConnection = Math.min(this.#depth(null), this.#perConnection);
    const isShort = (): boolean =>
      this.#queue.length > Math.max(0, connecting - lone) * perConnection || lone > connecting;
    while (living < most && (isShort() || living < wanted)) {
      this.#open();
      living++;
      connecting++;
    }
  }

  #open(): void {
    const connection: Connection = new Connection(
      this.#nextId(),
      this.origin,
      this.#alpn,
      this.#connect,
      this.#options,
      {
        onOpen: () => this.#opened(connection),
        onHead: () => this.#learnVersion(connection),
        onFree: () => this.#freed(connection),
        onExchangeFailed: (_connection, exchange, error) => {
          this.#retryOrFail(exchange, error, error.code === 'connection-lost');
          this.#pump();
        },
        onClosed: (_connection, end) => this.#ended(connection, end),
      },
    );
    if (this.#held) connection.hold();
    this.connections.add(connection);
  }

  #opened(connection: Connection): void {
    if (this.#mode === 'undecided') {
      this.#mode = connection.httpVersion === 'h2' ? 'multiplexed' : 'pipelined';
      this.#initialMode = this.#mode;
    }
    this.#pump();
  }

  /** HTTP/1.0 servers are not pipelined to, whether they keep connections or not. */
  #learnVersion(connection: Connection): void {
    if (this.#mode !== 'pipelined' || connection.httpVersion !== 'http/1.0') return;
    this.#mode = 'serial';
    this.#learnedAt = performance.now();
  }

  #freed(connection: Connection): void {
    if (connection.announced && connection.served === 1 && connection.inFlight.length === 0) {
      // It serves one response a connection, and said so: no pipeline to break.
      if (this.#mode === 'pipelined') {
        this.#perConnection = 1;
        this.#learnedAt = performance.now();
      }
    }
    if (connection.served >= this.#perConnection) {
      this.#proven = true;
      connection.draining = true;
      if (connection.inFlight.length === 0) connection.retire();
    }
    this.#pump();
  }

  #ended(connection: Connection, end: ConnectionEnd): void {
    this.connections.delete(connection);
    if (!end.opened) {
      this.#connectFailed(end.error);
      return;
    }
    const { lost, suspects, announced } = end;
    const asked = lost.filter((exchange) => exchange.batch !== null);
    const unasked = lost.filter((exchange) => exchange.batch === null);
    this.#sent -= unasked.length;
    if (asked.length > 0 && connection.httpVersion !== 'h2') {
      this.#learn(connection, asked, announced);
    }
    if (connection.httpVersion === 'h2') {
      // Streams have no order: whichever was to blame, each is asked once more.
      for (const exchange of asked) this.#retryOrFail(exchange, end.error, true);
      asked.length = 0;
    }
    const [head, ...others] = asked;
    if (head !== undefined) {
      if (announced && head.head === null) this.#again(head, end.error);
      else
        this.#retryOrFail(head, end.error, mayBeTheConnections(head, asked, suspects, end.error));
    }
    for (const exchange of others) this.#again(exchange, end.error);
    for (const exchange of unasked) this.#again(exchange, exchange.failure);
    for (const exchange of suspects) this.#verify(exchange, end.error);
    this.#pump();
  }

  #learn(connection: Connection, asked: Exchange[], announced: boolean): void {
    const reused = connection.served > 0 && asked.length === 1 && asked[0]?.head === null;
    if (this.#mode !== 'pipelined') return;
    if (reused && !announced && this.#perConnection === Number.POSITIVE_INFINITY) return; // idle close
    this.#breaks++;
    this.#learnedAt = performance.now();
    // Another connection that served more shows that it was not their number.
    const seen = Math.max(
      1,
      connection.served,
      ...[...this.connections].map(({ served }) => served),
    );
    if (this.#breaks > 1 && seen < this.#perConnection) this.#mode = 'serial';
    this.#perConnection = Math.min(this.#perConnection, seen);
    this.#proven = this.#breaks > 1;
    for (const other of this.connections) {
      if (other.served + other.inFlight.length < this.#perConnection) continue;
      other.draining = true;
      if (other.inFlight.length === 0 && other.state === 'open') other.retire();
    }
  }

  /** The head of a broken connection: once more, alone, when that can help. */
  #retryOrFail(exchange: Exchange, error: LoaderError, mayHelp: boolean): void {
    if (mayHelp && retryable(error) && exchange.attempts < 2 && !exchange.cancelled) {
      exchange.alone = this.#mode !== 'multiplexed';
      this.#again(exchange, error);
    } else {
      this.#fail(exchange, error);
    }
  }

  /**
   * It was only in the way: again, while the budget lasts.
   * @param failure what it fails with when it does not; null: it was never sent, and costs nothing.
   */
  #again(exchange: Exchange, failure: LoaderError | null): void {
    if (this.#closed || exchange.cancelled) {
      this.#fail(exchange, failure ?? new LoaderError('loader-closed', 'the loader was closed'));
      return;
    }
    exchange.failure = failure;
    if (exchange.head !== null) exchange.handler.onRestart();
    exchange.rewind();
    this.#enqueue(exchange);
  }

  /** Its body may be another's: fetch it again where no mistake is possible. */
  #verify(exchange: Exchange, reason: LoaderError): void {
    exchange.handler.onRestart();
    const message = 'the server answers more or fewer requests than it was asked';
    exchange.failure = new LoaderError('out-of-step', message);
    if (exchange.cancelled) {
      const doubt = 'what came for it could not be told from the answers beside it';
      this.#fail(exchange, new LoaderError(reason.code, `${reason.message}; ${doubt}`));
      return;
    }
    if (exchange.verified) {
      this.#fail(exchange, exchange.failure);
      return;
    }
    exchange.verified = true;
    exchange.rewind();
    exchange.alone = true;
    this.#enqueue(exchange);
  }

  #connectFailed(error: LoaderError): void {
    // Others may still be open or on their way: the queue waits for them.
    if (this.connections.size > 0 && !this.#closed) {
      this.#pump();
      return;
    }
    for (const exchange of [...this.#lone.splice(0), ...this.#queue.splice(0)]) {
      this.#fail(exchange, error);
    }
  }

  #fail(exchange: Exchange, error: LoaderError): void {
    exchange.clock?.stop();
    exchange.done = true;
    exchange.handler.onError(error, performance.now());
  }

  #remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.#lone : this.#queue;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  #enqueue(exchange: Exchange): void {
    if (exchange.alone) {
      this.#lone.push(exchange);
      return;
    }
    let place = this.#queue.length;
    while (place > 0 && (this.#queue[place - 1] as Exchange).priority > exchange.priority) place--;
    this.#queue.splice(place, 0, exchange);
  }
}

/**
 * Others waited behind it, its answer may have gone to another, or the connection was a used one: the
 * request itself may be sound.
 */
function mayBeTheConnections(
  head: Exchange,
  asked: Exchange[],
  suspects: Exchange[],
  error: LoaderError,
): boolean {
  if (asked.length > 1 || suspects.length > 0) return true;
  return (head.pipelineIndex ?? 0) > 0 && error.code !== 'response-timeout';
}

/** What a second try can change: the connection's fault, not the resource's. */
function retryable(error: LoaderError): boolean {
  return (
    error.code === 'connection-lost' ||
    error.code === 'length-mismatch' ||
    error.code === 'malformed-response' ||
    error.code === 'out-of-step' ||
    error.code === 'response-timeout'
  );
}
