// HAProxy's HTTP log format (`option httplog`, `option httpslog`; configuration manual 8.2.3), with any syslog prefix:
//   client:port [31/Jan/2024:10:00:00.123] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes - - ---- a/f/b/s/r q/q
//   {captured request headers} {captured response headers} "request"
// The time has no zone and is read as UTC. Ta is the duration in ms; `bytes` includes the response header.
//
// Captured headers have no names, only slots (`{example.com|Mozilla/5.0 ...|https://example.com/}`). A slot is
// recognised by the first value that shows what it contains, and keeps that meaning for the file: afterwards an empty
// slot means that the client sent no such field.

import { emptyLine, type LineParser, type LogFormat, type LogLine } from '../log-format.ts';
import { splitFields } from './directive-fields.ts';
import { plainMs } from './duration.ts';
import { commonTimeMs, digits } from './log-time.ts';
import { readRequest } from './quoted.ts';

export const haproxy: LogFormat = {
  name: 'haproxy',
  createParser,
};

/** `31/Jan/2024:10:00:00.123` */
const timeLength = 24;
/** Number of fields from the frontend to the queues. */
const fieldCount = 10;
const mostSlots = 32;

type CaptureMeaning = 'userAgent' | 'referer' | 'host';

const values: Readonly<Record<CaptureMeaning, RegExp>> = {
  userAgent: /^[A-Za-z][\w.+-]{0,63}\/v?\d/,
  referer: /^https?:\/\//i,
  host: /^(?:[\w-]{1,63}\.){1,20}[a-z][\w-]{1,63}(?::\d{1,5})?$/i,
};
const meanings = Object.keys(values) as CaptureMeaning[];

function createParser(): LineParser {
  const slots = new Map<CaptureMeaning, number>();
  return { parse: (line) => (line === '' ? undefined : read(line, slots)) };
}

function read(line: string, slots: Map<CaptureMeaning, number>): LogLine | string | undefined {
  const time = timeStart(line);
  // HAProxy also logs events of the process, such as `Server static/srv1 is DOWN`.
  if (time === -1) return line.includes('haproxy[') ? undefined : 'no client [accept date]';
  const into = emptyLine();
  into.timeMs = commonTimeMs(line, time) + digits(line, time + 21, 3);
  if (Number.isNaN(into.timeMs)) return 'accept date cannot be read';
  into.address = addressBefore(line, time - 2);
  if (into.address === '') return 'no client address';
  const start = time + timeLength + 2;
  const fields = splitFields(line.slice(start, start + longestFields), ' ', fieldCount + 1);
  const [frontend = '', backend = '', timers = '', status = '', bytes = '', , , , , queues] =
    fields;
  // The line has no HTTP request: a failed handshake, or the format of `option tcplog`.
  if (!backend.includes('/')) return undefined;
  if (!/^-?\d{1,3}$/.test(status) || queues === undefined) return 'no status';
  into.secure = frontend.endsWith('~');
  into.status = Math.max(0, Number(status));
  // A `+` before bytes and Ta means that `option logasap` wrote the line before the end of the response.
  into.bytes = /^\+?\d{1,15}$/.test(bytes) ? Number(bytes) : 0;
  into.durationMs = plainMs(timers.slice(timers.lastIndexOf('/') + 1));
  const rest =
    start + fields.slice(0, fieldCount).reduce((sum, field) => sum + field.length + 1, 0);
  const quote = line.indexOf('"', rest);
  const end = line.lastIndexOf('"');
  if (quote === -1 || end === quote) return '"request" is not closed';
  readRequest(line, quote + 1, end, into);
  into.url = into.url.replace(/#([0-9A-F]{2})/g, '%$1');
  readCaptured(line.slice(rest, quote), slots, into);
  return into;
}

/** Longest text that holds the fields before the captured headers. */
const longestFields = 4096;

/** Start of the accept date, in brackets after a word; -1 if there is none. */
function timeStart(line: string): number {
  for (let at = line.indexOf(' ['); at !== -1; at = line.indexOf(' [', at + 1)) {
    const time = at + 2;
    const isTime =
      line.charCodeAt(time + 2) === 0x2f &&
      line.charCodeAt(time + 20) === 0x2e &&
      digits(line, time + 21, 3) >= 0 &&
      line.charCodeAt(time + timeLength) === 0x5d;
    if (isTime) return time;
  }
  return -1;
}

/** `192.0.2.1:33317`, `2001:db8::7:33317`; `unix:1` for a Unix socket. */
function addressBefore(line: string, end: number): string {
  const word = line.slice(line.lastIndexOf(' ', end - 1) + 1, end);
  const colon = word.lastIndexOf(':');
  return colon > 0 && /^\d{1,5}$/.test(word.slice(colon + 1)) ? word.slice(0, colon) : '';
}

/** @param captured `{request headers} {response headers} `; either may be absent */
function readCaptured(captured: string, slots: Map<CaptureMeaning, number>, into: LogLine): void {
  const close = captured.indexOf('}');
  if (captured.charCodeAt(0) !== 0x7b || close === -1) return;
  const found = captured.slice(1, close).split('|', mostSlots);
  for (const [slot, value] of found.entries()) {
    if (/^prefetch(?:;|$)/.test(value)) into.purpose = value;
    const meaning = meanings.find((each) => values[each].test(value));
    if (meaning === undefined || slots.has(meaning)) continue;
    if (![...slots.values()].includes(slot)) slots.set(meaning, slot);
  }
  const captureOf = (meaning: CaptureMeaning): string | undefined => {
    const slot = slots.get(meaning);
    return slot === undefined ? undefined : decoded(found[slot] ?? '');
  };
  into.userAgent = captureOf('userAgent');
  into.referer = captureOf('referer');
  into.host = captureOf('host') || undefined;
}

/** HAProxy writes `"`, `#`, `{`, `|`, `}` and bytes that are not ASCII as `#22`. */
function decoded(text: string): string {
  if (!text.includes('#')) return text;
  return text.replace(/(?:#[0-9A-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('#', ''), 'hex').toString('utf8'),
  );
}
