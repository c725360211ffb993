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
  #mode: Mode;
  #queue: Exchange[] = [];
  /** Requests one connection may carry: what the server was seen to serve. */
  #perConnection = Number.POSITIVE_INFINITY;
  /** Pipelines that broke. */
  #breaks = 0;
  /** After a break: one connection must show that `perConnection` holds before more are opened. */
  #proven = true;
  #submitted = 0;
  #written = 0;
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
    this.#alpn = protocol === 'h2' ? 'h2' : protocol === 'auto' && secure ? 'either' : 'http/1.1';
  }

  submit(exchange: Exchange): void {
    this.#submitted++;
    this.#enqueue(exchange);
    this.#pump();
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

  /** Give up one exchange, wherever it is. */
  cancel(exchange: Exchange, error: LoaderError): void {
    const place = this.#queue.indexOf(exchange);
    if (place !== -1) {
      this.#queue.splice(place, 1);
      this.#fail(exchange, error);
    } else if (exchange.connection !== null && !exchange.done) {
      exchange.alone = true;
      exchange.attempts = Number.MAX_SAFE_INTEGER; // not again
      exchange.connection.abort(exchange, error);
    }
  }

  close(error: LoaderError): void {
    this.#closed = true;
    for (const exchange of this.#queue.splice(0)) this.#fail(exchange, error);
    for (const connection of this.connections) connection.destroy(error);
  }

  #pump(): void {
    let index = 0;
    while (index < this.#queue.length) {
      const exchange = this.#queue[index] as Exchange;
      const connection = exchange.alone ? this.#fresh() : this.#roomiest();
      if (connection === null) {
        // One that must go alone waits for its own connection; those behind it need not.
        if (!exchange.alone) break;
        index++;
        continue;
      }
      this.#queue.splice(index, 1);
      connection.send(
        exchange,
        exchange.alone || this.#mode === 'closing' || this.#perConnection === 1,
      );
    }
    this.#openMore();
  }

  #usable(connection: Connection): boolean {
    return connection.state === 'open' && !connection.draining;
  }

  #fresh(): Connection | null {
    for (const connection of this.connections) {
      if (this.#usable(connection) && connection.sent === 0 && connection.inFlight.length === 0) {
        return connection;
      }
    }
    return null;
  }

  #roomiest(): Connection | null {
    let best: Connection | null = null;
    for (const connection of this.connections) {
      if (!this.#usable(connection)) continue;
      const load = connection.inFlight.length;
      if (load >= this.#depth() || connection.served + load >= this.#perConnection) continue;
      if (best === null || load < best.inFlight.length) best = connection;
    }
    return best;
  }

  #depth(): number {
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
    let room = 0;
    let fresh = 0;
    const perConnection = Math.min(this.#depth(), this.#perConnection);
    for (const connection of this.connections) {
      if (connection.draining && connection.inFlight.length === 0) continue;
      living++;
      if (connection.state === 'connecting') {
        room += perConnection;
        fresh++;
      }
    }
    const alone = this.#queue.filter((exchange) => exchange.alone).length;
    const most = alone > 0 ? Math.max(this.#maxConnections(), 2) : this.#maxConnections();
    // A pipelining client with several connections has all of them ready before the page names
    // what they are for.
    const ahead = this.#submitted > 0 && this.#mode === 'pipelined' && this.#breaks === 0;
    const wanted = ahead ? (this.#options.connections ?? 1) : 0;
    while (
      living < most &&
      (this.#queue.length - alone > room - Math.min(alone, fresh) ||
        alone > fresh ||
        living < wanted)
    ) {
      this.#open();
      living++;
      room += perConnection;
      fresh++;
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
        onWritten: () => {
          this.#written++;
        },
        onFree: () => this.#freed(connection),
        onExchangeFailed: (_connection, exchange, error) =>
          this.#retryOrFail(exchange, error, true),
        onClosed: (_connection, end) => this.#ended(connection, end),
      },
    );
    if (this.#held) connection.hold();
    this.connections.add(connection);
  }

  #opened(connection: Connection): void {
    if (this.#mode === 'undecided') {
      this.#mode = connection.httpVersion === 'h2' ? 'multiplexed' : 'pipelined';
    }
    this.#pump();
  }

  #freed(connection: Connection): void {
    if (connection.draining && connection.served === 1 && connection.inFlight.length === 0) {
      // It serves one response a connection, and said so: no pipeline to break.
      if (this.#mode === 'pipelined') this.#perConnection = 1;
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
    if (asked.length > 0 && connection.httpVersion !== 'h2')
      this.#learn(connection, asked, announced);
    const [head, ...others] = lost;
    if (head !== undefined) {
      if (announced && head.head === null) this.#again(head, end.error);
      else this.#retryOrFail(head, end.error, asked.length > 1 || (head.pipelineIndex ?? 0) > 0);
    }
    for (const exchange of others) this.#again(exchange, end.error);
    for (const exchange of suspects) this.#verify(exchange);
    this.#pump();
  }

  #learn(connection: Connection, asked: Exchange[], announced: boolean): void {
    const reused = connection.served > 0 && asked.length === 1 && asked[0]?.head === null;
    if (this.#mode !== 'pipelined') return;
    if (reused && !announced && this.#perConnection === Number.POSITIVE_INFINITY) return; // idle close
    this.#breaks++;
    const seen = Math.max(1, connection.served);
    if (this.#breaks > 1 && seen < this.#perConnection) this.#mode = 'serial';
    this.#perConnection = Math.min(this.#perConnection, seen);
    this.#proven = this.#breaks > 1;
  }

  /** The head of a broken connection: once more, alone, when that can help. */
  #retryOrFail(exchange: Exchange, error: LoaderError, mayHelp: boolean): void {
    if (mayHelp && retryable(error) && exchange.attempts < 2) {
      exchange.alone = this.#mode !== 'multiplexed';
      this.#again(exchange, error);
    } else {
      this.#fail(exchange, error);
    }
  }

  /** It was only in the way: again, while the budget of twice the requests lasts. */
  #again(exchange: Exchange, error: LoaderError): void {
    if (this.#closed || exchange.attempts > 8 || this.#written >= 2 * this.#submitted) {
      this.#fail(exchange, error);
      return;
    }
    if (exchange.head !== null) exchange.handler.onRestart();
    exchange.rewind();
    this.#enqueue(exchange);
  }

  /** Its body may be another's: fetch it again where no mistake is possible. */
  #verify(exchange: Exchange): void {
    exchange.handler.onRestart();
    if (exchange.attempts >= 2) {
      const message = 'the server answers more or fewer requests than it was asked';
      exchange.done = false;
      this.#fail(exchange, new LoaderError('out-of-step', message));
      return;
    }
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
    for (const exchange of this.#queue.splice(0)) this.#fail(exchange, error);
  }

  #fail(exchange: Exchange, error: LoaderError): void {
    exchange.clock?.stop();
    exchange.done = true;
    exchange.handler.onError(error, performance.now());
  }

  #enqueue(exchange: Exchange): void {
    let place = this.#queue.length;
    while (place > 0 && (this.#queue[place - 1] as Exchange).priority > exchange.priority) place--;
    this.#queue.splice(place, 0, exchange);
  }
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
