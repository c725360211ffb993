// One page's requests to one origin, and the decision which goes where and when. It starts as the
// protocol asks, and adapts to what the server shows (lessons.ts). The head of a broken pipeline goes
// again once, alone (RFC 9112 9.3.2: not pipelined), the others on fresh connections. Requests on the
// wire never exceed twice the requests asked for.

import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Connection, ConnectionEnd } from './connection.ts';
import type { Exchange } from './exchange.ts';
import type { Origin } from './origin.ts';
import { RequestBudget } from './request-budget.ts';
import { WaitingRequests } from './waiting-requests.ts';
import { depthOf, mostConnections, type Way, ways } from './way.ts';

/** Unproven answers of a connection that is never quiet, at most: then it ends, which proves them. */
const mostUnproven = 2_000;

export class OriginPool {
  readonly #origin: Origin;
  readonly #options: ResolvedOptions;
  readonly #way: Way;
  readonly #connections = new Set<Connection>();
  readonly #waiting = new WaitingRequests();
  readonly #budget = new RequestBudget();
  #held = false;
  #closed = false;
  /** Connecting failed a moment ago: wait for something to change before the next try. */
  #connectFailed = false;
  /** Answers of connections that ended short, as the server had said they would. */
  #doubtful: Array<{ exchange: Exchange; served: number; end: ConnectionEnd }> = [];
  /** Head of a pipeline that seemed to stall. */
  #stalled: Exchange | null = null;

