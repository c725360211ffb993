// The Common Log Format's family, in the order that common-layout.ts finds in the first lines of a file:
//   clf             address ident user [time] "request" status bytes, perhaps with numbers after it (Tomcat's %D)
//   combined        the same, then "referer" "user agent" (Apache and nginx `combined`, lighttpd)
//   vhost-combined  a virtual host before them (Debian's other_vhosts_access.log)
//   traefik         combined, then number-of-the-request "router" "server URL" 12ms
//
// Further fields (request time, upstream, forwarded addresses) are allowed. They have no names, but three are
// recognised by form: a quoted `prefetch` or `prefetch;...` is Sec-Purpose, a quoted list of addresses X-Forwarded-For,
// and a number with exactly three decimals (nginx $request_time, bare or as rt=0.004) is the duration in seconds; of
// several, the largest, because $upstream_response_time is a part of it. Whole numbers are ambiguous (Apache's %D, %T,
// %I, %O), so Apache must name them: duration_us=%D, duration_ms=%{ms}T or duration_s=%T. dest="..." is Sec-Fetch-Dest,
// type="..." the media type of the response, host="..." the site.

import {
  emptyLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  type ParsedLine,
} from '../log-format.ts';
import { readCommonFields } from './common-fields.ts';
import {
  type CommonLayout,
  commonLayout,
  inWords,
  usualLayout,
  visitorIn,
} from './common-layout.ts';
import { microsecondsMs, plainMs, secondsMs } from './duration.ts';
import { closingQuote, fieldEnd, quotedText } from './quoted.ts';

/** Reads what a line has after its bytes, from `at`. @returns why it cannot be read; undefined if it can */
type TailReader = (
  line: string,
  at: number,
  layout: CommonLayout,
  into: LogLine,
) => string | undefined;

/** @param host Where the site's name may be: before the client, or elsewhere */
function commonFormat(
  name: string,
  { host, readTail }: { host: 'first' | 'elsewhere'; readTail: TailReader },
): LogFormat {
  const usual = host === 'first' ? { ...usualLayout, host: 0, client: 1 } : usualLayout;
  return {
    name,
    manySites: host === 'first',
    createParser(firstLines): LineParser {
      const layout = firstLines === undefined ? usual : commonLayout(firstLines);
      const isFirst = layout !== undefined && layout.host !== -1 && layout.host < layout.client;
      if (layout === undefined || isFirst !== (host === 'first')) {
        return { parse: (line) => (line === '' ? undefined : 'no client address') };
      }
      return { parse: (line) => parse(line, layout, readTail), layout: inWords(layout) };
    },
  };
}

function parse(line: string, layout: CommonLayout, readTail: TailReader): ParsedLine {
  if (line === '') return undefined;
  const read = emptyLine();
  const at = readCommonFields(line, layout, read);
  return typeof at === 'string' ? at : (readTail(line, at, layout, read) ?? read);
}

const readNumbers: TailReader = (line, at, _, into) => {
  if (at === line.length) return undefined;
  if (line.includes('"', at)) return 'too many fields for clf';
  into.durationMs = durationBehind(line.slice(at, at + longestBehind));
  return undefined;
};

const readAgent: TailReader = (line, at, layout, into) => {
  // Numbers such as nginx's $request_time may precede the referer.
  const quote = line.charCodeAt(at + 1) === 0x22 ? at + 1 : line.indexOf(' "', at) + 1;
  if (quote === 0) return 'no "referer"';
  const firstEnd = fieldEnd(line, quote + 1);
  if (firstEnd === -1) return '"referer" is not closed';
  if (line.charCodeAt(firstEnd + 2) !== 0x22) return 'no "user agent"';
  const secondEnd = fieldEnd(line, firstEnd + 3);
  if (secondEnd === -1) return '"user agent" is not closed';
  const first = quotedText(line, quote + 1, firstEnd);
  const second = quotedText(line, firstEnd + 3, secondEnd);
  into.referer = layout.agentFirst ? second : first;
  into.userAgent = layout.agentFirst ? first : second;
  if (secondEnd + 1 === line.length && quote === at + 1) return undefined;
  const behind = line.slice(secondEnd + 1, secondEnd + 1 + longestBehind);
  into.purpose = purposeBehind(behind);
  into.durationMs = durationBehind(line.slice(at, quote) + behind);
  into.fetchDestination = namedBehind(behind, 'dest');
  into.contentType = namedBehind(behind, 'type');
  into.host = namedBehind(behind, 'host') ?? into.host;
  into.robotsTag = namedBehind(behind, 'robots');
  into.address = visitorIn(behind, layout, into.address);
  return undefined;
};

const readAgentIfAny: TailReader = (line, at, layout, into) =>
  line.includes('"', at) ? readAgent(line, at, layout, into) : readNumbers(line, at, layout, into);

const traefikTail = / (?:\d{1,19}|-) (?:"[^"]*"|-) (?:"[^"]*"|-) (\d{1,12})ms$/;

const readTraefik: TailReader = (line, at, layout, into) => {
  const found = traefikTail.exec(line.slice(Math.max(at, line.length - longestTail)));
  if (found === null) return 'no router, server and duration at the end';
  const refused = readAgent(line.slice(0, line.length - found[0].length), at, layout, into);
  if (refused === undefined) into.durationMs = plainMs(found[1]);
  return refused;
};

export const vhostCombined = commonFormat('vhost-combined', {
  host: 'first',
  readTail: readAgentIfAny,
});
export const traefik = commonFormat('traefik', { host: 'elsewhere', readTail: readTraefik });
export const combined = commonFormat('combined', { host: 'elsewhere', readTail: readAgent });
export const clf = commonFormat('clf', { host: 'elsewhere', readTail: readNumbers });

/** Longest text after a combined line that is examined. */
const longestTail = 2048;

function purposeBehind(behind: string): string | undefined {
  return /(?<= ")prefetch(?:;[^"\\]*)?(?=")/.exec(behind)?.[0];
}

const fieldsOfTime = /(?<= "?)(?:(?:rt|request_time)="?)?(\d{1,5}\.\d{3})(?=[" ]|$)/g;
const namedTime = /(?<= "?)duration_(us|ms|s)="?(\d{1,12})(?=[" ]|$)/;
/** Longest part that is examined. */
const longestBehind = 1024;

function durationBehind(text: string): number | undefined {
  const [, unit, amount] = namedTime.exec(text) ?? [];
  if (unit === 's') return secondsMs(amount);
  if (unit !== undefined) return unit === 'us' ? microsecondsMs(amount) : plainMs(amount);
  let longest: number | undefined;
  for (const [, seconds] of text.matchAll(fieldsOfTime)) {
    const ms = secondsMs(seconds);
    if (ms !== undefined && !(longest !== undefined && longest >= ms)) longest = ms;
  }
  return longest;
}

/** The value of ` name="value"`. */
function namedBehind(text: string, name: string): string | undefined {
  const at = text.indexOf(` ${name}="`);
  if (at === -1) return undefined;
  const start = at + name.length + 3;
  const end = closingQuote(text, start);
  return end === -1 ? undefined : quotedText(text, start, end) || undefined;
}
