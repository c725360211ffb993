// Reads from a response how long the connection stays open after it: Hold-Line (Hauck 1994, 2.1) and Keep-Alive, either
// or both, whether requested or not. This module has no side effects.

import { splitMembers, unquote } from '../../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';
import { longestHold, parseHoldLine } from '../../../http/hold-line.ts';

export interface Grant {
  /** Whether the response has a valid Hold-Line field. */
  holds: boolean;
  /** Seconds for which the server keeps the idle connection, the lowest value given; null: it gives none. */
  seconds: number | null;
  /** Number of requests that the connection accepts after this one; null: not stated. */
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
 * How long an idle connection may be used after the end of the last response, ms. One round trip is subtracted, because
 * the server began to count half a round trip earlier, and a request takes half of one to reach it. As timers are
 * coarse and packets may be late, another tenth of the time is subtracted, at most a second.
 */
export function usableMs(seconds: number, roundTripMs: number): number {
  const wholeMs = 1000 * seconds;
  return Math.max(0, wholeMs - roundTripMs - Math.min(1000, wholeMs / 10));
}

interface KeepAlive {
  /** Seconds for which an idle connection stays open; null: not stated. */
  seconds: number | null;
  /** Number of requests that the connection accepts after this one; null: not stated. */
  more: number | null;
}

/**
 * Parses the Keep-Alive field (RFC 2068 19.7.1.1): `timeout=5, max=100`. Apache, nginx and Node send it without being
 * asked; the server closes an idle connection after the time, and any connection after `max` more requests.
 * All lines of the field are given, joined. The lowest of several values applies; a value that is not a whole number is
 * ignored.
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
