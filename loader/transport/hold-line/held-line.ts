// The line of one HTTP/1.x connection: whether its requests ask for Hold-Line, where it is in the table of states, and
// when it is too old to be used again. A pipeline counts as one request: sent with its first, replied to with its last.

import type { HeaderPair } from '../../../http/header-pairs.ts';
import { type LineEdges, LineStates } from '../../../http/hold-line.ts';
import { grantOf, usableMs } from './grant.ts';

export interface HoldLineChoice {
  /** false: it does not ask. true: without a time. A number: seconds after which it closes. */
  holdLine: boolean | number;
  /** A line that is not granted is closed after the reply, as in HTTP/1.0. */
  closes: boolean;
}

export class HeldLine {
  /** Requests that the connection may carry in all, as the server said. */
  mayCarry = Number.POSITIVE_INFINITY;
  readonly #choice: HoldLineChoice;
  readonly #onOver: () => void;
  #line = new ClientLine();
  /** The last reply had Hold-Line. */
  #isGranted = false;
  /** As the server said last; null: it did not. */
  #seconds: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time, ms. */
  #overAt = Number.POSITIVE_INFINITY;

  /** @param onOver The idle connection has to be closed. */
  constructor(choice: HoldLineChoice, onOver: () => void) {
    this.#choice = choice;
    this.#onOver = onOver;
    this.#line.take('open');
  }

  /** Its time is over; the timer may be late. */
  get isOver(): boolean {
    return performance.now() >= this.#overAt;
  }

  /**
   * A request is sent on the idle or open connection.
   * @param isLast No other will follow.
   */
  sent(isLast: boolean): void {
    this.#stop();
    // A reply without Hold-Line gave the line back to the protocol, which has kept it; or the request before is lost.
    if (this.#line.state !== 'open' && this.#line.state !== 'held') {
      this.#line = new ClientLine();
      this.#line.take('open');
    }
    this.#line.take(this.#asks(isLast) ? 'send hl' : 'send std');
  }

  /** The fields with which a request asks. */
  fields(isLast: boolean): string[] {
    const { holdLine } = this.#choice;
    if (!this.#asks(isLast)) return [];
    return ['hold-line', holdLine === true ? '' : String(holdLine)];
  }

  /** @param place Of the reply on its connection, from 1. */
  replied(headers: readonly HeaderPair[], place: number): void {
    const { holds, seconds, more } = grantOf(headers);
    this.#isGranted = holds;
    if (seconds !== null) this.#seconds = seconds;
    if (more !== null) this.mayCarry = place + more;
  }

  /** All replies are complete. @returns Whether the connection may be used again */
  idle(roundTripMs: number): boolean {
    const { state } = this.#line;
    const asked = state === 'asked' || state === 'asked on held';
    const isHeld = this.#line.take(asked && this.#isGranted ? 'get hl' : 'get std') === 'held';
    if (!isHeld && this.#choice.closes) return false;
    const times = [
      ...(this.#seconds === null ? [] : [usableMs(this.#seconds, roundTripMs)]),
      // It promised the server to be gone by then.
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

  /** The connection ended while requests were in flight, or idle. */
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
 * The states of a connection on the client's side (Hauck 1994, figure 2.2). The names of the edges are his. A request
 * on a held line has states of its own, because an error there is not the server's fault: it dropped the line as the
 * request went out, and the request is silently sent again on a new connection (2.2).
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
  /** A request without Hold-Line went out. */
  | 'send std'
  /** A request with Hold-Line went out. */
  | 'send hl'
  /** A reply without Hold-Line came: the line is the protocol's again. */
  | 'get std'
  /** A reply with Hold-Line came. */
  | 'get hl'
  /** The connection broke, or the server closed it. */
  | 'error'
  /** The time of a held line is over. */
  | 'hl timeout';

/** From each state, where each event leads. */
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

/** One line of a client. */
export class ClientLine extends LineStates<LineState, LineEvent> {
  constructor() {
    super(edges, 'closed');
  }
}
