// Combined Log Format (Apache `combined`, nginx `combined`): clf, then "referer" "user agent". Further fields
// (request time, upstream, forwarded addresses) are allowed. They have no names, but two are recognised by form: a
// quoted `prefetch` or `prefetch;...` is Sec-Purpose, and a number with exactly three decimals (nginx $request_time,
// bare or as rt=0.004) is the duration in seconds; of several, the largest, because $upstream_response_time is a part
// of it. Whole numbers are ambiguous (Apache's %D, %T, %I, %O), so Apache must name them: duration_us=%D,
// duration_ms=%{ms}T or duration_s=%T. dest="..." is Sec-Fetch-Dest, type="..." the media type of the response,
// host="..." the site.

import {
  emptyLine,
  type LogFormat,
  type LogLine,
  type ParsedLine,
  shareRead,
} from '../log-format.ts';
import { readCommonFields } from './common-fields.ts';
import { microsecondsMs, plainMs, secondsMs } from './duration.ts';
import { closingQuote, fieldEnd, quotedText } from './quoted.ts';

export const combined: LogFormat = {
  name: 'combined',
  manySites: false,
  usual: 'with-agent',
  detect: (lines) => shareRead({ parse }, lines),
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const read = emptyLine();
  return readCombined(line, 0, read) ?? read;
}

/** Read a combined line from `start` into `into`. @returns why it cannot be read, if so */
export function readCombined(line: string, start: number, into: LogLine): string | undefined {
  const at = readCommonFields(line, start, into);
  if (typeof at === 'string') return at;
  if (line.charCodeAt(at + 1) !== 0x22) return 'no "referer"';
  const refererEnd = fieldEnd(line, at + 2);
  if (refererEnd === -1) return '"referer" is not closed';
  if (line.charCodeAt(refererEnd + 2) !== 0x22) return 'no "user agent"';
  const agentEnd = fieldEnd(line, refererEnd + 3);
  if (agentEnd === -1) return '"user agent" is not closed';
  into.referer = quotedText(line, at + 2, refererEnd);
  into.userAgent = quotedText(line, refererEnd + 3, agentEnd);
  if (agentEnd + 1 < line.length) {
    into.purpose = purposeBehind(line, agentEnd + 1);
    const behind = line.slice(agentEnd + 1, agentEnd + 1 + longestBehind);
    into.durationMs = durationBehind(behind);
    into.fetchDestination = namedBehind(behind, 'dest');
    into.contentType = namedBehind(behind, 'type');
    into.host = namedBehind(behind, 'host');
    into.robotsTag = namedBehind(behind, 'robots');
  }
  return undefined;
}

function purposeBehind(line: string, from: number): string | undefined {
  const at = line.indexOf(' "prefetch', from);
  if (at === -1) return undefined;
  const next = line.charCodeAt(at + 10);
  if (next !== 0x22 && next !== 0x3b) return undefined;
  const end = closingQuote(line, at + 2);
  return end === -1 ? undefined : line.slice(at + 2, end);
}

const fieldsOfTime = /(?<= "?)(?:(?:rt|request_time)="?)?(\d{1,5}\.\d{3})(?=[" ]|$)/g;
const namedTime = /(?<= "?)duration_(us|ms|s)="?(\d{1,12})(?=[" ]|$)/;
/** Longest part examined. */
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
