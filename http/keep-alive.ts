// The Keep-Alive field of a reply (RFC 2068 19.7.1.1): `timeout=5, max=100`. Apache, nginx and Node send it without
// being asked; the server closes an idle connection after the time, and any after `max` more requests.

import { splitMembers, unquote } from './field-syntax.ts';
import { longestHold } from './hold-line.ts';

export interface KeepAlive {
  /** Seconds that an idle connection stays open; null: not said. */
  seconds: number | null;
  /** Requests that the connection takes after this one; null: not said. */
  more: number | null;
}

/**
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
