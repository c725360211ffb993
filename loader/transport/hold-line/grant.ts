// What a reply says about the time after it: Hold-Line (Hauck 1994, 2.1) and Keep-Alive, either or both, asked for or
// not. Pure.

import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import { parseHoldLine } from '../../../http/hold-line.ts';
import { parseKeepAlive } from '../../../http/keep-alive.ts';

export interface Grant {
  /** The reply has a Hold-Line field that can be read. */
  holds: boolean;
  /** Seconds that the server keeps the idle connection, the least that it says; null: it does not say. */
  seconds: number | null;
  /** Requests that the connection takes after this one; null: not said. */
  more: number | null;
}

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
 * How long an idle connection may be used, from the end of the last reply, ms. The server began to count half a round
 * trip earlier, and a request needs as long to reach it: a round trip. Timers are coarse and packets are late: a tenth
 * of the time more, at most a second.
 */
export function usableMs(seconds: number, roundTripMs: number): number {
  const wholeMs = 1000 * seconds;
  return Math.max(0, wholeMs - roundTripMs - Math.min(1000, wholeMs / 10));
}
