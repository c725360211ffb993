// The requests of one page to one origin: when and on which connection each is sent. The pool starts with the rules of
// the protocol (concurrency.ts) and adapts to what is known of the server (server-profile.ts). recovery.ts handles
// requests whose connection ended, and limits how many are lost because of others. What lasts from page to page belongs
// to the origin: its profile, and its idle connections.

import { LoaderError } from '../../errors.ts';
import type { Alpn } from '../connect/connect-faults.ts';
import type { Connect } from '../connect/connector.ts';
import { Connection, type ConnectionEnd, type ConnectionEvents } from '../connection/connection.ts';
import type { Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import {
  connectionsAhead,
  depthOf,
  fairShare,
  leftOn,
  missing,
  mostConnections,
  mostShared,
  policies,
  roomiest,
  roomOn,
  unused,
  usualLimit,
} from './concurrency.ts';
import { Recovery, RequestBudget, WaitingRequests } from './recovery.ts';
import { ServerProfile } from './server-profile.ts';

/**
 * Limit on responses of one connection that are not yet known to answer their own requests, because some request was
 * always in flight. At the limit the connection is closed, which shows whether they do.
 */
const mostUnproven = 2_000;

/**
 * A loader's knowledge of one origin: how to connect, idle connections, and the server's profile. A page borrows
 * connections exclusively, so that another page's deadline cannot close them. It returns them once their responses are
 * known to answer their own requests.
 */
export class KnownOrigin {
  readonly profile: ServerProfile;
  /** Number of pages that use the origin now; each has its own `OriginPool`. */
  users = 0;
  readonly #idle = new Set<Connection>();
  readonly open: () => Connection;

  constructor(url: URL, options: TransportOptions, connect: Connect, nextId: () => number) {
    const { protocol, pipeline } = options;
    this.profile = new ServerProfile(policies[protocol] === 'pipelined', pipeline.stallMs);
    const either = protocol === 'auto' && url.protocol === 'https:';
    this.open = () => {
      const mayBoth = either && !this.profile.needsHttp1;
      const alpn: Alpn = protocol === 'h2' ? 'h2' : mayBoth ? 'either' : 'http/1.1';
      return new Connection(nextId(), url, alpn, connect, options, this.profile);
    };
  }

  /** Takes up to `most` idle connections out of those kept here, for the use of one page. */
  borrow(most = Number.POSITIVE_INFINITY): Connection[] {
    const lent: Connection[] = [];
    for (const connection of this.#idle) {
      if (lent.length >= most) break;
      this.#idle.delete(connection);
      if (connection.usable) lent.push(connection);
      else connection.drain(); // the connection's idle time is over, but its timer is late
    }
    return lent;
  }

  giveBack(connection: Connection): void {
    this.#idle.add(connection);
    connection.attach({ onClosed: () => this.#idle.delete(connection) });
  }

  /** Whether the origin can be dropped: no page uses it, no connection is idle, and nothing was learned about it. */
  get isForgettable(): boolean {
    return this.users === 0 && this.#idle.size === 0 && this.profile.isBlank;
  }
}

export class OriginPool {
  readonly #origin: KnownOrigin;
  readonly #options: TransportOptions;
  readonly #connections = new Set<Connection>();
  readonly #waiting: WaitingRequests;
  readonly #budget = new RequestBudget();
  readonly #recovery: Recovery;
  readonly #profile: ServerProfile;
  #held = false;
  /** A request that many others will follow (a page's document) was submitted; no connection has opened since. */
  #leads = false;
  #closed = false;
  /** A connection attempt failed, so no other is made until one of the other connections opens, answers or ends. */
  #connectFailed = false;

  constructor(origin: KnownOrigin, options: TransportOptions) {
    const { profile } = origin;
    this.#origin = origin;
    this.#profile = profile;
    this.#options = options;
    this.#waiting = new WaitingRequests(options.tolerant);
    this.#recovery = new Recovery(this.#waiting, this.#budget, () => profile.explained());
    origin.users++;
    profile.forgetOld(performance.now(), options.pipeline.relearnMs);
    for (const connection of origin.borrow(this.#mostShared())) this.#own(connection);
  }

  submit(exchange: Exchange): void {
    const isFirst = this.#budget.countRequest() === 1;
    this.#waiting.add(exchange);
    if (!isFirst) {
      this.#pump();
      return;
    }
    this.#leads = exchange.leads;
    this.#pump(this.#ahead());
  }

  /** Opens a connection if the pool has none. */
  preconnect(): void {
    if (this.#connections.size === 0) this.#openMore(1);
  }

  /** Keeps requests that are submitted from now on, but for urgent ones, in the write buffers until `release`. */
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

  /** Waits until the connections know whether their responses answer the right requests (`Connection.settle`). */
  async settle(how: { last: boolean }): Promise<void> {
    this.#pump();
    if (this.#waiting.lone.length > 0) return; // requests still wait for a connection of their own
    await Promise.all([...this.#connections].map((connection) => connection.settle(how)));
  }

  /** Whether no request is waiting or in flight, and no response is still to be checked. */
  get isQuiet(): boolean {
    if (this.#waiting.all.length > 0 || this.#recovery.hasDoubts) return false;
    return [...this.#connections].every(({ load }) => load === 0);
  }

  /** Ends one exchange that was marked as cancelled, whether it is waiting, in flight or done. */
  cancel(exchange: Exchange, error: LoaderError): void {
    if (this.#waiting.remove(exchange)) {
      exchange.fail(error);
    } else if (!exchange.done) {
      exchange.attempt.connection?.abort(exchange, error);
    } else if (!exchange.told) {
      exchange.fail(error);
    }
  }

  /** Fails the responses that may answer another request, and resends nothing from now on. */
  stop(error: LoaderError): void {
    this.#recovery.stop(error);
  }

  /** Ends the pool with its page: reusable connections are kept for later pages, the others are closed. */
  leave(): void {
    this.#release();
    for (const connection of this.#connections) {
      const isFit = connection.usable && connection.sent > 0 && connection.load === 0;
      if (isFit) this.#origin.giveBack(connection);
      else connection.destroy(new LoaderError('loader-closed', 'the page is over'));
    }
    this.#connections.clear();
  }

  close(error: LoaderError): void {
    this.#release();
    this.#failWaiting(this.#waiting.all, error);
    for (const connection of this.#connections) connection.destroy(error);
  }

  #release(): void {
    if (!this.#closed) this.#origin.users--;
    this.#closed = true;
    this.#recovery.close();
  }

  /**
   * Sends the waiting requests for which connections have room, and opens connections for the others.
   * @param ahead Number of connections to keep open even if fewer are needed for the requests that wait now.
   */
  #pump(ahead = 0): void {
    if (this.#recovery.hasDoubts) this.#recovery.review();
    const { lone, shared } = this.#waiting;
    while (lone.length > 0) {
      const connection = unused(this.#connections);
      if (connection === null) break;
      this.#send(lone.shift() as Exchange, connection);
    }
    const share = this.#profile.isFar
      ? fairShare(this.#connections, shared.length)
      : Number.POSITIVE_INFINITY;
    const room = (one: Connection) =>
      Math.min(roomOn(this.#profile, one, this.#depth()), share - one.load);
    while (shared.length > 0) {
      const connection = roomiest(this.#connections, room);
      if (connection === null) break;
      this.#send(shared.shift() as Exchange, connection);
    }
    this.#openMore(ahead);
  }

  #send(exchange: Exchange, connection: Connection): void {
    const profile = this.#profile;
    const isTrial = profile.mayTry && connection.served >= profile.perConnection;
    if (isTrial) profile.tries();
    const { alone, isTolerant } = exchange;
    const takesOne = profile.perConnection === 1 && !profile.mayTry;
    const closing =
      takesOne || (policies[this.#options.protocol] === 'closing' && !connection.keepAlive.mayHold);
    connection.send(
      exchange,
      isTolerant ? 'close' : alone ? 'last' : isTrial ? 'trial' : closing ? 'close' : 'more',
    );
  }

  /** Returns the maximum number of requests in flight on a connection, given the request to be sent next. */
  #depth(): number {
    return depthOf(
      this.#profile,
      this.#options,
      this.#budget.depth,
      this.#waiting.shared[0] ?? null,
    );
  }

  #mostShared(): number {
    return mostShared(this.#profile, this.#depth(), this.#options);
  }

  /** Returns how many connections to open with pipelining before the page has named resources to fetch on them. */
  #ahead(): number {
    return connectionsAhead(this.#profile, this.#leads, this.#depth(), this.#options);
  }

  /** Whether an idle connection has carried as many requests as the server allows on one. */
  #isSpent(one: Connection): boolean {
    const isIdle = one.usable && one.load === 0 && one.httpVersion !== 'h2';
    return isIdle && leftOn(this.#profile, one) <= 0;
  }

  #openMore(ahead: number): void {
    if (this.#closed) return;
    for (const one of this.#connections) if (this.#isSpent(one)) one.drain();
    const taking = [...this.#connections].filter(({ draining, load }) => !draining || load > 0);
    if (this.#connectFailed && taking.length > 0) return;
    const living = taking.length;
    const connecting = taking.filter(({ state }) => state === 'connecting').length;
    const [lone, shared] = [this.#waiting.lone.length, this.#waiting.shared.length];
    const { perConnection: limit, streamsPerConnection, mostServed } = this.#profile;
    const usual = usualLimit(mostServed);
    const perConnection = Math.min(this.#depth(), limit, streamsPerConnection, usual);
    const demand = { lone, shared, perConnection, ahead };
    const apart = lone + taking.filter(({ isLone }) => isLone).length;
    const most = Math.min(mostConnections(this.#options), this.#mostShared() + apart);
    // Connections that are closing count as open, because they still are on the server's side.
    const free =
      Math.max(most, this.#options.pipeline.fallbackConnections) - this.#connections.size;
    const more = Math.min(free, missing({ living, connecting }, demand, most));
    for (let opened = 0; opened < more; opened++) this.#open();
    if (lone > connecting + more) this.#makeRoom();
  }

  /** Closes an idle connection to make room for a request that needs a separate one. */
  #makeRoom(): void {
    const idle = [...this.#connections].filter(({ load, state }) => load === 0 && state === 'open');
    if (idle.every(({ draining }) => !draining)) idle[0]?.drain();
  }

  #open(): void {
    this.#own(this.#origin.open());
  }

  #own(connection: Connection): void {
    connection.attach(this.#events(connection));
    if (this.#held) connection.hold();
    else connection.release();
    this.#connections.add(connection);
  }

  #events(connection: Connection): ConnectionEvents {
    return {
      onOpen: () => {
        this.#connectFailed = false;
        this.#profile.opened(connection);
        // The first connection has measured the round trip, which decides how many connections are opened ahead.
        const ahead = this.#leads ? this.#ahead() : 0;
        this.#leads = false;
        this.#pump(ahead);
      },
      onHead: (exchange) => {
        if (exchange.attempt.quirks.length > 0) this.#waiting.tolerate();
        else if (connection.httpVersion === 'http/1.0') this.#profile.mayNotPipeline();
      },
      onStreamLimit: (taken) => this.#profile.tookStreams(taken),
      onFree: (exchange) => this.#answered(connection, exchange),
      onExchangeFailed: (exchange, error) => {
        this.#recovery.streamFailed(exchange, error);
        this.#pump();
      },
      onClosed: (end) => this.#ended(connection, end),
    };
  }

  #answered(connection: Connection, exchange: Exchange): void {
    this.#connectFailed = false;
    this.#recovery.answers = true;
    this.#profile.answered(connection, exchange);
    if (exchange.attempt.quirks.length > 0) this.#waiting.tolerate(); // other responses may have faults, too
    if (!connection.draining && connection.sync.uncertain >= mostUnproven) connection.drain();
    this.#pump();
  }

  #ended(connection: Connection, end: ConnectionEnd): void {
    this.#connections.delete(connection);
    if (!end.opened) {
      this.#notConnected(end.error);
      return;
    }
    this.#connectFailed = false;
    this.#profile.ended(connection, end, this.#connections, this.#depth());
    this.#recovery.ended(connection, end);
    this.#pump();
  }

  #notConnected(error: LoaderError): void {
    this.#connectFailed = true;
    const others = [...this.#connections];
    const isBusy = others.some(({ state, load }) => state === 'connecting' || load > 0);
    const isServed = isBusy || others.some(({ usable }) => usable);
    // Requests that may share a connection go on waiting for the other connections of the pool, if there are any. Those
    // that need one of their own wait only if another is opening or busy: when it opens or answers, one more is tried.
    const { all } = this.#waiting;
    const lost = isServed && !this.#closed ? all.filter(({ alone }) => alone && !isBusy) : all;
    this.#failWaiting(lost, error);
  }

  #failWaiting(these: Exchange[], error: LoaderError): void {
    for (const exchange of these) this.#waiting.remove(exchange);
    for (const exchange of these) exchange.fail(error);
  }
}
