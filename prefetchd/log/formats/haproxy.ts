// Reads HAProxy's HTTP log format (`option httplog`, `httpslog`; configuration manual 8.2.3), with any syslog prefix:
//   client:port [31/Jan/2024:10:00:00.123] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes - - ---- a/f/b/s/r q/q
//   {captured request headers} {captured response headers} "request"
// The time has no zone and is read as UTC. Ta is the duration in ms; `bytes` includes the response header.
//
// Captured headers have no names, only slots (`{example.com|Mozilla/5.0 ...|https://example.com/}`). A slot is
// recognised by the first value that shows what it contains, and keeps that meaning for the file: afterwards an empty
// slot means that the client sent no such field.

import type { LogFormat } from '../log-format.ts';
import { parseFieldMap, parserBy } from './fields.ts';
import type { Splitter } from './splitters.ts';
import { isHostName, isUserAgent } from './value-kinds.ts';

const map = parseFieldMap(`
  client=client, time=time, scheme=scheme, status=status, bytes=bytes, duration=duration:ms,
  request=request, agent=agent, referer=referer, host=host, purpose=purpose`);

export const haproxy: LogFormat = {
  name: 'haproxy',
  createParser: () => parserBy(map, haproxySplitter()),
};

const acceptDate = / \[(\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d\.\d{3})\] /;
const fields = /^(\S+) (\S+) (\S+) (-?\d{1,3}) (\S+) \S+ \S+ \S+ \S+ \S+ /;
/** Longest text before the captured headers that is examined, characters. */
const longestFields = 4096;
const mostSlots = 32;

const captures: ReadonlyArray<readonly [meaning: string, holds: (text: string) => boolean]> = [
  ['agent', isUserAgent],
  ['referer', (text) => /^https?:\/\//i.test(text)],
  ['host', isHostName],
];

/** Makes the function that splits the lines of one file, and remembers which captured header is in which slot. */
function haproxySplitter(): Splitter {
  const slots = new Map<string, number>();
  return (line) => {
    const date = acceptDate.exec(line);
    // HAProxy also logs events of the process, such as `Server static/srv1 is DOWN`.
    if (date === null) return line.includes('haproxy[') ? undefined : 'no client [accept date]';
    const start = date.index + date[0].length;
    const text = line.slice(start, start + longestFields);
    // Without a backend/server after its frontend, the line is about no request but, for example, a failed handshake.
    if (!/^\S+ \S+\//.test(text)) return undefined;
    const found = fields.exec(text);
    if (found === null) return 'no status';
    const [whole, frontend = '', , timers = '', status = '', bytes = ''] = found;
    const rest = start + whole.length;
    const quote = line.indexOf('"', rest);
    const end = line.lastIndexOf('"');
    if (quote === -1 || end === quote) return '"request" is not closed';
    const client = line.slice(line.lastIndexOf(' ', date.index - 1) + 1, date.index);
    const values = new Map([
      // A Unix socket is logged as `unix:1`; the number is removed as a port is.
      ['client', /:\d{1,5}$/.test(client) ? client.replace(/:\d{1,5}$/, '') : ''],
      ['time', date[1] as string],
      ['scheme', frontend.endsWith('~') ? 'https' : ''],
      ['status', status.replace(/^-\d+/, '0')],
      // A `+` before bytes and Ta means that `option logasap` wrote the line before the end of the response.
      ['bytes', bytes.replace(/^\+/, '')],
      ['duration', timers.slice(timers.lastIndexOf('/') + 1)],
      ['request', line.slice(quote + 1, end).replace(/#([0-9A-F]{2})/g, '%$1')],
      ...captured(line.slice(rest, quote), slots),
    ]);
    return (field) => values.get(field);
  };
}

/** Returns the captured headers of a line by their meanings. @param text `{request headers} {response headers} `;
 *  either may be absent */
function captured(text: string, slots: Map<string, number>): Array<[string, string]> {
  const values = /^\{([^}]*)\}/.exec(text)?.[1]?.split('|', mostSlots) ?? [];
  for (const [slot, value] of values.entries()) {
    const [meaning] = captures.find(([, holds]) => holds(value)) ?? [];
    if (meaning === undefined || slots.has(meaning)) continue;
    if (![...slots.values()].includes(slot)) slots.set(meaning, slot);
  }
  const purpose = values.find((value) => /^prefetch(?:;|$)/.test(value)) ?? '';
  const known = Array.from(slots, ([meaning, slot]) => [meaning, decoded(values[slot] ?? '')]);
  return [['purpose', purpose], ...(known as Array<[string, string]>)];
}

/** Decodes HAProxy's escapes: it writes `"`, `#`, `{`, `|`, `}` and bytes that are not ASCII in hex, as `#22`. */
function decoded(text: string): string {
  return text.replace(/(?:#[0-9A-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('#', ''), 'hex').toString('utf8'),
  );
}
