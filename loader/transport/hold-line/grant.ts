// What a reply says about the time after it: Hold-Line (Hauck 1994, 2.1) and Keep-Alive, either or both, asked for or
// not. Pure.

import { splitMembers, unquote } from '../../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import { longestHold, parseHoldLine } from '../../../http/hold-line.ts';

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

interface KeepAlive {
  /** Seconds that an idle connection stays open; null: not said. */
  seconds: number | null;
  /** Requests that the connection takes after this one; null: not said. */
  more: number | null;
}

/**
 * Parses the Keep-Alive field (RFC 2068 19.7.1.1): `timeout=5, max=100`. Apache, nginx and Node send it without being
 * asked; the server closes an idle connection after the time, and any connection after `max` more requests.
 * Reads all lines of the field, joined. Of several values the least counts; what is no whole number is as if it were
 * absent.
 */
export function parseKeepAlive(value: string): KeepAlive {
  const said: KeepAlive = { seconds: null, more: null };
  for (const member of splitMembers(value).members) {
    const [, name, written = ''] = /^(timeout|max)\s*=\s*(.*)$/is.exec(member) ?? [];
    const digits = unquote(written.trim()) ?? '';
    if (name === undefined || !/^\d+$/.test(digits)) continue;
    if (name.toLowerCase() === 'timeout') {
      said.seconds = Math.min(Number(digits), said.seconds ?? longestHold);
    } else {
      said.more = Math.min(Number(digits), said.more ?? Number.MAX_SAFE_INTEGER);
    }
  }
  return said;
}