  constructor(origin: Origin, options: ResolvedOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#way = ways[options.protocol];
    origin.users++;
    origin.lessons.forgetOld(performance.now(), options.pipeline.relearnMs);
    for (const connection of origin.borrow(this.#mostConnections())) this.#own(connection);
  }

  submit(exchange: Exchange): void {
    const asked = this.#budget.ask();
    this.#waiting.add(exchange);
    // A pipelining client with several connections has all of them ready before the page names what
    // they are for.
    const ahead = asked === 1 && this.#way === 'pipelined';
    this.#pump(ahead ? (this.#options.connections ?? 1) : 0);
  }

  /** While held, what is submitted gathers in the write buffers. */
  hold(): void {
    this.#held = true;
    for (const connection of this.#connections) connection.hold();
  }

  release(): void {
    this.#held = false;
    for (const connection of this.#connections) connection.release();
  }

  flush(): void {
    for (const connection of this.#connections) connection.flush();
  }

  /** See `Connection.settle`. */
  async settle(last: boolean): Promise<void> {
    this.#resolveDoubts();
    if (this.#waiting.lone > 0) return; // the page is not done
    await Promise.all([...this.#connections].map((connection) => connection.settle(last)));
  }

  /** The page is over: connections that are fit for the next one go back. */
  leave(): void {
    if (!this.#closed) this.#origin.users--;
    this.#closed = true;
    for (const connection of this.#connections) {
      const fit = connection.usable && connection.sent > 0 && connection.inFlight.length === 0;
      if (fit) this.#origin.giveBack(connection);
      else connection.destroy(new LoaderError('loader-closed', 'the page is over'));
    }
    this.#connections.clear();
  }

  /** Nothing is asked, awaited or in doubt. */
  get isQuiet(): boolean {
    const { lone, shared } = this.#waiting;
    if (lone + shared + this.#doubtful.length > 0) return false;
    return [...this.#connections].every(({ inFlight }) => inFlight.length === 0);
  }

  /** Give up one exchange that was marked as cancelled, wherever it is. */
  cancel(exchange: Exchange, error: LoaderError): void {
    if (this.#waiting.remove(exchange)) {
      this.#fail(exchange, error);
    } else if (exchange.connection !== null && !exchange.done) {
      exchange.connection.abort(exchange, error);
    }
  }

  close(error: LoaderError): void {
    if (!this.#closed) this.#origin.users--;
    this.#closed = true;
    this.#failWaiting(this.#waiting.all, error);
    for (const connection of this.#connections) connection.destroy(error);
  }

  /** @param ahead connections to have ready, whether they are needed yet or not. */
  #pump(ahead = 0): void {
    this.#failSpent();
    while (this.#waiting.lone > 0) {
      const fresh = this.#fresh();
      if (fresh === null) break;
      this.#send(this.#waiting.takeLone() as Exchange, fresh);
    }
    while (this.#waiting.shared > 0) {
      const connection = this.#roomiest();
      if (connection === null) break;
      this.#send(this.#waiting.takeShared() as Exchange, connection);
    }
    this.#openMore(ahead);
  }

  #send(exchange: Exchange, connection: Connection): void {
    this.#budget.send();
    const closing = this.#way === 'closing' || this.#origin.lessons.perConnection === 1;
    connection.send(exchange, exchange.alone ? 'last' : closing ? 'close' : 'more');
  }

  /** What may not be sent again fails now. */
  #failSpent(): void {
    for (const exchange of this.#budget.beyond(this.#waiting)) {
      this.#waiting.remove(exchange);
      this.#fail(exchange, exchange.failure as LoaderError);
    }
  }

  #fresh(): Connection | null {
    for (const connection of this.#connections) {
      if (connection.usable && connection.sent === 0 && connection.inFlight.length === 0) {
        return connection;
      }
    }
    return null;
  }

  #roomiest(): Connection | null {
    const { perConnection } = this.#origin.lessons;
    let best: Connection | null = null;
    for (const connection of this.#connections) {
      const load = connection.inFlight.length;
      if (!connection.usable || load >= this.#depth(connection)) continue;
      if (connection.httpVersion !== 'h2' && connection.served + load >= perConnection) continue;
      if (best === null || load < best.inFlight.length) best = connection;
    }
    return best;
  }

  #depth(connection: Connection | null): number {
    return depthOf(this.#way, this.#origin.lessons, connection, this.#options.pipeline);
  }

  #mostConnections(): number {
    const { connections, pipeline } = this.#options;
    return mostConnections(this.#way, this.#origin.lessons, connections, pipeline);
  }

  /** As many connections as the waiting can use. Requests are bound to one only when it is open. */
  #openMore(ahead: number): void {
    if (this.#closed) return;
    let living = 0;
    let connecting = 0;
    for (const connection of this.#connections) {
      if (connection.draining && connection.inFlight.length === 0) continue;
      living++;
      if (connection.state === 'connecting') connecting++;
    }
    if (this.#connectFailed && living > 0) return;
    const { lone } = this.#waiting;
    const most = this.#mostConnections();
    const perConnection = Math.min(this.#depth(null), this.#origin.lessons.perConnection);
    const isShort = (): boolean =>
      this.#waiting.shared > Math.max(0, connecting - lone) * perConnection || lone > connecting;
    while (living < most && (isShort() || living < ahead)) {
      this.#open();
      living++;
      connecting++;
    }
    if (lone > connecting) this.#makeRoom();
  }

  /** Whoever must go alone does not wait behind a connection that is merely kept. */
  #makeRoom(): void {
    for (const connection of this.#connections) {
      if (!connection.usable || connection.inFlight.length > 0) continue;
      connection.draining = true;
      connection.retire();
      this.#open();
      return;
    }
  }

  #open(): void {
    // `let`: the connection may fail, and tell so, before it is returned.
    const connection: Connection = this.#origin.open(this.#events(() => connection));
    this.#own(connection);
  }

  #own(connection: Connection): void {
    connection.attach(this.#events(() => connection));
    if (this.#held) connection.hold();
    else connection.release();
    this.#connections.add(connection);
  }

  #events(of: () => Connection) {
    const { lessons } = this.#origin;
    return {
      onOpen: () => {
        this.#connectFailed = false;
        this.#pump();
      },
      onHead: () => {
        if (of().httpVersion === 'http/1.0') lessons.speaksHttp10(performance.now());
      },
      onFree: (exchange: Exchange) => this.#answered(of(), exchange),
      onExchangeFailed: (exchange: Exchange, error: LoaderError) => {
        this.#retryOrFail(exchange, error, error.code === 'connection-lost', true);
        this.#pump();
      },
      isKnownLimit: (served: number) => lessons.isKnownLimit(served),
      onClosed: (end: ConnectionEnd) => this.#ended(of(), end),
    };
  }

  #answered(connection: Connection, exchange: Exchange): void {
    const { lessons } = this.#origin;
    this.#connectFailed = false;
    if (connection.httpVersion !== 'h2' && this.#way === 'pipelined' && !exchange.alone) {
      const idle = connection.inFlight.length === 0;
      // It serves one response a connection, and said so: no pipeline to break.
      const single = connection.announced && connection.served === 1 && idle && exchange.framed;
      if (single) lessons.servedOne(performance.now());
      lessons.serves(connection.served);
      if (connection.announced && idle) lessons.confirmLimit(connection.served);
      if (connection.served >= lessons.perConnection && !connection.draining) {
        connection.draining = true;
        if (idle) connection.retire();
      }
    }
    if (connection.unproven >= mostUnproven && !connection.draining) {
      connection.draining = true;
      if (connection.inFlight.length === 0) connection.retire();
    }
    if (exchange === this.#stalled) {
      const tookMs = (exchange.head?.startedAt ?? 0) - (exchange.batch?.sentAt ?? 0);
      if (tookMs >= this.#options.pipeline.stallMs / 2) lessons.wasSlow();
    }
    this.#pump();
  }

  #ended(connection: Connection, end: ConnectionEnd): void {
    this.#connections.delete(connection);
    if (!end.opened) {
      this.#notConnected(end.error);
      return;
    }
    this.#connectFailed = false;
    const asked = end.lost.filter(({ batch }) => batch !== null);
    const unasked = end.lost.filter(({ batch }) => batch === null);
    this.#budget.unsend(unasked.length);
    if (connection.httpVersion === 'h2') this.#streamsLost(asked, end);
    else this.#pipelineLost(connection, asked, end);
    for (const exchange of unasked) this.#again(exchange, exchange.failure);
    for (const exchange of end.suspects) {
      // A limit on requests, in all likelihood: the next connection may show that it is.
      if (end.announced && !end.surplus) {
        this.#doubtful.push({ exchange, served: connection.served, end });
      } else {
        this.#verify(exchange, end.error);
      }
    }
    this.#pump();
  }

  /** Streams have no order: the one to blame fails, each other is asked once more. */
  #streamsLost(asked: Exchange[], { error, culprit }: ConnectionEnd): void {
    for (const exchange of asked) {
      const reason = exchange === culprit || culprit === null ? error : lostWithOthers;
      this.#retryOrFail(exchange, reason, exchange !== culprit || retryable(error), true);
    }
  }

  #pipelineLost(connection: Connection, asked: Exchange[], end: ConnectionEnd): void {
    const [head, ...others] = asked;
    if (head === undefined) return;
    const { error, byUs, announced, suspects } = end;
    const stalled = byUs && error.code === 'response-timeout' && asked.length + suspects.length > 1;
    if (!byUs || stalled) this.#learn(connection, asked, announced);
    if (stalled) this.#stalled = head;
    const mayHelp =
      others.length > 0 ||
      suspects.length > 0 ||
      ((head.pipelineIndex ?? 0) > 0 && error.code !== 'response-timeout');
    // (On HTTP/1.1 whoever is given up from inside is the head.)
    if (head.cancelled) this.#fail(head, error);
    else if (byUs && end.culprit !== head) this.#again(head, lostWithOthers, error);
    else if (announced && head.head === null) this.#again(head, error);
    else this.#retryOrFail(head, error, mayHelp, false);
    for (const exchange of others) this.#again(exchange, byUs ? lostWithOthers : error, error);
  }

  #learn(connection: Connection, asked: Exchange[], announced: boolean): void {
    const { lessons } = this.#origin;
    if (this.#way !== 'pipelined' || !lessons.pipelines) return;
    const reused = connection.served > 0 && asked.length === 1 && asked[0]?.head === null;
    if (reused && !announced && connection.served < lessons.perConnection) return; // idle close
    // Another connection that served more shows that it was not their number.
    const others = [...this.#connections].map(({ served }) => served);
    lessons.broke(Math.max(connection.served, ...others), performance.now());
    for (const other of this.#connections) {
      if (other.served + other.inFlight.length < lessons.perConnection) continue;
      other.draining = true;
      if (other.inFlight.length === 0 && other.state === 'open') other.retire();
    }
  }

  /** Once more, where that can help: on HTTP/1.1 alone. */
  #retryOrFail(exchange: Exchange, error: LoaderError, mayHelp: boolean, isStream: boolean): void {
    if (mayHelp && retryable(error) && exchange.attempts < 2 && !exchange.cancelled) {
      exchange.alone = !isStream;
      this.#again(exchange, error);
    } else {
      this.#fail(exchange, error);
    }
  }

  /**
   * It was only in the way: again, while the budget lasts.
   * @param failure what it fails with when it does not; null: it was never sent, and costs nothing.
   * @param end why its connection ended: what it fails with when it was given up.
   */
  #again(exchange: Exchange, failure: LoaderError | null, end = failure): void {
    const done = exchange.batch !== null && !exchange.isIdempotent;
    if (this.#closed || exchange.cancelled || done) {
      this.#fail(exchange, end ?? new LoaderError('loader-closed', 'the loader was closed'));
      return;
    }
    exchange.failure = failure;
    if (exchange.head !== null) exchange.handler.onRestart();
    exchange.rewind();
    this.#waiting.add(exchange);
  }

  /** Its body may be another's: fetch it again where no mistake is possible. */
  #verify(exchange: Exchange, error: LoaderError): void {
    if (!exchange.isIdempotent) return; // what was done must not be done twice
    exchange.handler.onRestart();
    const message = 'the server answers more or fewer requests than it was asked';
    exchange.failure = new LoaderError('out-of-step', message);
    if (exchange.cancelled) {
      const doubt = 'what came for it could not be told from the answers beside it';
      this.#fail(exchange, new LoaderError(error.code, `${error.message}; ${doubt}`));
    } else if (exchange.verified) {
      this.#fail(exchange, exchange.failure);
    } else {
      exchange.verified = true;
      exchange.rewind();
      exchange.alone = true;
      this.#waiting.add(exchange);
    }
  }

  /** Everything else is done: what no second connection explained is fetched again, if it may be. */
  #resolveDoubts(): void {
    const { lessons } = this.#origin;
    const doubts = this.#doubtful.splice(0).filter(({ exchange, served }) => {
      exchange.inStep = lessons.isKnownLimit(served);
      return !exchange.inStep;
    });
    // A server that says which response is its last is believed when there is no budget to check.
    if (doubts.length === 0 || !this.#budget.covers(doubts.length)) return;
    for (const { exchange, end } of doubts) this.#verify(exchange, end.error);
    this.#pump();
  }

  #notConnected(error: LoaderError): void {
    this.#connectFailed = true;
    const living = [...this.#connections].some(
      ({ state, inFlight, usable }) => state === 'connecting' || inFlight.length > 0 || usable,
    );
    // Others may serve the queue; what must go alone needs a connection of its own.
    const { all } = this.#waiting;
    this.#failWaiting(living && !this.#closed ? all.filter(({ alone }) => alone) : all, error);
  }

  #failWaiting(these: Exchange[], error: LoaderError): void {
    for (const exchange of these) this.#waiting.remove(exchange);
    for (const exchange of these) this.#fail(exchange, error);
  }

  #fail(exchange: Exchange, error: LoaderError): void {
    exchange.clock?.stop();
    exchange.done = true;
    exchange.handler.onError(error, performance.now());
  }
}

const lostWithOthers = new LoaderError(
  'connection-lost',
  'its connection ended because of another request on it',
);

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
