// Hold-Line on one HTTP/1.x connection: whether its requests ask for it, the connection's place in the table of states,
// and when it is too old to be reused. A pipeline counts as one request, sent with its first, answered with its last.

import type { HeaderPair } from '../../../http/header-pairs.ts';
import { type LineEdges, LineStates } from '../../../http/hold-line.ts';
import { grantOf, usableMs } from './grant.ts';

export interface HoldLineChoice {
  /** false: requests do not ask. true: they ask without a time. A number: seconds after which the client closes. */
  holdLine: boolean | number;
  /** A connection that the server does not hold is closed after the response, as in HTTP/1.0. */
  closes: boolean;
}

export class HeldLine {
  /** Number of requests that the connection may carry in total, as announced by the server. */
  mayCarry = Number.POSITIVE_INFINITY;
  readonly #choice: HoldLineChoice;
  readonly #onOver: () => void;
  #line = new ClientLine();
  /** The last response had a Hold-Line field. */
  #isGranted = false;
  /** Seconds as last stated by the server; null: it stated none. */
  #seconds: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time when the connection must no longer be used, ms. */
  #overAt = Number.POSITIVE_INFINITY;

  /** @param onOver Called when the idle connection has to be closed. */
  constructor(choice: HoldLineChoice, onOver: () => void) {
    this.#choice = choice;
    this.#onOver = onOver;
    this.#line.take('open');
  }

  /** Whether the connection's time is over; its timer may be late. */
  get isOver(): boolean {
    return performance.now() >= this.#overAt;
  }

  /**
   * Called when a request is sent on the idle or newly opened connection.
   * @param isLast No other request will follow.
   */
  sent(isLast: boolean): void {
    this.#stop();
    // After a response without Hold-Line, HTTP's own rules kept the connection open; or the previous request was lost.
    if (this.#line.state !== 'open' && this.#line.state !== 'held') {
      this.#line = new ClientLine();
      this.#line.take('open');
    }
    this.#line.take(this.#asks(isLast) ? 'send hl' : 'send std');
  }

  /** The fields with which a request asks for Hold-Line. */
  fields(isLast: boolean): string[] {
    const { holdLine } = this.#choice;
    if (!this.#asks(isLast)) return [];
    return ['hold-line', holdLine === true ? '' : String(holdLine)];
  }

  /** @param place Number of the response on its connection, from 1. */
  replied(headers: readonly HeaderPair[], place: number): void {
    const { holds, seconds, more } = grantOf(headers);
    this.#isGranted = holds;
    if (seconds !== null) this.#seconds = seconds;
    if (more !== null) this.mayCarry = place + more;
  }

  /** Called when all responses are complete. @returns Whether the connection may be used again */
  idle(roundTripMs: number): boolean {
    const { state } = this.#line;
    const asked = state === 'asked' || state === 'asked on held';
    const isHeld = this.#line.take(asked && this.#isGranted ? 'get hl' : 'get std') === 'held';
    if (!isHeld && this.#choice.closes) return false;
    const times = [
      ...(this.#seconds === null ? [] : [usableMs(this.#seconds, roundTripMs)]),
      // The client promised the server to close the connection by then.
      ...(isHeld && typeof this.#choice.holdLine === 'number'
        ? [1000 * this.#choice.holdLine]
        : []),
    ];
    if (times.length === 0) return true;
    const leftMs = Math.min(...times);
    if (leftMs <= 0) return false;
    this.#overAt = performance.now() + leftMs;
    this.#timer = setTimeout(() => this.#end(), leftMs).unref();
    return true;
  }

  /** Called when the connection has ended, idle or with requests in flight. */
  closed(): void {
    this.#stop();
    if (this.#line.state !== 'closed' && this.#line.state !== 'retry') this.#line.take('error');
  }

  #end(): void {
    if (this.#line.state === 'held') this.#line.take('hl timeout');
    this.#onOver();
  }

  #asks(isLast: boolean): boolean {
    return this.#choice.holdLine !== false && !isLast;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#overAt = Number.POSITIVE_INFINITY;
  }
}

/**
 * The states of a connection on the client's side (Hauck 1994, figure 2.2), with Hauck's names for the edges. A request
 * on a held connection has separate states, because an error there is not the server's fault: it dropped the connection
 * while the request was being sent, and the request is silently sent again on a new connection (2.2).
 */
export type LineState =
  | 'closed'
  | 'open'
  | 'standard'
  | 'asked'
  | 'held'
  | 'standard on held'
  | 'asked on held'
  | 'retry';

export type LineEvent =
  | 'open'
  /** A request without Hold-Line was sent. */
  | 'send std'
  /** A request with Hold-Line was sent. */
  | 'send hl'
  /** A response without Hold-Line arrived, so HTTP's own rules apply to the connection again. */
  | 'get std'
  /** A response with Hold-Line arrived. */
  | 'get hl'
  /** The connection broke, or the server closed it. */
  | 'error'
  /** The time for which the connection is held is over. */
  | 'hl timeout';

/** The transitions: for each state, the state that each event leads to. */
export const edges: LineEdges<LineState, LineEvent> = {
  closed: { open: 'open' },
  open: { 'send std': 'standard', 'send hl': 'asked', error: 'closed' },
  standard: { 'get std': 'closed', error: 'closed' },
  asked: { 'get std': 'closed', 'get hl': 'held', error: 'closed' },
  held: {
    'send std': 'standard on held',
    'send hl': 'asked on held',
    'hl timeout': 'closed',
    error: 'closed',
  },
  'standard on held': { 'get std': 'closed', error: 'retry' },
  'asked on held': { 'get std': 'closed', 'get hl': 'held', error: 'retry' },
  retry: { open: 'open' },
};

/** The state of one connection of a client. */
export class ClientLine extends LineStates<LineState, LineEvent> {
  constructor() {
    super(edges, 'closed');
  }
}
