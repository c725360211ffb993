// Reads W3C extended logs (WD-logfile-960323), as written by IIS and others, and CloudFront's: lines starting with `#`
// are directives; `#Fields:` names the columns of the following lines and may occur again with others. CloudFront (v2)
// also writes one JSON object per line with the same names. Dates and times are UTC.

import type { LogFormat } from '../log-format.ts';
import { parseFieldMap, parserBy } from './fields.ts';
import { parseJsonLine, type Splitter, splitFields, type Values } from './splitters.ts';

/** Maps what fields hold to their names in IIS, in CloudFront, and in the W3C draft. */
const map = parseFieldMap(`
  client=x-forwarded-for|cs(x-forwarded-for)|c-ip|c-dns|s-ip-client, time=date+time,
  method=cs-method, url=cs-uri-stem|cs-uri, query=cs-uri-query,
  host=x-host-header|cs-host|cs(host), scheme=cs-protocol|s-port, status=sc-status,
  bytes=sc-bytes|bytes, agent=cs(user-agent), referer=cs(referer),
  purpose=cs(sec-purpose)|cs(purpose)|cs(x-moz), destination=cs(sec-fetch-dest),
  type=sc-content-type|sc(content-type)|rs(content-type), duration=time-taken:s`);

export const w3c: LogFormat = { name: 'w3c', createParser: () => parserBy(map, splitterFor(' ')) };

export const cloudfront: LogFormat = {
  name: 'cloudfront',
  createParser: () => parserBy(map, splitterFor('\t')),
};

/** Makes the function that splits the lines of one file: W3C's format with spaces, or CloudFront's with tabs. */
function splitterFor(separator: ' ' | '\t'): Splitter {
  const isCloudFront = separator === '\t';
  let columns: string[] | undefined;
  let date: string | undefined;
  /** Returns the values of a line by name. @param names column names in lower case */
  const valuesOf = (names: readonly string[], values: readonly unknown[]): Values => {
    const fields = new Map(names.map((name, at) => [name, String(values[at])]));
    return (field) => {
      const text = fields.get(field) ?? (field === 'date' ? date : undefined);
      if (text === undefined) return undefined;
      // CloudFront percent-encodes, `%` itself sometimes twice (`%2520`); others write spaces as `+`.
      if (/referer|user-agent|forwarded/.test(field)) {
        return isCloudFront ? decoded(decoded(text)) : text.replaceAll('+', ' ');
      }
      // Times are in seconds in the draft, but in whole milliseconds in IIS and others.
      const isMs = field === 'time-taken' && !isCloudFront && !text.includes('.');
      return isMs ? `${text}ms` : text;
    };
  };
  return (line) => {
    if (line.startsWith('#')) {
      if (/^#Fields:/i.test(line)) columns = line.slice(8).trim().toLowerCase().split(/\s+/);
      else if (/^#Date:/i.test(line)) date = line.slice(6).trim().slice(0, 10);
      return undefined;
    }
    if (isCloudFront && line.startsWith('{')) {
      const object = parseJsonLine(line);
      if (typeof object === 'string') return object;
      const names = Object.keys(object).map((name) => name.toLowerCase());
      return valuesOf(names, Object.values(object));
    }
    if (columns === undefined) return 'no #Fields line before it';
    const values = splitFields(line, separator, columns.length + 1);
    if (values.length !== columns.length) {
      return `not the ${columns.length} fields that #Fields names`;
    }
    return valuesOf(columns, values);
  };
}

/** Decodes percent-encoding; a text in which the encoding is wrong is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
