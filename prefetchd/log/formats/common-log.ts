// Reads the Common Log Format's family (Apache mod_log_config, nginx log_format), in the order that common-layout.ts
// finds in the first lines of a file:
//   clf             address ident user [time] "request" status bytes, perhaps with numbers after it (Tomcat's %D)
//   combined        the same, then "referer" "user agent" (Apache and nginx `combined`, lighttpd)
//   vhost-combined  a virtual host before them (Debian's other_vhosts_access.log)
//
// Real logs contain user names with spaces and unescaped quotes in requests, so a request ends at the quote followed by
// a space and three digits.
//
// Further fields (request time, upstream, forwarded addresses) are allowed. They have no names, but three are
// recognised by form: a quoted `prefetch` or `prefetch;...` is Sec-Purpose, a quoted list of addresses X-Forwarded-For,
// and a number with exactly three decimals (nginx $request_time, bare or as rt=0.004) is the duration in seconds; of
// several, the largest, because $upstream_response_time is a part of it. Whole numbers are ambiguous (Apache's %D, %T,
// %I, %O), so Apache must name them: duration_us=%D, duration_ms=%{ms}T or duration_s=%T. Traefik's lines end with
// 12ms. dest="..." is Sec-Fetch-Dest, type="..." the media type of the response, host="..." the site.

import { TextMemo } from '../../../process/text-memo.ts';
import {
  emptyLine,
  type LogFormat,
  type LogLine,
  type ParsedLine,
  saysPrivate,
} from '../log-format.ts';
import {
  type CommonLayout,
  commonLayout,
  headWords,
  inWords,
  timeBracket,
  usualLayout,
  visitorIn,
} from './common-layout.ts';
import { durationOf, timeOf } from './log-time.ts';
import { closingQuote, fieldEnd, given, requestOf } from './quoted.ts';
import { addressIn, isHostName, isUserAgent } from './value-kinds.ts';

/**
 * Reads what a line has after the number of bytes, from `at` on. @returns why it cannot be read; undefined if it can
 */
type TailReader = (
  line: string,
  at: number,
  layout: CommonLayout,
  into: LogLine,
) => string | undefined;

/** Longest text after the usual fields of a line that is examined, characters. */
const longestTail = 2048;

/** Makes a format of the Common Log Format family. @param host Where lines name the site: first, or elsewhere */
function commonFormat(name: string, host: 'first' | 'elsewhere', readTail: TailReader): LogFormat {
  const usual = host === 'first' ? { ...usualLayout, host: 0, client: 1 } : usualLayout;
  return {
    name,
    manySites: host === 'first',
    createParser(firstLines) {
      const layout = firstLines === undefined ? usual : commonLayout(firstLines);
      const isFirst = layout !== undefined && layout.host !== -1 && layout.host < layout.client;
      if (layout === undefined || isFirst !== (host === 'first')) {
        return { parse: () => 'no client address' };
      }
      const heads = new TextMemo((head) => readHead(head, layout));
      return { parse: (line) => parse(line, layout, heads, readTail), layout: inWords(layout) };
    },
  };
}

function parse(
  line: string,
  layout: CommonLayout,
  heads: TextMemo<LogLine | string>,
  readTail: TailReader,
): ParsedLine {
  const bracket = timeBracket(line);
  if (bracket === -1) return 'no [time]';
  const head = heads.get(line.slice(0, bracket));
  if (typeof head === 'string') return head;
  const read = { ...head };
  const close = line.indexOf(']', bracket);
  if (close === -1) return '[time] is not closed';
  const timeMs = timeOf(line.slice(bracket + 1, close));
  if (timeMs === undefined) return 'time cannot be read';
  read.timeMs = timeMs;
  const at = readRequestAndResult(line, close + 1, read);
  return typeof at === 'string' ? at : (readTail(line, at, layout, read) ?? read);
}

/** Returns a new LogLine with what a line has before the time, or a text that says why that cannot be read. */
function readHead(head: string, layout: CommonLayout): LogLine | string {
  const words = headWords(head);
  const word = (at: number) => given(words[at] ?? '');
  // If a proxy's X-Forwarded-For is empty, the client made the connection itself, whose address is another word.
  const isOther = (text: string, at: number) => at !== layout.host && addressIn(text) !== undefined;
  const client = word(layout.client) || (words.find(isOther) ?? '');
  const address = addressIn(client);
  if (address === undefined && (layout.ofAddresses || client === '')) return 'no client address';
  // A line with one word more before the client, or an address after it, is in another format than the first lines.
  const next = layout.client + 1;
  if (layout.isAlone && next !== layout.host && addressIn(word(next)) !== undefined) {
    return 'two client addresses';
  }
  const host = layout.host === -1 ? '' : word(layout.host);
  const isHost = isHostName(host) || addressIn(host) !== undefined;
  if (!isHost && layout.host !== -1 && layout.host < layout.client) return 'no virtual host';
  return {
    ...emptyLine(),
    address: address ?? client,
    host: isHost ? host.replace(/:(?:443|80)$/, '') : undefined,
    secure: isHost && host.endsWith(':443'),
  };
}

const result = /" \d{3}(?= |$)(?: (?:\d{1,19}|-)(?= |$))?/y;

/** Reads ` "GET /x HTTP/1.0" 200 123` from `at`. @returns the position after the number of bytes, or a text that says
 *  why the line cannot be read */
