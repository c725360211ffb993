// W3C extended logs (WD-logfile-960323), as written by IIS and others, and CloudFront's: lines starting with `#` are
// directives; `#Fields:` names the columns of the following lines and may occur again with others. CloudFront (v2) also
// writes one JSON object per line with the same names. Dates and times are UTC.

import type { LogFormat } from '../log-format.ts';
import { parseFieldMap, parserBy } from './fields.ts';
import { parseJsonLine, type Splitter, splitFields, type Values } from './splitters.ts';

interface Style {
  separator: ' ' | '\t';
  /** Decodes the format's own escapes in header fields. */
  decode(text: string): string;
  /** Time taken, with its unit. */
  timeTaken(text: string): string;
}

/** Names of IIS, of CloudFront, and of the draft. */
const map = parseFieldMap(`
  client=x-forwarded-for|cs(x-forwarded-for)|c-ip|c-dns|s-ip-client, time=date+time,
  method=cs-method, url=cs-uri-stem|cs-uri, query=cs-uri-query,
  host=x-host-header|cs-host|cs(host), scheme=cs-protocol|s-port, status=sc-status,
  bytes=sc-bytes|bytes, agent=cs(user-agent), referer=cs(referer),
  purpose=cs(sec-purpose)|cs(purpose)|cs(x-moz), destination=cs(sec-fetch-dest),
  type=sc-content-type|sc(content-type)|rs(content-type), duration=time-taken:s`);
const isEscaped = new Set([
  'x-forwarded-for',
  'cs(x-forwarded-for)',
  'cs(referer)',
  'cs(user-agent)',
]);

function formatOf(name: string, style: Style): LogFormat {
  return { name, createParser: () => parserBy(map, splitterOf(style)) };
}

/** Spaces inside a header field are written `+`. Time taken is in seconds in the draft but in whole milliseconds in IIS
 *  and others, so only a number with a decimal point is seconds. */
export const w3c = formatOf('w3c', {
  separator: ' ',
  decode: (text) => text.replaceAll('+', ' '),
  timeTaken: (text) => (text.includes('.') ? text : `${text}ms`),
});

/** Header fields are percent-encoded, `%` itself sometimes twice (`%2520`). */
export const cloudfront = formatOf('cloudfront', {
  separator: '\t',
  decode: (text) => decoded(decoded(text)),
  timeTaken: (text) => text,
});

/** A splitter for one file. */
function splitterOf({ separator, decode, timeTaken }: Style): Splitter {
  let columns: string[] | undefined;
  let date: string | undefined;
  const valuesOf = (names: readonly string[], values: readonly unknown[]): Values => {
    const fields = new Map(names.map((name, at) => [name.toLowerCase(), String(values[at])]));
    return (field) => {
      const text = fields.get(field) ?? (field === 'date' ? date : undefined);
      if (text === undefined) return undefined;
      if (field === 'time-taken') return timeTaken(text);
      return isEscaped.has(field) ? decode(text) : text;
    };
  };
  return (line) => {
    if (line.startsWith('#')) {
      if (/^#Fields:/i.test(line)) columns = line.slice(8).trim().split(/\s+/);
      else if (/^#Date:/i.test(line)) date = line.slice(6).trim().slice(0, 10);
      return undefined;
    }
    if (line.startsWith('{') && separator === '\t') {
      const object = parseJsonLine(line);
      if (typeof object === 'string') return object;
      return valuesOf(Object.keys(object), Object.values(object));
    }
    if (columns === undefined) return 'no #Fields line before it';
    const values = splitFields(line, separator, columns.length + 1);
    if (values.length !== columns.length) {
      return `not the ${columns.length} fields that #Fields names`;
    }
    return valuesOf(columns, values);
  };
}

/** Invalid escapes stay as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
