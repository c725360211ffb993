// The fields shared by the formats of the Common Log Format's family (Apache mod_log_config, nginx log_format):
//   address ident user [time] "request" status bytes
// Read by position, each character once. Real logs contain user names with spaces and unescaped quotes in requests,
// so a request ends at the quote followed by a space and three digits.

import type { LogLine } from '../log-format.ts';
import { commonTimeMs, digits } from './log-time.ts';
import { closingQuote, readRequest } from './quoted.ts';

/** Read the common fields of `line` from `start` into `into`. @returns the position after the bytes, or why it
 *  failed */
export function readCommonFields(line: string, start: number, into: LogLine): number | string {
  const afterAddress = line.indexOf(' ', start);
  if (afterAddress <= start) return 'no client address';
  const bracket = timeBracket(line, afterAddress);
  if (bracket === -1) return 'no [time]';
  const timeMs = commonTimeMs(line, bracket + 1);
  if (Number.isNaN(timeMs)) return 'time cannot be read';
  const afterTime = line.indexOf(']', bracket + 20);
  if (afterTime === -1) return '[time] is not closed';
  into.address = line.slice(start, afterAddress);
  into.timeMs = timeMs;
  return readRequestAndResult(line, afterTime + 1, into);
}

/** Read ` "GET /x HTTP/1.0" 200 123` from `at`. @returns the position after the bytes, or why it failed */
export function readRequestAndResult(line: string, at: number, into: LogLine): number | string {
  if (line.charCodeAt(at) !== 0x20 || line.charCodeAt(at + 1) !== 0x22) return 'no "request"';
  const quote = requestEnd(line, at + 2);
  if (quote === -1) return 'no status after the "request"';
  into.status = digits(line, quote + 2, 3);
  readRequest(line, at + 2, quote, into);
  return readBytes(line, quote + 5, into);
}

/** The `[` before the day. User names may contain brackets and spaces. */
function timeBracket(line: string, from: number): number {
  for (let at = line.indexOf('[', from); at !== -1; at = line.indexOf('[', at + 1)) {
    if (line.charCodeAt(at + 3) === 0x2f && line.charCodeAt(at - 1) === 0x20) return at;
  }
  return -1;
}

/** The quote that ends the request: the first one followed by a status. */
function requestEnd(line: string, from: number): number {
  for (let quote = closingQuote(line, from); quote !== -1; quote = closingQuote(line, quote + 1)) {
    if (isStatusAt(line, quote + 1)) return quote;
  }
  return -1;
}

function isStatusAt(line: string, at: number): boolean {
  const end = line.charCodeAt(at + 4);
  return (
    line.charCodeAt(at) === 0x20 &&
    digits(line, at + 1, 3) >= 0 &&
    (end === 0x20 || Number.isNaN(end))
  );
}

/** ` 123` or ` -` or nothing. */
function readBytes(line: string, at: number, into: LogLine): number | string {
  if (at >= line.length) return at;
  let place = at + 1;
  let bytes = 0;
  for (; place < line.length; place++) {
    const digit = line.charCodeAt(place) - 48;
    if (digit < 0 || digit > 9) break;
    bytes = bytes * 10 + digit;
  }
  if (place === at + 1 && line.charCodeAt(place) === 0x2d) place++;
  const next = line.charCodeAt(place);
  if (place === at + 1 || !(next === 0x20 || Number.isNaN(next))) return 'bytes is not a number';
  into.bytes = bytes <= Number.MAX_SAFE_INTEGER ? bytes : 0;
  return place;
}