function readRequestAndResult(line: string, at: number, into: LogLine): number | string {
  // In a log line, other words, such as nginx's $host, may precede the request.
  const first = line.startsWith(' "', at) ? at + 2 : line.indexOf(' "', at) + 2;
  if (line[at] !== ' ' || first === 1) return 'no "request"';
  for (let quote = closingQuote(line, first); quote !== -1; quote = closingQuote(line, quote + 1)) {
    result.lastIndex = quote;
    if (!result.test(line)) continue;
    const end = result.lastIndex;
    const statusEnd = quote + '" 200'.length;
    if (end === statusEnd && end < line.length) return 'bytes is not a number';
    const asked = requestOf(line.slice(first, quote));
    // In a log line, a quoted word, such as the site, may precede the request, too.
    const second = asked.method === '' ? line.indexOf('" "', first) + 3 : 0;
    const isSecond = second > 2 && second < quote;
    const { method, url } = isSecond ? requestOf(line.slice(second, quote)) : asked;
    const count = Number(given(line.slice(statusEnd + 1, end)));
    into.method = method;
    into.url = url;
    into.status = Number(line.slice(statusEnd - 3, statusEnd));
    into.bytes = Number.isSafeInteger(count) ? count : 0;
    return end;
  }
  return 'no status after the "request"';
}

const readNumbers: TailReader = (line, at, _, into) => {
  if (at === line.length) return undefined;
  if (line.includes('"', at)) return 'too many fields for clf';
  into.durationMs = durationBehind(line.slice(at, at + longestTail));
  return undefined;
};

const readAgent: TailReader = (line, at, layout, into) => {
  // In a log line, numbers such as nginx's $request_time may precede the referer.
  const quote = line.indexOf(' "', at) + 1;
  if (quote === 0) return 'no "referer"';
  const firstEnd = fieldEnd(line, quote + 1);
  if (firstEnd === -1) return '"referer" is not closed';
  if (line[firstEnd + 2] !== '"') return 'no "user agent"';
  const secondEnd = fieldEnd(line, firstEnd + 3);
  if (secondEnd === -1) return '"user agent" is not closed';
  const first = given(line.slice(quote + 1, firstEnd));
  const second = given(line.slice(firstEnd + 3, secondEnd));
  // A site may log the user agent first; a referer is recognised as a URL.
  const isReferer = first === '' || /^[\w.+-]{1,32}:/.test(first) || isUserAgent(second);
  into.referer = isReferer ? first : second;
  into.userAgent = isReferer ? second : first;
  if (secondEnd + 1 === line.length && quote === at + 1) return undefined;
  const behind = line.slice(secondEnd + 1, secondEnd + 1 + longestTail);
  into.purpose = /(?<= ")prefetch(?:;[^"\\]*)?(?=")/.exec(behind)?.[0];
  into.durationMs = durationBehind(line.slice(at, quote) + behind);
  into.fetchDestination = namedBehind(behind, 'dest');
  into.contentType = namedBehind(behind, 'type');
  into.host = namedBehind(behind, 'host') ?? into.host;
  into.robotsTag = namedBehind(behind, 'robots');
  const caching = namedBehind(behind, 'caching') ?? '';
  into.isPrivate = namedBehind(behind, 'private') !== undefined || saysPrivate(caching);
  into.address = visitorIn(behind, layout, into.address);
  return undefined;
};

export const vhostCombined = commonFormat('vhost-combined', 'first', (line, at, layout, into) =>
  (line.includes('"', at) ? readAgent : readNumbers)(line, at, layout, into),
);
export const combined = commonFormat('combined', 'elsewhere', readAgent);
export const clf = commonFormat('clf', 'elsewhere', readNumbers);

/** The format of the EPA's trace of 29 and 30 August 1995, EDT, whose lines, `host [29:23:53:25] "GET / HTTP/1.0" 200
 *  123`, have no month (Internet Traffic Archive, EPA-HTTP). */
export const epa: LogFormat = {
  name: 'epa',
  createParser() {
    const parser = clf.createParser();
    const dated = /^(\S{1,255}) \[(\d\d):(\d\d:\d\d:\d\d)\]/;
    return {
      parse(line) {
        if (!dated.test(line)) return 'no [DD:HH:MM:SS]';
        return parser.parse(line.replace(dated, '$1 - - [$2/Aug/1995:$3 -0400]'));
      },
    };
  },
};

const fieldsOfTime = /(?<= "?)(?:(?:rt|request_time)="?)?(\d{1,5}\.\d{3})(?=[" ]|$)/g;
const namedTime = /(?<= "?)duration_(us|ms|s)="?(\d{1,12})(?=[" ]|$)|(?<= )(\d{1,12})ms$/;

function durationBehind(text: string): number | undefined {
  const [named, unit = 'ms', amount, last] = namedTime.exec(text) ?? [];
  if (named !== undefined) return durationOf(`${amount ?? last}${unit}`, 1);
  const seconds = Array.from(text.matchAll(fieldsOfTime), ([, found]) => Number(found));
  return seconds.length === 0 ? undefined : durationOf(String(Math.max(...seconds)), 1000);
}

/** Returns the value of ` name="value"` in a text; undefined if it has none. */
function namedBehind(text: string, name: string): string | undefined {
  const at = text.indexOf(` ${name}="`);
  if (at === -1) return undefined;
  const start = at + name.length + 3;
  const end = closingQuote(text, start);
  return end === -1 ? undefined : given(text.slice(start, end)) || undefined;
}
