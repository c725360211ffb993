// The fields shared by the formats of the Common Log Format's family (Apache mod_log_config, nginx log_format):
//   address ident user [time] "request" status bytes
// in this order or another that common-layout.ts found. Each character is read a bounded number of times. Real logs
// contain user names with spaces and unescaped quotes in requests, so a request ends at the quote followed by a space
// and three digits.

import type { LogLine } from '../log-format.ts';
import { addressIn, isHostName } from './address.ts';
import { type CommonLayout, timeBracket, wordsOf } from './common-layout.ts';
import { commonTimeMs, digits } from './log-time.ts';
import { closingQuote, readRequest } from './quoted.ts';

/** Reads the common fields of `line` into `into`. @returns the position after the bytes, or why it failed */
export function readCommonFields(
  line: string,
  layout: CommonLayout,
  into: LogLine,
): number | string {
  const bracket = timeBracket(line);
  if (bracket === -1) return 'no [time]';
  const refused = readHead(line, bracket, layout, into);
  if (refused !== undefined) return refused;
  into.timeMs = commonTimeMs(line, bracket + 1);
  if (Number.isNaN(into.timeMs)) return 'time cannot be read';
  const afterTime = line.indexOf(']', bracket + 20);
  if (afterTime === -1) return '[time] is not closed';
  return readRequestAndResult(line, afterTime + 1, into);
}

/** Reads what is before the `[` of the time. @returns why it cannot be read; undefined if it can */
function readHead(
  line: string,
  bracket: number,
  layout: CommonLayout,
  into: LogLine,
): string | undefined {
  const space = line.indexOf(' ');
  const isUsual =
    layout.client === 0 &&
    layout.host === -1 &&
    line.charCodeAt(space + 1) === 0x2d &&
    line.charCodeAt(space - 1) !== 0x2c;
  const words = isUsual ? [line.slice(0, space)] : wordsOf(line.slice(0, bracket));
  const word = (at: number) => (words[at] === '-' ? '' : (words[at] ?? ''));
  const given = word(layout.client) || word(layout.peer);
  const address = addressIn(given);
  if (address === undefined && (layout.ofAddresses || given === '')) {
    return 'no client address';
  }
  // A further word before the client, or a proxy's address: another layout begins here.
  const next = layout.client + 1;
  if (layout.isAlone && next !== layout.host && addressIn(word(next)) !== undefined) {
    return 'two client addresses';
  }
  into.address = address ?? given;
  if (layout.host !== -1) {
    const host = word(layout.host);
    if (!isHostName(host) && addressIn(host) === undefined) {
      if (layout.host < layout.client) return 'no virtual host';
    } else readHost(host, into);
  }
  return undefined;
}

function readHost(host: string, into: LogLine): void {
  into.secure = host.endsWith(':443');
  into.host = host.replace(/:(?:443|80)$/, '');
}

/** Reads ` "GET /x HTTP/1.0" 200 123` from `at`. @returns the position after the bytes, or why it failed */
export function readRequestAndResult(line: string, at: number, into: LogLine): number | string {
  if (line.charCodeAt(at) !== 0x20) return 'no "request"';
  // Other words, such as nginx's $host, may precede the request.
  const first = line.charCodeAt(at + 1) === 0x22 ? at + 2 : line.indexOf(' "', at) + 2;
  if (first === 1) return 'no "request"';
  const quote = requestEnd(line, first);
  if (quote === -1) return 'no status after the "request"';
  into.status = digits(line, quote + 2, 3);
  readRequest(line, first, quote, into);
  const second = into.method === '' ? line.indexOf('" "', first) + 3 : 0;
  if (second > 2 && second < quote) readRequest(line, second, quote, into);
  return readBytes(line, quote + 5, into);
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

/** Reads ` 123` or ` -` or nothing. */
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
