// Applies Hold-Line to one HTTP/1.x connection: whether requests ask for it, the connection's place in the table of
// states, and when it is too old to be reused. A pipeline counts as one request: it is sent with its first request and
// answered with its last response.

import { fieldLines, fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { nextState, parseHoldLine } from '../../http/hold-line.ts';
import { type Granted, KeepAlive, parseKeepAlive } from '../transport/connection/keep-alive.ts';

/** Returns what the transport needs so that its connections ask for Hold-Line: without a time (true), or for seconds. */
export function heldConnections(holdLine: true | number) {
  return {
    keepAlive: (closes: boolean, onOver: () => void) => new HeldLine(holdLine, closes, onOver),
  };
}

export class HeldLine extends KeepAlive {
  override readonly mayHold = true;
  /** true: requests ask for Hold-Line without a time. A number: they ask for these seconds. */
  readonly #holdLine: true | number;
  /** If true, a connection is closed after the response, as in HTTP/1.0, unless the response has Hold-Line. */
  readonly #closes: boolean;
  #state: LineState = 'open';
  /** Whether the last response had a Hold-Line field. */
  #isGranted = false;

  /** @param onOver Called when the idle connection has to be closed. */
  constructor(holdLine: true | number, closes: boolean, onOver: () => void) {
    super(onOver);
    this.#holdLine = holdLine;
    this.#closes = closes;
  }

  override sent(isLast: boolean): void {
    super.sent(isLast);
    // The state may be `closed` although the connection is still open: HTTP's own rules kept it open after a response
    // without Hold-Line, or the previous request was lost.
    if (this.#state !== 'held') this.#state = 'open';
    this.#move(isLast ? 'send std' : 'send hl');
  }

  /** Returns the field with which a request asks for Hold-Line; [] if it does not ask. */
  override fields(isLast: boolean): HeaderPair[] {
    return isLast ? [] : [['hold-line', this.#holdLine === true ? '' : String(this.#holdLine)]];
  }

  override replied(headers: readonly HeaderPair[], place: number): void {
    const { holds, ...granted } = grantOf(headers);
    this.#isGranted = holds;
    this.granted(granted, place);
  }

  override idle(roundTripMs: number): boolean {
    const asked = this.#state === 'asked' || this.#state === 'asked on held';
    this.#move(asked && this.#isGranted ? 'get hl' : 'get std');
    const isHeld = this.#state === 'held';
    if (!isHeld && this.#closes) return false;
    // The client promised the server to close the connection after the seconds that it asked for.
    const promised = isHeld && this.#holdLine !== true;
    return super.idle(roundTripMs, promised ? 1000 * this.#holdLine : Number.POSITIVE_INFINITY);
  }

  protected override timeOver(): void {
    if (this.#state === 'held') this.#move('hl timeout');
    super.timeOver();
  }

  override closed(): void {
    super.closed();
    if (this.#state !== 'closed' && this.#state !== 'retry') this.#move('error');
  }

  #move(event: LineEvent): void {
    this.#state = nextState<LineState, LineEvent>(edges, this.#state, event);
  }
}

export interface Grant extends Granted {
  /** Whether the response has a valid Hold-Line field. */
  holds: boolean;
}

/** Returns how long, by Hold-Line and Keep-Alive, the server keeps the connection; if both are sent, the lower time. */
export function grantOf(headers: readonly HeaderPair[]): Grant {
  const held = fieldLines(headers, 'hold-line').map(parseHoldLine);
  const { seconds, more } = parseKeepAlive(fieldValue(headers, 'keep-alive'));
  const times = [...held, seconds].filter((time) => typeof time === 'number');
  return {
    holds: held.some((time) => time !== undefined),
    seconds: times.length === 0 ? null : Math.min(...times),
    more,
  };
}

/**
 * The states of a connection on the client's side (Hauck 1994, figure 2.2), with Hauck's names for the edges: for each
 * state, the state that each event leads to. `std` is a request or response without Hold-Line, `hl` one with it; after
 * `get std` HTTP's own rules apply to the connection again. `error`: the connection broke, or the server closed it. A
 * request on a held connection has separate states, because an error there is not the server's fault: it dropped the
 * connection while the request was being sent, and the request is silently sent again on a new connection (2.2).
 */
export const edges = {
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
} as const;

export type LineState = keyof typeof edges;

export type LineEvent = 'open' | `${'send' | 'get'} ${'std' | 'hl'}` | 'error' | 'hl timeout';
